/* SPDX-License-Identifier: MIT
 *
 * install.c - installs a known set in the data folder, given the downloaded archive.
 *
 * In the data folder, .NAME.archive/ holds the archive, the files are made in .NAME.files/, and are moved to NAME/
 * when all are verified. Only one process at a time works there: it holds a lock on the data folder.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "data/data.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct installation {
    const known_set *set;
    char *folder;  /* final folder of the set                      */
    char *waiting; /* folder of the archive                        */
    char *fresh;   /* folder in which the files are made           */
    char *archive; /* path of the archive                          */
    int lock;      /* file descriptor of the data folder; -1: none */
};

/* ---- Folders ---- */

static dlda_status hidden_name(const char *root, const char *name, const char *purpose, char **path)
{
    char hidden[64];

    snprintf(hidden, sizeof hidden, ".%s.%s", name, purpose);
    return dlda_path_join(root, hidden, path);
}

static dlda_status take_names(installation *self, const char *root)
{
    dlda_status status = DLDA_OK;
    const known_set *set = self->set;

    DLDA_TRY(dlda_path_join(root, set->name, &self->folder));
    DLDA_TRY(hidden_name(root, set->name, "archive", &self->waiting));
    DLDA_TRY(hidden_name(root, set->name, "files", &self->fresh));
    DLDA_TRY(dlda_path_join(self->waiting, set->archive, &self->archive));
done:
    return status;
}

/* A file system without locks is accepted; a lock held by another process is an error. */
static dlda_status lock_folder(const char *root, int *lock)
{
    *lock = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0) return dlda_fail(DLDA_E_IO, "%s: cannot open the folder: %s", root, strerror(errno));
    if (flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return dlda_fail(DLDA_E_EXISTS, "%s: in use by another process; wait until it is done", root);
    return DLDA_OK;
}

/* ---- Beginning and end ---- */

dlda_status install_begin(const known_set *set, installation **install)
{
    dlda_status status = DLDA_OK;
    installation *self = NULL;
    char *root = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "installation"));
    self->set = set;
    self->lock = -1;
    DLDA_TRY(dlda_data_folder(&root));
    DLDA_TRY(take_names(self, root));
    DLDA_TRY(dlda_folder_make(root));
    DLDA_TRY(lock_folder(root, &self->lock));
    DLDA_TRY(dlda_folder_make(self->waiting));
    *install = self;
    self = NULL;
done:
    install_destroy(self);
    dlda_release(root);
    return status;
}

void install_destroy(installation *self)
{
    if (!self) return;
    if (self->lock >= 0) {
        rmdir(self->waiting); /* fails if it is not empty */
        close(self->lock);
    }
    dlda_release(self->folder);
    dlda_release(self->waiting);
    dlda_release(self->fresh);
    dlda_release(self->archive);
    dlda_release(self);
}

const char *install_folder(const installation *self)
{
    return self->waiting;
}

/* ---- The archive ---- */

int install_has_archive(const installation *self)
{
    return dlda_path_exists(self->archive);
}

dlda_status install_check_archive(const installation *self)
{
    dlda_status status = DLDA_OK;
    char digest[SHA256_TEXT];

    DLDA_TRY(sha256_of_file(self->archive, digest));
    if (strcmp(digest, self->set->archive_sha256) != 0) {
        unlink(self->archive);
        DLDA_FAIL(DLDA_E_FORMAT, "%s: incomplete or damaged, and removed: SHA-256 is %s, expected %s",
                  self->archive, digest, self->set->archive_sha256);
    }
done:
    return status;
}

/* ---- The files ---- */

static dlda_status check_files(const installation *self, const known_steps *steps)
{
    dlda_status status = DLDA_OK;
    const known_set *set = self->set;
    char words[128];

    for (size_t i = 0; i < set->n_files; i++) {
        snprintf(words, sizeof words, "checking %s (%zu of %zu)", set->files[i].name, i + 1, set->n_files);
        if (steps->tell) steps->tell(steps->user, words);
        DLDA_TRY(known_file_check(self->fresh, &set->files[i]));
    }
done:
    return status;
}

static dlda_status move_file(const installation *self, const char *name)
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

/* A set that does not exist yet appears as a whole. In an existing folder each file is replaced atomically,
 * and other files are kept. */
static dlda_status move_in_place(const installation *self)
{
    dlda_status status = DLDA_OK;

    if (!dlda_path_exists(self->folder)) return dlda_path_move(self->fresh, self->folder);
    for (size_t i = 0; i < self->set->n_files; i++) DLDA_TRY(move_file(self, self->set->files[i].name));
done:
    return status;
}

dlda_status install_finish(installation *self, const known_steps *steps)
{
    dlda_status status = DLDA_OK;
    const known_set *set = self->set;

    dlda_folder_remove(self->fresh); /* left by an earlier attempt */
    DLDA_TRY(install_check_archive(self));
    DLDA_TRY(dlda_folder_make(self->fresh));
    DLDA_TRY(unpack_members(self->archive, set->members, set->n_members, self->fresh, steps));
    if (set->convert) DLDA_TRY(set->convert(self->fresh, steps));
    DLDA_TRY(check_files(self, steps));
    DLDA_TRY(move_in_place(self));
    unlink(self->archive);
done:
    dlda_folder_remove(self->fresh);
    return status;
}
