/* SPDX-License-Identifier: MIT
 *
 * readers.h - the readers of data sets and of image and label files, one read_<format>.c each.
 *
 * Readers trust nothing: a header's promise is compared with what the file holds before memory is taken
 * for it, or while it is taken bit by bit. read.c has the table of them, and asks each whether it knows what it sees.
 */
#ifndef DLDA_DATASET_READERS_H
#define DLDA_DATASET_READERS_H

#include "base/status.h"

/* ---- Data sets ---- */

/* What is to be read, and a first look at it. */
typedef struct dlda_source {
    const dlda_read_spec *spec;
    int is_folder;
    uint8_t start[16]; /* the first bytes of a file, zeros behind its end */
    size_t n_start;    /* how many there are; 0 for a folder              */
} dlda_source;

typedef struct dlda_reader {
    const char *name;     /* of option format                                                               */
    const char *expected; /* "an .npy file": for messages that list what can be read                       */
    int (*recognises)(
        const dlda_source *source); /* by the content; what is damaged behind its first bytes is known too */
    int (*has_part)(const dlda_source *source, dlda_part part); /* of something that it recognised         */
    dlda_status (*read)(const dlda_source *source, dlda_dataset **dataset);
    /* Without labels; NULL if that is the same. */
    dlda_status (*read_images)(const dlda_source *source, dlda_dataset **dataset);
    int (*has_labels)(const dlda_source *source); /* there are labels, good or damaged; NULL: always */
} dlda_reader;

extern const dlda_reader dlda_digits_reader, dlda_idx_reader, dlda_cifar10_reader, dlda_cifar100_reader,
    dlda_stl10_reader, dlda_picture_reader, dlda_folder_reader, dlda_npy_reader, dlda_npz_reader, dlda_csv_reader;

/* 1 if the folder has an entry whose name begins so. */
int dlda_folder_has(const char *folder, const char *start);
int dlda_starts_gzip(const dlda_source *source);
/* Tells whoever asked for the data of something that is left out. */
void dlda_read_problem(const dlda_read_spec *spec, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for the formats of arrays. */
int dlda_starts_npy(const uint8_t *start, size_t n);
int dlda_starts_zip(const uint8_t *start, size_t n);
int dlda_is_csv(const char *path, const uint8_t *start, size_t n); /* by its name too */

/* The shape of images that come as rows of `size` numbers: 1 x 1 x size, or spec's height and width, if it has them. */
dlda_status dlda_shape_rows(const dlda_read_spec *spec, size_t size, size_t *height, size_t *width,
                            size_t *channels);

/* ---- Files ---- */

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

/* A set of images that were read; it takes over their bytes. names [classes] may be NULL. */
dlda_status dlda_dataset_adopt(dlda_raw_images *raw, const int *labels, size_t classes, const char *const *names,
                               dlda_dataset **dataset);

/* IDX, plain or gzip: u8 images with 3 dimensions (count, height, width) or 4 (and channels), u8 labels. */
dlda_status dlda_idx_read_images(const dlda_input *input, dlda_raw_images *images);
dlda_status dlda_idx_read_labels(const dlda_input *input, uint8_t **labels, size_t *count);

/* An .npy file as a set of images without labels. */
dlda_status dlda_npy_read_images(const char *path, dlda_dataset **dataset);
/* NAME_labels.npy for NAME.npy, in new memory: where labels are written. */
dlda_status dlda_npy_labels_name(const char *path, char **labels);
/* The file that has the labels of an .npy file, by its name, in new memory. */
dlda_status dlda_npy_labels_beside(const char *path, char **labels);

#endif
