/* SPDX-License-Identifier: MIT
 *
 * status.h - how functions fail: a status code, and a sentence kept per thread.
 *
 * DLDA_FAIL, DLDA_TRY and, for the arguments of public functions, DLDA_NEED are the only control-flow macros of the
 * library. A function that uses the first two declares `dlda_status status = DLDA_OK;`, has one label `done:` before its release code, and returns
 * status there.
 */
#ifndef DLDA_BASE_STATUS_H
#define DLDA_BASE_STATUS_H

#include "deeplda_lda.h"

/* Sets this thread's message and returns `status`, so that leaf functions can `return dlda_fail(...)`. */
dlda_status dlda_fail(dlda_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "text: " before this thread's message: callers add where it happened. Returns `status`. */
dlda_status dlda_fail_at(dlda_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Texts for messages, returned by value: they live until the call that prints them is complete. */
enum { DLDA_SHOWN = 64 };
typedef struct dlda_shown {
    char text[192];
} dlda_shown;

/* A text from a file: at most 64 bytes, cut between characters, nothing that moves a cursor. */
dlda_shown dlda_show(const char *text);

/* For public functions that return a status: DLDA_E_ARGUMENT with a message unless all these pointers are there. It stands
 * before anything is taken, so it returns. */
#define DLDA_NEED(...)                                                                                             \
    do {                                                                                                           \
        const void *const needed[] = { __VA_ARGS__ };                                                              \
        if (dlda_need(__func__, #__VA_ARGS__, needed, sizeof needed / sizeof *needed)) return DLDA_E_ARGUMENT;     \
    } while (0)
/* `names` are those of the pointers, separated by ", ". */
dlda_status dlda_need(const char *function, const char *names, const void *const *pointers, size_t n);

#define DLDA_FAIL(code, ...)                                                                                       \
    do {                                                                                                           \
        status = dlda_fail((code), __VA_ARGS__);                                                                   \
        goto done;                                                                                                 \
    } while (0)

#define DLDA_TRY(call)                                                                                             \
    do {                                                                                                           \
        status = (call);                                                                                           \
        if (status != DLDA_OK) goto done;                                                                          \
    } while (0)

#endif
