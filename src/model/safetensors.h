/* SPDX-License-Identifier: MIT
 *
 * safetensors.h - named arrays and a few texts in one file: the container of models and checkpoints.
 *
 * The format is that of huggingface/safetensors, described byte by byte in docs/model_format.md. A file is checked
 * as a whole before anything is returned. Invalid files are DLDA_E_FORMAT; the message names the file, the tensor,
 * the value found and the value expected.
 */
#ifndef DLDA_MODEL_SAFETENSORS_H
#define DLDA_MODEL_SAFETENSORS_H

#include "base/status.h"

enum { DLDA_MOST_RANK = 8 };

/* Element types. Those from DLDA_DTYPE_FOREIGN on occur in files of other programs: their sizes are checked, their
 * values are ignored, and they are never written. */
typedef enum dlda_dtype { DLDA_F32, DLDA_F64, DLDA_I64, DLDA_DTYPE_FOREIGN } dlda_dtype;

/* "F32", "BF16", ... as in files. */
const char *dlda_dtype_name(dlda_dtype dtype);

typedef struct dlda_tensor {
    const char *name;
    dlda_dtype dtype;
    size_t rank;                  /* 0: a single value                          */
    size_t shape[DLDA_MOST_RANK]; /* [rank]; row-major                          */
    const void *data;             /* aligned for its type; may be NULL if empty */
} dlda_tensor;

/* The product of the shape. */
size_t dlda_tensor_elements(const dlda_tensor *tensor);

typedef struct dlda_metadata_entry {
    const char *key, *value; /* UTF-8 */
} dlda_metadata_entry;

/* Writes a file atomically: on failure an existing file is unchanged. The same input gives the same bytes.
 * DLDA_E_NUMERIC if a value is not finite, DLDA_E_ARGUMENT if a name is used twice. */
dlda_status dlda_safetensors_write(const char *path, const dlda_tensor *tensors, size_t count,
                                   const dlda_metadata_entry *metadata, size_t n_metadata);

/* The bytes of such a file, in new memory; `what` replaces the path in messages. */
dlda_status dlda_safetensors_encode(const char *what, const dlda_tensor *tensors, size_t count,
                                    const dlda_metadata_entry *metadata, size_t n_metadata, char **bytes,
                                    size_t *size);

/* A file in memory, const once read. It owns its tensors and texts. */
typedef struct dlda_safetensors dlda_safetensors;

dlda_status dlda_safetensors_read(const char *path, dlda_safetensors **file);
/* Reads from bytes, which are copied; `what` replaces the path in messages. */
dlda_status dlda_safetensors_decode(const char *what, const void *bytes, size_t size, dlda_safetensors **file);
void dlda_safetensors_destroy(dlda_safetensors *file);

/* The text of a metadata key; NULL if there is none. */
const char *dlda_safetensors_metadata(const dlda_safetensors *file, const char *key);

/* The tensor of that name; NULL if there is none. */
const dlda_tensor *dlda_safetensors_find(const dlda_safetensors *file, const char *name);

/* The tensor of that name; DLDA_E_FORMAT if it is missing or has another type or shape [rank]. */
dlda_status dlda_safetensors_require(const dlda_safetensors *file, const char *name, dlda_dtype dtype, size_t rank,
                                     const size_t *shape, const dlda_tensor **tensor);

/* All tensors, in the order of their data; NULL after the last. */
size_t dlda_safetensors_count(const dlda_safetensors *file);
const dlda_tensor *dlda_safetensors_at(const dlda_safetensors *file, size_t i);

#endif
