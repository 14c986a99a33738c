/* SPDX-License-Identifier: MIT
 *
 * parallel.h - loops over several threads, with the same results for any number of them.
 *
 * The partition of 0 .. n-1 into chunks depends on n and grain only. Threads take chunks in any order, so a body must
 * write to places that belong to its items or to its chunk; sums over chunks are added afterwards, in order of the
 * chunks.
 *
 * A team of threads belongs to an object (a trainer, a workspace) and runs one loop at a time. Between loops its
 * threads wait briefly and then sleep: a step has thousands of loops, and on a machine that does other work too,
 * threads that only wait must not keep the others from working.
 */
#ifndef DLDA_BASE_PARALLEL_H
#define DLDA_BASE_PARALLEL_H

#include "base/status.h"

typedef struct dlda_team dlda_team;

enum { DLDA_MOST_THREADS = 1024 };

/* A team of `threads` (0: one per available core), of which the caller of a loop is one. NULL is a team too, of the
 * caller alone. */
dlda_status dlda_team_create(size_t threads, dlda_team **team);
void dlda_team_destroy(dlda_team *team);
size_t dlda_team_threads(const dlda_team *team);

typedef struct dlda_chunk {
    size_t index;      /* of the chunk                                                */
    size_t begin, end; /* its items                                                   */
    size_t worker;     /* 0 .. threads-1: which scratch memory to use, nothing else   */
} dlda_chunk;

typedef void dlda_parallel_body(void *context, const dlda_chunk *chunk);

/* Calls body for each chunk of `grain` items (the last may be smaller) of 0 .. n-1. Takes no memory. */
void dlda_parallel_for(dlda_team *team, size_t n, size_t grain, dlda_parallel_body *body, void *context);

/* ceil(n / grain): how many chunks dlda_parallel_for makes. */
size_t dlda_parallel_chunks(size_t n, size_t grain);

#endif
