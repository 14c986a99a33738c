/* SPDX-License-Identifier: MIT
 *
 * sha256.h - SHA-256 (FIPS 180-4), to know whether a file is the one that was published.
 */
#ifndef DLDA_BASE_SHA256_H
#define DLDA_BASE_SHA256_H

#include "base/status.h"

enum { DLDA_SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a final zero */

typedef struct dlda_sha256 {
    uint32_t state[8];
    uint64_t size;     /* bytes so far                            */
    uint8_t block[64]; /* what does not fill a block yet          */
} dlda_sha256;

void dlda_sha256_begin(dlda_sha256 *self);
void dlda_sha256_add(dlda_sha256 *self, const void *bytes, size_t size);
/* The digest in small hexadecimal digits. */
void dlda_sha256_end(dlda_sha256 *self, char text[DLDA_SHA256_TEXT]);

/* The digest of a whole file, read in portions. */
dlda_status dlda_sha256_of_file(const char *path, char text[DLDA_SHA256_TEXT]);

#endif
