/* SPDX-License-Identifier: MIT
 *
 * activation.h - shared by the forward and the backward pass between two convolutions.
 */
#ifndef DLDA_KERNELS_ACTIVATION_H
#define DLDA_KERNELS_ACTIVATION_H

#include "kernels/fast.h"
#include "kernels/reductions.h"
#include "kernels/vectors.h"

static inline size_t image_rows(const dlda_activation *a)
{
    return a->height * a->width;
}

/* Floats from the first pixel of a window to pixel k. The size is that of the activation, as a constant if it is 2. */
ALWAYS_INLINE size_t pixel_of_window(const dlda_activation *a, size_t size, size_t k)
{
    return (k / size * a->width + k % size) * a->channels;
}

#endif
