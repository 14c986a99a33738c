/* SPDX-License-Identifier: MIT
 *
 * convert_cifar10.c - converts CIFAR-10 from PNG sheets to its binary files.
 *
 * A sheet is an RGB picture in which row i holds the 32 x 32 pixels of image i, row by row. The labels of all
 * training sheets, and of the test sheet, are two JSON arrays. A binary file has for each image its label, then its
 * red, green and blue planes.
 */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/data.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 32, PIXELS = SIDE * SIDE, RECORD = 1 + 3 * PIXELS, CLASSES = 10, TRAIN_SHEETS = 5 };

static const size_t most_json = (size_t)1 << 24;

static const char class_names[] = "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n";

typedef struct labels {
    size_t count, used; /* used: those of the sheets converted so far */
    uint8_t *values;    /* [count]                                    */
} labels;

/* ---- Labels ---- */

static dlda_status copy_labels(const char *path, const json_t *array, labels *result)
{
    dlda_status status = DLDA_OK;

    if (!json_is_array(array)) DLDA_FAIL(DLDA_E_FORMAT, "%s: not a JSON array of labels", path);
    result->count = json_array_size(array);
    DLDA_TRY(DLDA_TAKE(&result->values, result->count, path));
    for (size_t i = 0; i < result->count; i++) {
        const json_t *label = json_array_get(array, i);
        json_int_t value = json_is_integer(label) ? json_integer_value(label) : -1;
        if (value < 0 || value >= CLASSES)
            DLDA_FAIL(DLDA_E_FORMAT, "%s: entry %zu is no label from 0 to %d", path, i, CLASSES - 1);
        result->values[i] = (uint8_t)value;
    }
done:
    return status;
}

/* Reads a list of labels and removes its file. */
static dlda_status take_labels(const char *folder, const char *name, labels *result)
{
    dlda_status status = DLDA_OK;
    char *path = NULL, *text = NULL;
    size_t size = 0;
    json_t *array = NULL;

    DLDA_TRY(dlda_path_join(folder, name, &path));
    DLDA_TRY(dlda_file_read(path, most_json, &text, &size));
    DLDA_TRY(dlda_json_parse(text, size, path, &array, NULL));
    DLDA_TRY(copy_labels(path, array, result));
    unlink(path);
done:
    json_decref(array);
    dlda_release(text);
    dlda_release(path);
    return status;
}

/* ---- Sheets ---- */

static dlda_status check_sheet(const char *path, const dlda_dataset *sheet, const labels *from)
{
    size_t rows = dlda_dataset_height(sheet), columns = dlda_dataset_width(sheet);

    if (columns != PIXELS || dlda_dataset_channels(sheet) != 3)
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: %zu x %zu pixels with %zu channels, expected %d columns and 3 channels", path, rows,
                         columns, dlda_dataset_channels(sheet), PIXELS);
    if (rows > from->count - from->used)
        return dlda_fail(DLDA_E_FORMAT, "%s: %zu images, but labels for %zu", path, rows, from->count - from->used);
    return DLDA_OK;
}

/* rgb holds bytes divided by 255. */
static void fill_record(const float *rgb, uint8_t label, uint8_t record[RECORD])
{
    record[0] = label;
    for (size_t c = 0; c < 3; c++)
        for (size_t p = 0; p < PIXELS; p++) record[1 + c * PIXELS + p] = (uint8_t)lrintf(255 * rgb[3 * p + c]);
}

static dlda_status write_records(const char *path, const float *images, size_t n, labels *from)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;
    uint8_t record[RECORD];

    DLDA_TRY(dlda_file_writer_open(path, &writer));
    for (size_t i = 0; i < n; i++) {
        fill_record(images + i * 3 * PIXELS, from->values[from->used++], record);
        DLDA_TRY(dlda_file_writer_add(writer, record, RECORD));
    }
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    return status;
}

/* Converts NAME.png to NAME.bin. */
static dlda_status convert_sheet(const char *folder, const char *name, labels *from)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *sheet = NULL; /* one large picture */
    float *images = NULL;       /* [rows][PIXELS][3] */
    char *source = NULL, *target = NULL;
    char file[32];

    snprintf(file, sizeof file, "%s.png", name);
    DLDA_TRY(dlda_path_join(folder, file, &source));
    snprintf(file, sizeof file, "%s.bin", name);
    DLDA_TRY(dlda_path_join(folder, file, &target));
    DLDA_TRY(dlda_dataset_open_images(&(dlda_read_spec){ .path = source }, &sheet));
    DLDA_TRY(check_sheet(source, sheet, from));
    DLDA_TRY(DLDA_TAKE(&images, dlda_dataset_height(sheet) * PIXELS * 3, source));
    DLDA_TRY(dlda_dataset_images(sheet, 0, 1, images));
    DLDA_TRY(write_records(target, images, dlda_dataset_height(sheet), from));
    unlink(source);
done:
    dlda_dataset_destroy(sheet);
    dlda_release(images);
    dlda_release(source);
    dlda_release(target);
    return status;
}

static dlda_status write_class_names(const char *folder)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    DLDA_TRY(dlda_path_join(folder, "batches.meta.txt", &path));
    DLDA_TRY(dlda_file_write(path, class_names, sizeof class_names - 1));
done:
    dlda_release(path);
    return status;
}

dlda_status convert_cifar10(const char *folder, const known_steps *steps)
{
    dlda_status status = DLDA_OK;
    labels train = { 0 }, test = { 0 };
    char name[16], words[64];

    DLDA_TRY(take_labels(folder, "train_labels.json", &train));
    DLDA_TRY(take_labels(folder, "test_labels.json", &test));
    for (int k = 1; k <= TRAIN_SHEETS + 1; k++) {
        int is_test = k > TRAIN_SHEETS;
        if (is_test) snprintf(name, sizeof name, "test_batch");
        else snprintf(name, sizeof name, "data_batch_%d", k);
        snprintf(words, sizeof words, "converting %s.bin (%d of %d)", name, k, TRAIN_SHEETS + 1);
        if (steps->tell) steps->tell(steps->user, words);
        DLDA_TRY(convert_sheet(folder, name, is_test ? &test : &train));
    }
    DLDA_TRY(write_class_names(folder));
done:
    dlda_release(train.values);
    dlda_release(test.values);
    return status;
}
