/* SPDX-License-Identifier: MIT
 *
 * augment.h - training images as they might have been: turned left to right, moved a little.
 */
#ifndef DLDA_BATCH_AUGMENT_H
#define DLDA_BATCH_AUGMENT_H

#include <stddef.h>
#include <stdint.h>

typedef struct dlda_augmentation {
    uint64_t seed;
    int flip;                       /* left to right, for every other image                               */
    size_t shift;                   /* up to so many pixels each way, both ways; zeros come in             */
    size_t height, width, channels; /* of an image                                                        */
} dlda_augmentation;

/* What is drawn for one image. */
typedef struct dlda_variation {
    int flipped;
    long down, right; /* pixels */
} dlda_variation;

/* A function of (seed, epoch, sample) alone; flips do not depend on whether there are shifts. */
dlda_variation dlda_augment_draw(const dlda_augmentation *augmentation, size_t epoch, size_t sample);

/* Changes an image [height][width][channels] in place: first it is flipped, then moved. */
void dlda_augment_image(const dlda_augmentation *augmentation, const dlda_variation *variation, float *image);

/* Both, for images [n][...] of samples [n]. */
void dlda_augment_batch(const dlda_augmentation *augmentation, size_t epoch, const size_t *samples, size_t n,
                        float *images);

#endif
