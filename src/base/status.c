/* SPDX-License-Identifier: MIT
 *
 * status.c - status codes, and the message of the latest failure of each thread.
 */
#include "base/status.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };

static _Thread_local char last_message[MESSAGE_SIZE];

const char *dlda_version(void)
{
    return DLDA_VERSION;
}

const char *dlda_last_error(void)
{
    return last_message;
}

const char *dlda_status_text(dlda_status status)
{
    switch (status) {
    case DLDA_OK: return "ok";
    case DLDA_E_ARGUMENT: return "bad argument";
    case DLDA_E_OPTION: return "bad option";
    case DLDA_E_MEMORY: return "out of memory";
    case DLDA_E_IO: return "input or output failed";
    case DLDA_E_EXISTS: return "already exists";
    case DLDA_E_FORMAT: return "wrong format";
    case DLDA_E_SHAPE: return "shapes do not fit";
    case DLDA_E_CLASS: return "too few classes";
    case DLDA_E_NUMERIC: return "numerical failure";
    case DLDA_E_STOPPED: return "stopped";
    case DLDA_E_RANK: return "another rank failed";
    }
    return "unknown status";
}

void dlda_set_message(const char *format, ...)
{
    char message[MESSAGE_SIZE]; /* the arguments may point into last_message */
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    dlda_make_safe(message);
    memcpy(last_message, message, sizeof message);
}

void dlda_extend_message(const char *format, ...)
{
    char where[MESSAGE_SIZE / 2];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(where, sizeof where, format, arguments);
    va_end(arguments);
    dlda_set_message("%s: %s", where, last_message);
}

dlda_status dlda_need(const char *function, const char *names, const void *const *pointers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t length = strcspn(names, ",");
        if (!pointers[i] && strncmp(names, "self", length) == 0)
            return dlda_fail(DLDA_E_ARGUMENT, "%s: its first argument is NULL", function);
        if (!pointers[i]) return dlda_fail(DLDA_E_ARGUMENT, "%s: %.*s is NULL", function, (int)length, names);
        names += length + (i + 1 < n ? 2 : 0);
    }
    return DLDA_OK;
}

_Static_assert(sizeof(dlda_shown) > DLDA_SHOWN + 4, "room for the text and its dots");

dlda_shown dlda_show(const char *text)
{
    dlda_shown shown;
    size_t n = strnlen(text, DLDA_SHOWN + 1);
    int cut = n > DLDA_SHOWN;

    if (cut)
        for (n = DLDA_SHOWN; n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80;) n--;
    memcpy(shown.text, text, n);
    shown.text[n] = '\0';
    dlda_make_safe(shown.text);
    if (cut) memcpy(shown.text + strlen(shown.text), "...", sizeof "...");
    return shown;
}
