/* SPDX-License-Identifier: MIT
 *
 * memory.h - all memory of the library: aligned, zeroed, overflow-checked, counted.
 *
 * Everything is allocated with dlda_take and released with dlda_release. Counters and fault injection are for the
 * tests: "ten steps allocate nothing", "the n-th allocation fails".
 */
#ifndef DLDA_BASE_MEMORY_H
#define DLDA_BASE_MEMORY_H

#include "base/status.h"

enum { DLDA_ALIGNMENT = 64 };

/* Allocates count * size zeroed bytes, aligned to 64. NULL if out of memory, with a message in which `what` names
 * them. A count of zero gives a valid pointer. */
void *dlda_take_bytes(size_t count, size_t size, const char *what);
/* The same for count objects of the type that *pointer points to; returns a status. */
#define DLDA_TAKE(pointer, count, what)                                                                            \
    ((*(pointer) = dlda_take_bytes((count), sizeof **(pointer), (what))) ? DLDA_OK : DLDA_E_MEMORY)

/* Reallocates an array for `count` objects: the first `used` are copied, the rest is zero. On
 * failure it is unchanged. */
dlda_status dlda_enlarge_bytes(void *pointer, size_t used, size_t count, size_t size, const char *what);
#define DLDA_ENLARGE(pointer, used, count, what)                                                                   \
    dlda_enlarge_bytes((pointer), (used), (count), sizeof **(pointer), (what))

/* Copies a string; copies its first n characters. */
dlda_status dlda_take_text(const char *text, char **copy);
dlda_status dlda_take_text_n(const char *text, size_t n, char **copy);
/* Copies an array of n strings; release it with dlda_release_texts. */
dlda_status dlda_take_texts(const char *const *texts, size_t n, char ***copy);
void dlda_release_texts(char **texts, size_t n);

void dlda_release(void *pointer);

/* *product = a * b, DLDA_E_MEMORY if it overflows. */
dlda_status dlda_multiply_sizes(size_t a, size_t b, const char *what, size_t *product);

typedef struct dlda_memory_counts {
    size_t taken; /* allocations so far      */
    size_t live;  /* blocks not yet released */
    size_t bytes; /* bytes in live blocks    */
    size_t peak;  /* maximum of `bytes`      */
} dlda_memory_counts;

dlda_memory_counts dlda_memory_count(void);

/* For tests: makes the n-th (from 1) dlda_take from now on fail, once. 0 turns it off. */
void dlda_memory_fail_at(size_t n);

#endif
