/* SPDX-License-Identifier: MIT
 *
 * augment.h - augmentation of training images: horizontal flips and small shifts.
 */
#ifndef DLDA_BATCH_AUGMENT_H
#define DLDA_BATCH_AUGMENT_H

#include <stddef.h>
#include <stdint.h>

typedef struct dlda_augmentation {
    uint64_t seed;
    int flip;                       /* flip each image left to right with probability 1/2                  */
    size_t shift;                   /* maximum shift in pixels, in both axes; the gap is filled with zeros */
    size_t height, width, channels; /* of an image                                                         */
} dlda_augmentation;

/* The variation drawn for one image. */
typedef struct dlda_variation {
    int flipped;
    long down, right; /* pixels */
} dlda_variation;

/* A function of (seed, epoch, sample) only; flips do not depend on whether shifts are enabled. */
dlda_variation dlda_augment_draw(const dlda_augmentation *augmentation, size_t epoch, size_t sample);

/* Changes an image [height][width][channels] in place: flip, then shift. */
void dlda_augment_image(const dlda_augmentation *augmentation, const dlda_variation *variation, float *image);

/* Draws and applies variations for images [n][...] of samples [n]. */
void dlda_augment_batch(const dlda_augmentation *augmentation, size_t epoch, const size_t *samples, size_t n,
                        float *images);

#endif
