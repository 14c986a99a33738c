/* SPDX-License-Identifier: MIT
 *
 * hardest.c - finds the hardest samples and draws a sheet of them.
 */
#include "report/hardest.h"
#include "base/file.h"
#include "base/memory.h"
#include "eval/mistakes.h"
#include "report/display_text.h"
#include "report/font.h"
#include "report/raster.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    MOST_COLUMNS = 6,
    MOST_WIDTH = 1300, /* of the sheet: wide cells get fewer columns     */
    MARGIN = 14,
    CELL = 140,        /* pictures are enlarged to fit into this size    */
    MOST_SIDE = 1024,  /* maximum side of a picture                      */
    MOST_LETTERS = 26, /* of a caption                                   */
    LETTERS = 2,       /* scale of captions: one pixel of the font is 2  */
    LINE = LETTERS * (GLYPH_HEIGHT + 3)
};

/* ---- Finding them ---- */

static int are_pictures(const dlda_dataset *samples)
{
    size_t height = dlda_dataset_height(samples), width = dlda_dataset_width(samples);
    size_t channels = dlda_dataset_channels(samples);

    return height > 1 && width > 1 && height <= MOST_SIDE && width <= MOST_SIDE && (channels == 1 || channels == 3);
}

/* Bytes and values from 0 to 1 are shown unchanged; otherwise the range is scaled to black and white. */
static void find_range(raster_source *source, size_t n)
{
    source->low = 0;
    source->high = 1;
    for (size_t i = 0; i < n; i++) {
        source->low = fminf(source->low, source->values[i]);
        source->high = fmaxf(source->high, source->values[i]);
    }
}

static dlda_status copy_pictures(const dlda_dataset *samples, hardest_samples *self)
{
    dlda_status status = DLDA_OK;
    raster_source source = {
        dlda_dataset_height(samples), dlda_dataset_width(samples), dlda_dataset_channels(samples), NULL, 0, 1
    };
    size_t pixels = source.height * source.width;
    float *values = NULL;

    DLDA_TRY(DLDA_TAKE(&values, pixels * source.channels, "picture"));
    DLDA_TRY(DLDA_TAKE(&self->pictures, self->count * pixels * 3, "pictures"));
    self->height = source.height;
    self->width = source.width;
    source.values = values;
    for (size_t i = 0; i < self->count; i++) {
        DLDA_TRY(dlda_dataset_images(samples, self->sample[i], 1, values));
        find_range(&source, pixels * source.channels);
        for (size_t p = 0; p < pixels; p++) raster_pixel(&source, p, self->pictures + (i * pixels + p) * 3);
    }
done:
    dlda_release(values);
    return status;
}

dlda_status hardest_find(const test_answers *answers, const dlda_dataset *samples, hardest_samples *self)
{
    dlda_status status = DLDA_OK;
    size_t *order = NULL;

    DLDA_TRY(hardest_first(answers->evaluation[DLDA_PROBABILITY_BAYES], NULL, MOST_HARDEST, &order, &self->count));
    for (size_t i = 0; i < self->count; i++) {
        const char *file = dlda_dataset_sample_file(samples, order[i]);
        self->sample[i] = order[i];
        self->place[i] = dlda_dataset_sample_index(samples, order[i]);
        if (file) DLDA_TRY(dlda_name_list_add(&self->files, file, strlen(file)));
    }
    if (are_pictures(samples)) DLDA_TRY(copy_pictures(samples, self));
done:
    dlda_release(order);
    return status;
}

void hardest_release(hardest_samples *self)
{
    dlda_name_list_release(&self->files);
    dlda_release(self->pictures);
    *self = (hardest_samples){ 0 };
}

const char *hardest_file(const hardest_samples *self, size_t i)
{
    return self->files.count > 0 ? dlda_name_list_at(&self->files, i) : NULL;
}

dlda_pixels hardest_picture(const hardest_samples *self, size_t i)
{
    return (dlda_pixels){ self->height, self->width, 3, self->pictures + i * self->height * self->width * 3 };
}

/* ---- The sheet ---- */

typedef struct layout {
    size_t scale;         /* of pictures                */
    size_t columns;       /* of cells                   */
    size_t width, height; /* of a cell, with its margin */
} layout;

static void make_captions(const test_answers *answers, size_t sample, display_text captions[2])
{
    captions[0] = display_clean(display_format("is %.400s", test_answers_true_class(answers, sample)).text,
                                MOST_LETTERS);
    captions[1] = display_clean(
        display_format("predicted %.400s", test_answers_predicted_class(answers, sample)).text, MOST_LETTERS);
}

static layout plan_cells(const hardest_samples *self, const test_answers *answers)
{
    size_t side = self->height > self->width ? self->height : self->width, longest = 0;
    layout cells = { .scale = side < CELL ? CELL / side : 1 };
    display_text captions[2];

    for (size_t i = 0; i < self->count; i++) {
        make_captions(answers, self->sample[i], captions);
        for (int line = 0; line < 2; line++) {
            size_t letters = raster_letters(captions[line].text, MOST_LETTERS);
            longest = letters > longest ? letters : longest;
        }
    }
    size_t caption = longest * (GLYPH_WIDTH + 1) * LETTERS;
    cells.width = MARGIN + (caption > self->width * cells.scale ? caption : self->width * cells.scale);
    cells.height = MARGIN + self->height * cells.scale + 6 + 2 * LINE;
    cells.columns = MOST_WIDTH / cells.width;
    if (cells.columns > MOST_COLUMNS) cells.columns = MOST_COLUMNS;
    if (cells.columns == 0) cells.columns = 1;
    if (cells.columns > self->count) cells.columns = self->count;
    return cells;
}

static void put_picture(const dlda_pixels *page, const dlda_pixels *picture, size_t y, size_t x, size_t scale)
{
    for (size_t i = 0; i < picture->height * scale; i++)
        for (size_t j = 0; j < picture->width * scale; j++)
            memcpy(page->bytes + ((y + i) * page->width + x + j) * 3,
                   picture->bytes + (i / scale * picture->width + j / scale) * 3, 3);
}

static void put_cell(const hardest_samples *self, const test_answers *answers, const layout *cells, size_t i,
                     const dlda_pixels *page)
{
    dlda_pixels picture = hardest_picture(self, i);
    size_t y = MARGIN + i / cells->columns * cells->height, x = MARGIN + i % cells->columns * cells->width;
    display_text captions[2];

    make_captions(answers, self->sample[i], captions);
    put_picture(page, &picture, y, x, cells->scale);
    y += picture.height * cells->scale + 6;
    raster_text(page, y, x, LETTERS, captions[0].text, MOST_LETTERS, SHEET_INK);
    raster_text(page, y + LINE, x, LETTERS, captions[1].text, MOST_LETTERS, SHEET_PALE_INK);
}

dlda_status hardest_write_sheet(const hardest_samples *self, const test_answers *answers, const char *path)
{
    dlda_status status = DLDA_OK;
    layout cells = plan_cells(self, answers);

    assert(cells.columns > 0);
    size_t rows = (self->count + cells.columns - 1) / cells.columns;
    dlda_pixels page = { MARGIN + rows * cells.height, MARGIN + cells.columns * cells.width, 3, NULL };

    DLDA_TRY(DLDA_TAKE(&page.bytes, page.height * page.width * 3, "sheet of pictures"));
    memset(page.bytes, SHEET_PAPER, page.height * page.width * 3);
    for (size_t i = 0; i < self->count; i++) put_cell(self, answers, &cells, i, &page);
    DLDA_TRY(dlda_png_write(path, &page));
done:
    dlda_release(page.bytes);
    return status;
}

/* ---- The table ---- */

/* Writes a name as a quoted CSV field. */
static dlda_status write_name(dlda_file_writer *writer, const char *name)
{
    dlda_status status = DLDA_OK;

    assert(name);
    DLDA_TRY(dlda_file_writer_print(writer, ",\""));
    for (; *name; name++)
        DLDA_TRY(*name == '"' ? dlda_file_writer_add(writer, "\"\"", 2) : dlda_file_writer_add(writer, name, 1));
    DLDA_TRY(dlda_file_writer_print(writer, "\""));
done:
    return status;
}

dlda_status hardest_write_table(const hardest_samples *self, const test_answers *answers, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;

    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(dlda_file_writer_print(
        writer,
        "sample,file,true_class,predicted_class,probability_of_true_class,probability_of_predicted_class\n"));
    for (size_t i = 0; i < self->count; i++) {
        size_t sample = self->sample[i];
        const dlda_evaluation *bayes = answers->evaluation[DLDA_PROBABILITY_BAYES];
        DLDA_TRY(dlda_file_writer_print(writer, "%zu", self->place[i]));
        DLDA_TRY(write_name(writer, hardest_file(self, i) ? hardest_file(self, i) : ""));
        DLDA_TRY(write_name(writer, test_answers_true_class(answers, sample)));
        DLDA_TRY(write_name(writer, test_answers_predicted_class(answers, sample)));
        DLDA_TRY(dlda_file_writer_print(writer, ",%.6g,%.6g\n", (double)bayes->p_truth[sample],
                                        (double)bayes->confidence[sample]));
    }
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    return status;
}
