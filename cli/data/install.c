/* SPDX-License-Identifier: MIT
 *
 * install.c - puts a known set into the data folder: from the archive that someone fetched to files that are checked.
 *
 * In the data folder, .NAME.archive/ is where the archive waits, .NAME.files/ where the files are made, and NAME/ where
 * they go when all of them are right. One process at a time works there: it holds a lock on the data folder.
 */
#define _GNU_SOURCE
#include "data/install.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "dataset/known.h"
#include "data/tgz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct dlda_install {
    const dlda_known *known;
    char *folder;  /* where the set goes                */
    char *waiting; /* the folder of the archive         */
    char *fresh;   /* the folder where files are made   */
    char *archive; /* its path                          */
    int lock;      /* an open file: the data folder; -1 */
    void *user;
    void (*step)(void *user, const char *words);
};

/* ---- Folders ---- */

/* Removes a folder of plain files. */
static void remove_folder(const char *path)
{
    DIR *stream = opendir(path);

    if (!stream) return;
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
        unlinkat(dirfd(stream), entry->d_name, 0);
    closedir(stream);
    rmdir(path);
}

static dlda_status hidden_name(const char *root, const char *name, const char *purpose, char **path)
{
    char hidden[64];

    snprintf(hidden, sizeof hidden, ".%s.%s", name, purpose);
    return dlda_path_join(root, hidden, path);
}

static dlda_status take_names(dlda_install *self, const char *root)
{
    dlda_status status = DLDA_OK;
    const dlda_known_set *set = &self->known->set;

    DLDA_TRY(dlda_path_join(root, set->name, &self->folder));
    DLDA_TRY(hidden_name(root, set->name, "archive", &self->waiting));
    DLDA_TRY(hidden_name(root, set->name, "files", &self->fresh));
    DLDA_TRY(dlda_path_join(self->waiting, set->archive, &self->archive));
done:
    return status;
}

/* A file system without locks is no reason to stop; another process is. */
static dlda_status lock_folder(const char *root, int *lock)
{
    *lock = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0) return dlda_fail(DLDA_E_IO, "%s: cannot open the folder: %s", root, strerror(errno));
    if (flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return dlda_fail(DLDA_E_EXISTS, "%s: another process is at work in this folder; wait until it is done",
                         root);
    return DLDA_OK;
}

/* ---- Beginning and end ---- */

static dlda_status find_package(const char *name, const dlda_known **known)
{
    *known = dlda_known_find(name);
    if (!*known) return dlda_fail(DLDA_E_ARGUMENT, "%s: not a known data set", name);
    if (!(*known)->set.package) return dlda_fail(DLDA_E_ARGUMENT, "%s: in no package that could be fetched", name);
    return DLDA_OK;
}

dlda_status dlda_install_begin(const char *name, dlda_install **install)
{
    dlda_status status = DLDA_OK;
    dlda_install *self = NULL;
    char *root = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "installation"));
    self->lock = -1;
    DLDA_TRY(find_package(name, &self->known));
    DLDA_TRY(dlda_data_folder(&root));
    DLDA_TRY(take_names(self, root));
    DLDA_TRY(dlda_folder_make(root));
    DLDA_TRY(lock_folder(root, &self->lock));
    DLDA_TRY(dlda_folder_make(self->waiting));
    *install = self;
    self = NULL;
done:
    dlda_install_destroy(self);
    dlda_release(root);
    return status;
}

void dlda_install_destroy(dlda_install *self)
{
    if (!self) return;
    if (self->lock >= 0) {
        rmdir(self->waiting); /* only if it is empty */
        close(self->lock);
    }
    dlda_release(self->folder);
    dlda_release(self->waiting);
    dlda_release(self->fresh);
    dlda_release(self->archive);
    dlda_release(self);
}

const char *dlda_install_folder(const dlda_install *self)
{
    return self->waiting;
}

/* ---- The archive ---- */

int dlda_install_has_archive(const dlda_install *self)
{
    return dlda_path_exists(self->archive);
}

dlda_status dlda_install_check_archive(const dlda_install *self)
{
    dlda_status status = DLDA_OK;
    char digest[DLDA_SHA256_TEXT];

    DLDA_TRY(dlda_sha256_of_file(self->archive, digest));
    if (strcmp(digest, self->known->archive_sha256) != 0) {
        unlink(self->archive);
        DLDA_FAIL(DLDA_E_FORMAT, "%s: incomplete or damaged, and removed: SHA-256 is %s, expected %s",
                  self->archive, digest, self->known->archive_sha256);
    }
done:
    return status;
}

static void tell(const dlda_install *self, const char *verb, const char *name, size_t i, size_t n)
{
    char words[128];

    snprintf(words, sizeof words, "%s %s (%zu of %zu)", verb, name, i, n);
    if (self->step) self->step(self->user, words);
}

static const dlda_known_member *find_member(const dlda_known *known, const char *path)
{
    for (size_t i = 0; i < known->n_members; i++)
        if (strcmp(known->members[i].path, path) == 0) return &known->members[i];
    return NULL;
}

static dlda_status unpack_member(const dlda_install *self, dlda_tgz *tgz, const dlda_tgz_member *found,
                                 const dlda_known_member *wanted)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    if (found->size != wanted->size)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %s has %zu bytes, expected %zu", self->archive, wanted->path, found->size,
                  wanted->size);
    DLDA_TRY(dlda_path_join(self->fresh, wanted->name, &path));
    DLDA_TRY(dlda_tgz_extract(tgz, path));
done:
    dlda_release(path);
    return status;
}

static dlda_status unpack(const dlda_install *self)
{
    dlda_status status = DLDA_OK;
    dlda_tgz *tgz = NULL;
    dlda_tgz_member member;
    size_t n = 0, wanted = self->known->n_members;

    DLDA_TRY(dlda_tgz_open(self->archive, &tgz));
    for (;;) {
        DLDA_TRY(dlda_tgz_next(tgz, &member));
        if (!member.name[0]) break;
        const dlda_known_member *match = find_member(self->known, member.name);
        if (!match) continue;
        tell(self, "unpacking", match->name, ++n, wanted);
        DLDA_TRY(unpack_member(self, tgz, &member, match));
    }
    if (n != wanted)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %zu of the files that are needed, expected %zu", self->archive, n, wanted);
done:
    dlda_tgz_close(tgz);
    return status;
}

/* ---- The files ---- */

static dlda_status check_files(const dlda_install *self)
{
    dlda_status status = DLDA_OK;
    const dlda_known *known = self->known;

    for (size_t i = 0; i < known->n_files; i++) {
        tell(self, "checking", known->files[i].name, i + 1, known->n_files);
        DLDA_TRY(dlda_known_check_file(self->fresh, &known->files[i]));
    }
done:
    return status;
}

static dlda_status move_file(const dlda_install *self, const char *name)
{
    dlda_status status = DLDA_OK;
    char *from = NULL, *to = NULL;

    DLDA_TRY(dlda_path_join(self->fresh, name, &from));
    DLDA_TRY(dlda_path_join(self->folder, name, &to));
    DLDA_TRY(dlda_path_move(from, to));
done:
    dlda_release(from);
    dlda_release(to);
    return status;
}

/* A set that is not there yet appears as a whole. Where something is, each file takes its place as a whole, and what
 * else is there stays. */
static dlda_status move_in_place(const dlda_install *self)
{
    dlda_status status = DLDA_OK;

    if (!dlda_path_exists(self->folder)) return dlda_path_move(self->fresh, self->folder);
    for (size_t i = 0; i < self->known->n_files; i++) DLDA_TRY(move_file(self, self->known->files[i].name));
done:
    return status;
}

dlda_status dlda_install_finish(dlda_install *self, void *user, void (*step)(void *user, const char *words))
{
    dlda_status status = DLDA_OK;

    self->user = user;
    self->step = step;
    remove_folder(self->fresh); /* what an earlier attempt left */
    DLDA_TRY(dlda_install_check_archive(self));
    DLDA_TRY(dlda_folder_make(self->fresh));
    DLDA_TRY(unpack(self));
    if (strcmp(self->known->set.name, "cifar10") == 0) DLDA_TRY(dlda_cifar10_convert(self->fresh, user, step));
    DLDA_TRY(check_files(self));
    DLDA_TRY(move_in_place(self));
    unlink(self->archive);
done:
    remove_folder(self->fresh);
    return status;
}
