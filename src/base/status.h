/* SPDX-License-Identifier: MIT
 *
 * status.h - how functions fail: a status code, and a sentence kept per thread.
 *
 * DLDA_FAIL and DLDA_TRY are the only control-flow macros of the library. A function that uses them
 * declares `dlda_status status = DLDA_OK;`, has one label `done:` before its release code, and returns
 * status there.
 */
#ifndef DLDA_BASE_STATUS_H
#define DLDA_BASE_STATUS_H

#include "deeplda.h"

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
