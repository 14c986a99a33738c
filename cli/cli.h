/* SPDX-License-Identifier: MIT
 *
 * cli.h - what the files of the program share: commands, exit codes, messages.
 *
 * Of the library, the program uses include/ and src/base/. Results go to stdout, talk goes to stderr. A function
 * that returns an exit code has already said what went wrong.
 */
#ifndef DEEPLDA_CLI_H
#define DEEPLDA_CLI_H

#include "deeplda_lda.h"
#include "options.h"

#include <stdio.h>

enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,   /* the command line asks for something that makes no sense          */
    EXIT_SIGNAL = 128 /* plus the number of the signal that ended the work: 130 for Ctrl-C */
};

/* A command line, taken apart by arguments.c. */
typedef struct cli_arguments {
    cli_options *options;
    const char **words; /* [n_words]: what is not an option */
    size_t n_words;
} cli_arguments;

typedef struct cli_command {
    const char *name;
    const char *operands; /* of the usage line: "MODEL FILE..."  */
    size_t least, most;   /* how many words it takes             */
    const char *summary;  /* one line for the list of commands   */
    const char *details;  /* for --help, which wraps it          */
    const char *examples; /* one command line per line           */
    int takes_presets;    /* --help lists those of the data sets */
    int replaces;         /* its first word may be its output    */
    /* Does the work and gives the exit code. */
    int (*run)(const cli_arguments *arguments);
} cli_command;

extern const cli_command train_command, eval_command, refit_command, predict_command, embed_command, lda_command,
    export_command, report_command, reproduce_command, info_command, bench_command, data_command;

/* Command i of the program, from 0; NULL behind the last one. */
const cli_command *command_at(size_t i);

/* ---- message.c ---- */

/* The library names an option as "option NAME"; its users know it as --NAME. Prints a message with the dashes added, also
 * in messages of the program itself. */
void print_with_dashes(FILE *file, const char *message);

/* Says "deeplda NAME: MESSAGE" on stderr, with dashes; `name` may be NULL. */
void complain(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, with a hint where help is to be found. Returns EXIT_USAGE. */
int complain_usage(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says what dlda_last_error() knows. Returns the exit code of a status: EXIT_OK in silence for DLDA_OK. */
int exit_code_of(const char *name, dlda_status status);
/* The same with "PATH: " before it, for messages that do not name the file themselves. */
int exit_code_at(const char *name, const char *path, dlda_status status);

/* Flushes stdout. Returns `code`, or EXIT_FAILED with a message if results were lost, say on a full disk. */
int finish_stdout(const char *name, int code);

#endif
