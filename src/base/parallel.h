/* SPDX-License-Identifier: MIT
 *
 * parallel.h - parallel loops whose results do not depend on the number of threads.
 *
 * The partition of 0 .. n-1 into chunks depends only on n and grain. Threads take chunks in any order, so a
 * body must write only to memory that belongs to its items or its chunk; sums over chunks are added
 * afterwards, in chunk order.
 *
 * A team of threads belongs to an object (a trainer, a workspace) and runs one loop at a time. Between loops
 * its threads spin briefly and then sleep: a step has thousands of loops, but waiting threads must not take
 * time from other programs.
 */
#ifndef DLDA_BASE_PARALLEL_H
#define DLDA_BASE_PARALLEL_H

#include "base/status.h"

typedef struct dlda_team dlda_team;

enum { DLDA_MOST_THREADS = 1024 };

/* Creates a team of `threads` (0: one per available core), including the caller of a loop. NULL is a
 * valid team: the caller only. */
dlda_status dlda_team_create(size_t threads, dlda_team **team);
void dlda_team_destroy(dlda_team *team);
size_t dlda_team_threads(const dlda_team *team);

typedef struct dlda_chunk {
    size_t index;      /* of the chunk                                                    */
    size_t begin, end; /* item range                                                      */
    size_t worker;     /* 0 .. threads-1: selects scratch memory, must not affect results */
} dlda_chunk;

typedef void dlda_parallel_body(void *context, const dlda_chunk *chunk);

/* Calls body for each chunk of `grain` items (the last may be smaller) of 0 .. n-1. Allocates nothing. */
void dlda_parallel_for(dlda_team *team, size_t n, size_t grain, dlda_parallel_body *body, void *context);

/* ceil(n / grain), the number of chunks. */
size_t dlda_parallel_chunks(size_t n, size_t grain);

#endif
