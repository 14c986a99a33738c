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

#include <math.h>

enum { BLOCKS = 16, PER_BLOCK = 8, DRAWN = BLOCKS * PER_BLOCK };

typedef struct dropout_pass {
    const dlda_dropout *dropout;
    uint32_t limit; /* rate * 2^16    */
    float keep;     /* 1 / (1 - rate) */
    float *X;
} dropout_pass;

/* The 16-bit numbers of BLOCKS blocks, starting with block `first`: drawn[block][8], as from dlda_philox. */
static void draw_blocks(const dlda_random *stream, uint32_t first, uint32_t drawn[DRAWN])
{
    uint32_t c0[BLOCKS], c1[BLOCKS], c2[BLOCKS], c3[BLOCKS], k0 = stream->key[0], k1 = stream->key[1];

    for (uint32_t i = 0; i < BLOCKS; i++) {
        c0[i] = first + i;
        c1[i] = stream->counter[1];
        c2[i] = stream->counter[2];
        c3[i] = stream->counter[3];
    }
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
#pragma omp simd
        for (int i = 0; i < BLOCKS; i++) {
            uint64_t product0 = (uint64_t)0xD2511F53u * c0[i], product1 = (uint64_t)0xCD9E8D57u * c2[i];
            c0[i] = (uint32_t)(product1 >> 32) ^ c1[i] ^ k0;
            c1[i] = (uint32_t)product1;
            c2[i] = (uint32_t)(product0 >> 32) ^ c3[i] ^ k1;
            c3[i] = (uint32_t)product0;
        }
    }
    for (int i = 0; i < BLOCKS; i++) {
        const uint32_t words[4] = { c0[i], c1[i], c2[i], c3[i] };
        for (int j = 0; j < PER_BLOCK; j++) drawn[i * PER_BLOCK + j] = words[j / 2] >> (j % 2 * 16) & 0xffff;
    }
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
