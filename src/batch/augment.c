/* SPDX-License-Identifier: MIT
 *
 * augment.c - random flips and shifts, drawn for each image in each epoch.
 *
 * The random numbers are a function of the sample, not of its place in a batch or of the thread, so they do not
 * depend on how the work is divided.
 */
#include "batch/augment.h"
#include "base/random.h"

#include <string.h>

static long draw_shift(dlda_random *random, size_t most)
{
    return (long)dlda_random_below(random, 2 * most + 1) - (long)most;
}

dlda_variation dlda_augment_draw(const dlda_augmentation *self, size_t epoch, size_t sample)
{
    dlda_random random = dlda_random_stream(self->seed, DLDA_RANDOM_AUGMENT, (uint32_t)epoch, (uint32_t)sample);
    dlda_variation drawn = { .flipped = (int)dlda_random_below(&random, 2) };

    drawn.down = draw_shift(&random, self->shift);
    drawn.right = draw_shift(&random, self->shift);
    if (!self->flip) drawn.flipped = 0;
    return drawn;
}

static void flip_row(float *row, size_t width, size_t channels)
{
    for (size_t left = 0, right = width; left + 1 < right; left++) {
        right--;
        for (size_t c = 0; c < channels; c++) {
            float value = row[left * channels + c];
            row[left * channels + c] = row[right * channels + c];
            row[right * channels + c] = value;
        }
    }
}

/* Moves the values of a block by `distance`, in either direction; the gap is filled with zeros. */
static void move_block(float *block, size_t size, long distance)
{
    size_t gap = (size_t)(distance < 0 ? -distance : distance);

    if (gap == 0) return;
    if (gap > size) gap = size;
    if (distance > 0) {
        memmove(block + gap, block, (size - gap) * sizeof *block);
        memset(block, 0, gap * sizeof *block);
    } else {
        memmove(block, block + gap, (size - gap) * sizeof *block);
        memset(block + size - gap, 0, gap * sizeof *block);
    }
}

void dlda_augment_image(const dlda_augmentation *self, const dlda_variation *variation, float *image)
{
    size_t row = self->width * self->channels;

    if (variation->flipped)
        for (size_t y = 0; y < self->height; y++) flip_row(image + y * row, self->width, self->channels);
    move_block(image, self->height * row, variation->down * (long)row);
    if (variation->right != 0)
        for (size_t y = 0; y < self->height; y++)
            move_block(image + y * row, row, variation->right * (long)self->channels);
}

void dlda_augment_batch(const dlda_augmentation *self, size_t epoch, const size_t *samples, size_t n, float *images)
{
    size_t size = self->height * self->width * self->channels;

    if (!self->flip && self->shift == 0) return;
    for (size_t i = 0; i < n; i++) {
        dlda_variation drawn = dlda_augment_draw(self, epoch, samples[i]);
        dlda_augment_image(self, &drawn, images + i * size);
    }
}
