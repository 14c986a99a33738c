/* SPDX-License-Identifier: MIT
 *
 * planar.c - reads files of equal records in portions and converts planes to interleaved pixels.
 *
 * The number of images follows from the file sizes; memory is allocated for the final image size only.
 */
#include "dataset/planar.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { CHANNELS = 3, PORTION = 64 }; /* records at a time */

static size_t plane_size(const dlda_planar_layout *layout)
{
    return layout->side * layout->side;
}

size_t dlda_planar_record(const dlda_planar_layout *layout)
{
    return layout->label_bytes + CHANNELS * plane_size(layout);
}

dlda_status dlda_planar_count(const char *path, const dlda_planar_layout *layout, size_t *count)
{
    struct stat info;
    size_t record = dlda_planar_record(layout);

    if (stat(path, &info) != 0) return dlda_fail(DLDA_E_IO, "%s: cannot open: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode)) return dlda_fail(DLDA_E_IO, "%s: not a regular file", path);
    if (info.st_size == 0 || (size_t)info.st_size % record != 0)
        return dlda_fail(DLDA_E_FORMAT, "%s: %jd bytes, expected a multiple of %zu, the size of an image%s", path,
                         (intmax_t)info.st_size, record, layout->label_bytes ? " with its label" : "");
    *count = (size_t)info.st_size / record;
    return DLDA_OK;
}

/* ---- One record ---- */

static void planes_to_pixels(const dlda_planar_layout *layout, const uint8_t *planes, uint8_t *pixels)
{
    size_t side = layout->side, down = layout->by_columns ? 1 : side, right = layout->by_columns ? side : 1;

    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++)
            for (size_t c = 0; c < CHANNELS; c++) *pixels++ = planes[c * side * side + y * down + x * right];
}

static dlda_status read_label(const char *path, const dlda_planar_layout *layout, const uint8_t *record, size_t i,
                              int *label)
{
    *label = record[layout->label_at];
    if ((size_t)*label < layout->classes) return DLDA_OK;
    return dlda_fail(DLDA_E_FORMAT, "%s: record %zu (byte %zu) has label %d, expected 0 to %zu", path, i,
                     i * dlda_planar_record(layout) + layout->label_at, *label, layout->classes - 1);
}

/* ---- Files ---- */

typedef struct planar_reader {
    const dlda_planar_layout *layout;
    dlda_resizer *resizer;
    size_t record, size; /* bytes of a record, and of a resulting image */
    uint8_t *portion;    /* [PORTION][record]                           */
    uint8_t *pixels;     /* [side][side][CHANNELS]                      */
    uint8_t *images;     /* [count][size]                               */
    int *labels;         /* [count]                                     */
    size_t done;         /* records so far                              */
} planar_reader;

static dlda_status take_portion(planar_reader *self, const char *path, size_t first, size_t n)
{
    dlda_status status = DLDA_OK;

    for (size_t i = 0; i < n; i++, self->done++) {
        const uint8_t *record = self->portion + i * self->record;
        if (self->labels) DLDA_TRY(read_label(path, self->layout, record, first + i, self->labels + self->done));
        planes_to_pixels(self->layout, record + self->layout->label_bytes, self->pixels);
        dlda_resizer_run(self->resizer, self->pixels, self->images + self->done * self->size);
    }
done:
    return status;
}

static dlda_status read_file(planar_reader *self, const char *path, size_t count)
{
    dlda_status status = DLDA_OK;
    FILE *file = NULL;

    DLDA_TRY(dlda_file_open(path, &file));
    for (size_t first = 0; first < count; first += PORTION) {
        size_t n = count - first < PORTION ? count - first : PORTION;
        if (fread(self->portion, self->record, n, file) != n)
            DLDA_FAIL(DLDA_E_IO, "%s: cannot read: %s", path,
                      ferror(file) ? strerror(errno) : "it was truncated while it was read");
        DLDA_TRY(take_portion(self, path, first, n));
    }
done:
    if (file) fclose(file);
    return status;
}

static dlda_status count_all(const char *const *paths, size_t n, const dlda_planar_layout *layout, size_t *total)
{
    dlda_status status = DLDA_OK;
    size_t count = 0;

    *total = 0;
    for (size_t k = 0; k < n; k++) {
        DLDA_TRY(dlda_planar_count(paths[k], layout, &count));
        *total += count; /* cannot overflow: file sizes are limited */
    }
done:
    return status;
}

static dlda_status take_room(planar_reader *self, size_t total, const char *name)
{
    dlda_status status = DLDA_OK;
    size_t bytes = 0;

    DLDA_TRY(dlda_multiply_sizes(total, self->size, name, &bytes));
    DLDA_TRY(DLDA_TAKE(&self->images, bytes, name));
    DLDA_TRY(DLDA_TAKE(&self->portion, PORTION * self->record, name));
    DLDA_TRY(DLDA_TAKE(&self->pixels, CHANNELS * plane_size(self->layout), name));
    if (self->layout->label_bytes) DLDA_TRY(DLDA_TAKE(&self->labels, total, name));
done:
    return status;
}

dlda_status dlda_planar_read(const char *const *paths, size_t n, const dlda_planar_layout *layout,
                             const dlda_read_spec *spec, dlda_raw_images *images, int **labels)
{
    dlda_status status = DLDA_OK;
    dlda_image_shape have = { layout->side, layout->side, CHANNELS }, want = dlda_image_shape_wanted(spec, &have);
    planar_reader self = { .layout = layout, .record = dlda_planar_record(layout), .size = dlda_image_size(&want) };
    size_t total = 0, count = 0;

    DLDA_TRY(count_all(paths, n, layout, &total));
    DLDA_TRY(dlda_resizer_create(&have, &want, &self.resizer));
    DLDA_TRY(take_room(&self, total, paths[0]));
    for (size_t k = 0; k < n; k++) {
        DLDA_TRY(dlda_planar_count(paths[k], layout, &count));
        if (count > total - self.done) count = total - self.done; /* the file may have grown since */
        DLDA_TRY(read_file(&self, paths[k], count));
    }
    *images = (dlda_raw_images){ self.done, want.height, want.width, want.channels, self.images };
    if (self.labels) *labels = self.labels;
    self.images = NULL;
    self.labels = NULL;
done:
    dlda_resizer_destroy(self.resizer);
    dlda_release(self.portion);
    dlda_release(self.pixels);
    dlda_release(self.images);
    dlda_release(self.labels);
    return status;
}

/* ---- Names ---- */

dlda_status dlda_class_names_read(const char *folder, const char *file, size_t classes, dlda_name_list *list)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    DLDA_TRY(dlda_path_join(folder, file, &path));
    if (!dlda_path_exists(path)) goto done;
    DLDA_TRY(dlda_name_list_add_lines(list, path));
    if (list->count != classes)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %zu names, expected %zu, one in each line", path, list->count, classes);
done:
    dlda_release(path);
    return status;
}

dlda_status dlda_planar_adopt(const dlda_name_list *list, const char *const *usual, const int *labels,
                              size_t classes, dlda_raw_images *raw, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    const char **names = NULL;

    DLDA_TRY(DLDA_TAKE(&names, list->count, "class names"));
    for (size_t c = 0; c < list->count; c++) names[c] = dlda_name_list_at(list, c);
    DLDA_TRY(dlda_dataset_adopt(raw, labels, classes, list->count ? names : usual, dataset));
done:
    dlda_release(names);
    return status;
}
