/* SPDX-License-Identifier: MIT
 *
 * inputs.c - the files that this process has read, as the guard of the library's readers and writers.
 *
 * Files are known by device and inode, so links and other spellings of a name do not matter. Two sets: what was read,
 * and what the process has created or may update. The second takes precedence: a file of the first may have been deleted
 * meanwhile, and a new one may have got its inode.
 */
#include "inputs.h"
#include "base/file.h"
#include "base/file_guard.h"
#include "base/folder_lock.h"
#include "base/memory.h"
#include "base/thread.h"
#include "run_files.h"

#include <stdint.h>
#include <sys/stat.h>

typedef struct file_id {
    dev_t device;
    ino_t inode; /* 0: a free slot */
} file_id;

/* A hash table with linear probing; at most half of the slots are used. */
typedef struct file_set {
    file_id *slots; /* [room], a power of two, or 0 */
    size_t count, room;
} file_set;

static struct {
    pthread_mutex_t lock; /* pictures are read by several threads */
    file_set read, own;
    int trains; /* this process locks its run folder itself */
} files = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- Sets ---- */

/* The slot of a file, or the free one where it belongs. */
static file_id *slot_of(const file_set *self, file_id file)
{
    uint64_t hash = ((uint64_t)file.inode ^ (uint64_t)file.device << 32) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 32) & (self->room - 1);

    while (self->slots[at].inode && (self->slots[at].inode != file.inode || self->slots[at].device != file.device))
        at = (at + 1) & (self->room - 1);
    return &self->slots[at];
}

static int set_has(const file_set *self, file_id file)
{
    return self->room > 0 && slot_of(self, file)->inode != 0;
}

static dlda_status set_grow(file_set *self)
{
    file_set larger = { .count = self->count, .room = self->room ? 2 * self->room : 64 };
    dlda_status status = DLDA_TAKE(&larger.slots, larger.room, "list of input files");

    if (status != DLDA_OK) return status;
    for (size_t i = 0; i < self->room; i++)
        if (self->slots[i].inode) *slot_of(&larger, self->slots[i]) = self->slots[i];
    dlda_release(self->slots);
    *self = larger;
    return DLDA_OK;
}

static dlda_status set_add(file_set *self, file_id file)
{
    if (set_has(self, file)) return DLDA_OK;
    dlda_status status = 2 * (self->count + 1) > self->room ? set_grow(self) : DLDA_OK;

    if (status != DLDA_OK) return status;
    *slot_of(self, file) = file;
    self->count++;
    return DLDA_OK;
}

static void set_clear(file_set *self)
{
    dlda_release(self->slots);
    *self = (file_set){ 0 };
}

/* ---- The guard ---- */

static dlda_status note(file_set *set, const struct stat *info)
{
    dlda_status status = DLDA_OK;
    file_id file = { .device = info->st_dev, .inode = info->st_ino };

    if (!S_ISREG(info->st_mode) || !file.inode) return DLDA_OK;
    pthread_mutex_lock(&files.lock);
    status = set_add(set, file);
    pthread_mutex_unlock(&files.lock);
    return status;
}

static dlda_status note_read(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 ? note(&files.read, &info) : DLDA_OK;
}

static dlda_status note_created(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 ? note(&files.own, &info) : DLDA_OK;
}

/* A file of a training that another process is running is not replaced by any other command. */
static dlda_status check_unlocked(const char *path)
{
    dlda_status status = DLDA_OK;
    char *folder = NULL;

    if (files.trains || !run_file_is(dlda_path_name(path))) return DLDA_OK;
    DLDA_TRY(dlda_path_folder(path, &folder));
    DLDA_TRY(dlda_folder_lock_check(folder));
done:
    dlda_release(folder);
    return status;
}

static dlda_status check_replaced(const char *path)
{
    struct stat info;
    dlda_status unlocked = check_unlocked(path);

    if (unlocked != DLDA_OK || stat(path, &info) != 0) return unlocked;
    file_id file = { .device = info.st_dev, .inode = info.st_ino };
    pthread_mutex_lock(&files.lock);
    int lost = set_has(&files.read, file) && !set_has(&files.own, file);
    pthread_mutex_unlock(&files.lock);
    if (!lost) return DLDA_OK;
    return dlda_fail(DLDA_E_IO, "%s: cannot write: found a file that is read as well; choose another output", path);
}

dlda_status inputs_allow(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? note(&files.own, &info) : DLDA_OK;
}

void inputs_begin(int trains)
{
    static const dlda_file_guard guard = { note_read, note_created, check_replaced };

    files.trains = trains;
    dlda_file_guard_install(&guard);
}

void inputs_end(void)
{
    dlda_file_guard_install(NULL);
    set_clear(&files.read);
    set_clear(&files.own);
}
