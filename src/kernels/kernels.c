/* SPDX-License-Identifier: MIT
 *
 * kernels.c - chooses among the copies of the fast kernels, and sizes what they share.
 */
#include "kernels/kernels.h"
#include "base/memory.h"
#include "kernels/reductions.h"

#undef dlda_fast_kernels
extern const dlda_kernel_set dlda_fast_kernels_baseline;
#ifdef DLDA_WITH_X86
extern const dlda_kernel_set dlda_fast_kernels_avx2, dlda_fast_kernels_avx512;
#endif

const dlda_kernel_set *dlda_kernels_fast(void)
{
#ifdef DLDA_WITH_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return &dlda_fast_kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &dlda_fast_kernels_avx2;
#endif
    return &dlda_fast_kernels_baseline;
}

dlda_status dlda_norm_scratch(size_t channels, size_t *bytes)
{
    return dlda_multiply_sizes(channels, 2 * DLDA_ROW_CHUNKS * sizeof(double), "batch norm scratch", bytes);
}
