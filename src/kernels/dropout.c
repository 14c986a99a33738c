/* SPDX-License-Identifier: MIT
 *
 * dropout.c - sets values to zero at random, in place; the mask is drawn again for the backward pass.
 */
#include "base/parallel.h"
#include "base/random.h"
#include "kernels/fast.h"

#include <math.h>

typedef struct dropout_pass {
    const dlda_dropout *dropout;
    float *X;
} dropout_pass;

/* Value j of a sample falls out if 16 bits of random number block j / 8 are below rate * 2^16. The counter of
 * the block is (j / 8, layer, epoch, sample). */
static void drop_sample(const dlda_dropout *dropout, dlda_random stream, uint32_t limit, float keep, float *x)
{
    uint32_t words[4];

    stream.counter[1] = dropout->layer;
    for (size_t j = 0; j < dropout->size; j += 8) {
        stream.counter[0] = (uint32_t)(j / 8);
        dlda_philox(stream.counter, stream.key, words);
        size_t n = dropout->size - j < 8 ? dropout->size - j : 8;
        for (size_t i = 0; i < n; i++) {
            uint32_t drawn = words[i / 2] >> (i % 2 * 16) & 0xffff;
            x[j + i] = drawn < limit ? 0 : x[j + i] * keep;
        }
    }
}

static void drop_chunk(void *context, const dlda_chunk *chunk)
{
    const dropout_pass *pass = context;
    const dlda_dropout *dropout = pass->dropout;
    uint32_t limit = (uint32_t)lrint(dropout->rate * 65536);
    float keep = (float)(1 / (1 - dropout->rate));

    for (size_t n = chunk->begin; n < chunk->end; n++) {
        uint32_t sample = (uint32_t)dropout->samples[n];
        dlda_random stream = dlda_random_stream(dropout->seed, DLDA_RANDOM_DROPOUT, dropout->epoch, sample);
        drop_sample(dropout, stream, limit, keep, pass->X + n * dropout->size);
    }
}

void dlda_dropout_apply(const dlda_dropout *dropout, const dlda_run *run, size_t N, float *X)
{
    dropout_pass pass = { dropout, X };
    dlda_parallel_for(run->team, N, 1, drop_chunk, &pass);
}
