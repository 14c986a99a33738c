/* SPDX-License-Identifier: MIT
 *
 * progress.h - the progress of a training: a bar on a terminal, one line per epoch otherwise, both on stderr;
 * or JSON lines on stdout.
 */
#ifndef DEEPLDA_CLI_PROGRESS_H
#define DEEPLDA_CLI_PROGRESS_H

#include "cli.h"

typedef struct cli_progress {
    enum { PROGRESS_NONE, PROGRESS_LINES, PROGRESS_BAR, PROGRESS_JSON } kind;
    size_t epochs;     /* total                                */
    const char *value; /* name of the value of a batch         */
    double drawn;      /* time of the last drawing, in seconds */
    int on_screen;     /* a bar is on the screen               */
    double best;       /* validation accuracy so far           */
    double waiting;    /* share of the time, of several ranks  */
} cli_progress;

/* Chooses the kind by --json, --quiet and whether stderr is a terminal. */
void progress_begin(cli_progress *progress, const cli_options *options);

/* Takes note of the epochs of a training that is resumed. */
void progress_continue(cli_progress *progress, const dlda_epoch *epochs, size_t count);

/* Callbacks for dlda_watch, with a progress as `user`. */
void progress_batch(void *user, const dlda_progress *now);
void progress_epoch(void *user, const dlda_epoch *epoch);
void progress_log(void *user, const char *message);

/* Removes the bar. */
void progress_end(cli_progress *progress);

#endif
