/* SPDX-License-Identifier: MIT
 *
 * readers.h - the readers of image and label files, one read_<format>.c each.
 *
 * Readers trust nothing: a header's promise is compared with what the file holds before memory is taken
 * for it, or while it is taken bit by bit.
 */
#ifndef DLDA_DATASET_READERS_H
#define DLDA_DATASET_READERS_H

#include "base/status.h"

/* Where bytes come from: the file `name`, or `size` bytes in memory that messages call `name`. */
typedef struct dlda_input {
    const char *name;
    const uint8_t *bytes; /* NULL: a file */
    size_t size;
} dlda_input;

/* Images as a file has them; release `bytes` with dlda_release. */
typedef struct dlda_raw_images {
    size_t count, height, width, channels;
    uint8_t *bytes; /* [count][height][width][channels] */
} dlda_raw_images;

/* IDX, plain or gzip: u8 images with 3 dimensions (count, height, width) or 4 (and channels), u8 labels. */
dlda_status dlda_idx_read_images(const dlda_input *input, dlda_raw_images *images);
dlda_status dlda_idx_read_labels(const dlda_input *input, uint8_t **labels, size_t *count);

/* One image, with 1 channel if the file is grey and 3 if it has colours. */
dlda_status dlda_png_read(const char *path, dlda_raw_images *image);

#endif
