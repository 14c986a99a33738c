/* SPDX-License-Identifier: MIT
 *
 * read_csv.c - reads a CSV table as a data set: each row a vector, or an image if a height and a width are
 * requested. Numbers are not scaled. The rules of the format are in csv.c.
 */
#include "base/memory.h"
#include "base/name_list.h"
#include "base/utf8.h"
#include "dataset/csv.h"
#include "dataset/dataset_internal.h"
#include "dataset/readers.h"

#include <string.h>

static dlda_status read_rows(dlda_csv *csv, const char *path, float **values, int **classes)
{
    dlda_status status = DLDA_OK;
    size_t rows = dlda_csv_rows(csv), features = dlda_csv_features(csv), size = 0, n = 0;

    DLDA_TRY(dlda_csv_expect(csv));
    DLDA_TRY(dlda_multiply_sizes(rows, features, path, &size));
    DLDA_TRY(DLDA_TAKE(values, size, path));
    DLDA_TRY(DLDA_TAKE(classes, rows, path));
    for (size_t done_rows = 0; done_rows < rows; done_rows += n) {
        DLDA_TRY(
            dlda_csv_next(csv, NULL, rows - done_rows, *values + done_rows * features, *classes + done_rows, &n));
        if (n == 0) DLDA_FAIL(DLDA_E_IO, "%s: changed while it was read", path);
    }
done:
    return status;
}

/* `unlabelled`: number of columns of a table that has no labels; 0: all tables have labels. */
static dlda_status open_table(const dlda_read_spec *spec, size_t unlabelled, int labelled, dlda_csv **csv)
{
    dlda_status status = DLDA_OK;
    dlda_feature *wanted = NULL;
    size_t n = spec->columns ? spec->features : 0;

    DLDA_TRY(DLDA_TAKE(&wanted, n, spec->path));
    for (size_t j = 0; j < n; j++) wanted[j].column = spec->columns[j];
    DLDA_TRY(dlda_csv_open(&(dlda_csv_spec){ .path = spec->path,
                                             .label = spec->label,
                                             .unlabelled = unlabelled,
                                             .features = wanted,
                                             .n_features = n,
                                             .labelled = labelled,
                                             .limits = spec },
                           csv));
done:
    dlda_release(wanted);
    return status;
}

static int is_labelled(const dlda_csv *csv)
{
    return dlda_csv_label(csv) < dlda_csv_columns(csv);
}

/* The set knows the names of its columns if each can be found by its name, and can be saved. */
static dlda_status name_columns(const dlda_csv *csv, dlda_dataset *dataset)
{
    dlda_status status = DLDA_OK;
    size_t n = dlda_csv_features(csv);
    dlda_name_list sorted = { 0 };
    const char **names = NULL;

    DLDA_TRY(DLDA_TAKE(&names, n, "column names"));
    for (size_t j = 0; j < n; j++) {
        names[j] = dlda_csv_feature(csv, j)->column;
        if (!names[j] || !names[j][0] || !dlda_is_utf8(names[j])) goto done;
        DLDA_TRY(dlda_name_list_add(&sorted, names[j], strlen(names[j])));
    }
    dlda_name_list_sort(&sorted);
    for (size_t j = 1; j < n; j++)
        if (strcmp(dlda_name_list_at(&sorted, j - 1), dlda_name_list_at(&sorted, j)) == 0) goto done;
    DLDA_TRY(dlda_dataset_set_columns(dataset, names));
done:
    dlda_name_list_release(&sorted);
    dlda_release(names);
    return status;
}

static dlda_status read_table(const dlda_read_spec *spec, size_t unlabelled, int labelled, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_dataset_spec set = { 0 };
    dlda_dataset *made = NULL;
    dlda_csv *csv = NULL;
    float *values = NULL;
    int *classes = NULL;

    DLDA_TRY(open_table(spec, unlabelled, labelled, &csv));
    if (labelled && !is_labelled(csv))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: no column beside the %zu features of the model, expected one of labels",
                  spec->path, spec->features);
    DLDA_TRY(dlda_shape_rows(spec, dlda_csv_features(csv), &set.height, &set.width, &set.channels));
    DLDA_TRY(read_rows(csv, spec->path, &values, &classes));
    set.count = dlda_csv_rows(csv);
    if (is_labelled(csv)) {
        set.labels = classes;
        set.classes = dlda_class_list_count(dlda_csv_classes(csv));
        set.names = dlda_class_list_names(dlda_csv_classes(csv));
    }
    DLDA_TRY(dlda_dataset_new(&set, &made));
    DLDA_TRY(name_columns(csv, made));
    made->storage->values = values;
    values = NULL;
    *dataset = made;
    made = NULL;
done:
    dlda_dataset_destroy(made);
    dlda_csv_destroy(csv);
    dlda_release(values);
    dlda_release(classes);
    return status;
}

static dlda_status read_csv(const dlda_source *source, dlda_dataset **dataset)
{
    return read_table(source->spec, 0, 1, dataset);
}

static dlda_status read_unlabelled(const dlda_source *source, dlda_dataset **dataset)
{
    return read_table(source->spec, source->spec->features, 0, dataset);
}

/* ---- Reader ---- */

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), n = strlen(end);

    return length > n && strcmp(text + length - n, end) == 0;
}

/* 1 for text with a separator near its beginning. */
static int looks_like_csv(const uint8_t *start, size_t n)
{
    int separators = 0;

    for (size_t i = 0; i < n; i++) {
        if (start[i] < ' ' && start[i] != '\t' && start[i] != '\r' && start[i] != '\n') return 0;
        separators += start[i] == ',' || start[i] == ';' || start[i] == '\t';
    }
    return separators > 0;
}

int dlda_is_csv(const char *path, const uint8_t *start, size_t n)
{
    static const char *const ends[] = { ".csv", ".csv.gz", ".tsv", ".tsv.gz" };

    for (size_t i = 0; i < 4; i++)
        if (ends_with(path, ends[i])) return 1;
    return looks_like_csv(start, n) && !strstr(path, "-ubyte"); /* files with that name are damaged IDX files */
}

static int recognises(const dlda_source *source)
{
    return !source->is_folder && dlda_is_csv(source->spec->path, source->start, source->n_start);
}

static int has_part(const dlda_source *source, dlda_part part)
{
    (void)source;
    return part == DLDA_PART_TRAIN;
}

/* A table that cannot be read counts as labelled: reading it will say what is wrong. */
static int has_labels(const dlda_source *source)
{
    const dlda_read_spec *spec = source->spec;
    dlda_csv *csv = NULL;

    if (spec->features == 0) return 1;
    int labelled = open_table(spec, spec->features, 1, &csv) != DLDA_OK || is_labelled(csv);
    dlda_csv_destroy(csv);
    return labelled;
}

const dlda_reader dlda_csv_reader = { .name = "csv",
                                      .expected = "a CSV table",
                                      .recognises = recognises,
                                      .has_part = has_part,
                                      .read = read_csv,
                                      .read_images = read_unlabelled,
                                      .has_labels = has_labels };
