/* SPDX-License-Identifier: MIT
 *
 * options.h - the options of the program: those of the library that its commands take, and its own.
 *
 * The parser, --help, docs/options.md and the man page are derived from the two tables behind option_at.
 */
#ifndef DEEPLDA_CLI_OPTIONS_H
#define DEEPLDA_CLI_OPTIONS_H

#include "base/settings.h"
#include "deeplda_lda.h"

/* ---- The tables ---- */

typedef struct cli_option {
    const dlda_option_info *info;
    char letter;          /* short form, '\0' if there is none                     */
    const char *commands; /* commands that take it, separated by spaces            */
    const char *remark;   /* its meaning for some commands; NULL: the same for all */
} cli_option;

/* Option i, from 0, those of the library first; 0 after the last. */
int option_at(size_t i, cli_option *option);
/* 0 if there is no such option. */
int option_find(const char *name, cli_option *option);
/* 1 if the command takes the option. */
int option_belongs(const cli_option *option, const char *command);

/* ---- Values ---- */

typedef struct cli_options {
    dlda_options *training; /* the library's options */
    dlda_settings *own;     /* the program's         */
} cli_options;

dlda_status options_create(cli_options **options);
dlda_status options_copy(const cli_options *options, cli_options **copy);
void options_destroy(cli_options *options);

dlda_status option_set(cli_options *options, const char *name, const char *value);
/* The text is valid until the option is set again. */
const char *option_text(const cli_options *options, const char *name);
int option_is_given(const cli_options *options, const char *name);
int option_is(const cli_options *options, const char *name, const char *value);
double option_number(const cli_options *options, const char *name);
/* --batch, limited to the number of samples. */
size_t option_batch(const cli_options *options, size_t count);
/* From --head (or the option named by `head`, such as "compare-head") and --proba. */
dlda_probability option_probability(const cli_options *options, const char *head);

#endif
