/* SPDX-License-Identifier: MIT
 *
 * root.h - ROOT, the folder of all runs and tables. Only one process at a time may write there.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_ROOT_H
#define DEEPLDA_CLI_REPRODUCE_ROOT_H

/* Locks ROOT until `lock`, a file descriptor, is closed; -1 if it could not be opened. Children inherit the lock,
 * so it is held until the last of them has ended. Returns an exit code. */
int root_lock(const char *root, int *lock);
/* 1 if another process has locked ROOT. */
int root_is_locked(const char *root);

#endif
