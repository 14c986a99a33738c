/* SPDX-License-Identifier: MIT
 *
 * read_npz.c - reads data sets in .npz files: zip files of .npy arrays, written by np.savez and
 * np.savez_compressed.
 *
 * With parts: x_train, y_train, x_test, y_test (or X for x). Without: images in x, X, images, features, data
 * or arr_0, labels in y, labels or arr_1; the first that exists is used. class_names, an array of texts,
 * names the classes 0, 1, ...
 */
#include "dataset/array_set.h"
#include "dataset/npz.h"

#include <string.h>

typedef const char *const name_list[8];

static name_list train_images = { "x_train", "X_train" }, test_images = { "x_test", "X_test" };
static name_list train_labels = { "y_train" }, test_labels = { "y_test" };
static name_list any_images = { "x", "X", "images", "features", "data", "arr_0" };
static name_list any_labels = { "y", "labels", "arr_1" };

static const dlda_zip_member *first_of(const dlda_zip *zip, name_list names)
{
    const dlda_zip_member *found = NULL;

    for (size_t i = 0; names[i] && !found; i++) found = dlda_zip_find(zip, names[i]);
    return found;
}

static int has_parts(const dlda_zip *zip)
{
    return first_of(zip, train_images) || first_of(zip, test_images);
}

/* ---- Finding the arrays ---- */

static dlda_status no_array(const char *path, const dlda_zip *zip, const char *expected)
{
    char found[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < zip->count && used + DLDA_SHOWN + 8 < sizeof found; i++)
        used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", i ? ", " : "",
                                 dlda_show(zip->members[i].name).text);
    return dlda_fail(DLDA_E_FORMAT, "%s: found the arrays %s, expected %s", path, found[0] ? found : "(none)",
                     expected);
}

dlda_status dlda_npz_find(const char *path, const dlda_zip *zip, dlda_part part, dlda_npz_names *names)
{
    int train = part == DLDA_PART_TRAIN, parts = has_parts(zip);

    *names = (dlda_npz_names){ .class_names = dlda_zip_find(zip, "class_names") };
    names->images = first_of(zip, !parts ? any_images : train ? train_images : test_images);
    names->labels = first_of(zip, !parts ? any_labels : train ? train_labels : test_labels);
    names->others = parts ? first_of(zip, train ? test_labels : train_labels) : NULL;
    if (!names->images)
        return no_array(path, zip, !parts ? "x_train and y_train, or x and y" : train ? "x_train" : "x_test");
    if (!names->labels) return no_array(path, zip, !parts ? "labels in y" : train ? "y_train" : "y_test");
    return DLDA_OK;
}

/* ---- Reader ---- */

static dlda_status read_npz(const dlda_source *source, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    const char *path = source->spec->path;
    dlda_zip *zip = NULL;
    dlda_npz_names names = { 0 };
    dlda_array X = { .spec = source->spec }, y = X, others = X, texts = X;

    DLDA_TRY(dlda_zip_open(path, &zip));
    DLDA_TRY(dlda_npz_find(path, zip, source->spec->part, &names));
    DLDA_TRY(dlda_array_open(path, names.images, &X));
    DLDA_TRY(dlda_array_open(path, names.labels, &y));
    if (names.others) DLDA_TRY(dlda_array_open(path, names.others, &others));
    if (names.class_names) DLDA_TRY(dlda_array_open(path, names.class_names, &texts));
    DLDA_TRY(dlda_array_set_read(&(dlda_array_set){ .images = &X,
                                                    .labels = &y,
                                                    .others = names.others ? &others : NULL,
                                                    .names = names.class_names ? &texts : NULL },
                                 source->spec, dataset));
done:
    dlda_array_close(&X);
    dlda_array_close(&y);
    dlda_array_close(&others);
    dlda_array_close(&texts);
    dlda_zip_destroy(zip);
    return status;
}

int dlda_starts_zip(const uint8_t *start, size_t n)
{
    return n >= 4 && memcmp(start, "PK", 2) == 0 &&
           (memcmp(start + 2, "\3\4", 2) == 0 || memcmp(start + 2, "\5\6", 2) == 0);
}

static int recognises(const dlda_source *source)
{
    const char *path = source->spec->path;
    size_t length = strlen(path);

    if (source->is_folder) return 0;
    return dlda_starts_zip(source->start, source->n_start) ||
           (length > 4 && strcmp(path + length - 4, ".npz") == 0);
}

/* A file that cannot be opened is assumed to have a training part: reading it then reports the error. */
static int has_part(const dlda_source *source, dlda_part part)
{
    dlda_zip *zip = NULL;
    int found = part == DLDA_PART_TRAIN;

    if (dlda_zip_open(source->spec->path, &zip) == DLDA_OK && has_parts(zip))
        found = first_of(zip, part == DLDA_PART_TRAIN ? train_images : test_images) != NULL;
    dlda_zip_destroy(zip);
    return found;
}

const dlda_reader dlda_npz_reader = {
    .name = "npz", .expected = "an .npz file", .recognises = recognises, .has_part = has_part, .read = read_npz
};
