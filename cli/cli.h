/* SPDX-License-Identifier: MIT
 *
 * cli.h - shared by all files of the program: commands, exit codes, messages.
 *
 * Of the library, the program uses include/ and src/base/. Results go to stdout, messages to stderr. A function
 * that returns an exit code has already reported the error.
 */
#ifndef DEEPLDA_CLI_H
#define DEEPLDA_CLI_H

#include "deeplda_lda.h"
#include "options.h"

#include <stdio.h>

enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,   /* invalid command line                                              */
    EXIT_SIGNAL = 128 /* plus the number of the signal that ended the work: 130 for Ctrl-C */
};

/* A command line, parsed by arguments.c. */
typedef struct cli_arguments {
    cli_options *options;
    const char **words; /* [n_words]: the operands */
    size_t n_words;
} cli_arguments;

typedef struct cli_command {
    const char *name;
    const char *operands; /* for the usage line: "MODEL FILE..."        */
    size_t least, most;   /* number of operands                         */
    const char *summary;  /* one line, for the list of commands         */
    const char *details;  /* for --help, which wraps it                 */
    const char *examples; /* one command line per line                  */
    int takes_presets;    /* --help lists the presets of the data sets  */
    int replaces;         /* the output may overwrite the first operand */
    int updates;          /* reads and rewrites files of its folder     */
    int trains;           /* locks a run folder while it writes into it */
    /* NULL, or commands of two words ("data show") and a final NULL: the first operand selects one of them. */
    const struct cli_command *const *verbs;
    /* Executes the command and returns the exit code. */
    int (*run)(const cli_arguments *arguments);
} cli_command;

extern const cli_command train_command, eval_command, refit_command, predict_command, embed_command, lda_command,
    export_command, report_command, reproduce_command, info_command, bench_command, data_command;

/* Command i of the program, from 0; NULL after the last. */
const cli_command *command_at(size_t i);
/* The verb of a command that `word` names; NULL if there is none. */
const cli_command *command_verb(const cli_command *command, const char *word);
/* The second word of the name of a verb: "show" of "data show". */
const char *verb_word(const cli_command *verb);

/* ---- message.c ---- */

/* The library refers to an option as "option NAME", the program as --NAME. Prints a
 * message with the dashes added. */
void print_with_dashes(FILE *file, const char *message);

/* Prints "deeplda NAME: MESSAGE" on stderr, with dashes; `name` may be NULL. */
void complain(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What was complained of last, without the name of the program; "" if nothing was. */
const char *last_complaint(void);

/* The same for what is no failure: it is not printed in red. */
void say_note(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same as complain, with a pointer to --help. Returns EXIT_USAGE. */
int complain_usage(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints dlda_last_error() and returns the exit code of a status. For DLDA_OK it prints
 * nothing and returns EXIT_OK. */
int exit_code_of(const char *name, dlda_status status);
/* The same with "PATH: " before it, for messages that do not name the file. */
int exit_code_at(const char *name, const char *path, dlda_status status);

/* Flushes stdout. Returns `code`, or EXIT_FAILED with a message if output was lost, e.g. on a full disk. */
int finish_stdout(const char *name, int code);

#endif
