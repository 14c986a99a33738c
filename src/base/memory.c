/* SPDX-License-Identifier: MIT
 *
 * memory.c - aligned, counted memory. A header of one alignment unit before each block holds its size.
 *
 * The counters are atomic, and only tests and `info` depend on them.
 */
#define _GNU_SOURCE
#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static atomic_size_t n_taken, n_live, n_bytes, peak_bytes, fail_countdown;

dlda_status dlda_multiply_sizes(size_t a, size_t b, const char *what, size_t *product)
{
    if (__builtin_mul_overflow(a, b, product) || *product > PTRDIFF_MAX)
        return dlda_fail(DLDA_E_MEMORY, "%s: %zu x %zu is too large", what, a, b);
    return DLDA_OK;
}

static int must_fail_now(void)
{
    size_t left = atomic_load(&fail_countdown);
    while (left > 0)
        if (atomic_compare_exchange_weak(&fail_countdown, &left, left - 1)) return left == 1;
    return 0;
}

static void count_block(size_t bytes)
{
    atomic_fetch_add(&n_taken, 1);
    atomic_fetch_add(&n_live, 1);
    size_t now = atomic_fetch_add(&n_bytes, bytes) + bytes;
    size_t peak = atomic_load(&peak_bytes);
    while (now > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, now)) {}
}

/* Large blocks use huge pages if the system has them: a convolution accesses many rows at once, and with small
 * pages their addresses would not fit in the TLB. */
static char *new_block(size_t bytes)
{
    enum { HUGE_PAGE = 2 << 20 };

    if (bytes < 2 * (size_t)HUGE_PAGE) return aligned_alloc(DLDA_ALIGNMENT, bytes);
    char *block = aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (block) madvise(block, bytes, MADV_HUGEPAGE); /* only a hint, so failure is ignored */
    return block;
}

void *dlda_take_bytes(size_t count, size_t size, const char *what)
{
    size_t bytes = 0;

    if (dlda_multiply_sizes(count, size, what, &bytes) != DLDA_OK) return NULL;
    if (bytes > PTRDIFF_MAX - 2 * (size_t)DLDA_ALIGNMENT) {
        dlda_set_message("%s: %zu bytes are too many", what, bytes);
        return NULL;
    }
    size_t rounded = (bytes + 2 * (size_t)DLDA_ALIGNMENT - 1) / DLDA_ALIGNMENT * DLDA_ALIGNMENT;
    char *block = must_fail_now() ? NULL : new_block(rounded);
    if (!block) {
        dlda_set_message("%s: no memory for %zu bytes", what, bytes);
        return NULL;
    }
    memset(block, 0, rounded);
    memcpy(block, &bytes, sizeof bytes);
    count_block(bytes);
    return block + DLDA_ALIGNMENT;
}

void dlda_release(void *pointer)
{
    size_t bytes;

    if (!pointer) return;
    char *block = (char *)pointer - DLDA_ALIGNMENT;
    memcpy(&bytes, block, sizeof bytes);
    atomic_fetch_sub(&n_live, 1);
    atomic_fetch_sub(&n_bytes, bytes);
    free(block);
}

dlda_status dlda_enlarge_bytes(void *pointer, size_t used, size_t count, size_t size, const char *what)
{
    void *old, *larger = dlda_take_bytes(count, size, what);

    if (!larger) return DLDA_E_MEMORY;
    memcpy(&old, pointer, sizeof old); /* `pointer` points to a pointer of any type */
    if (used > 0) memcpy(larger, old, used * size);
    memcpy(pointer, &larger, sizeof larger);
    dlda_release(old);
    return DLDA_OK;
}

dlda_status dlda_take_text_n(const char *text, size_t n, char **copy)
{
    dlda_status status = DLDA_TAKE(copy, n + 1, "text");
    if (status == DLDA_OK) memcpy(*copy, text, n);
    return status;
}

dlda_status dlda_take_text(const char *text, char **copy)
{
    return dlda_take_text_n(text, strlen(text), copy);
}

dlda_status dlda_take_texts(const char *const *texts, size_t n, char ***copy)
{
    char **made = NULL;
    dlda_status status = DLDA_TAKE(&made, n, "texts");

    for (size_t i = 0; status == DLDA_OK && i < n; i++) status = dlda_take_text(texts[i], &made[i]);
    if (status == DLDA_OK) *copy = made;
    else dlda_release_texts(made, n);
    return status;
}

void dlda_release_texts(char **texts, size_t n)
{
    for (size_t i = 0; texts && i < n; i++) dlda_release(texts[i]);
    dlda_release(texts);
}

dlda_memory_counts dlda_memory_count(void)
{
    return (dlda_memory_counts){ n_taken, n_live, n_bytes, peak_bytes };
}

void dlda_memory_fail_at(size_t n)
{
    atomic_store(&fail_countdown, n);
}
