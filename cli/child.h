/* SPDX-License-Identifier: MIT
 *
 * child.h - another program, run to its end.
 */
#ifndef DEEPLDA_CLI_CHILD_H
#define DEEPLDA_CLI_CHILD_H

typedef struct cli_child {
    const char *folder;      /* where it runs                                                 */
    const char *const *argv; /* its name, which is looked for in PATH, and words; NULL at the end */
    void *user;
    void (*tick)(void *user); /* called about ten times in a second while it runs; may be NULL */
} cli_child;

/* Its messages go to our stderr, its results nowhere. Gives its exit status, 128 plus the number of the signal that
 * ended it, or -1 with errno if it could not be started. */
int child_run(const cli_child *child);

#endif
