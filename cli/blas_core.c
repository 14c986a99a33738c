/* SPDX-License-Identifier: MIT
 *
 * blas_core.c - OpenBLAS on processors that are newer than it is.
 *
 * OpenBLAS chooses its kernels when it is loaded, by a list of processor models; for one that is not in the list it takes
 * those of 2004, with vectors of two doubles (0.3.21 of Debian 12 on family 6, model 207: ZCA on 5,000 images of CIFAR-10
 * and an epoch of mlp take 15.0 seconds instead of 6.8).
 * It obeys OPENBLAS_CORETYPE, which must be there before it is loaded.
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

/* Its kernels for a processor that it does not know. */
static int has_oldest_kernels(void)
{
    char *(*core_name)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_corename"); /* another BLAS does not have it */

    memcpy(&core_name, &symbol, sizeof core_name);
    return core_name && strcmp(core_name(), "Prescott") == 0;
}

void blas_core_improve(char **argv)
{
    static const char *const variable = "OPENBLAS_CORETYPE";
    const char *better = better_core();
    char path[4096];

    if (!better || getenv(variable) || !has_oldest_kernels()) return;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1); /* by its name, which `ps` shows */
    if (length <= 0 || setenv(variable, better, 1) != 0) return;
    path[length] = '\0';
    execv(path, argv);
}
