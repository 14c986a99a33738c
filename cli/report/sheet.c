/* SPDX-License-Identifier: MIT
 *
 * sheet.c - draws a contact sheet: a row for each class with its name, its number of images, and the first of them.
 *
 * Small images are enlarged by an integer factor without smoothing.
 */
#include "report/sheet.h"
#include "base/by_class.h"
#include "base/memory.h"
#include "report/font.h"
#include "report/raster.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MARGIN = 12,        /* around the sheet, and between names and images */
    GAP = 4,            /* between images                                 */
    CELL = 64,          /* images are enlarged to fit into this size      */
    NAME_SCALE = 2,     /* font scale of names; that of counts is 1       */
    MOST_LETTERS = 20,  /* of a name                                      */
    MOST_SIDE = 1 << 16 /* of the sheet                                   */
};

typedef struct sheet {
    const dlda_dataset *dataset;
    int labelled;          /* 1: the samples have labels                  */
    size_t classes, count; /* rows; maximum images per row                */
    size_t *start, *order; /* samples by class: see dlda_group_by_class   */
    size_t scale;          /* one pixel of an image becomes scale x scale */
    size_t names, row;     /* width of the name column; height of a row   */
    float low, high;       /* values shown as black and white             */
    float *sample;         /* [height][width][channels]                   */
    dlda_pixels page;
} sheet;

static size_t at_least(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* ---- Images ---- */

static void put_image(const sheet *self, size_t y, size_t x)
{
    raster_image(&self->page, y, x, self->scale,
                 &(raster_source){ dlda_dataset_height(self->dataset), dlda_dataset_width(self->dataset),
                                   dlda_dataset_channels(self->dataset), self->sample, self->low, self->high });
}

static const char *name_of(const sheet *self, size_t c)
{
    const char *name = dlda_dataset_class_name(self->dataset, c);
    return self->labelled && name ? name : "all";
}

static size_t shown(const sheet *self, size_t c)
{
    size_t n = self->start[c + 1] - self->start[c];
    return n < self->count ? n : self->count;
}

static dlda_status put_row(sheet *self, size_t c)
{
    dlda_status status = DLDA_OK;
    size_t y = MARGIN + c * (self->row + GAP), x = 2 * MARGIN + self->names;
    size_t step = dlda_dataset_width(self->dataset) * self->scale + GAP;
    char count[32];

    snprintf(count, sizeof count, "%zu", self->start[c + 1] - self->start[c]);
    raster_text(&self->page, y, MARGIN, NAME_SCALE, name_of(self, c), MOST_LETTERS, SHEET_INK);
    raster_text(&self->page, y + (GLYPH_HEIGHT + 2) * NAME_SCALE, MARGIN, 1, count, MOST_LETTERS, SHEET_PALE_INK);
    for (size_t i = 0; i < shown(self, c); i++) {
        DLDA_TRY(dlda_dataset_images(self->dataset, self->order[self->start[c] + i], 1, self->sample));
        put_image(self, y, x + i * step);
    }
done:
    return status;
}

/* Bytes and values from 0 to 1 are shown unchanged. */
static dlda_status find_range(sheet *self, size_t pixels)
{
    dlda_status status = DLDA_OK;

    self->low = 0;
    self->high = 1;
    for (size_t c = 0; c < self->classes; c++)
        for (size_t i = 0; i < shown(self, c); i++) {
            DLDA_TRY(dlda_dataset_images(self->dataset, self->order[self->start[c] + i], 1, self->sample));
            for (size_t p = 0; p < pixels; p++) {
                self->low = fminf(self->low, self->sample[p]);
                self->high = fmaxf(self->high, self->sample[p]);
            }
        }
done:
    return status;
}

/* ---- The sheet ---- */

static dlda_status check_images(const dlda_dataset *dataset, size_t count)
{
    size_t height = dlda_dataset_height(dataset), width = dlda_dataset_width(dataset);
    size_t channels = dlda_dataset_channels(dataset);

    if (count == 0) return dlda_fail(DLDA_E_ARGUMENT, "contact sheet: 0 images of each class, expected at least 1");
    if (height == 1 && width == 1)
        return dlda_fail(DLDA_E_SHAPE, "contact sheet: samples are rows of a table, expected images");
    if (channels != 1 && channels != 3)
        return dlda_fail(DLDA_E_SHAPE, "contact sheet: %zu channels, expected 1 or 3", channels);
    if (height > MOST_SIDE || width > MOST_SIDE)
        return dlda_fail(DLDA_E_SHAPE, "contact sheet: images of %zu x %zu, expected at most %d x %d", height,
                         width, MOST_SIDE, MOST_SIDE);
    return DLDA_OK;
}

/* Samples without labels form one class. */
static dlda_status sort_samples(sheet *self)
{
    dlda_status status = DLDA_OK;
    size_t total = dlda_dataset_count(self->dataset), most = 0;
    int *labels = NULL;

    self->classes = self->labelled ? dlda_dataset_classes(self->dataset) : 1;
    DLDA_TRY(DLDA_TAKE(&self->start, self->classes + 1, "contact sheet"));
    DLDA_TRY(DLDA_TAKE(&self->order, total, "contact sheet"));
    DLDA_TRY(DLDA_TAKE(&labels, total, "contact sheet"));
    for (size_t i = 0; self->labelled && i < total; i++) labels[i] = dlda_dataset_label(self->dataset, i);
    dlda_group_by_class(labels, total, self->classes, self->start, self->order);
    for (size_t c = 0; c < self->classes; c++) most = at_least(most, shown(self, c));
    self->count = most;
done:
    dlda_release(labels);
    return status;
}

static dlda_status take_page(sheet *self)
{
    size_t height = dlda_dataset_height(self->dataset), width = dlda_dataset_width(self->dataset), longest = 0;
    size_t text = (GLYPH_HEIGHT + 2) * NAME_SCALE + GLYPH_HEIGHT;

    self->scale = at_least(1, CELL / at_least(height, width));
    for (size_t c = 0; c < self->classes; c++)
        longest = at_least(longest, raster_letters(name_of(self, c), MOST_LETTERS));
    int digits = snprintf(NULL, 0, "%zu", dlda_dataset_count(self->dataset));
    self->names = at_least(longest * NAME_SCALE, (size_t)digits) * (GLYPH_WIDTH + 1);
    self->row = at_least(height * self->scale, text);
    self->page.channels = 3;
    if (self->classes > MOST_SIDE || self->count > MOST_SIDE)
        return dlda_fail(DLDA_E_SHAPE, "contact sheet: %zu classes with %zu images do not fit; choose fewer",
                         self->classes, self->count);
    self->page.height = 2 * MARGIN + self->classes * (self->row + GAP) - GAP;
    self->page.width = 3 * MARGIN + self->names + self->count * (width * self->scale + GAP) - GAP;
    if (self->page.height > MOST_SIDE || self->page.width > MOST_SIDE)
        return dlda_fail(DLDA_E_SHAPE,
                         "contact sheet: %zu x %zu pixels, expected at most %d x %d; choose fewer images",
                         self->page.width, self->page.height, MOST_SIDE, MOST_SIDE);
    return DLDA_TAKE(&self->page.bytes, self->page.height * self->page.width * 3, "contact sheet");
}

dlda_status sheet_write(const dlda_dataset *dataset, size_t count, const char *path)
{
    dlda_status status = DLDA_OK;
    sheet self = { .dataset = dataset, .labelled = dlda_dataset_label(dataset, 0) >= 0, .count = count };
    size_t pixels = dlda_dataset_height(dataset) * dlda_dataset_width(dataset) * dlda_dataset_channels(dataset);

    DLDA_TRY(check_images(dataset, count));
    DLDA_TRY(sort_samples(&self));
    DLDA_TRY(take_page(&self));
    DLDA_TRY(DLDA_TAKE(&self.sample, pixels, "contact sheet"));
    DLDA_TRY(find_range(&self, pixels));
    memset(self.page.bytes, SHEET_PAPER, self.page.height * self.page.width * 3);
    for (size_t c = 0; c < self.classes; c++) DLDA_TRY(put_row(&self, c));
    DLDA_TRY(dlda_png_write(path, &self.page));
done:
    dlda_release(self.page.bytes);
    dlda_release(self.sample);
    dlda_release(self.order);
    dlda_release(self.start);
    return status;
}
