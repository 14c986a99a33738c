/* SPDX-License-Identifier: MIT
 *
 * test_pictures.c - single PNG and JPEG files of every kind, turned by a camera, cut at every length, damaged, and with
 * headers that lie; other formats.
 */
#define _GNU_SOURCE
#include "dataset/exif.h"
#include "dataset/picture.h"
#include "picture_files.h"

#include <fcntl.h>

enum { HEIGHT = 3, WIDTH = 5, PIXELS = HEIGHT * WIDTH };

static dlda_raw_images read_picture(const char *path)
{
    dlda_raw_images image = { 0 };
    dlda_image_shape shape = { 0 };

    if (dlda_picture_read(path, NULL, &image) != DLDA_OK) fail_msg("%s", dlda_last_error());
    assert_int_equal(dlda_picture_shape(path, NULL, &shape), DLDA_OK);
    assert_true(shape.height == image.height && shape.width == image.width && shape.channels == image.channels);
    assert_int_equal(image.count, 1);
    return image;
}

/* A picture of HEIGHT x WIDTH must have these bytes [HEIGHT][WIDTH][channels]. */
static void check_bytes(const char *path, size_t channels, const uint8_t *expected)
{
    dlda_raw_images image = read_picture(path);

    assert_int_equal(image.height, HEIGHT);
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.channels, channels);
    assert_memory_equal(image.bytes, expected, PIXELS * channels);
    dlda_release(image.bytes);
}

static void expect_refusal(const char *path, const char *words)
{
    dlda_raw_images image = { 0 };
    size_t live = dlda_memory_count().live;

    assert_int_equal(dlda_picture_read(path, NULL, &image), DLDA_E_FORMAT);
    assert_null(image.bytes);
    assert_int_equal(dlda_memory_count().live, live);
    if (!strstr(dlda_last_error(), path)) fail_msg("expected '%s' in: %s", path, dlda_last_error());
    if (!strstr(dlda_last_error(), words)) fail_msg("expected '%s' in: %s", words, dlda_last_error());
}

/* ---- Every kind of PNG ---- */

typedef struct png_kind {
    int type, depth, interlaced;
    size_t bytes_per_row; /* of the rows that are written */
} png_kind;

static const char *write_png_kind(const char *name, png_kind kind, const uint8_t *rows)
{
    static const png_color palette[4] = { { 255, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 }, { 9, 9, 9 } };
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    png_bytep pointers[HEIGHT];

    assert_true(file && !setjmp(png_jmpbuf(png)));
    png_init_io(png, file);
    png_set_IHDR(png, info, WIDTH, HEIGHT, kind.depth, kind.type,
                 kind.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (kind.type == PNG_COLOR_TYPE_PALETTE) {
        png_set_PLTE(png, info, palette, 4);
        png_set_tRNS(png, info, (const png_byte[]){ 0, 128, 255, 7 }, 4, NULL);
    }
    png_set_gAMA(png, info, 1.0); /* which is not to be applied */
    for (size_t y = 0; y < HEIGHT; y++) pointers[y] = (png_bytep)rows + y * kind.bytes_per_row;
    png_set_rows(png, info, pointers);
    png_write_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* Alpha is dropped, not applied. */
static void test_png_alpha(void **state)
{
    uint8_t rgba[PIXELS * 4], ga[PIXELS * 2], rgb[PIXELS * 3], grey[PIXELS];

    (void)state;
    for (size_t i = 0; i < PIXELS; i++) {
        for (size_t c = 0; c < 3; c++) rgba[4 * i + c] = rgb[3 * i + c] = (uint8_t)(40 * c + 11 * i);
        rgba[4 * i + 3] = (uint8_t)(17 * i);
        ga[2 * i] = grey[i] = (uint8_t)(200 - i);
        ga[2 * i + 1] = (uint8_t)(17 * i);
    }
    for (int interlaced = 0; interlaced < 2; interlaced++) {
        check_bytes(write_png_kind("rgba.png", (png_kind){ PNG_COLOR_TYPE_RGBA, 8, interlaced, 4 * WIDTH }, rgba),
                    3, rgb);
        check_bytes(write_png_kind("ga.png", (png_kind){ PNG_COLOR_TYPE_GA, 8, interlaced, 2 * WIDTH }, ga), 1,
                    grey);
    }
}

static void test_png_16_bits(void **state)
{
    uint8_t rgb16[PIXELS * 6], rgb[PIXELS * 3], grey16[PIXELS * 2], grey[PIXELS];

    (void)state;
    for (size_t i = 0; i < PIXELS * 3; i++) {
        rgb[i] = (uint8_t)(5 * i);
        rgb16[2 * i] = rgb16[2 * i + 1] = rgb[i]; /* v * 257 is v of 8 bits */
    }
    for (size_t i = 0; i < PIXELS; i++) {
        grey[i] = (uint8_t)(i + 1);
        grey16[2 * i] = (uint8_t)i;
        grey16[2 * i + 1] = 255; /* nearer to i + 1 */
    }
    check_bytes(write_png_kind("rgb16.png", (png_kind){ PNG_COLOR_TYPE_RGB, 16, 1, 6 * WIDTH }, rgb16), 3, rgb);
    check_bytes(write_png_kind("grey16.png", (png_kind){ PNG_COLOR_TYPE_GRAY, 16, 0, 2 * WIDTH }, grey16), 1, grey);
}

static void test_png_palette_and_few_bits(void **state)
{
    static const uint8_t colours[4][3] = { { 255, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 }, { 9, 9, 9 } };
    static const uint8_t bits[HEIGHT] = { 0xA8, 0x50, 0xF8 };
    uint8_t indices[PIXELS], rgb[PIXELS * 3], grey[PIXELS];

    (void)state;
    for (size_t i = 0; i < PIXELS; i++) {
        indices[i] = (uint8_t)(i * 7 % 4);
        memcpy(rgb + 3 * i, colours[indices[i]], 3);
        grey[i] = bits[i / WIDTH] >> (7 - i % WIDTH) & 1 ? 255 : 0;
    }
    check_bytes(write_png_kind("palette.png", (png_kind){ PNG_COLOR_TYPE_PALETTE, 8, 1, WIDTH }, indices), 3, rgb);
    check_bytes(write_png_kind("bits.png", (png_kind){ PNG_COLOR_TYPE_GRAY, 1, 0, 1 }, bits), 1, grey);
}

/* ---- JPEG ---- */

/* 16 x 16, smooth, so that little is lost. */
static void smooth(uint8_t *pixels, size_t channels)
{
    for (size_t i = 0; i < 256; i++)
        for (size_t c = 0; c < channels; c++)
            pixels[i * channels + c] = (uint8_t)(40 + 5 * (i / 16) + 6 * (i % 16) * (c == 1) + 20 * c);
}

static void check_jpeg(jpeg_kind kind)
{
    uint8_t pixels[256 * 3] = { 0 };
    size_t channels = (size_t)kind.components;

    smooth(pixels, channels);
    dlda_raw_images image = read_picture(write_jpeg("smooth.png", kind, 16, 16, pixels)); /* names say nothing */
    assert_true(image.height == 16 && image.width == 16 && image.channels == channels);
    for (size_t i = 0; i < 256 * channels; i++) assert_in_range(abs(image.bytes[i] - pixels[i]), 0, 12);
    dlda_release(image.bytes);
}

static void test_jpeg_kinds(void **state)
{
    uint8_t inks[256 * 4] = { 0 };

    (void)state;
    check_jpeg((jpeg_kind){ 1, 95, 0 });
    check_jpeg((jpeg_kind){ 3, 95, 0 });
    check_jpeg((jpeg_kind){ 1, 95, 1 });
    check_jpeg((jpeg_kind){ 3, 95, 1 });
    expect_refusal(write_jpeg("inks.jpg", (jpeg_kind){ 4, 95, 0 }, 16, 16, inks),
                   "with 4 components, expected grey");
}

/* ---- Orientation ---- */

enum { EXIF = 6 + 8 + 2 + 2 * 12 + 4 };

static void put_number(uint8_t *at, uint32_t value, size_t n, int big_endian)
{
    for (size_t i = 0; i < n; i++) at[big_endian ? n - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* The content of an APP1 marker: a directory with two entries, of which the second is the orientation. */
static void make_exif(uint8_t exif[EXIF], uint32_t orientation, int big_endian)
{
    uint8_t *tiff = exif + 6, *entry = tiff + 10 + 12;

    memset(exif, 0, EXIF);
    memcpy(exif, "Exif", 4);
    memcpy(tiff, big_endian ? "MM" : "II", 2);
    put_number(tiff + 2, 42, 2, big_endian);
    put_number(tiff + 4, 8, 4, big_endian);
    put_number(tiff + 8, 2, 2, big_endian);
    put_number(tiff + 10, 0x010f, 2, big_endian); /* the maker of the camera */
    put_number(entry, 0x0112, 2, big_endian);
    put_number(entry + 2, 3, 2, big_endian);
    put_number(entry + 4, 1, 4, big_endian);
    put_number(entry + 8, orientation, 2, big_endian);
}

/* Writes a JPEG with this EXIF data behind its first two bytes. */
static const char *write_with_exif(const char *name, const char *jpeg, const uint8_t *exif, size_t n)
{
    static uint8_t from[1 << 18], to[1 << 18];
    size_t size = slurp(jpeg, from, sizeof from - 1000);

    memcpy(to, from, 2);
    memcpy(to + 2, "\xff\xe1", 2);
    put_number(to + 4, (uint32_t)n + 2, 2, 1);
    memcpy(to + 6, exif, n);
    memcpy(to + 6 + n, from + 2, size - 2);
    return write_bytes(name, to, size + n + 4);
}

/* The standard says where the first row and the first column of the stored picture are seen. */
static void place_seen(int orientation, size_t height, size_t width, size_t row, size_t column, size_t *y,
                       size_t *x)
{
    static const char first_row[] = " TTBBLRRL", first_column[] = " LRRLTTBB";

    *y = *x = 0;
    for (int axis = 0; axis < 2; axis++) {
        size_t at = axis ? column : row, last = (axis ? width : height) - 1;
        switch ((axis ? first_column : first_row)[orientation]) {
        case 'T': *y = at; break;
        case 'B': *y = last - at; break;
        case 'L': *x = at; break;
        case 'R': *x = last - at; break;
        }
    }
}

static void check_orientation(const char *plain, int orientation, int big_endian)
{
    uint8_t exif[EXIF];

    make_exif(exif, (uint32_t)orientation, big_endian);
    dlda_raw_images stored = read_picture(plain);
    dlda_raw_images seen = read_picture(write_with_exif("turned.jpg", plain, exif, sizeof exif));
    assert_int_equal(seen.height, orientation >= 5 ? stored.width : stored.height);
    assert_int_equal(seen.width, orientation >= 5 ? stored.height : stored.width);
    for (size_t r = 0; r < stored.height; r++)
        for (size_t c = 0; c < stored.width; c++) {
            size_t y = 0, x = 0, n = stored.channels;
            place_seen(orientation, stored.height, stored.width, r, c, &y, &x);
            assert_memory_equal(seen.bytes + (y * seen.width + x) * n, stored.bytes + (r * stored.width + c) * n,
                                n);
        }
    dlda_release(stored.bytes);
    dlda_release(seen.bytes);
}

static void test_orientations(void **state)
{
    uint8_t pixels[256 * 3];
    char path[256];

    (void)state;
    smooth(pixels, 3);
    for (int components = 1; components <= 3; components += 2) {
        snprintf(path, sizeof path, "%s", write_jpeg("plain.jpg", (jpeg_kind){ components, 95, 0 }, 14, 9, pixels));
        for (int orientation = 1; orientation <= 8; orientation++)
            for (int big_endian = 0; big_endian < 2; big_endian++) check_orientation(path, orientation, big_endian);
    }
}

/* Damaged EXIF data is ignored, whatever it says; the sanitizers watch the bounds. */
static void test_damaged_exif(void **state)
{
    uint8_t exif[EXIF], pixels[256 * 3];
    char path[256];

    (void)state;
    smooth(pixels, 3);
    snprintf(path, sizeof path, "%s", write_jpeg("plain.jpg", (jpeg_kind){ 3, 95, 0 }, 14, 9, pixels));
    for (uint32_t wrong = 0; wrong < 65536; wrong = wrong ? wrong * 9 : 9) {
        make_exif(exif, wrong, 0);
        assert_int_equal(dlda_exif_orientation(exif, EXIF), 0);
    }
    make_exif(exif, 6, 1);
    assert_int_equal(dlda_exif_orientation(exif, EXIF), 6);
    for (size_t n = 0; n < EXIF; n++) {
        uint8_t *cut = malloc(n + 1);
        memcpy(cut, exif, n);
        assert_int_equal(dlda_exif_orientation(cut, n), n < EXIF - 6 ? 0 : 6); /* the last 6 bytes say nothing */
        dlda_raw_images image = read_picture(write_with_exif("cut.jpg", path, cut, n));
        dlda_release(image.bytes);
        free(cut);
    }
    for (size_t bit = 0; bit < 8 * EXIF; bit++) {
        exif[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_in_range(dlda_exif_orientation(exif, EXIF), 0, 8);
        dlda_raw_images image = read_picture(write_with_exif("bit.jpg", path, exif, EXIF));
        dlda_release(image.bytes);
        exif[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    put_number(exif + 6 + 4, 0xffffffffu, 4, 1); /* a directory far outside */
    assert_int_equal(dlda_exif_orientation(exif, EXIF), 0);
}

/* ---- Large JPEGs for small images ---- */

static void shrink(const dlda_raw_images *image, const dlda_image_shape *want, uint8_t *bytes)
{
    dlda_resizer *resizer = NULL;
    dlda_image_shape have = { image->height, image->width, image->channels };

    assert_int_equal(dlda_resizer_create(&have, want, &resizer), DLDA_OK);
    dlda_resizer_run(resizer, image->bytes, bytes);
    dlda_resizer_destroy(resizer);
}

/* Decoded at a part of its size, a picture needs less memory and gives nearly the same small image. */
static void test_reduced_decoding(void **state)
{
    enum { H = 480, W = 640 };
    const dlda_image_shape small = { 20, 15, 3 }, upright = { 15, 20, 3 };
    uint8_t *pixels = malloc(H * W * 3), exif[EXIF], a[900], b[900];
    char path[256];

    (void)state;
    for (size_t i = 0; i < H * W * 3; i++)
        pixels[i] = (uint8_t)(i / 3 / W / 4 + i / 3 % W / 6 + (i * 2654435761u >> 28));
    make_exif(exif, 6, 0);
    snprintf(path, sizeof path, "%s", write_jpeg("large.jpg", (jpeg_kind){ 3, 30, 0 }, W, H, pixels));
    snprintf(path, sizeof path, "%s", write_with_exif("turned.jpg", path, exif, EXIF));
    dlda_raw_images whole = { 0 }, part = { 0 };
    assert_int_equal(dlda_picture_read(path, &(dlda_picture_request){ .want = &small }, &part), DLDA_OK);
    assert_true(part.height == W / 8 && part.width == H / 8);
    assert_int_equal(dlda_picture_read(path, NULL, &whole), DLDA_OK);
    assert_true(whole.height == W && whole.width == H);
    shrink(&whole, &small, a);
    shrink(&part, &small, b);
    for (size_t i = 0; i < sizeof a; i++) assert_in_range(abs(a[i] - b[i]), 0, 6);
    dlda_release(part.bytes);
    assert_int_equal(
        dlda_picture_read(path, &(dlda_picture_request){ .want = &(dlda_image_shape){ 161, 120, 3 } }, &part),
        DLDA_OK);
    assert_int_equal(part.height, W); /* half of it is 320: less than twice 161 */
    dlda_release(part.bytes);
    assert_int_equal(dlda_picture_read(path, &(dlda_picture_request){ .want = &upright }, &part), DLDA_OK);
    assert_true(part.height == W / 8 && part.width == H / 8);
    dlda_release(part.bytes);
    dlda_release(whole.bytes);
    free(pixels);
}

/* ---- Other formats ---- */

static void test_foreign_formats(void **state)
{
    static const struct {
        const char *start, *name;
        size_t n;
    } files[] = { { "GIF89a\1\0\1\0\0\0", "in GIF format", 12 },
                  { "GIF87a\1\0\1\0\0\0", "in GIF format", 12 },
                  { "RIFF\x20\0\0\0WEBPVP8 ", "in WebP format", 16 },
                  { "BM\x46\0\0\0\0\0\0\0\x36\0\0\0", "in BMP format", 14 },
                  { "II*\0\x08\0\0\0", "in TIFF format", 8 },
                  { "MM\0*\0\0\0\x08", "in TIFF format", 8 },
                  { "\0\0\0\x18"
                    "ftypheic\0\0\0\0",
                    "in HEIC format", 16 },
                  { "\0\0\0\x18"
                    "ftypavif\0\0\0\0",
                    "in AVIF format", 16 } };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *path = write_bytes("strange", files[i].start, files[i].n);
        expect_refusal(path, files[i].name);
        expect_refusal(path,
                       "expected PNG or JPEG; convert it, for example with ImageMagick: mogrify -auto-orient");
        expect_failure(path, DLDA_E_FORMAT, files[i].name); /* as data */
        for (size_t n = 0; n < files[i].n; n++) dlda_picture_foreign((const uint8_t *)files[i].start, n);
    }
    expect_refusal(write_bytes("text", "BMW and other cars", 18), "neither a PNG nor a JPEG picture");
    expect_refusal(write_bytes("film",
                               "\0\0\0\x18"
                               "ftypisom\0\0\0\0",
                               16),
                   "neither a PNG nor a JPEG picture");
}

/* ---- Damage ---- */

/* What a library says on its own account would land on stderr. */
static int hush(void)
{
    int kept = dup(2), file = open(in_folder("stderr"), O_CREAT | O_TRUNC | O_WRONLY, 0600);

    fflush(stderr);
    dup2(file, 2);
    close(file);
    return kept;
}

static void expect_silence(int kept)
{
    struct stat info;

    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    assert_int_equal(stat(in_folder("stderr"), &info), 0);
    assert_int_equal(info.st_size, 0);
}

static size_t make_small(int kind, uint8_t *bytes, size_t room)
{
    uint8_t pixels[256 * 3];

    smooth(pixels, 3);
    if (kind == 0) return slurp(write_png("small", PNG_FORMAT_RGB, 5, 3, pixels), bytes, room);
    if (kind == 1) return slurp(write_jpeg("small", (jpeg_kind){ 3, 50, 0 }, 9, 7, pixels), bytes, room);
    if (kind == 2) return slurp(write_jpeg("small", (jpeg_kind){ 3, 50, 1 }, 9, 7, pixels), bytes, room);
    return slurp(write_jpeg("small", (jpeg_kind){ 1, 50, 0 }, 16, 16, pixels), bytes, room);
}

static void test_cut_at_every_length(void **state)
{
    static uint8_t bytes[4096];
    int kept = hush();

    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        size_t size = make_small(kind, bytes, sizeof bytes);
        for (size_t n = 0; n < size; n++) expect_refusal(write_bytes("cut", bytes, n), "cut: ");
        dlda_raw_images image = read_picture(write_bytes("cut", bytes, size));
        dlda_release(image.bytes);
    }
    expect_silence(kept);
}

/* A damaged bit may go unnoticed (a name in a comment, a coefficient), but it does no harm. */
static void test_a_damaged_bit_in_every_byte(void **state)
{
    static uint8_t bytes[4096];
    size_t live = dlda_memory_count().live, noticed = 0, peak = dlda_memory_count().peak;
    int kept = hush();

    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        size_t size = make_small(kind, bytes, sizeof bytes);
        for (size_t bit = 0; bit < 8 * size; bit += bit % 8 < 7 ? 9 : 1) {
            dlda_raw_images image = { 0 };
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            dlda_status status = dlda_picture_read(write_bytes("bit", bytes, size), NULL, &image);
            assert_true(status == DLDA_OK || status == DLDA_E_FORMAT);
            noticed += status != DLDA_OK;
            dlda_release(image.bytes);
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    expect_silence(kept);
    assert_int_equal(dlda_memory_count().live, live);
    assert_true(noticed > 200);
    assert_in_range(dlda_memory_count().peak, 0, peak + ((size_t)64 << 20));
}

/* Sets the size in a JPEG's frame header. */
static void forge_jpeg_size(uint8_t *bytes, size_t size, unsigned height, unsigned width)
{
    for (size_t i = 2; i + 9 < size; i++)
        if (bytes[i] == 0xff && bytes[i + 1] >= 0xc0 && bytes[i + 1] <= 0xc2) {
            bytes[i + 5] = (uint8_t)(height >> 8), bytes[i + 6] = (uint8_t)height;
            bytes[i + 7] = (uint8_t)(width >> 8), bytes[i + 8] = (uint8_t)width;
            return;
        }
    fail_msg("no frame header");
}

static void test_headers_that_promise_too_much(void **state)
{
    static const unsigned sizes[][2] = { { 60000, 60000 }, { 65500, 3000 }, { 8000, 8000 },
                                         { 2000, 2000 },   { 0, 5 },        { 5, 0 } };
    static uint8_t bytes[4096];

    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int kind = 0; kind < 3; kind++) {
            size_t size = make_small(kind, bytes, sizeof bytes), peak = dlda_memory_count().peak;
            if (kind == 0) forge_size(bytes, sizes[k][1], sizes[k][0]);
            else forge_jpeg_size(bytes, size, sizes[k][0], sizes[k][1]);
            expect_refusal(write_bytes("huge", bytes, size), "huge: ");
            /* libpng finds out about 2000 x 2000 by decoding: what deflate could make of the file */
            assert_in_range(dlda_memory_count().peak, 0, peak + ((size_t)12 << 20));
        }
    size_t size = make_small(1, bytes, sizeof bytes);
    forge_jpeg_size(bytes, size, 60000, 60000);
    expect_refusal(write_bytes("huge", bytes, size), "60000 x 60000 pixels, expected at most 67108864 in all");
    forge_jpeg_size(bytes, size, 8000, 8000);
    expect_refusal(write_bytes("huge", bytes, size), "the header promises 8000 x 8000 pixels, more than");
}

/* A picture of another size than the only one that is accepted is not decoded: it may be large. */
/* Most memory that this process has ever mapped, in bytes. */
static size_t most_mapped(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[128];
    size_t kilobytes = 0;

    assert_non_null(file);
    while (fgets(line, sizeof line, file) && sscanf(line, "VmPeak: %zu", &kilobytes) != 1) {}
    fclose(file);
    return kilobytes << 10;
}

/* libpng would allocate the length of a text before it is read: 512 MB for a file of 41 bytes. */
static void test_png_with_a_long_text(void **state)
{
    static const uint8_t text[] = "\x20\0\0\0zTXt";
    enum { HEADER = 33 }; /* signature and IHDR */
    const uint8_t grey[4] = { 1, 2, 3, 4 };
    uint8_t bytes[1024];
    dlda_raw_images image = { 0 };

    (void)state;
    assert_true(slurp(write_png("text.png", PNG_FORMAT_GRAY, 2, 2, grey), bytes, sizeof bytes) > HEADER);
    memcpy(bytes + HEADER, text, sizeof text - 1);
    size_t before = most_mapped();
    assert_int_equal(
        dlda_picture_decode(bytes, HEADER + sizeof text - 1, "text.png", &(dlda_picture_request){ 0 }, &image),
        DLDA_E_FORMAT);
    assert_true(most_mapped() < before + ((size_t)1 << 28));
}

static void test_limits_of_callers(void **state)
{
    enum { SIDE = 1000 };
    uint8_t *pixels = calloc((size_t)3 * SIDE, SIDE);
    const jpeg_kind progressive = { .components = 3, .quality = 50, .progressive = 1 };
    const char *path = write_jpeg("large.jpg", progressive, SIDE, SIDE, pixels);
    const dlda_image_shape small = { 28, 28, 3 };
    dlda_raw_images image = { 0 };
    dlda_image_shape shape = { 0 };
    size_t taken = dlda_memory_count().taken;

    (void)state;
    assert_int_equal(dlda_picture_read(path, &(dlda_picture_request){ .only = &small }, &image), DLDA_E_SHAPE);
    if (!strstr(dlda_last_error(), "large.jpg: 1000 x 1000 pixels (height, width), expected 28 x 28"))
        fail_msg("%s", dlda_last_error());
    assert_int_equal(dlda_picture_shape(path, &(dlda_picture_request){ .most_pixels = SIDE * SIDE - 1 }, &shape),
                     DLDA_E_FORMAT);
    assert_int_equal(dlda_picture_read(path, &(dlda_picture_request){ .most_pixels = SIDE * SIDE - 1 }, &image),
                     DLDA_E_FORMAT);
    if (!strstr(dlda_last_error(), "1000 x 1000 pixels, expected at most 999999 in all"))
        fail_msg("%s", dlda_last_error());
    assert_int_equal(dlda_memory_count().taken, taken); /* no pixels */
    assert_int_equal(dlda_picture_read(path, &(dlda_picture_request){ .most_scans = 5 }, &image), DLDA_E_FORMAT);
    if (!strstr(dlda_last_error(), "too many scans")) fail_msg("%s", dlda_last_error());
    assert_int_equal(dlda_picture_read(path, &(dlda_picture_request){ .most_pixels = SIDE * SIDE }, &image),
                     DLDA_OK);
    dlda_release(image.bytes);
    free(pixels);
}

/* A single picture as a data set: refused by its header if the size is fixed, and described by it. */
static void test_size_by_header(void **state)
{
    enum { SIDE = 1000 };
    uint8_t *pixels = calloc((size_t)3 * SIDE, SIDE);
    const jpeg_kind kind = { .components = 3, .quality = 50, .progressive = 1 };
    dlda_read_spec spec = { .path = write_jpeg("alone.jpg", kind, SIDE, SIDE, pixels),
                            .fixed_height = 28,
                            .fixed_width = 28 };
    dlda_dataset *dataset = NULL;
    size_t taken = dlda_memory_count().taken, height = 0, width = 0, channels = 0;

    (void)state;
    assert_int_equal(dlda_dataset_open_images(&spec, &dataset), DLDA_E_SHAPE);
    if (!strstr(dlda_last_error(), "alone.jpg: 1000 x 1000 pixels (height, width), expected 28 x 28"))
        fail_msg("%s", dlda_last_error());
    assert_int_equal(dlda_picture_size(&spec, &height, &width, &channels), DLDA_OK);
    assert_int_equal(height + width + channels, 2 * SIDE + 3);
    spec.fixed_height = spec.fixed_width = 1; /* a model of tables */
    assert_int_equal(dlda_dataset_open_images(&spec, &dataset), DLDA_E_SHAPE);
    if (!strstr(dlda_last_error(), "alone.jpg: found a picture, expected a table"))
        fail_msg("%s", dlda_last_error());
    assert_int_equal(dlda_memory_count().taken, taken); /* no pixels */
    spec.most_pixels = SIDE;
    assert_int_equal(dlda_picture_size(&spec, &height, &width, &channels), DLDA_E_FORMAT);
    spec = (dlda_read_spec){ .path = spec.path, .height = 28, .width = 28 };
    assert_int_equal(dlda_dataset_open_images(&spec, &dataset), DLDA_OK);
    assert_int_equal(dlda_dataset_height(dataset), 28);
    assert_in_range(dlda_memory_count().taken - taken, 0, SIDE * SIDE); /* decoded at a part of its size */
    dlda_dataset_destroy(dataset);
    free(pixels);
}

static void test_no_pictures(void **state)
{
    (void)state;
    expect_refusal(write_bytes("text", "\x89PNH\r\n\x1a\n----", 12), "neither a PNG nor a JPEG picture");
    expect_refusal(write_bytes("text", "", 0), "neither a PNG nor a JPEG picture");
    expect_refusal(write_bytes("text", "\xff\xd8\xff", 3), "not a valid JPEG: ");
    expect_refusal(write_bytes("text", "\x89PNG\r\n\x1a\n", 8), "not a valid PNG: cut short");
    expect_failure(write_bytes("text", "\xff\xd8\xff", 3), DLDA_E_FORMAT, "a single picture has no label");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_png_alpha),
        cmocka_unit_test(test_png_16_bits),
        cmocka_unit_test(test_png_palette_and_few_bits),
        cmocka_unit_test(test_jpeg_kinds),
        cmocka_unit_test(test_orientations),
        cmocka_unit_test(test_damaged_exif),
        cmocka_unit_test(test_reduced_decoding),
        cmocka_unit_test(test_foreign_formats),
        cmocka_unit_test(test_cut_at_every_length),
        cmocka_unit_test(test_a_damaged_bit_in_every_byte),
        cmocka_unit_test(test_headers_that_promise_too_much),
        cmocka_unit_test(test_png_with_a_long_text),
        cmocka_unit_test(test_limits_of_callers),
        cmocka_unit_test(test_size_by_header),
        cmocka_unit_test(test_no_pictures),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
