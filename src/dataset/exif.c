/* SPDX-License-Identifier: MIT
 *
 * exif.c - finds the orientation in EXIF data, and turns pictures upright.
 *
 * EXIF data is a TIFF file: byte order, the number 42, the offset of a directory; the directory has a count and entries of
 * 12 bytes (tag, type, number of values, value). A damaged file has no orientation: it is only a hint, and the
 * pixels are intact.
 */
#include "dataset/exif.h"

#include <string.h>

enum { ENTRY = 12, TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3 };

/* A TIFF file in memory. Bytes outside it are read as 0. */
typedef struct tiff {
    const uint8_t *bytes;
    size_t size;
    int big_endian;
} tiff;

static uint32_t number_at(const tiff *self, size_t at, size_t n)
{
    uint32_t value = 0;

    if (at > self->size || n > self->size - at) return 0;
    for (size_t i = 0; i < n; i++) value = value << 8 | self->bytes[self->big_endian ? at + i : at + n - 1 - i];
    return value;
}

static dlda_orientation find_orientation(const tiff *self)
{
    size_t directory = number_at(self, 4, 4), count = number_at(self, directory, 2);

    for (size_t i = 0; i < count; i++) {
        size_t at = directory + 2 + i * ENTRY;
        if (number_at(self, at, 2) != TAG_ORIENTATION) continue;
        uint32_t value = number_at(self, at + 8, 2);
        if (number_at(self, at + 2, 2) != TYPE_SHORT || number_at(self, at + 4, 4) != 1) return 0;
        return value >= 1 && value <= 8 ? (dlda_orientation)value : 0;
    }
    return 0;
}

dlda_orientation dlda_exif_orientation(const uint8_t *marker, size_t n)
{
    static const uint8_t name[6] = "Exif\0"; /* with two zero bytes */

    if (n < sizeof name + 8 || memcmp(marker, name, sizeof name) != 0) return 0;
    tiff self = { .bytes = marker + sizeof name, .size = n - sizeof name };
    if (memcmp(self.bytes, "MM", 2) == 0) self.big_endian = 1;
    else if (memcmp(self.bytes, "II", 2) != 0) return 0;
    return number_at(&self, 2, 2) == 42 ? find_orientation(&self) : 0;
}

int dlda_orientation_transposes(dlda_orientation orientation)
{
    return orientation >= 5;
}

/* Row y of the upright picture is a row of the stored one, or if transposed a column, each possibly in reverse. */
void dlda_orientation_apply(dlda_orientation orientation, const dlda_image_shape *stored, const uint8_t *from,
                            uint8_t *to)
{
    int transposed = dlda_orientation_transposes(orientation);
    int bottom_up = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    int right_to_left = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    size_t height = transposed ? stored->width : stored->height,
           width = transposed ? stored->height : stored->width;
    size_t channels = stored->channels;

    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++, to += channels) {
            size_t row = transposed ? x : y, column = transposed ? y : x;
            if (bottom_up) row = stored->height - 1 - row;
            if (right_to_left) column = stored->width - 1 - column;
            memcpy(to, from + (row * stored->width + column) * channels, channels);
        }
}
