/* SPDX-License-Identifier: MIT
 *
 * root.c - locks ROOT, the folder of all runs and tables.
 */
#include "reproduce/root.h"
#include "base/folder_lock.h"
#include "folders.h"
#include "reproduce/request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static char *path_of_lock(const char *root)
{
    return text_format("%s/.lock", root);
}

static void complain_of_owner(const char *root, long owner)
{
    char name[64] = "another process";

    if (owner > 0) snprintf(name, sizeof name, "process %ld", owner);
    complain(reproduce_name, "%s: in use by %s; wait for it, or choose another folder with -o", root, name);
}

int root_lock(const char *root, int *lock)
{
    enum { TRIES = 20 };
    char *path = path_of_lock(root);
    int locked = -1;

    folders_make_parents(path);
    *lock = open(path, O_RDWR | O_CREAT, 0666);
    /* A training that was just killed may still hold the lock for a moment. */
    for (int i = 0; *lock >= 0 && locked != 0 && i < TRIES; i++) {
        locked = flock(*lock, LOCK_EX | LOCK_NB);
        if (locked != 0) nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    }
    if (*lock < 0) complain(reproduce_name, "%s: cannot write: %s", path, strerror(errno));
    else if (locked != 0)
        complain_of_owner(root, dlda_lock_owner(*lock));
    free(path);
    return locked == 0 ? EXIT_OK : EXIT_FAILED;
}

int root_is_locked(const char *root)
{
    char *path = path_of_lock(root);
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    int locked = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (lock >= 0) close(lock);
    free(path);
    return locked;
}
