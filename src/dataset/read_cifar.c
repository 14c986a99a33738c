/* SPDX-License-Identifier: MIT
 *
 * read_cifar.c - reads CIFAR-10 and CIFAR-100, binary version: the original folder, or one .bin file.
 *
 * A CIFAR-10 record is a label and 32 x 32 pixels as three planes. A CIFAR-100 record has a coarse (20 classes) and
 * a fine label (100 classes) before the pixels. The fine label is used unless the spec's `label` is "coarse".
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/folder_probe.h"
#include "dataset/planar.h"

#include <stdio.h>
#include <string.h>

enum { SIDE = 32, BATCHES = 5, PROBES = 16 };

static const char *const cifar10_names[10] = { "airplane", "automobile", "bird",  "cat",  "deer",
                                               "dog",      "frog",       "horse", "ship", "truck" };

static const dlda_planar_layout layout_10 = { SIDE, 1, 0, 10, 0 };
static const dlda_planar_layout layout_fine = { SIDE, 2, 1, 100, 0 };
static const dlda_planar_layout layout_coarse = { SIDE, 2, 0, 20, 0 };

/* ---- Recognition ---- */

/* Checks labels throughout the file: random data would not have all of them in range. */
static int labels_fit(const char *path, const dlda_planar_layout *layout, size_t count)
{
    size_t record = dlda_planar_record(layout), step = count / PROBES + 1;
    FILE *file = NULL;
    int fits = dlda_file_open(path, &file) == DLDA_OK;

    for (size_t i = 0; fits && i < count; i += step) {
        uint8_t label[2] = { 0 };
        fits = fseek(file, (long)(i * record), SEEK_SET) == 0 && fread(label, layout->label_bytes, 1, file) == 1 &&
               label[layout->label_at] < layout->classes && label[0] < (layout->label_bytes == 2 ? 20 : 10);
    }
    if (file) fclose(file);
    return fits;
}

static int file_is(const char *path, const dlda_planar_layout *layout)
{
    size_t count = 0;
    return dlda_planar_count(path, layout, &count) == DLDA_OK && labels_fit(path, layout, count);
}

static int folder_is_10(const dlda_source *source)
{
    const char *path = source->spec->path;
    return dlda_folder_has(path, "data_batch_", source->failure) ||
           dlda_folder_has(path, "test_batch", source->failure);
}

static int folder_is_100(const dlda_source *source)
{
    const char *path = source->spec->path;
    return dlda_folder_has(path, "train.bin", source->failure) ||
           dlda_folder_has(path, "test.bin", source->failure);
}

/* Files with the usual names are recognised even if damaged, so that the error names the format. */
static int named_10(const char *name)
{
    return strncmp(name, "data_batch_", 11) == 0 || strncmp(name, "test_batch", 10) == 0;
}

static int named_100(const char *name)
{
    return strcmp(name, "train.bin") == 0 || strcmp(name, "test.bin") == 0;
}

static int recognises_10(const dlda_source *source)
{
    const char *path = source->spec->path, *name = dlda_path_name(path);

    if (source->is_folder) return folder_is_10(source);
    return dlda_path_ends(name, ".bin") && (named_10(name) || (!named_100(name) && file_is(path, &layout_10)));
}

static int recognises_100(const dlda_source *source)
{
    const char *path = source->spec->path, *name = dlda_path_name(path);

    if (source->is_folder) return folder_is_100(source);
    return named_100(name) || (dlda_path_ends(name, ".bin") && file_is(path, &layout_fine));
}

/* ---- Class names ---- */

static dlda_status find_names(const char *folder, const dlda_planar_layout *layout, dlda_name_list *list)
{
    if (layout->label_bytes == 1) return dlda_class_names_read(folder, "batches.meta.txt", layout->classes, list);
    return dlda_class_names_read(folder, layout == &layout_fine ? "fine_label_names.txt" : "coarse_label_names.txt",
                                 layout->classes, list);
}

/* ---- Reading ---- */

typedef struct cifar_files {
    size_t n;
    char *paths[BATCHES];
    char *folder; /* that contains them */
} cifar_files;

static void files_release(cifar_files *files)
{
    for (size_t k = 0; k < BATCHES; k++) dlda_release(files->paths[k]);
    dlda_release(files->folder);
}

static dlda_status add_file(cifar_files *files, const char *name)
{
    dlda_status status = dlda_path_join(files->folder, name, &files->paths[files->n]);

    if (status != DLDA_OK) return status;
    if (!dlda_path_exists(files->paths[files->n]))
        return dlda_fail(DLDA_E_IO,
                         "%s: found no %s; expected the binary version, not the one for Python or MATLAB",
                         files->folder, name);
    files->n++;
    return DLDA_OK;
}

static dlda_status list_folder(const dlda_source *source, int cifar10, cifar_files *files)
{
    dlda_status status = DLDA_OK;
    int train = source->spec->part == DLDA_PART_TRAIN;
    char name[32];

    DLDA_TRY(dlda_take_text(source->spec->path, &files->folder));
    for (int k = 1; cifar10 && train && k <= BATCHES; k++) {
        snprintf(name, sizeof name, "data_batch_%d.bin", k);
        DLDA_TRY(add_file(files, name));
    }
    if (files->n == 0) DLDA_TRY(add_file(files, cifar10 ? "test_batch.bin" : train ? "train.bin" : "test.bin"));
done:
    return status;
}

static dlda_status list_file(const char *path, cifar_files *files)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_take_text(path, &files->paths[0]));
    files->n = 1;
    DLDA_TRY(dlda_path_folder(path, &files->folder));
done:
    return status;
}

static dlda_status read_set(const dlda_source *source, const dlda_planar_layout *layout, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_raw_images raw = { 0 };
    dlda_name_list list = { 0 };
    cifar_files files = { 0 };
    int *labels = NULL, cifar10 = layout == &layout_10;

    DLDA_TRY(source->is_folder ? list_folder(source, cifar10, &files) : list_file(source->spec->path, &files));
    DLDA_TRY(find_names(files.folder, layout, &list));
    DLDA_TRY(dlda_planar_read((const char *const *)files.paths, files.n, layout, source->spec, &raw, &labels));
    DLDA_TRY(dlda_planar_adopt(&list, cifar10 ? cifar10_names : NULL, labels, layout->classes, &raw, dataset));
done:
    files_release(&files);
    dlda_name_list_release(&list);
    dlda_release(raw.bytes);
    dlda_release(labels);
    return status;
}

static dlda_status read_10(const dlda_source *source, dlda_dataset **dataset)
{
    return read_set(source, &layout_10, dataset);
}

static dlda_status read_100(const dlda_source *source, dlda_dataset **dataset)
{
    const char *label = source->spec->label;

    if (!label || strcmp(label, "fine") == 0) return read_set(source, &layout_fine, dataset);
    if (strcmp(label, "coarse") == 0) return read_set(source, &layout_coarse, dataset);
    return dlda_fail(DLDA_E_OPTION, "%s: label '%s', expected fine or coarse", source->spec->path, label);
}

/* A single file belongs to no part: using it as test data would mean testing on the training data. */
static int has_part_10(const dlda_source *source, dlda_part part)
{
    if (!source->is_folder) return part == DLDA_PART_TRAIN;
    return dlda_folder_has(source->spec->path, part == DLDA_PART_TRAIN ? "data_batch_" : "test_batch",
                           source->failure);
}

static int has_part_100(const dlda_source *source, dlda_part part)
{
    if (!source->is_folder) return part == DLDA_PART_TRAIN;
    return dlda_folder_has(source->spec->path, part == DLDA_PART_TRAIN ? "train.bin" : "test.bin", source->failure);
}

const dlda_reader dlda_cifar10_reader = { .name = "cifar10",
                                          .expected = "binary CIFAR-10",
                                          .recognises = recognises_10,
                                          .has_part = has_part_10,
                                          .read = read_10 };

const dlda_reader dlda_cifar100_reader = { .name = "cifar100",
                                           .expected = "binary CIFAR-100",
                                           .recognises = recognises_100,
                                           .has_part = has_part_100,
                                           .read = read_100 };
