/* SPDX-License-Identifier: MIT
 *
 * vectors.h - vectors of channels, as wide as the registers of the instruction set.
 */
#ifndef DLDA_KERNELS_VECTORS_H
#define DLDA_KERNELS_VECTORS_H

#include "kernels/isa.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE__
#include <immintrin.h>
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef float vec __attribute__((vector_size(4 * DLDA_LANES), aligned(4)));
typedef int32_t mask __attribute__((vector_size(4 * DLDA_LANES), aligned(4)));
typedef uint8_t bytes __attribute__((vector_size(DLDA_LANES), aligned(1)));

/* n <= DLDA_LANES floats; the rest of the vector is 0. With constant n this is one instruction. */
ALWAYS_INLINE vec load(const float *p, size_t n)
{
    vec v = { 0 };
    memcpy(&v, p, n * sizeof *p);
    return v;
}

/* x - 0 is x, while 0 + x would be an addition: -0 + 0 is 0. */
ALWAYS_INLINE vec everywhere(float x)
{
    return x - (vec){ 0 };
}

ALWAYS_INLINE vec choose(mask first, vec a, vec b)
{
    return (vec)((first & (mask)a) | (~first & (mask)b));
}

/* The larger ones; where v is NaN, NaN. */
ALWAYS_INLINE vec at_least(vec limit, vec v)
{
#if defined(__AVX512F__)
    return (vec)_mm512_max_ps((__m512)limit, (__m512)v);
#elif defined(__AVX2__)
    return (vec)_mm256_max_ps((__m256)limit, (__m256)v);
#elif defined(__SSE__)
    return (vec)_mm_max_ps((__m128)limit, (__m128)v);
#else
    return choose(v < limit, limit, v);
#endif
}

ALWAYS_INLINE void store(float *p, vec v, size_t n)
{
    memcpy(p, &v, n * sizeof *p);
}

/* Adds the first n floats to sums in double. */
ALWAYS_INLINE void add_to_sums(double *sums, vec v, size_t n)
{
    float values[DLDA_LANES];

    memcpy(values, &v, sizeof values);
    for (size_t i = 0; i < n; i++) sums[i] += (double)values[i];
}

#endif
