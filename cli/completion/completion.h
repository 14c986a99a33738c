/* SPDX-License-Identifier: MIT
 *
 * completion.h - completion scripts for shells, made from the commands and the tables of options.
 */
#ifndef DEEPLDA_CLI_COMPLETION_H
#define DEEPLDA_CLI_COMPLETION_H

#include "cli.h"

typedef enum completion_files { FILES_NONE, FILES_ANY, FILES_FOLDERS, FILES_ENDING } completion_files;

/* What can be typed for an operand or for the value of an option. */
typedef struct completion_value {
    char name[32];          /* placeholder in the usage line: "MODEL"                             */
    char words[512];        /* to choose from, separated by spaces                                */
    completion_files files; /* offered beside the words                                           */
    const char *ending;     /* FILES_ENDING: of the files, such as "net"; folders are offered too */
    int optional, repeats;  /* of an operand: "[DATA]", "FILE..."                                 */
} completion_value;

/* The value of an option that has an argument. */
completion_value completion_of_option(const cli_option *option);
/* Operand i of a command, from 0; returns 0 after the last. */
int completion_operand(const cli_command *command, size_t i, completion_value *value);
/* Value i that has a name, from 0; returns 0 after the last. */
int completion_value_at(size_t i, completion_value *value);

/* Calls `visit` for each command that can be executed: those without verbs, and the verbs of the others. */
void completion_each_command(FILE *file, void (*visit)(FILE *file, const cli_command *command));

/* Prints the beginning of a text, up to the first ". " or "; ", for a string in single quotes: with a backslash
 * before each character of `special`, and `quote` instead of a single quote. */
void completion_describe(FILE *file, const char *text, const char *special, const char *quote);
/* The same for the help of an option. */
void completion_describe_option(FILE *file, const cli_option *option, const char *command, const char *special,
                                const char *quote);

/* ---- The shells ---- */

void completion_bash(FILE *file);
void completion_zsh(FILE *file);
void completion_fish(FILE *file);

/* `deeplda completion SHELL`: prints the script; `shell` may be NULL. Returns an exit code. */
int completion_print(const char *shell);

/* Its operand, separated by blanks, and its summary: it is none of the commands of the table. */
extern const char completion_shells[], completion_summary[];

#endif
