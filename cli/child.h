/* SPDX-License-Identifier: MIT
 *
 * child.h - runs another program to its end.
 */
#ifndef DEEPLDA_CLI_CHILD_H
#define DEEPLDA_CLI_CHILD_H

typedef struct cli_child {
    const char *folder;      /* working folder; NULL: ours                                */
    const char *const *argv; /* program, searched in PATH, and arguments; NULL at the end */
    int output;              /* file descriptor for its standard output; 0: discarded     */
    int dies_with_us;        /* 1: it is killed if we are                                 */
    int *stopped; /* not NULL: SIGINT and SIGTERM are passed on to it and do not end us; receives the last one */
    void *user;
    void (*tick)(void *user); /* called about ten times per second while it runs; may be NULL */
} cli_child;

/* Its messages go to our stderr. Returns its exit status, 128 plus the number of the signal that ended it, or -1
 * with errno if it could not be started. */
int child_run(const cli_child *child);

#endif
