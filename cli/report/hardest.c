/* SPDX-License-Identifier: MIT
 *
 * hardest.c - finds the hardest samples, and draws a sheet of them.
 */
#include "report/hardest.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/font.h"
#include "report/raster.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

enum {
    COLUMNS = 6,
    MARGIN = 14,
    CELL = 112,       /* pictures are enlarged as far as they fit into this */
    MOST_SIDE = 1024, /* of a picture that is shown                         */
    MOST_LETTERS = 18,
    LINE = DLDA_GLYPH_HEIGHT + 3
};

/* ---- Finding them ---- */

static int are_pictures(const dlda_dataset *samples)
{
    size_t height = dlda_dataset_height(samples), width = dlda_dataset_width(samples);
    size_t channels = dlda_dataset_channels(samples);

    return height > 1 && width > 1 && height <= MOST_SIDE && width <= MOST_SIDE && (channels == 1 || channels == 3);
}

/* Bytes and other values from 0 to 1 are shown as they are; else the smallest is black and the largest white. */
static void find_range(dlda_raster_source *source, size_t n)
{
    source->low = 0;
    source->high = 1;
    for (size_t i = 0; i < n; i++) {
        source->low = fminf(source->low, source->values[i]);
        source->high = fmaxf(source->high, source->values[i]);
    }
}

static dlda_status copy_pictures(const dlda_dataset *samples, dlda_hardest *self)
{
    dlda_status status = DLDA_OK;
    dlda_raw_images *pictures = &self->pictures;
    dlda_raster_source source = {
        dlda_dataset_height(samples), dlda_dataset_width(samples), dlda_dataset_channels(samples), NULL, 0, 1
    };
    size_t pixels = source.height * source.width;
    float *values = NULL;

    DLDA_TRY(DLDA_TAKE(&values, pixels * source.channels, "picture"));
    DLDA_TRY(DLDA_TAKE(&pictures->bytes, self->count * pixels * 3, "pictures"));
    pictures->count = self->count;
    pictures->height = source.height;
    pictures->width = source.width;
    pictures->channels = 3;
    source.values = values;
    for (size_t i = 0; i < self->count; i++) {
        DLDA_TRY(dlda_dataset_images(samples, self->sample[i], 1, values));
        find_range(&source, pixels * source.channels);
        for (size_t p = 0; p < pixels; p++) dlda_raster_pixel(&source, p, pictures->bytes + (i * pixels + p) * 3);
    }
done:
    dlda_release(values);
    return status;
}

dlda_status dlda_hardest_find(const dlda_test_answers *answers, const dlda_dataset *samples, dlda_hardest *self)
{
    self->count = dlda_test_answers_hardest(answers, DLDA_HARDEST, self->sample);
    return are_pictures(samples) ? copy_pictures(samples, self) : DLDA_OK;
}

void dlda_hardest_release(dlda_hardest *self)
{
    dlda_release(self->pictures.bytes);
    *self = (dlda_hardest){ 0 };
}

dlda_raw_images dlda_hardest_picture(const dlda_hardest *self, size_t i)
{
    dlda_raw_images picture = self->pictures;

    picture.bytes += i * picture.height * picture.width * 3;
    picture.count = 1;
    return picture;
}

/* ---- The sheet ---- */

typedef struct layout {
    size_t scale, letters; /* of pictures; scale of words */
    size_t width, height;  /* of a cell, with its margin  */
} layout;

static void make_captions(const dlda_test_answers *answers, size_t sample, dlda_words captions[2])
{
    captions[0] = dlda_words_of("is %s", dlda_test_answers_class(answers, (size_t)answers->truth[sample]));
    captions[1] = dlda_words_of(
        "called %s", dlda_test_answers_class(answers, (size_t)answers->evaluation[DLDA_BAYES]->predicted[sample]));
}

static layout plan_cells(const dlda_hardest *self, const dlda_test_answers *answers)
{
    const dlda_raw_images *pictures = &self->pictures;
    size_t side = pictures->height > pictures->width ? pictures->height : pictures->width, longest = 0;
    layout cells = { .scale = side < CELL ? CELL / side : 1 };
    dlda_words captions[2];

    for (size_t i = 0; i < self->count; i++) {
        make_captions(answers, self->sample[i], captions);
        for (int line = 0; line < 2; line++) {
            size_t letters = dlda_raster_letters(captions[line].text, MOST_LETTERS);
            longest = letters > longest ? letters : longest;
        }
    }
    cells.letters = longest > 10 ? 1 : 2;
    size_t words = longest * (DLDA_GLYPH_WIDTH + 1) * cells.letters;
    cells.width = MARGIN + (words > pictures->width * cells.scale ? words : pictures->width * cells.scale);
    cells.height = MARGIN + pictures->height * cells.scale + 6 + 2 * LINE * cells.letters;
    return cells;
}

static void put_picture(const dlda_raw_images *page, const dlda_raw_images *picture, size_t y, size_t x,
                        size_t scale)
{
    for (size_t i = 0; i < picture->height * scale; i++)
        for (size_t j = 0; j < picture->width * scale; j++)
            memcpy(page->bytes + ((y + i) * page->width + x + j) * 3,
                   picture->bytes + (i / scale * picture->width + j / scale) * 3, 3);
}

static void put_cell(const dlda_hardest *self, const dlda_test_answers *answers, const layout *cells, size_t i,
                     const dlda_raw_images *page)
{
    dlda_raw_images picture = dlda_hardest_picture(self, i);
    size_t y = MARGIN + i / COLUMNS * cells->height, x = MARGIN + i % COLUMNS * cells->width;
    dlda_words captions[2];

    make_captions(answers, self->sample[i], captions);
    put_picture(page, &picture, y, x, cells->scale);
    y += picture.height * cells->scale + 6;
    dlda_raster_words(page, y, x, cells->letters, captions[0].text, MOST_LETTERS, DLDA_SHEET_INK);
    dlda_raster_words(page, y + LINE * cells->letters, x, cells->letters, captions[1].text, MOST_LETTERS,
                      DLDA_SHEET_PALE_INK);
}

dlda_status dlda_hardest_write_sheet(const dlda_hardest *self, const dlda_test_answers *answers, const char *path)
{
    dlda_status status = DLDA_OK;
    layout cells = plan_cells(self, answers);
    size_t rows = (self->count + COLUMNS - 1) / COLUMNS, columns = self->count < COLUMNS ? self->count : COLUMNS;
    dlda_raw_images page = { 1, MARGIN + rows * cells.height, MARGIN + columns * cells.width, 3, NULL };

    DLDA_TRY(DLDA_TAKE(&page.bytes, page.height * page.width * 3, "sheet of pictures"));
    memset(page.bytes, DLDA_SHEET_PAPER, page.height * page.width * 3);
    for (size_t i = 0; i < self->count; i++) put_cell(self, answers, &cells, i, &page);
    DLDA_TRY(dlda_png_write(path, &page));
done:
    dlda_release(page.bytes);
    return status;
}

/* ---- The table ---- */

/* A name as a field of CSV: in quotes, with quotes doubled. */
static dlda_status write_name(dlda_file_writer *writer, const char *name)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(writer, ",\""));
    for (; *name; name++)
        DLDA_TRY(*name == '"' ? dlda_file_writer_add(writer, "\"\"", 2) : dlda_file_writer_add(writer, name, 1));
    DLDA_TRY(dlda_file_writer_print(writer, "\""));
done:
    return status;
}

dlda_status dlda_hardest_write_table(const dlda_hardest *self, const dlda_test_answers *answers, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;

    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(dlda_file_writer_print(writer,
                                    "sample,true_class,called,probability_of_true_class,probability_of_called\n"));
    for (size_t i = 0; i < self->count; i++) {
        size_t sample = self->sample[i];
        DLDA_TRY(dlda_file_writer_print(writer, "%zu", sample));
        DLDA_TRY(write_name(writer, dlda_test_answers_class(answers, (size_t)answers->truth[sample])));
        DLDA_TRY(write_name(
            writer, dlda_test_answers_class(answers, (size_t)answers->evaluation[DLDA_BAYES]->predicted[sample])));
        DLDA_TRY(dlda_file_writer_print(writer, ",%.6g,%.6g\n", (double)answers->p_truth[DLDA_BAYES][sample],
                                        (double)answers->p_called[DLDA_BAYES][sample]));
    }
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    return status;
}
