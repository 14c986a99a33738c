/* SPDX-License-Identifier: MIT
 *
 * read_png.c - decodes a PNG image to grey or RGB bytes with libpng.
 *
 * Palettes become RGB, 1 to 4 bits and 16 bits become 8, alpha is dropped. libpng reports errors by longjmp;
 * everything to be released is in the decoder, outside the function that longjmp leaves.
 */
#include "base/memory.h"
#include "dataset/picture.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

/* Deflate expands a byte to at most 1032, and a byte holds at most 8 pixels. */
enum { MOST_PIXELS_PER_BYTE = 8 * 1032, MOST_SIDE = 1 << 20 };

typedef struct png_decoder {
    const dlda_picture_file *file;
    png_structp png;
    png_infop info;
    dlda_image_shape shape;
    uint8_t *pixels;
    png_bytepp rows; /* [height]: into pixels */
    dlda_status status;
    jmp_buf jump;
} png_decoder;

static void on_error(png_structp png, png_const_charp message)
{
    png_decoder *self = png_get_error_ptr(png);

    /* The messages of libpng and zlib for failing allocations have this word. A file that cannot be read may be a good one. */
    if (strstr(message, "memory"))
        self->status = dlda_fail(DLDA_E_MEMORY, "%s: no memory to read it", self->file->path);
    else if (ferror(self->file->stream))
        self->status = dlda_fail(DLDA_E_IO, "%s: cannot read: %s", self->file->path, strerror(errno));
    else self->status = dlda_fail(DLDA_E_FORMAT, "%s: not a valid PNG: %s", self->file->path, message);
    longjmp(self->jump, 1);
}

/* Warnings do not concern the pixels, so they are ignored. */
static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void read_bytes(png_structp png, png_bytep to, size_t n)
{
    const png_decoder *self = png_get_io_ptr(png);

    if (fread(to, 1, n, self->file->stream) == n) return;
    png_error(png, "cut short");
}

/* Converts any format to 8 bits of grey or RGB. */
static void choose_output(png_decoder *self)
{
    int colour = png_get_color_type(self->png, self->info) & PNG_COLOR_MASK_COLOR;

    png_set_palette_to_rgb(self->png);
    if (!colour) png_set_expand_gray_1_2_4_to_8(self->png);
    png_set_scale_16(self->png);
    png_set_strip_alpha(self->png);
    self->shape = (dlda_image_shape){ png_get_image_height(self->png, self->info),
                                      png_get_image_width(self->png, self->info), colour ? 3 : 1 };
}

static dlda_status take_pixels(png_decoder *self)
{
    dlda_status status = DLDA_OK;
    size_t row = self->shape.width * self->shape.channels;

    DLDA_TRY(DLDA_TAKE(&self->pixels, self->shape.height * row, self->file->path));
    DLDA_TRY(DLDA_TAKE(&self->rows, self->shape.height, self->file->path));
    for (size_t y = 0; y < self->shape.height; y++) self->rows[y] = self->pixels + y * row;
done:
    return status;
}

/* libpng leaves this function by longjmp, so it must not own anything. */
static dlda_status decode(png_decoder *self, int with_pixels)
{
    if (setjmp(self->jump)) return self->status;
    png_set_read_fn(self->png, self, read_bytes);
    png_set_user_limits(self->png, MOST_SIDE, MOST_SIDE);
    /* Chunks that do not concern the pixels are skipped: for a text, libpng takes as much memory as its length says. */
    png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(self->png, self->info);
    choose_output(self);
    self->status = dlda_picture_check(self->file, &self->shape, MOST_PIXELS_PER_BYTE);
    if (self->status != DLDA_OK || !with_pixels) return self->status;
    png_set_interlace_handling(self->png);
    png_read_update_info(self->png, self->info);
    if (png_get_rowbytes(self->png, self->info) != self->shape.width * self->shape.channels)
        png_error(self->png, "an unknown arrangement of pixels");
    self->status = take_pixels(self);
    if (self->status != DLDA_OK) return self->status;
    png_read_image(self->png, self->rows);
    png_read_end(self->png, NULL); /* detects files truncated after the pixels */
    return DLDA_OK;
}

dlda_status dlda_png_read(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels)
{
    dlda_status status = DLDA_OK;
    png_decoder self = { .file = file };

    self.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &self, on_error, on_warning);
    if (self.png) self.info = png_create_info_struct(self.png);
    if (!self.info) DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for libpng", file->path);
    DLDA_TRY(decode(&self, pixels != NULL));
    *shape = self.shape;
    if (pixels) *pixels = self.pixels;
    self.pixels = NULL;
done:
    png_destroy_read_struct(&self.png, &self.info, NULL);
    dlda_release(self.rows);
    dlda_release(self.pixels);
    return status;
}
