/* SPDX-License-Identifier: MIT
 *
 * progress.h - how a training goes: a bar on a terminal, one line per epoch otherwise, both on stderr; or JSON lines on
 * stdout.
 */
#ifndef DEEPLDA_CLI_PROGRESS_H
#define DEEPLDA_CLI_PROGRESS_H

#include "cli.h"

typedef struct cli_progress {
    enum { PROGRESS_NONE, PROGRESS_LINES, PROGRESS_BAR, PROGRESS_JSON } kind;
    size_t epochs;     /* in all                                     */
    const char *value; /* what a batch's value is called             */
    double drawn;      /* when the bar was drawn last, in seconds    */
    int on_screen;     /* there is a bar to wipe away                */
} cli_progress;

/* Chooses the kind from --json, --quiet and from what stderr is. */
void progress_begin(cli_progress *progress, const cli_options *options);

/* For dlda_watch, with a progress as `user`. */
void progress_batch(void *user, const dlda_progress *now);
void progress_epoch(void *user, const dlda_epoch *epoch);
void progress_log(void *user, const char *message);

/* Removes the bar. */
void progress_end(cli_progress *progress);

#endif
