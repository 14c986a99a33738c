/* SPDX-License-Identifier: MIT
 *
 * picture_size.c - chooses one size for pictures of different sizes.
 *
 * The size is the median height and the median width: if most pictures have one size, it is that one. If at least a tenth
 * of the pictures is upright and a tenth is wide, it is a square of that area instead, which distorts both kinds
 * equally. It is then reduced in proportion until no side is too long for training.
 */
#include "dataset/picture_size.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    size_t one = *(const size_t *)a, two = *(const size_t *)b;

    return (one > two) - (one < two);
}

/* Of an even number, the smaller of the two in the middle. Sorts. */
static size_t median(size_t *values, size_t n)
{
    qsort(values, n, sizeof *values, by_size);
    return values[(n - 1) / 2];
}

static int has_both_orientations(const dlda_image_shape *shapes, size_t n)
{
    size_t upright = 0, wide = 0;

    for (size_t i = 0; i < n; i++) {
        upright += shapes[i].height > shapes[i].width;
        wide += shapes[i].height < shapes[i].width;
    }
    return upright > 0 && wide > 0 && 10 * upright >= n && 10 * wide >= n;
}

static size_t reduced(size_t side, size_t longest)
{
    size_t result = (side * DLDA_MOST_CHOSEN_SIDE + longest / 2) / longest;

    return result > 0 ? result : 1;
}

dlda_status dlda_picture_size_choose(const dlda_image_shape *shapes, size_t n, dlda_image_shape *size)
{
    dlda_status status = DLDA_OK;
    size_t *sides = NULL;

    DLDA_TRY(DLDA_TAKE(&sides, n, "sizes of pictures"));
    for (size_t i = 0; i < n; i++) sides[i] = shapes[i].height;
    size->height = median(sides, n);
    for (size_t i = 0; i < n; i++) sides[i] = shapes[i].width;
    size->width = median(sides, n);
    if (has_both_orientations(shapes, n))
        size->height = size->width = (size_t)lround(sqrt((double)size->height * (double)size->width));
    size_t longest = size->height > size->width ? size->height : size->width;
    if (longest > DLDA_MOST_CHOSEN_SIDE) {
        size->height = reduced(size->height, longest);
        size->width = reduced(size->width, longest);
    }
done:
    dlda_release(sides);
    return status;
}
