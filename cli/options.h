/* SPDX-License-Identifier: MIT
 *
 * options.h - the options of the program: those of the library that its commands take, and its own.
 *
 * The parser, --help, docs/options.md and the man page come from the two tables behind option_at.
 */
#ifndef DEEPLDA_CLI_OPTIONS_H
#define DEEPLDA_CLI_OPTIONS_H

#include "base/settings.h"
#include "deeplda_lda.h"

/* ---- The tables ---- */

typedef struct cli_option {
    const dlda_option_info *info;
    char letter;          /* short form, '\0' if there is none                        */
    const char *commands; /* that take it, separated by spaces                        */
    const char *remark;   /* what it means to some of the commands; NULL: the same to all */
} cli_option;

/* Option i, from 0, first the library's; 0 behind the last one. */
int option_at(size_t i, cli_option *option);
/* 0 if there is none of that name. */
int option_find(const char *name, cli_option *option);
/* 1 if a command takes it. */
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
/* --batch, but no more than there are samples. */
size_t option_batch(const cli_options *options, size_t count);
/* --head (or what stands for it: "compare-head") and --proba. */
dlda_probability option_probability(const cli_options *options, const char *head);

#endif
