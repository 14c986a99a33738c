/* SPDX-License-Identifier: MIT
 *
 * parallel.h - loops over several threads, with the same results for any number of them.
 *
 * The partition of 0 .. n-1 into chunks depends on n and grain only. Threads take chunks in any order, so
 * a body must write to places that belong to its items or to its chunk; sums over chunks are added
 * afterwards, in order of the chunks.
 */
#ifndef DLDA_BASE_PARALLEL_H
#define DLDA_BASE_PARALLEL_H

#include <stddef.h>

typedef struct dlda_chunk {
    size_t index;      /* of the chunk                                                */
    size_t begin, end; /* its items                                                   */
    size_t worker;     /* 0 .. threads-1: which scratch memory to use, nothing else   */
} dlda_chunk;

typedef void dlda_parallel_body(void *context, const dlda_chunk *chunk);

/* Calls body for each chunk of `grain` items (the last may be smaller) of 0 .. n-1. Takes no memory. */
void dlda_parallel_for(size_t threads, size_t n, size_t grain, dlda_parallel_body *body, void *context);

/* ceil(n / grain): how many chunks dlda_parallel_for makes. */
size_t dlda_parallel_chunks(size_t n, size_t grain);

/* Number of threads to use: `wanted`, or one per available core if that is 0. */
size_t dlda_parallel_threads(size_t wanted);

#endif
