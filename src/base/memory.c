/* SPDX-License-Identifier: MIT
 *
 * memory.c - aligned, counted memory. A header of one alignment unit before each block holds its size.
 *
 * The counters are atomic, and only tests and `info` depend on them.
 */
#define _GNU_SOURCE
#include "base/memory.h"
#include "base/sanitizers.h"

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

/* ---- Large blocks ---- */

/* They come from the system directly, as zeros: what is never used takes no memory, and what is used is first touched by
 * the thread that uses it. They have huge pages if the system has them: a convolution accesses many rows at once, and with
 * small pages their addresses would not fit in the TLB. The address sanitizer sees only what malloc has given. */
enum { HUGE_PAGE = 2 << 20 };
static const size_t least_large = DLDA_ADDRESS_SANITIZER ? SIZE_MAX : 2 * (size_t)HUGE_PAGE;

static size_t whole_pages(size_t bytes)
{
    return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* Aligned to huge pages: of one page more than needed, both ends are given back. */
static char *map_block(size_t bytes)
{
    size_t size = whole_pages(bytes);
    char *room = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (room == MAP_FAILED) return NULL;
    size_t before = whole_pages((uintptr_t)room) - (uintptr_t)room;
    if (before > 0) munmap(room, before);
    if (before < HUGE_PAGE) munmap(room + before + size, HUGE_PAGE - before);
    madvise(room + before, size, MADV_HUGEPAGE); /* only a hint, so failure is ignored */
    return room + before;
}

static char *new_block(size_t bytes)
{
    if (bytes >= least_large) return map_block(bytes);
    char *block = aligned_alloc(DLDA_ALIGNMENT, bytes);
    if (block) memset(block, 0, bytes);
    return block;
}

static void free_block(char *block, size_t bytes)
{
    if (bytes >= least_large) munmap(block, whole_pages(bytes));
    else free(block);
}

/* With its header. */
static size_t block_size(size_t bytes)
{
    return (bytes + 2 * (size_t)DLDA_ALIGNMENT - 1) / DLDA_ALIGNMENT * DLDA_ALIGNMENT;
}

/* ---- Taking and releasing ---- */

void *dlda_take_bytes(size_t count, size_t size, const char *what)
{
    size_t bytes = 0;

    if (dlda_multiply_sizes(count, size, what, &bytes) != DLDA_OK) return NULL;
    if (bytes > PTRDIFF_MAX - 2 * (size_t)DLDA_ALIGNMENT) {
        dlda_set_message("%s: %zu bytes are too many", what, bytes);
        return NULL;
    }
    char *block = must_fail_now() ? NULL : new_block(block_size(bytes));
    if (!block) {
        dlda_set_message("%s: no memory for %zu bytes", what, bytes);
        return NULL;
    }
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
    free_block(block, block_size(bytes));
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
