/* SPDX-License-Identifier: MIT
 *
 * random.h - counter-based random numbers: Philox 4x32-10 (Salmon et al., SC 2011).
 *
 * A number is a pure function of (seed, purpose, a, b, index), without state. So any thread can compute any number,
 * and a dropout mask can be recomputed in the backward pass instead of being stored.
 */
#ifndef DLDA_BASE_RANDOM_H
#define DLDA_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Purposes separate the streams of one seed. Never renumber them: models are reproducible by their seed. */
enum {
    DLDA_RANDOM_WEIGHTS = 1, /* a = index of the layer                                     */
    DLDA_RANDOM_SHUFFLE = 2, /* a = epoch, b = class                                       */
    DLDA_RANDOM_DROPOUT = 3, /* a = epoch, b = sample; see dropout kernels                 */
    DLDA_RANDOM_SPLIT = 4,   /* a = 0 halves, 1 subsets, 2 folds; b = class                */
    DLDA_RANDOM_AUGMENT = 5, /* a = epoch, b = sample                                      */
    DLDA_RANDOM_FOLDS = 20,  /* of tables: a = rows of the class so far / folds, b = class */
    DLDA_RANDOM_SVM = 21,    /* folds of the cross-validation: b = class                   */
    DLDA_RANDOM_TEST = 99
};

typedef struct dlda_random {
    uint32_t key[2];     /* from seed and purpose */
    uint32_t counter[4]; /* index (2 words), a, b */
} dlda_random;

/* Starts a stream; the functions below advance it. */
dlda_random dlda_random_stream(uint64_t seed, uint32_t purpose, uint32_t a, uint32_t b);

/* The bijection: four words from a counter and a key. */
void dlda_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* The next four words. */
void dlda_random_next(dlda_random *random, uint32_t out[4]);
/* n values, uniform in [0,1), or normal with mean 0 and standard deviation `scale`. */
void dlda_random_uniform(dlda_random *random, size_t n, float *values);
void dlda_random_normal(dlda_random *random, size_t n, double scale, float *values);
/* A number in 0 .. n-1, each equally likely; n >= 1. */
uint64_t dlda_random_below(dlda_random *random, uint64_t n);
/* Fisher-Yates. */
void dlda_random_shuffle(dlda_random *random, size_t n, size_t *values);

#endif
