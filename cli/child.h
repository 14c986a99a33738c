/* SPDX-License-Identifier: MIT
 *
 * child.h - another program, run to its end.
 */
#ifndef DEEPLDA_CLI_CHILD_H
#define DEEPLDA_CLI_CHILD_H

typedef struct cli_child {
    const char *folder;      /* where it runs; NULL: where we do                              */
    const char *const *argv; /* its name, which is looked for in PATH, and words; NULL at the end */
    int output;              /* its results go to this file descriptor; 0: nowhere            */
    int dies_with_us;        /* it is killed if we are                                        */
    int *stopped; /* not NULL: SIGINT and SIGTERM reach it and do not end us; gets the number of the last */
    void *user;
    void (*tick)(void *user); /* called about ten times in a second while it runs; may be NULL */
} cli_child;

/* Its messages go to our stderr. Gives its exit status, 128 plus the number of the signal that ended it, or -1 with
 * errno if it could not be started. */
int child_run(const cli_child *child);

#endif
