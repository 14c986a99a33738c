/* SPDX-License-Identifier: MIT
 *
 * parallel.c - the parallel loop, on OpenMP.
 */
#include "base/parallel.h"

#include <omp.h>

size_t dlda_parallel_chunks(size_t n, size_t grain)
{
    return n / grain + (n % grain != 0);
}

size_t dlda_parallel_threads(size_t wanted)
{
    return wanted > 0 ? wanted : (size_t)omp_get_num_procs();
}

static void run_chunk(dlda_parallel_body *body, void *context, size_t index, size_t n, size_t grain, size_t worker)
{
    size_t begin = index * grain;
    size_t end = n - begin < grain ? n : begin + grain;
    body(context, &(dlda_chunk){ index, begin, end, worker });
}

void dlda_parallel_for(size_t threads, size_t n, size_t grain, dlda_parallel_body *body, void *context)
{
    size_t chunks = dlda_parallel_chunks(n, grain);

    if (threads <= 1 || chunks <= 1) { /* a team of one would cost more than it helps */
        for (size_t i = 0; i < chunks; i++) run_chunk(body, context, i, n, grain, 0);
        return;
    }
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 1)
    for (size_t i = 0; i < chunks; i++) run_chunk(body, context, i, n, grain, (size_t)omp_get_thread_num());
}
