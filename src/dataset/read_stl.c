/* SPDX-License-Identifier: MIT
 *
 * read_stl.c - reads STL-10, binary version: the original folder, or one file of images.
 *
 * train_X.bin has images of 96 x 96 pixels as three planes, each stored column by column; train_y.bin has a label
 * from 1 to 10 for each image. test_X.bin and test_y.bin are alike. unlabeled_X.bin has images only.
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/dataset_internal.h"
#include "dataset/folder_probe.h"
#include "dataset/folds.h"
#include "dataset/planar.h"

#include <string.h>

enum { SIDE = 96, CLASSES = 10 };

static const char *const usual_names[CLASSES] = { "airplane", "bird",  "car",    "cat",  "deer",
                                                  "dog",      "horse", "monkey", "ship", "truck" };

static const dlda_planar_layout layout = { .side = SIDE, .classes = CLASSES, .by_columns = 1 };

static const char images_end[] = "_X.bin", labels_end[] = "_y.bin";

/* ---- Labels ---- */

static dlda_status check_label_file(const char *path, size_t found, const char *images, size_t count)
{
    if (found == count) return DLDA_OK;
    return dlda_fail(DLDA_E_SHAPE, "%s: %zu labels, expected one for each of the %zu images of %s", path, found,
                     count, images);
}

/* Reads labels 1 to 10 as 0 to 9. */
static dlda_status read_labels(const char *path, const char *images, size_t count, int **labels)
{
    dlda_status status = DLDA_OK;
    char *bytes = NULL;
    int *numbers = NULL;
    size_t found = 0;

    DLDA_TRY(dlda_file_read(path, (size_t)1 << 30, &bytes, &found));
    DLDA_TRY(check_label_file(path, found, images, count));
    DLDA_TRY(DLDA_TAKE(&numbers, count, path));
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (uint8_t)bytes[i] - 1;
        if (numbers[i] < 0 || numbers[i] >= CLASSES)
            DLDA_FAIL(DLDA_E_FORMAT, "%s: image %zu has label %d, expected 1 to %d", path, i, numbers[i] + 1,
                      CLASSES);
    }
    *labels = numbers;
    numbers = NULL;
done:
    dlda_release(bytes);
    dlda_release(numbers);
    return status;
}

/* "x_X.bin" -> "x_y.bin". */
static dlda_status labels_beside(const char *images, char **path)
{
    dlda_status status = DLDA_OK;
    char *labels = NULL;

    if (!dlda_path_ends(images, images_end))
        DLDA_FAIL(DLDA_E_IO, "%s: no %s at the end of the name, so its labels are not known", images, images_end);
    DLDA_TRY(dlda_take_text(images, &labels));
    memcpy(labels + strlen(labels) - strlen(labels_end), labels_end, strlen(labels_end));
    if (!dlda_path_exists(labels))
        DLDA_FAIL(DLDA_E_IO, "%s: found no labels for it; expected them in %s", images, labels);
    *path = labels;
    labels = NULL;
done:
    dlda_release(labels);
    return status;
}

/* ---- Sets ---- */

static dlda_status read_pair(const dlda_read_spec *spec, const char *images, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_raw_images raw = { 0 };
    dlda_name_list names = { 0 };
    char *folder = NULL, *labels_path = NULL;
    int *labels = NULL;
    size_t count = 0;

    DLDA_TRY(labels_beside(images, &labels_path));
    DLDA_TRY(dlda_planar_count(images, &layout, &count));
    DLDA_TRY(read_labels(labels_path, images, count,
                         &labels)); /* before the much larger images, so that errors show early */
    DLDA_TRY(dlda_path_folder(images, &folder));
    DLDA_TRY(dlda_class_names_read(folder, "class_names.txt", CLASSES, &names));
    DLDA_TRY(dlda_planar_read(&images, 1, &layout, spec, &raw, NULL));
    DLDA_TRY(check_label_file(labels_path, count, images, raw.count));
    DLDA_TRY(dlda_planar_adopt(&names, usual_names, labels, CLASSES, &raw, dataset));
done:
    dlda_release(folder);
    dlda_release(labels_path);
    dlda_name_list_release(&names);
    dlda_release(raw.bytes);
    dlda_release(labels);
    return status;
}

static const char *images_of(dlda_part part)
{
    return part == DLDA_PART_TRAIN ? "train_X.bin" : "test_X.bin";
}

/* Adds the folds of the training part, if the folder has their file. */
static dlda_status add_folds(const char *folder, dlda_dataset *set)
{
    dlda_status status = DLDA_OK;
    dlda_folds folds = { 0 };
    size_t *start = NULL;

    if (!dlda_folder_has(folder, "fold_indices.txt", &status)) return status;
    DLDA_TRY(dlda_stl_read_folds(folder, set->count, &folds));
    DLDA_TRY(DLDA_TAKE(&start, folds.count + 1, "folds"));
    for (size_t k = 0; k <= folds.count; k++) start[k] = k * folds.size;
    DLDA_TRY(dlda_dataset_set_folds(set, folds.count, &start, &folds.index));
done:
    dlda_folds_release(&folds);
    dlda_release(start);
    return status;
}

static dlda_status read_stl(const dlda_source *source, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    const char *name = images_of(source->spec->part);
    char *path = NULL;
    dlda_dataset *set = NULL;

    if (!source->is_folder) return read_pair(source->spec, source->spec->path, dataset);
    DLDA_TRY(dlda_path_join(source->spec->path, name, &path));
    if (!dlda_path_exists(path)) DLDA_FAIL(DLDA_E_IO, "%s: found no %s", source->spec->path, name);
    DLDA_TRY(read_pair(source->spec, path, &set));
    if (source->spec->part == DLDA_PART_TRAIN) DLDA_TRY(add_folds(source->spec->path, set));
    *dataset = set;
    set = NULL;
done:
    dlda_dataset_destroy(set);
    dlda_release(path);
    return status;
}

static int has_labels(const dlda_source *source)
{
    char *labels = NULL;

    if (source->is_folder) return 1;
    (void)labels_beside(source->spec->path, &labels);
    return dlda_labels_found(labels);
}

/* Reads images only, e.g. unlabeled_X.bin; labels of other files are ignored. */
static dlda_status read_unlabelled(const dlda_source *source, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_raw_images raw = { 0 };

    if (source->is_folder) return read_stl(source, dataset);
    (void)has_labels(source); /* which protects them */
    DLDA_TRY(dlda_planar_read(&source->spec->path, 1, &layout, source->spec, &raw, NULL));
    DLDA_TRY(dlda_dataset_adopt(&raw, NULL, 0, NULL, dataset));
done:
    dlda_release(raw.bytes);
    return status;
}

/* ---- Reader ---- */

static int recognises(const dlda_source *source)
{
    const char *path = source->spec->path;

    if (!source->is_folder) return dlda_path_ends(path, images_end);
    return dlda_folder_has(path, "train_X.bin", source->failure) ||
           dlda_folder_has(path, "train_y.bin", source->failure) ||
           dlda_folder_has(path, "test_X.bin", source->failure) ||
           dlda_folder_has(path, "unlabeled_X.bin", source->failure);
}

/* A single file belongs to no part: using it as test data would mean testing on the training data. */
static int has_part(const dlda_source *source, dlda_part part)
{
    if (!source->is_folder) return part == DLDA_PART_TRAIN;
    return dlda_folder_has(source->spec->path, part == DLDA_PART_TRAIN ? "train_" : "test_", source->failure);
}

const dlda_reader dlda_stl10_reader = { .name = "stl10",
                                        .expected = "binary STL-10",
                                        .recognises = recognises,
                                        .has_part = has_part,
                                        .read = read_stl,
                                        .read_images = read_unlabelled,
                                        .has_labels = has_labels };
