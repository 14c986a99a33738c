/* SPDX-License-Identifier: MIT
 *
 * output.h - a result file that appears under its name only when it is complete; or stdout.
 */
#ifndef DEEPLDA_CLI_OUTPUT_H
#define DEEPLDA_CLI_OUTPUT_H

#include "base/file.h"
#include "cli.h"

#include <stdio.h>

typedef struct cli_output {
    FILE *file;
    const char *command, *path;
    dlda_file_writer *writer; /* NULL: stdout, a device or a pipe */
} cli_output;

/* Opens `path`, or stdout if that is "". Returns an exit code. */
int output_open(cli_output *output, const char *command, const char *path);

/* 1 if the output will replace the file at `path`. */
int output_is(const cli_output *output, const char *path);

/* The same for a fixed name inside a folder, which may come from others: a link there is replaced, not followed. */
int output_open_inside(cli_output *output, const char *command, const char *path);

/* Closes the file and renames it if everything was written; otherwise removes it. Returns an exit code. */
int output_close(cli_output *output);

/* Closes without a result: an existing file is unchanged. */
void output_discard(cli_output *output);

#endif
