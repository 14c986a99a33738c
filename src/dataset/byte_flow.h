/* SPDX-License-Identifier: MIT
 *
 * byte_flow.h - bytes that flow from a file, from memory or from a member of a zip file, inflated if need be.
 *
 * Nothing is taken on the word of a header: memory grows with what was really found.
 */
#ifndef DLDA_DATASET_BYTE_FLOW_H
#define DLDA_DATASET_BYTE_FLOW_H

#include "dataset/readers.h"

#include <stdio.h>
#include <zlib.h>

/* A member of a zip file, as its directory describes it. */
typedef struct dlda_zip_part {
    size_t offset;      /* of its bytes in the file              */
    size_t packed_size; /* of them                               */
    size_t size;        /* what they are when inflated           */
    uint32_t crc;       /* of that                               */
    int deflated;       /* 0: stored as they are                 */
} dlda_zip_part;

typedef enum dlda_packing { DLDA_PLAIN, DLDA_GZIP, DLDA_DEFLATE } dlda_packing;

/* To be zeroed before it is opened; its fields are for byte_flow.c, and `name` and `given` for messages. */
typedef struct dlda_flow {
    const char *name;
    size_t given;        /* bytes handed out so far                            */
    FILE *file;          /* NULL: memory                                       */
    size_t unread;       /* bytes that may still be read from it               */
    uint8_t *portion;    /* bytes read from it                                 */
    const uint8_t *next; /* raw bytes that are here and not yet used           */
    size_t left;         /* how many                                           */
    dlda_packing packing;
    int ended; /* the last byte of the packed data was seen            */
    z_stream zlib;
    const dlda_zip_part *part; /* NULL: not of a zip file                            */
    uLong crc;                 /* of what was handed out, for a part                 */
} dlda_flow;

/* A whole file or memory, inflated if it starts as gzip does. Close it also if opening fails; the name must last. */
dlda_status dlda_flow_open(const dlda_input *input, dlda_flow *flow);
/* A part of the zip file `path`; `name` is what messages call it. Both and the part must last. */
dlda_status dlda_flow_open_part(const char *path, const char *name, const dlda_zip_part *part, dlda_flow *flow);
void dlda_flow_close(dlda_flow *flow);

/* Puts n bytes at `to`; fewer only where the flow ends. */
dlda_status dlda_flow_get(dlda_flow *flow, void *to, size_t n, size_t *got);

/* Fails unless the flow ends here, whole: `promised` bytes, says the message, and found more or a wrong checksum. */
dlda_status dlda_flow_finish(dlda_flow *flow, size_t promised);

/* All that follows, which must be `promised` bytes, in new memory (dlda_release). */
dlda_status dlda_flow_read_rest(dlda_flow *flow, size_t promised, uint8_t **bytes);

#endif
