/* SPDX-License-Identifier: MIT
 *
 * root.h - ROOT, the folder in which a command works: one process at a time, except for --list.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_ROOT_H
#define DEEPLDA_CLI_REPRODUCE_ROOT_H

/* Locks ROOT until `lock`, a file descriptor, is closed; -1 if it could not be opened. Children inherit the lock, so it
 * holds until the last of them has ended. Returns an exit code. */
int root_lock(const char *root, int *lock);
/* 1 if a process has locked ROOT; not for the one that has done it. */
int root_is_locked(const char *root);

#endif
