/* SPDX-License-Identifier: MIT
 *
 * dropout.c - sets values to zero at random, in place; the mask is recomputed for the backward pass.
 *
 * Value j of a sample is dropped if 16 bits of block j / 8 of its random numbers are below rate * 2^16; the
 * counter of a block is (j / 8, layer, epoch, sample). Philox has no branches, so several blocks are computed at
 * once, one per vector lane.
 */
#include "base/parallel.h"
#include "base/random.h"
#include "kernels/fast.h"
#include "kernels/vectors.h"

#include <math.h>

enum { BLOCKS = 16, PER_BLOCK = 8, DRAWN = BLOCKS * PER_BLOCK };

typedef struct dropout_pass {
    const dlda_dropout *dropout;
    uint32_t limit; /* rate * 2^16    */
    float keep;     /* 1 / (1 - rate) */
    float *X;
} dropout_pass;

typedef uint32_t words __attribute__((vector_size(4 * DLDA_LANES)));
typedef uint64_t wide_words __attribute__((vector_size(4 * DLDA_LANES)));

/* Of each pair of words, the product of the first. */
ALWAYS_INLINE wide_words multiply_first(wide_words a, uint32_t factor)
{
#if defined(__AVX512F__)
    return (wide_words)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64(factor));
#elif defined(__AVX2__)
    return (wide_words)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(factor));
#elif defined(__SSE2__)
    return (wide_words)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x(factor));
#else
    return (a & 0xffffffff) * factor;
#endif
}

/* Both halves of the products. The first word of a pair is the lower one (x86). */
ALWAYS_INLINE words multiply_words(words a, uint32_t factor, words *low)
{
    wide_words first = multiply_first((wide_words)a, factor), second = multiply_first((wide_words)a >> 32, factor);

    *low = (words)((first & 0xffffffff) | second << 32);
    return (words)(first >> 32 | (second & ~(uint64_t)0xffffffff));
}

/* The four words of the blocks from `first` on, one in each lane, as from dlda_philox. */
static void draw_lanes(const dlda_random *stream, uint32_t first, words c[4])
{
    uint32_t k0 = stream->key[0], k1 = stream->key[1], numbers[DLDA_LANES];

    for (uint32_t i = 0; i < DLDA_LANES; i++) numbers[i] = first + i;
    memcpy(&c[0], numbers, sizeof c[0]);
    for (int w = 1; w < 4; w++) c[w] = (words){ 0 } + stream->counter[w];
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        words low0, low1;
        words high0 = multiply_words(c[0], 0xD2511F53u, &low0), high1 = multiply_words(c[2], 0xCD9E8D57u, &low1);
        c[0] = high1 ^ c[1] ^ k0;
        c[1] = low1;
        c[2] = high0 ^ c[3] ^ k1;
        c[3] = low0;
    }
}

/* The 16-bit numbers of BLOCKS blocks from `first` on: drawn[block][8]. */
static void draw_blocks(const dlda_random *stream, uint32_t first, uint32_t drawn[DRAWN])
{
    uint32_t number[4][BLOCKS];

    for (size_t i = 0; i < BLOCKS; i += DLDA_LANES) {
        words c[4];
        draw_lanes(stream, first + (uint32_t)i, c);
        for (int w = 0; w < 4; w++) memcpy(number[w] + i, &c[w], sizeof c[w]);
    }
    for (int i = 0; i < BLOCKS; i++)
        for (int j = 0; j < PER_BLOCK; j++) drawn[i * PER_BLOCK + j] = number[j / 2][i] >> (j % 2 * 16) & 0xffff;
}

static void drop_sample(const dropout_pass *pass, const dlda_random *stream, float *x)
{
    const uint32_t limit = pass->limit;
    const float keep = pass->keep;
    uint32_t drawn[DRAWN];

    for (size_t j = 0; j < pass->dropout->size; j += DRAWN) {
        size_t n = pass->dropout->size - j < DRAWN ? pass->dropout->size - j : DRAWN;
        float *values = x + j;
        draw_blocks(stream, (uint32_t)(j / PER_BLOCK), drawn);
#pragma omp simd
        for (size_t i = 0; i < n; i++) values[i] = drawn[i] < limit ? 0 : values[i] * keep;
    }
}

static void drop_samples(void *context, const dlda_chunk *chunk)
{
    const dropout_pass *pass = context;
    const dlda_dropout *dropout = pass->dropout;

    for (size_t n = chunk->begin; n < chunk->end; n++) {
        uint32_t sample = (uint32_t)dropout->samples[n];
        dlda_random stream = dlda_random_stream(dropout->seed, DLDA_RANDOM_DROPOUT, dropout->epoch, sample);
        stream.counter[1] = dropout->layer;
        drop_sample(pass, &stream, pass->X + n * dropout->size);
    }
}

void dlda_dropout_apply(const dlda_dropout *dropout, const dlda_exec *exec, size_t N, float *X)
{
    dropout_pass pass = { dropout, (uint32_t)lrint(dropout->rate * 65536), (float)(1 / (1 - dropout->rate)), X };
    dlda_parallel_for(exec->team, N, 4, drop_samples, &pass);
}
