/* SPDX-License-Identifier: MIT
 *
 * safetensors_internal.h - what the safetensors reader and writer share: limits, sizes, messages.
 *
 * A file is an 8-byte little-endian length n; n bytes of JSON that map each name to {"dtype", "shape",
 * "data_offsets": [begin, end]}; and the data, which the tensors cover without gaps.
 */
#ifndef DLDA_MODEL_SAFETENSORS_INTERNAL_H
#define DLDA_MODEL_SAFETENSORS_INTERNAL_H

#include "model/safetensors.h"

#include <jansson.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "safetensors data is used as it lies in the file");

#define DLDA_METADATA_KEY "__metadata__"
#define DLDA_MOST_FILE    ((size_t)UINT32_MAX - 1) /* 4 GB: far above any model; catches corrupt sizes */
enum { DLDA_LENGTH_SIZE = 8, DLDA_MOST_HEADER = 32 * 1000 * 1000 }; /* room for a million names */

/* Bits of an element; the type of that name, -1 if unknown. */
unsigned dlda_dtype_bits(dlda_dtype dtype);
int dlda_dtype_find(const char *name);

/* Returns 1 and the size of a tensor's data; 0 if it overflows or is not a whole number of bytes. */
int dlda_tensor_size(const dlda_tensor *tensor, size_t *bytes);
/* The same for a tensor that was already checked. */
size_t dlda_tensor_bytes(const dlda_tensor *tensor);
/* Returns `failure` if a value of an F32 or F64 tensor is not finite. */
dlda_status dlda_tensor_check_finite(const char *path, const dlda_tensor *tensor, dlda_status failure);

/* For messages, like dlda_show. */
dlda_shown dlda_show_json(const json_t *value);
dlda_shown dlda_show_shape(size_t rank, const size_t *shape);

#endif
