/* SPDX-License-Identifier: MIT
 *
 * read_jpeg.c - decodes a JPEG image to grey or RGB bytes with libjpeg.
 *
 * By default libjpeg prints warnings and exits on errors; here both set a message and longjmp. Warnings mean that
 * libjpeg had to make up data, so they are errors. Everything to be released is in the decoder, outside the
 * function that longjmp leaves.
 *
 * Pictures are turned upright as their EXIF data says. If a much smaller size is wanted, libjpeg decodes at 1/2, 1/4
 * or 1/8 of the size, but to no less than twice the wanted one, so that most of the averaging is left to resize.c.
 */
#include "base/memory.h"
#include "dataset/exif.h"
#include "dataset/picture.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>

#include <jpeglib.h>

/* A block of 8 x 8 pixels takes at least one bit. */
enum { MOST_PIXELS_PER_BYTE = 8 * 64 };

typedef struct jpeg_decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    const dlda_picture_file *file;
    dlda_orientation orientation;
    dlda_image_shape shape; /* as stored            */
    uint8_t *pixels;        /* [shape], as stored   */
    dlda_status status;
    jmp_buf jump;
} jpeg_decoder;

static void leave(jpeg_decoder *self, const char *problem)
{
    if (strstr(problem, "memory")) /* of libjpeg */
        self->status = dlda_fail(DLDA_E_MEMORY, "%s: no memory to read it", self->file->path);
    else if (ferror(self->file->stream))
        self->status = dlda_fail(DLDA_E_IO, "%s: cannot read: %s", self->file->path, strerror(errno));
    else self->status = dlda_fail(DLDA_E_FORMAT, "%s: not a valid JPEG: %s", self->file->path, problem);
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

/* A progressive file can repeat a scan over the whole image at the cost of a few bytes. */
static void limit_scans(j_common_ptr jpeg)
{
    jpeg_decoder *self = jpeg->client_data;

    if ((size_t)self->jpeg.input_scan_number > dlda_picture_most_scans(self->file->request))
        leave(self, "too many scans");
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

static void find_orientation(jpeg_decoder *self)
{
    self->orientation = 0;
    for (jpeg_saved_marker_ptr m = self->jpeg.marker_list; m && !self->orientation; m = m->next)
        self->orientation = dlda_exif_orientation(m->data, m->data_length);
}

/* Chooses the smallest of 1/8, 1/4, 1/2, 1 that leaves at least twice the wanted size. */
static void choose_scale(jpeg_decoder *self)
{
    const dlda_image_shape *want = self->file->request->want;

    if (!want) return;
    int turned = dlda_orientation_transposes(self->orientation);
    size_t height = turned ? want->width : want->height, width = turned ? want->height : want->width;
    self->jpeg.scale_denom = 8;
    for (unsigned n = 1; n <= 8; n *= 2) {
        self->jpeg.scale_num = n;
        jpeg_calc_output_dimensions(&self->jpeg);
        if (self->jpeg.output_height / 2 >= height && self->jpeg.output_width / 2 >= width) break;
    }
    self->shape.height = self->jpeg.output_height;
    self->shape.width = self->jpeg.output_width;
}

/* libjpeg leaves this function by longjmp, so it must not own anything. */
static dlda_status decode(jpeg_decoder *self, int with_pixels)
{
    if (setjmp(self->jump)) return self->status;
    jpeg_create_decompress(&self->jpeg);
    self->jpeg.progress = &self->progress;
    jpeg_stdio_src(&self->jpeg, self->file->stream);
    jpeg_save_markers(&self->jpeg, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(&self->jpeg, TRUE);
    find_orientation(self);
    self->status = choose_output(self);
    if (self->status != DLDA_OK || !with_pixels) return self->status;
    choose_scale(self);
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

static dlda_status turn_upright(jpeg_decoder *self)
{
    dlda_status status = DLDA_OK;
    dlda_image_shape stored = self->shape;
    uint8_t *upright = NULL;

    if (self->orientation <= 1) return DLDA_OK;
    if (dlda_orientation_transposes(self->orientation)) {
        self->shape.height = stored.width;
        self->shape.width = stored.height;
    }
    if (!self->pixels) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&upright, dlda_image_size(&stored), self->file->path));
    dlda_orientation_apply(self->orientation, &stored, self->pixels, upright);
    dlda_release(self->pixels);
    self->pixels = upright;
done:
    return status;
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
    DLDA_TRY(turn_upright(&self));
    *shape = self.shape;
    if (pixels) *pixels = self.pixels;
    self.pixels = NULL;
done:
    jpeg_destroy_decompress(&self.jpeg);
    dlda_release(self.pixels);
    return status;
}
