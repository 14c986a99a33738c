/* SPDX-License-Identifier: MIT
 *
 * readers.h - the readers of data sets and of image and label files, one read_<format>.c each.
 *
 * Readers do not trust headers: sizes are compared with the file before memory is allocated, or memory grows with
 * what is read. read.c has the table of readers, and uses the first that recognises a source.
 */
#ifndef DLDA_DATASET_READERS_H
#define DLDA_DATASET_READERS_H

#include "base/status.h"

/* ---- Data sets ---- */

/* What is to be read, with its first bytes. */
typedef struct dlda_source {
    const dlda_read_spec *spec;
    int is_folder;
    uint8_t start[16];    /* the first bytes of a file, padded with zeros */
    size_t n_start;       /* number of bytes; 0 for a folder              */
    dlda_status *failure; /* set if `recognises` or the like cannot answer, since something cannot be read */
} dlda_source;

typedef struct dlda_reader {
    const char *name;     /* value of option format                                       */
    const char *expected; /* "an .npy file", for messages that list the supported formats */
    int (*recognises)(
        const dlda_source *source); /* by content; files damaged after their first bytes are recognised too */
    int (*has_part)(const dlda_source *source, dlda_part part); /* for a recognised source */
    dlda_status (*read)(const dlda_source *source, dlda_dataset **dataset);
    /* Reads images only; NULL: `read` does the same. */
    dlda_status (*read_images)(const dlda_source *source, dlda_dataset **dataset);
    int (*has_labels)(const dlda_source *source); /* labels exist, valid or damaged; NULL: always */
} dlda_reader;

extern const dlda_reader dlda_digits_reader, dlda_idx_reader, dlda_cifar10_reader, dlda_cifar100_reader,
    dlda_stl10_reader, dlda_picture_reader, dlda_folder_reader, dlda_npy_reader, dlda_npz_reader, dlda_csv_reader;

int dlda_starts_gzip(const dlda_source *source);
/* Reports something that is skipped to the caller's callback. */
void dlda_read_problem(const dlda_read_spec *spec, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports what was decided about the data to the caller's callback. */
void dlda_read_note(const dlda_read_spec *spec, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* 1 if a file of labels was found, whose name is released; NULL: none. Labels that are not read are an input as well to
 * a guard (base/file_guard.h): images whose labels are overwritten are worth little. */
int dlda_labels_found(char *labels);
/* 1 if the first bytes are those of the format. */
int dlda_starts_npy(const uint8_t *start, size_t n);
int dlda_starts_zip(const uint8_t *start, size_t n);
int dlda_is_csv(const char *path, const uint8_t *start, size_t n); /* considers the file name too */

/* The image shape of rows of `size` numbers: 1 x 1 x size, or with the spec's height and width if set. */
dlda_status dlda_shape_rows(const dlda_read_spec *spec, size_t size, size_t *height, size_t *width,
                            size_t *channels);

/* ---- Files ---- */

/* A source of bytes: the file `name`, or `size` bytes in memory, for which `name` is used in messages. */
typedef struct dlda_input {
    const char *name;
    const uint8_t *bytes; /* NULL: a file */
    size_t size;
    const dlda_read_spec *spec; /* its most_bytes limits what compressed bytes expand to; NULL: no limit */
} dlda_input;

/* What `size` bytes may expand to under a spec: most_bytes or its default. */
size_t dlda_most_bytes(const dlda_read_spec *spec, size_t size);

/* Images as read; release `bytes` with dlda_release. */
typedef struct dlda_raw_images {
    size_t count, height, width, channels;
    uint8_t *bytes; /* [count][height][width][channels] */
} dlda_raw_images;

/* Creates a set from images that were read, and takes ownership of their bytes. names [classes] may be NULL. */
dlda_status dlda_dataset_adopt(dlda_raw_images *raw, const int *labels, size_t classes, const char *const *names,
                               dlda_dataset **dataset);

/* IDX, plain or gzip: u8 images with 3 dimensions (count, height, width) or 4 (and channels), u8 labels. */
dlda_status dlda_idx_read_images(const dlda_input *input, dlda_raw_images *images);
dlda_status dlda_idx_read_labels(const dlda_input *input, uint8_t **labels, size_t *count);

/* Reads an .npy file as images without labels; of the spec, only path and limits are used. */
dlda_status dlda_npy_read_images(const dlda_read_spec *spec, dlda_dataset **dataset);
/* NAME_labels.npy for NAME.npy, the name used for writing; in new memory. */
dlda_status dlda_npy_labels_name(const char *path, char **labels);
/* The label file that belongs to an .npy file, by the rules of read_npy.c; in new memory. */
dlda_status dlda_npy_labels_beside(const char *path, char **labels);

#endif
