/* SPDX-License-Identifier: MIT
 *
 * kernel_sets.h - the fast kernels for every instruction set that this machine has.
 */
#ifndef DLDA_TESTS_KERNEL_SETS_H
#define DLDA_TESTS_KERNEL_SETS_H

#include "kernels/kernels.h"

extern const dlda_kernel_set dlda_fast_kernels_baseline;
#if defined(__x86_64__)
extern const dlda_kernel_set dlda_fast_kernels_avx2, dlda_fast_kernels_avx512, dlda_fast_kernels_avx512bf16;
#endif

enum { MOST_SETS = 4 };

/* The copies that can run here: those before the chosen one, which comes last. */
static size_t usable_sets(const dlda_kernel_set *sets[MOST_SETS])
{
    static const dlda_kernel_set *const all[] = {
        &dlda_fast_kernels_baseline,
#if defined(__x86_64__)
        &dlda_fast_kernels_avx2,
        &dlda_fast_kernels_avx512,
        &dlda_fast_kernels_avx512bf16,
#endif
    };
    size_t count = 0;

    do sets[count] = all[count];
    while (all[count++] != dlda_kernels_fast());
    return count;
}

#endif
