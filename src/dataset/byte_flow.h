/* SPDX-License-Identifier: MIT
 *
 * byte_flow.h - sequential bytes from a file, from memory or from a member of a zip file, decompressed if needed.
 *
 * Sizes in headers are not trusted: memory grows with the bytes actually read.
 */
#ifndef DLDA_DATASET_BYTE_FLOW_H
#define DLDA_DATASET_BYTE_FLOW_H

#include "dataset/readers.h"

#include <stdio.h>
#include <zlib.h>

/* A member of a zip file, as described by the zip directory. */
typedef struct dlda_zip_part {
    size_t offset;      /* of its data in the file  */
    size_t packed_size; /* compressed               */
    size_t size;        /* decompressed             */
    uint32_t crc;       /* of the decompressed data */
    int deflated;       /* 0: stored uncompressed   */
} dlda_zip_part;

typedef enum dlda_packing { DLDA_PLAIN, DLDA_GZIP, DLDA_DEFLATE } dlda_packing;

/* Zero it before opening. The fields are private to byte_flow.c, except `name` and
 * `given`, which are for messages. */
typedef struct dlda_flow {
    const char *name;
    size_t given;        /* bytes delivered so far                     */
    FILE *file;          /* NULL: memory                               */
    size_t unread;       /* bytes that may still be read from the file */
    uint8_t *portion;    /* buffer                                     */
    const uint8_t *next; /* buffered raw bytes that are not yet used   */
    size_t left;         /* number of them                             */
    dlda_packing packing;
    int ended;   /* the end of the compressed stream was reached */
    size_t most; /* bytes that compressed data may expand to */
    z_stream zlib;
    const dlda_zip_part *part; /* NULL: not a zip member                   */
    uLong crc;                 /* of the bytes delivered, for a zip member */
} dlda_flow;

/* Opens a whole file or memory; decompresses it if it starts with the gzip magic number. Close it also if this
 * fails. The name must outlive it. */
dlda_status dlda_flow_open(const dlda_input *input, dlda_flow *flow);
/* Opens a member of the zip file `path`; `name` is for messages. Both and the part must outlive it. The spec limits what
 * it may expand to; NULL: no limit. */
dlda_status dlda_flow_open_part(const char *path, const char *name, const dlda_zip_part *part,
                                const dlda_read_spec *spec, dlda_flow *flow);
void dlda_flow_close(dlda_flow *flow);

/* Refuses compressed data by a header that promises more than the limit: `bytes`, and what `samples` samples take in a
 * data set besides. */
dlda_status dlda_flow_expect(const dlda_flow *flow, size_t bytes, size_t samples);

/* Copies n bytes to `to`; fewer only at the end. */
dlda_status dlda_flow_get(dlda_flow *flow, void *to, size_t n, size_t *got);

/* Skips n bytes, or all that are left. In a plain file they are not read. */
dlda_status dlda_flow_skip(dlda_flow *flow, size_t n);

/* Fails unless the flow ends here and is intact. `promised`, the expected size, is for the message. */
dlda_status dlda_flow_finish(dlda_flow *flow, size_t promised);

/* Reads the rest, which must be `promised` bytes, into new memory (dlda_release). */
dlda_status dlda_flow_read_rest(dlda_flow *flow, size_t promised, uint8_t **bytes);

#endif
