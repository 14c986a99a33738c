/* SPDX-License-Identifier: MIT
 *
 * random.c - Philox 4x32-10 and the distributions that the library needs.
 */
#include "base/random.h"

#include <math.h>

void dlda_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        uint64_t product0 = (uint64_t)0xD2511F53u * c0;
        uint64_t product1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)product0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

dlda_random dlda_random_stream(uint64_t seed, uint32_t purpose, uint32_t a, uint32_t b)
{
    /* The purpose is mixed with the seed by the bijection, so that different (seed, purpose)
     * pairs get unrelated keys. */
    const uint32_t words[4] = { (uint32_t)seed, (uint32_t)(seed >> 32), purpose, 0 };
    const uint32_t key[2] = { 0x64656570u, 0x6c646131u };
    uint32_t mixed[4];

    dlda_philox(words, key, mixed);
    return (dlda_random){ { mixed[0], mixed[1] }, { 0, 0, a, b } };
}

void dlda_random_next(dlda_random *random, uint32_t out[4])
{
    dlda_philox(random->counter, random->key, out);
    if (++random->counter[0] == 0) random->counter[1]++;
}

void dlda_random_uniform(dlda_random *random, size_t n, float *values)
{
    uint32_t words[4];

    for (size_t i = 0; i < n; i++) {
        if (i % 4 == 0) dlda_random_next(random, words);
        values[i] = (float)(words[i % 4] >> 8) * 0x1p-24f;
    }
}

void dlda_random_normal(dlda_random *random, size_t n, double scale, float *values)
{
    uint32_t words[4];

    /* Box-Muller: two words give two normal values; +0.5 avoids log(0). */
    for (size_t i = 0; i < n; i += 2) {
        if (i % 4 == 0) dlda_random_next(random, words);
        double radius = scale * sqrt(-2 * log((words[i % 4] + 0.5) * 0x1p-32));
        double angle = 2 * 3.14159265358979323846 * words[i % 4 + 1] * 0x1p-32;
        values[i] = (float)(radius * cos(angle));
        if (i + 1 < n) values[i + 1] = (float)(radius * sin(angle));
    }
}

uint64_t dlda_random_below(dlda_random *random, uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n; /* a multiple of n; larger values are drawn again */
    uint32_t words[4];

    for (;;) {
        dlda_random_next(random, words);
        uint64_t value = (uint64_t)words[0] << 32 | words[1];
        if (value < limit) return value % n;
    }
}

void dlda_random_shuffle(dlda_random *random, size_t n, size_t *values)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)dlda_random_below(random, i);
        size_t swap = values[i - 1];
        values[i - 1] = values[j];
        values[j] = swap;
    }
}
