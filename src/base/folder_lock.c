/* SPDX-License-Identifier: MIT
 *
 * folder_lock.c - a lock on the folder itself (flock), so that there is no file to leave behind.
 */
#define _GNU_SOURCE
#include "base/folder_lock.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

struct dlda_folder_lock {
    int descriptor;
};

/* The kernel's list has the devices and inodes of locks. */
long dlda_lock_owner(int descriptor)
{
    struct stat info;
    FILE *list = fstat(descriptor, &info) == 0 ? fopen("/proc/locks", "re") : NULL;
    char line[256];
    long owner = 0;

    while (list && owner == 0 && fgets(line, sizeof line, list)) {
        long process = 0;
        unsigned major_number = 0, minor_number = 0;
        uintmax_t inode = 0;
        /* NOLINTNEXTLINE(cert-err34-c): the kernel writes no number that does not fit */
        int found = sscanf(line, "%*s FLOCK %*s %*s %ld %x:%x:%ju", &process, &major_number, &minor_number, &inode);
        if (found == 4 && makedev(major_number, minor_number) == info.st_dev && inode == (uintmax_t)info.st_ino)
            owner = process;
    }
    if (list) fclose(list);
    return owner;
}

static dlda_status refuse(const char *folder, int descriptor)
{
    long owner = dlda_lock_owner(descriptor);
    char name[64] = "another process";

    if (owner > 0) snprintf(name, sizeof name, "process %ld", owner);
    return dlda_fail(DLDA_E_IO, "%s: %s is writing into this folder; wait for its end, or choose another folder",
                     folder, name);
}

/* 1 if the lock is ours, or there are no locks. Another process may hold it for a moment, to see whether it is free. */
static int is_locked(int descriptor)
{
    enum { TRIES = 5 };

    for (int i = 0; i < TRIES; i++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return 1;
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    return 0;
}

dlda_status dlda_folder_lock_take(const char *folder, dlda_folder_lock **lock)
{
    dlda_status status = DLDA_OK;
    dlda_folder_lock *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "lock of a folder"));
    self->descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->descriptor < 0) DLDA_FAIL(DLDA_E_IO, "%s: cannot open the folder: %s", folder, strerror(errno));
    if (!is_locked(self->descriptor)) DLDA_TRY(refuse(folder, self->descriptor));
    *lock = self;
    self = NULL;
done:
    dlda_folder_lock_release(self);
    return status;
}

dlda_status dlda_folder_lock_check(const char *folder)
{
    dlda_status status = DLDA_OK;
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (descriptor < 0) return DLDA_OK; /* nothing can be in it */
    if (flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) status = refuse(folder, descriptor);
    close(descriptor);
    return status;
}

void dlda_folder_lock_release(dlda_folder_lock *self)
{
    if (!self) return;
    if (self->descriptor >= 0) close(self->descriptor);
    dlda_release(self);
}
