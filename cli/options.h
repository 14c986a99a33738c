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
    char letter;          /* short form, '\0' if there is none        */
    const char *commands; /* commands that take it, separated by ", " */
    int of_library;       /* 1: the library has it too                */
} cli_option;

/* Option i, from 0, those of the library first; 0 after the last. */
int option_at(size_t i, cli_option *option);
/* 0 if there is no such option. */
int option_find(const char *name, cli_option *option);
/* 1 if the command takes the option; for a command with verbs, such as data, if one of them does. */
int option_belongs(const cli_option *option, const char *command);
/* 1 if the command is in a list of commands separated by ", "; "data" is if a verb of it is. */
int is_in_list(const char *command, const char *commands);
/* 1 for a flag that --no-NAME turns off: one that presets or the data may turn on. */
int option_can_be_negated(const cli_option *option);

/* ---- option_help.c ---- */

/* What an option means for some commands, where that differs from the table. */
typedef struct option_words {
    const char *option;
    const char *commands; /* separated by ", "                                */
    const char *help;     /* NULL: as in the table                            */
    const char *initial;  /* default; NULL: that of the table, "": not listed */
} option_words;

/* Row i, from 0; NULL after the last. */
const option_words *option_words_at(size_t i);
/* The text and the default value of an option in the help of a command. The default is "" if there is none. */
const char *option_help(const cli_option *option, const char *command);
const char *option_initial(const cli_option *option, const char *command);

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
