/* SPDX-License-Identifier: MIT
 *
 * kernels.c - selects the copy of the kernels for this machine's instruction set, and sizes shared scratch memory.
 */
#include "kernels/kernels.h"
#include "base/memory.h"
#include "kernels/reductions.h"

#undef dlda_fast_kernels
#undef dlda_reference_kernels
extern const dlda_kernel_set dlda_fast_kernels_baseline, dlda_reference_kernels_baseline;
#ifdef DLDA_WITH_X86
extern const dlda_kernel_set dlda_fast_kernels_avx2, dlda_fast_kernels_avx512, dlda_fast_kernels_avx512bf16;
extern const dlda_kernel_set dlda_reference_kernels_avx2, dlda_reference_kernels_avx512;

static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}

static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

const dlda_kernel_set *dlda_kernels_fast(void)
{
#ifdef DLDA_WITH_X86
    if (has_avx512() && __builtin_cpu_supports("avx512bf16")) return &dlda_fast_kernels_avx512bf16;
    if (has_avx512()) return &dlda_fast_kernels_avx512;
    if (has_avx2()) return &dlda_fast_kernels_avx2;
#endif
    return &dlda_fast_kernels_baseline;
}

const dlda_kernel_set *dlda_kernels_reference(void)
{
#ifdef DLDA_WITH_X86
    if (has_avx512()) return &dlda_reference_kernels_avx512;
    if (has_avx2()) return &dlda_reference_kernels_avx2;
#endif
    return &dlda_reference_kernels_baseline;
}

dlda_status dlda_norm_scratch(size_t channels, size_t *bytes)
{
    return dlda_multiply_sizes(channels, 2 * DLDA_ROW_CHUNKS * sizeof(double), "batch norm scratch", bytes);
}
