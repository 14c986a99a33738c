/* SPDX-License-Identifier: MIT
 *
 * read_npy.c - reads data sets in .npy files: images or vectors in one, labels in another.
 * array_set.c interprets shapes.
 *
 * For a given file, the labels are expected beside it:
 *     NAME.npy -> NAME_labels.npy                 if it exists; `deeplda embed` writes such pairs
 *     NAMEimagesEND.npy -> NAMElabelsEND.npy      also with "features" or "data" for "images"
 *     XEND.npy, xEND.npy -> yEND.npy              X.npy, x_train.npy, X_test.npy, ...
 * For a given folder, the training part is the first of these pairs that exists, the test part likewise with
 * "test":
 *     x_train.npy, X_train.npy and y_train.npy;  train_images.npy and train_labels.npy
 * A folder without parts has X.npy or x.npy and y.npy, or images.npy and labels.npy.
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/array_set.h"

#include <stdio.h>
#include <string.h>

static const char suffix[] = ".npy";

/* ---- Names ---- */

typedef struct pair {
    const char *images, *labels;
} pair;

static const pair train_pairs[] = {
    { "x_train.npy", "y_train.npy" },
    { "X_train.npy", "y_train.npy" },
    { "train_images.npy", "train_labels.npy" },
    { "X.npy", "y.npy" },
    { "x.npy", "y.npy" },
    { "images.npy", "labels.npy" },
};
static const pair test_pairs[] = {
    { "x_test.npy", "y_test.npy" },
    { "X_test.npy", "y_test.npy" },
    { "test_images.npy", "test_labels.npy" },
};

enum { N_TRAIN = sizeof train_pairs / sizeof *train_pairs, N_TEST = sizeof test_pairs / sizeof *test_pairs };

static int folder_has_file(const char *folder, const char *name)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);

    return length > 0 && (size_t)length < sizeof path && dlda_path_exists(path);
}

/* The first pair whose images exist, NULL if there is none. */
static const pair *find_pair(const char *folder, dlda_part part)
{
    const pair *pairs = part == DLDA_PART_TRAIN ? train_pairs : test_pairs;

    for (size_t i = 0; i < (part == DLDA_PART_TRAIN ? N_TRAIN : N_TEST); i++)
        if (folder_has_file(folder, pairs[i].images)) return &pairs[i];
    return NULL;
}

/* Copies `path` with the n characters at `at` replaced by `to`. */
static dlda_status replaced(const char *path, const char *at, size_t n, const char *to, char **result)
{
    size_t size = strlen(path) + strlen(to) + 1;
    dlda_status status = DLDA_TAKE(result, size, "file name");

    if (status == DLDA_OK) snprintf(*result, size, "%.*s%s%s", (int)(at - path), path, to, at + n);
    return status;
}

dlda_status dlda_npy_labels_name(const char *path, char **labels)
{
    size_t length = strlen(path), end = strlen(suffix);

    if (length <= end || !dlda_path_ends(path, suffix)) end = 0;
    return replaced(path, path + length - end, end, "_labels.npy", labels);
}

dlda_status dlda_npy_labels_beside(const char *path, char **labels)
{
    static const char *const words[] = { "images", "features", "data" };
    dlda_status status = DLDA_OK;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *at = NULL;
    char *found = NULL;

    DLDA_TRY(dlda_npy_labels_name(path, &found));
    if (!dlda_path_exists(found)) {
        dlda_release(found);
        found = NULL;
    }
    for (size_t i = 0; i < 3 && !found; i++)
        if ((at = strstr(name, words[i]))) DLDA_TRY(replaced(path, at, strlen(words[i]), "labels", &found));
    if (!found && (name[0] == 'X' || name[0] == 'x')) DLDA_TRY(replaced(path, name, 1, "y", &found));
    if (!found)
        DLDA_FAIL(DLDA_E_IO,
                  "%s: its labels are not known from its name; X.npy has them in y.npy, images.npy in labels.npy, "
                  "NAME.npy in NAME_labels.npy",
                  path);
    if (!dlda_path_exists(found)) DLDA_FAIL(DLDA_E_IO, "%s: found no labels beside it, expected %s", path, found);
    *labels = found;
    found = NULL;
done:
    dlda_release(found);
    return status;
}

/* ---- Reading ---- */

/* `others` may be NULL. */
static dlda_status read_files(const dlda_read_spec *spec, const char *images, const char *labels,
                              const char *others, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_array X = { .spec = spec }, y = X, other = X;

    DLDA_TRY(dlda_array_open(images, NULL, &X));
    DLDA_TRY(dlda_array_open(labels, NULL, &y));
    if (others) DLDA_TRY(dlda_array_open(others, NULL, &other));
    DLDA_TRY(dlda_array_set_read(&(dlda_array_set){ .images = &X, .labels = &y, .others = others ? &other : NULL },
                                 spec, dataset));
done:
    dlda_array_close(&X);
    dlda_array_close(&y);
    dlda_array_close(&other);
    return status;
}

static dlda_status read_folder(const dlda_read_spec *spec, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    const char *folder = spec->path;
    dlda_part part = spec->part;
    const pair *names = find_pair(folder, part);
    const pair *others = find_pair(folder, part == DLDA_PART_TRAIN ? DLDA_PART_TEST : DLDA_PART_TRAIN);
    char *images = NULL, *labels = NULL, *other = NULL;

    if (!names)
        DLDA_FAIL(DLDA_E_IO, "%s: found no %s", folder, part == DLDA_PART_TRAIN ? "x_train.npy" : "x_test.npy");
    DLDA_TRY(dlda_path_join(folder, names->images, &images));
    DLDA_TRY(dlda_path_join(folder, names->labels, &labels));
    if (others && folder_has_file(folder, others->labels)) DLDA_TRY(dlda_path_join(folder, others->labels, &other));
    DLDA_TRY(read_files(spec, images, labels, other, dataset));
done:
    dlda_release(images);
    dlda_release(labels);
    dlda_release(other);
    return status;
}

static dlda_status read_file(const dlda_read_spec *spec, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    char *labels = NULL;

    DLDA_TRY(dlda_npy_labels_beside(spec->path, &labels));
    DLDA_TRY(read_files(spec, spec->path, labels, NULL, dataset));
done:
    dlda_release(labels);
    return status;
}

dlda_status dlda_npy_read_images(const dlda_read_spec *spec, dlda_dataset **dataset)
{
    dlda_array X = { .spec = spec };
    dlda_status status = dlda_array_open(spec->path, NULL, &X);

    if (status == DLDA_OK)
        status = dlda_array_set_read(&(dlda_array_set){ .images = &X }, &(dlda_read_spec){ .path = spec->path },
                                     dataset);
    dlda_array_close(&X);
    return status;
}

/* ---- Reader ---- */

int dlda_starts_npy(const uint8_t *start, size_t n)
{
    return n >= 6 && memcmp(start, "\x93NUMPY", 6) == 0;
}

static int is_named(const char *path)
{
    size_t length = strlen(path);

    return length > strlen(suffix) && strcmp(path + length - strlen(suffix), suffix) == 0;
}

static int recognises(const dlda_source *source)
{
    const char *path = source->spec->path;

    if (source->is_folder) return find_pair(path, DLDA_PART_TRAIN) || find_pair(path, DLDA_PART_TEST);
    return dlda_starts_npy(source->start, source->n_start) || is_named(path);
}

static int has_part(const dlda_source *source, dlda_part part)
{
    return source->is_folder ? find_pair(source->spec->path, part) != NULL : part == DLDA_PART_TRAIN;
}

static dlda_status read_npy(const dlda_source *source, dlda_dataset **dataset)
{
    return source->is_folder ? read_folder(source->spec, dataset) : read_file(source->spec, dataset);
}

static int has_labels(const dlda_source *source)
{
    char *labels = NULL;

    if (source->is_folder) return 1;
    (void)dlda_npy_labels_beside(source->spec->path, &labels);
    return dlda_labels_found(labels);
}

static dlda_status read_unlabelled(const dlda_source *source, dlda_dataset **dataset)
{
    if (source->is_folder) return read_npy(source, dataset);
    (void)has_labels(source); /* which protects them */
    return dlda_npy_read_images(source->spec, dataset);
}

const dlda_reader dlda_npy_reader = { .name = "npy",
                                      .expected = "an .npy file or a folder of them",
                                      .recognises = recognises,
                                      .has_part = has_part,
                                      .read = read_npy,
                                      .read_images = read_unlabelled,
                                      .has_labels = has_labels };
