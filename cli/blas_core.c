/* SPDX-License-Identifier: MIT
 *
 * blas_core.c - makes OpenBLAS use vector instructions on processors it does not know.
 *
 * OpenBLAS chooses its kernels when it is loaded, by processor model. For an unknown model it uses kernels of 2004
 * with vectors of two doubles, as 0.3.21 of Debian 12 does on family 6, model 207. The environment variable
 * OPENBLAS_CORETYPE overrides the choice, if it is set before OpenBLAS is loaded.
 *
 * When it is loaded, OpenBLAS also starts threads. The program has threads of its own and does not use these, which would
 * wait busily at first, on the cores that the others need.
 */
#define _GNU_SOURCE
#include "blas_core.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *better_core(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
    return NULL;
}

/* 1 if OpenBLAS uses its kernels for unknown processors. */
static int has_oldest_kernels(void)
{
    char *(*core_name)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_corename"); /* other BLAS libraries lack it */

    memcpy(&core_name, &symbol, sizeof core_name);
    return core_name && strcmp(core_name(), "Prescott") == 0;
}

static void end_threads(void)
{
    void (*end)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "blas_thread_shutdown_");

    memcpy(&end, &symbol, sizeof end);
    if (end) end();
}

/* Returns if the kernels are good, or if they cannot be changed. */
static void choose_kernels(char **argv)
{
    static const char *const variable = "OPENBLAS_CORETYPE";
    const char *better = better_core();
    char path[4096];

    if (!better || getenv(variable) || !has_oldest_kernels()) return;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1); /* the real name, which `ps` shows */
    if (length <= 0 || setenv(variable, better, 1) != 0) return;
    path[length] = '\0';
    execv(path, argv);
}

void blas_core_improve(char **argv)
{
    choose_kernels(argv);
    end_threads();
}
