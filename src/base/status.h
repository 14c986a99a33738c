/* SPDX-License-Identifier: MIT
 *
 * status.h - error handling: a status code, and a message per thread.
 *
 * DLDA_FAIL, DLDA_TRY and, for the arguments of public functions, DLDA_NEED are the only control-flow macros of the
 * library. A function that uses DLDA_FAIL or DLDA_TRY declares `dlda_status status = DLDA_OK;`, has one label
 * `done:` before its release code, and returns status there.
 */
#ifndef DLDA_BASE_STATUS_H
#define DLDA_BASE_STATUS_H

#include "deeplda_lda.h"

/* This thread's message. */
void dlda_set_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prepends "text: " to it, so that callers can add context. */
void dlda_extend_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, with the value `status`, so that leaf functions can `return dlda_fail(...)`. They are macros so that compilers and
 * static analysers know the value. */
#define dlda_fail(status, ...)    (dlda_set_message(__VA_ARGS__), (status))
#define dlda_fail_at(status, ...) (dlda_extend_message(__VA_ARGS__), (status))

/* Texts for messages, returned by value: valid until the end of the full expression. */
enum { DLDA_SHOWN = 64 };
typedef struct dlda_shown {
    char text[192];
} dlda_shown;

/* A text from a file, made safe for messages: at most 64 bytes, cut between characters,
 * without control characters. */
dlda_shown dlda_show(const char *text);

/* For public functions that return a status: returns DLDA_E_ARGUMENT with a message if a pointer is NULL. It comes
 * before anything is allocated, so it can return directly. */
#define DLDA_NEED(...)                                                                                             \
    do {                                                                                                           \
        const void *const needed[] = { __VA_ARGS__ };                                                              \
        if (dlda_need(__func__, #__VA_ARGS__, needed, sizeof needed / sizeof *needed)) return DLDA_E_ARGUMENT;     \
    } while (0)
/* `names` are the names of the pointers, separated by ", ". */
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
