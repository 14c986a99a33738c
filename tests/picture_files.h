/* SPDX-License-Identifier: MIT
 *
 * picture_files.h - helpers of the picture tests: small PNG and JPEG files, and folders of them.
 */
#ifndef DLDA_TESTS_PICTURE_FILES_H
#define DLDA_TESTS_PICTURE_FILES_H

#include "idx_files.h"

#include <jpeglib.h>

static inline const char *write_png(const char *name, uint32_t format, uint32_t width, uint32_t height,
                                    const void *pixels)
{
    png_image image = { .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = format };
    const char *path = in_folder(name);

    assert_true(png_image_write_to_file(&image, path, 0, pixels, 0, NULL));
    return path;
}

typedef struct jpeg_kind {
    int components; /* 1: grey, 3: RGB, 4: CMYK */
    int quality, progressive;
} jpeg_kind;

static inline const char *write_jpeg(const char *name, jpeg_kind kind, uint32_t width, uint32_t height,
                                     const uint8_t *pixels)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = width;
    jpeg.image_height = height;
    jpeg.input_components = kind.components;
    jpeg.in_color_space = kind.components == 1 ? JCS_GRAYSCALE : kind.components == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, kind.quality, TRUE);
    if (kind.progressive) jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < height) {
        JSAMPROW row = (JSAMPROW)pixels + (size_t)jpeg.next_scanline * width * (size_t)kind.components;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline size_t slurp(const char *path, uint8_t *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

/* Sets width and height in the header and corrects the checksum. */
static inline void forge_size(uint8_t *png, uint32_t width, uint32_t height)
{
    blob words = { 0 };

    put_u32(&words, width);
    put_u32(&words, height);
    memcpy(png + 16, words.bytes, 8);
    words.size = 0;
    put_u32(&words, (uint32_t)crc32(0, png + 12, 17));
    memcpy(png + 29, words.bytes, 4);
}

static inline void make_sub_folder(const char *name)
{
    assert_int_equal(mkdir(in_folder(name), 0700), 0);
}

/* The bytes of all images of a set, in new memory. */
static inline uint8_t *bytes_of(const dlda_dataset *dataset)
{
    size_t n = dlda_dataset_count(dataset) * dlda_dataset_height(dataset) * dlda_dataset_width(dataset) *
               dlda_dataset_channels(dataset);
    float *values = malloc(n * sizeof *values);
    uint8_t *bytes = malloc(n);

    assert_true(values && bytes);
    assert_int_equal(dlda_dataset_images(dataset, 0, dlda_dataset_count(dataset), values), DLDA_OK);
    for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)lroundf(values[i] * 255);
    free(values);
    return bytes;
}

/* Opening must fail with this status and a message containing these words, return nothing and leak nothing. */
static inline void expect_open_failure(const dlda_read_spec *spec, dlda_status expected, const char *words)
{
    dlda_dataset *dataset = NULL;
    size_t live = dlda_memory_count().live;
    dlda_status status = dlda_dataset_open(spec, &dataset);

    if (status != expected) fail_msg("status %d, expected %d: %s", status, expected, dlda_last_error());
    assert_null(dataset);
    assert_int_equal(dlda_memory_count().live, live);
    if (!strstr(dlda_last_error(), words)) fail_msg("expected '%s' in: %s", words, dlda_last_error());
}

static inline dlda_dataset *open_ok(const dlda_read_spec *spec)
{
    dlda_dataset *dataset = NULL;

    if (dlda_dataset_open(spec, &dataset) != DLDA_OK) fail_msg("%s", dlda_last_error());
    return dataset;
}

#endif
