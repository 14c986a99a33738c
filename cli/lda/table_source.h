/* SPDX-License-Identifier: MIT
 *
 * table_source.h - the table that the options and operands of `deeplda lda` describe, also on the standard input.
 */
#ifndef DEEPLDA_CLI_TABLE_SOURCE_H
#define DEEPLDA_CLI_TABLE_SOURCE_H

#include "cli.h"

typedef struct table_source {
    dlda_table_spec spec;
    const char *shown; /* name for messages and results */
    char *names;       /* of several files, or NULL       */
    char path[64];     /* of a copy of the standard input */
    int copy;          /* its descriptor; -1: none        */
} table_source;

/* The files [n] of one table; the only one may be "-". Close it also after a failure. */
int table_source_open(const char *command, const cli_options *options, const char *const *files, size_t n,
                      table_source *source);
/* Names an open table of several files: "part-1.csv and 3 more files". */
int table_source_count(const char *command, const dlda_table *table, table_source *source);
void table_source_close(table_source *source);

#endif
