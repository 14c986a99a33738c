/* SPDX-License-Identifier: MIT
 *
 * message.c - messages on stderr and their exit codes.
 */
#define _GNU_SOURCE
#include "base/utf8.h"
#include "cli.h"
#include "terminal/colour.h"
#include "terminal/print.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names of options ---- */

static const char mark[] = "option ";

/* Length of the option name at the start of `text`, 0 if there is none. */
static size_t option_name_length(const char *text)
{
    enum { MOST_NAME = 64 };
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
    char name[MOST_NAME];
    cli_option option;

    if (length == 0 || length >= MOST_NAME) return 0;
    memcpy(name, text, length);
    name[length] = '\0';
    int found = option_find(name, &option) ||
                (strncmp(name, "no-", 3) == 0 && option_find(name + 3, &option) && option_can_be_negated(&option));
    return found ? length : 0;
}

void print_with_dashes(FILE *file, const char *message)
{
    const char *from = message, *at = message;

    while ((at = strstr(at, mark)) != NULL) {
        int is_word = at == message || at[-1] == ' ' || at[-1] == '(';
        at += sizeof mark - 1;
        if (!is_word || option_name_length(at) == 0) continue;
        print_to(file, "%.*s--", (int)(at - from), from);
        from = at;
    }
    print_to(file, "%s", from);
}

/* ---- Messages ---- */

static char latest[1024];

const char *last_complaint(void)
{
    return latest;
}

static void print_message(colour_kind kind, const char *name, const char *format, va_list values)
{
    char *message = NULL;

    print_to(stderr, "%s", colour(stderr, kind));
    print_to(stderr, name ? "deeplda %s:" : "deeplda:", name);
    print_to(stderr, "%s ", colour(stderr, COLOUR_END));
    if (vasprintf(&message, format, values) < 0) message = NULL; /* out of memory */
    if (message) dlda_make_safe(message);                        /* it may quote files and their names */
    print_with_dashes(stderr, message ? message : format);
    if (kind == COLOUR_ERROR) snprintf(latest, sizeof latest, "%s", message ? message : format);
    free(message);
    fputc('\n', stderr);
}

void complain(const char *name, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    print_message(COLOUR_ERROR, name, format, values);
    va_end(values);
}

void say_note(const char *name, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    print_message(COLOUR_HEADING, name, format, values);
    va_end(values);
}

static void point_to_help(const char *name)
{
    if (name) print_to(stderr, "Try 'deeplda %s --help'.\n", name);
    else fputs("Try 'deeplda --help'.\n", stderr);
}

int complain_usage(const char *name, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    print_message(COLOUR_ERROR, name, format, values);
    va_end(values);
    point_to_help(name);
    return EXIT_USAGE;
}

int exit_code_at(const char *name, const char *path, dlda_status status)
{
    if (status == DLDA_OK) return EXIT_OK;
    const char *message = dlda_last_error();
    complain(name, "%s%s%s", path ? path : "", path ? ": " : "", message[0] ? message : dlda_status_text(status));
    if (status != DLDA_E_OPTION && status != DLDA_E_ARGUMENT) return EXIT_FAILED;
    point_to_help(name);
    return EXIT_USAGE;
}

int exit_code_of(const char *name, dlda_status status)
{
    return exit_code_at(name, NULL, status);
}

int finish_stdout(const char *name, int code)
{
    int lost_before = ferror(stdout);

    errno = 0;
    if (fflush(stdout) == 0 && !lost_before) return code;
    complain(name, "cannot write the results: %s", errno ? strerror(errno) : "an earlier write failed");
    return code == EXIT_OK ? EXIT_FAILED : code;
}
