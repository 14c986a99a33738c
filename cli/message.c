/* SPDX-License-Identifier: MIT
 *
 * message.c - what the program says on stderr, and the exit codes that go with it.
 */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_message(const char *name, const char *format, va_list values)
{
    fprintf(stderr, name ? "deeplda %s: " : "deeplda: ", name);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
}

void complain(const char *name, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    print_message(name, format, values);
    va_end(values);
}

static void point_to_help(const char *name)
{
    if (name) fprintf(stderr, "Try 'deeplda %s --help'.\n", name);
    else fputs("Try 'deeplda --help'.\n", stderr);
}

int complain_usage(const char *name, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    print_message(name, format, values);
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

double option_number(const dlda_options *options, const char *name)
{
    return strtod(dlda_options_get(options, name), NULL);
}

size_t option_batch(const dlda_options *options, size_t count)
{
    double batch = option_number(options, "batch");
    return batch < (double)count ? (size_t)batch : count;
}

int option_is(const dlda_options *options, const char *name, const char *value)
{
    return strcmp(dlda_options_get(options, name), value) == 0;
}

dlda_probability option_probability(const dlda_options *options, const char *head)
{
    if (option_is(options, head, "softmax")) return DLDA_SOFTMAX;
    return option_is(options, "proba", "bayes") ? DLDA_BAYES : DLDA_PAPER;
}
