/* SPDX-License-Identifier: MIT
 *
 * read_jpeg.c - decodes a JPEG image to grey or RGB bytes with libjpeg.
 *
 * By default libjpeg prints warnings and exits on errors; here both set a message and longjmp. Warnings mean that
 * libjpeg had to make up data, so they are errors. Everything to be released is in the decoder, outside the
 * function that longjmp leaves.
 */
#include "base/memory.h"
#include "dataset/picture.h"

#include <setjmp.h>
#include <string.h>

#include <jpeglib.h>

/* A block of 8 x 8 pixels takes at least one bit. A progressive file can repeat a scan over the whole image at the
 * cost of a few bytes; encoders use no more than a few dozen scans. */
enum { MOST_PIXELS_PER_BYTE = 8 * 64, MOST_SCANS = 200 };

typedef struct jpeg_decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    const dlda_picture_file *file;
    dlda_image_shape shape;
    uint8_t *pixels;
    dlda_status status;
    jmp_buf jump;
} jpeg_decoder;

static void leave(jpeg_decoder *self, const char *problem)
{
    self->status = dlda_fail(DLDA_E_FORMAT, "%s: not a valid JPEG: %s", self->file->path, problem);
    longjmp(self->jump, 1);
}

static void on_error(j_common_ptr jpeg)
{
    char text[JMSG_LENGTH_MAX];

    jpeg->err->format_message(jpeg, text);
    leave(jpeg->client_data, text);
}

static void on_message(j_common_ptr jpeg, int level)
{
    if (level < 0) on_error(jpeg);
}

static void print_nothing(j_common_ptr jpeg)
{
    (void)jpeg;
}

static void limit_scans(j_common_ptr jpeg)
{
    jpeg_decoder *self = jpeg->client_data;

    if (self->jpeg.input_scan_number > MOST_SCANS) leave(self, "too many scans");
}

/* Grey images are decoded as grey, all others as RGB; CMYK would need a colour profile. */
static dlda_status choose_output(jpeg_decoder *self)
{
    J_COLOR_SPACE space = self->jpeg.jpeg_color_space;
    int grey = space == JCS_GRAYSCALE;

    if (!grey && space != JCS_RGB && space != JCS_YCbCr)
        return dlda_fail(DLDA_E_FORMAT, "%s: a JPEG with %d components, expected grey, YCbCr or RGB; convert it",
                         self->file->path, self->jpeg.num_components);
    self->jpeg.out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    self->jpeg.dct_method = JDCT_ISLOW;
    self->shape = (dlda_image_shape){ self->jpeg.image_height, self->jpeg.image_width, grey ? 1 : 3 };
    return dlda_picture_check(self->file, &self->shape, MOST_PIXELS_PER_BYTE);
}

/* libjpeg leaves this function by longjmp, so it must not own anything. */
static dlda_status decode(jpeg_decoder *self, int with_pixels)
{
    if (setjmp(self->jump)) return self->status;
    jpeg_create_decompress(&self->jpeg);
    self->jpeg.progress = &self->progress;
    jpeg_stdio_src(&self->jpeg, self->file->stream);
    jpeg_read_header(&self->jpeg, TRUE);
    self->status = choose_output(self);
    if (self->status != DLDA_OK || !with_pixels) return self->status;
    self->status = DLDA_TAKE(&self->pixels, dlda_image_size(&self->shape), self->file->path);
    if (self->status != DLDA_OK) return self->status;
    jpeg_start_decompress(&self->jpeg);
    while (self->jpeg.output_scanline < self->jpeg.output_height) {
        JSAMPROW row = self->pixels + self->jpeg.output_scanline * self->shape.width * self->shape.channels;
        jpeg_read_scanlines(&self->jpeg, &row, 1);
    }
    jpeg_finish_decompress(&self->jpeg);
    return DLDA_OK;
}

dlda_status dlda_jpeg_read(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels)
{
    dlda_status status = DLDA_OK;
    jpeg_decoder self = { .file = file };

    self.jpeg.err = jpeg_std_error(&self.errors);
    self.errors.error_exit = on_error;
    self.errors.emit_message = on_message;
    self.errors.output_message = print_nothing;
    self.progress.progress_monitor = limit_scans;
    self.jpeg.client_data = &self;
    DLDA_TRY(decode(&self, pixels != NULL));
    *shape = self.shape;
    if (pixels) *pixels = self.pixels;
    self.pixels = NULL;
done:
    jpeg_destroy_decompress(&self.jpeg);
    dlda_release(self.pixels);
    return status;
}
