/* SPDX-License-Identifier: MIT
 *
 * check.h - helpers of the numerical tests: comparisons that report position and size of a
 * difference, and test data.
 */
#ifndef DLDA_TESTS_CHECK_H
#define DLDA_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "deeplda_comm.h"
#include "deeplda_lda.h"

/* Fails unless a call returns the wanted status; prints the library's message. */
#define CHECK_STATUS(call, wanted) check_status((call), (wanted), #call, __FILE__, __LINE__)
#define CHECK_OK(call)             CHECK_STATUS(call, DLDA_OK)

static inline void check_status(dlda_status status, dlda_status wanted, const char *call, const char *file,
                                int line)
{
    if (status == wanted) return;
    print_error("%s:\n  status %d (%s), expected %d (%s)\n  last error: %s\n", call, status,
                dlda_status_text(status), wanted, dlda_status_text(wanted), dlda_last_error());
    _fail(file, line);
}

/* Fails unless the last error mentions `word`. */
#define CHECK_ERROR_SAYS(word) check_error_says((word), __FILE__, __LINE__)

static inline void check_error_says(const char *word, const char *file, int line)
{
    if (strstr(dlda_last_error(), word)) return;
    print_error("the error \"%s\" does not say \"%s\"\n", dlda_last_error(), word);
    _fail(file, line);
}

/* Fails unless |found[i] - expected[i]| <= tolerance * max |expected| for all i, or if anything is not finite. */
#define CHECK_NEAR(found, expected, n, tolerance, ...)                                                             \
    do {                                                                                                           \
        char what_[160];                                                                                           \
        snprintf(what_, sizeof what_, __VA_ARGS__);                                                                \
        check_near((found), (expected), (n), (tolerance), what_, __FILE__, __LINE__);                              \
    } while (0)

static inline double largest_size(const double *x, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static inline void check_near(const double *found, const double *expected, size_t n, double tolerance,
                              const char *what, const char *file, int line)
{
    double scale = largest_size(expected, n), worst = -1;
    size_t at = 0;

    if (scale == 0) scale = 1;
    for (size_t i = 0; i < n; i++) {
        double error = fabs(found[i] - expected[i]) / scale;
        if (!isfinite(error)) error = INFINITY;
        if (error > worst) worst = error, at = i;
    }
    if (worst <= tolerance) return;
    print_error("%s: entry %zu of %zu is %.17g, expected %.17g: error %.2e of the largest, allowed %.0e\n", what,
                at, n, found[at], expected[at], worst, tolerance);
    _fail(file, line);
}

/* The same for float results, converted to double. */
#define CHECK_NEAR_FLOAT(found, expected, n, tolerance, ...)                                                       \
    do {                                                                                                           \
        double *copy_ = check_widen((found), (n));                                                                 \
        CHECK_NEAR(copy_, (expected), (n), (tolerance), __VA_ARGS__);                                              \
        free(copy_);                                                                                               \
    } while (0)

static inline void *check_memory(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);

    if (!memory) abort();
    return memory;
}

static inline double *check_widen(const float *x, size_t n)
{
    double *wide = check_memory(n * sizeof *wide);

    for (size_t i = 0; i < n; i++) wide[i] = x[i];
    return wide;
}

static inline float *check_narrow(const double *x, size_t n)
{
    float *narrow = check_memory(n * sizeof *narrow);

    for (size_t i = 0; i < n; i++) narrow[i] = (float)x[i];
    return narrow;
}

/* Arrays filled with NaN, so that unwritten elements are detected. */
static inline double *check_nan_doubles(size_t n)
{
    double *x = check_memory(n * sizeof *x);

    for (size_t i = 0; i < n; i++) x[i] = NAN;
    return x;
}

static inline float *check_nan_floats(size_t n)
{
    float *x = check_memory(n * sizeof *x);

    for (size_t i = 0; i < n; i++) x[i] = NAN;
    return x;
}

/* Test data independent of the library: uniform in (-1, 1); advances the seed. */
static inline double check_uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed ^ (*seed >> 31)) / 9223372036854775808.0;
}

/* Approximately normal: the sum of twelve uniform numbers. */
static inline double check_normal(uint64_t *seed)
{
    double sum = 0;

    for (int i = 0; i < 12; i++) sum += check_uniform(seed);
    return sum / 2;
}

/* Teams of each number of threads, kept until the test program ends. */
static dlda_team *check_teams[9];

static inline void check_end_teams(void)
{
    for (size_t i = 0; i < 9; i++) dlda_team_destroy(check_teams[i]);
}

static inline dlda_team *check_team(size_t threads)
{
    static int registered;

    assert_true(threads < 9);
    if (!registered++) atexit(check_end_teams);
    if (!check_teams[threads]) CHECK_OK(dlda_team_create(threads, &check_teams[threads]));
    return check_teams[threads];
}

#endif
