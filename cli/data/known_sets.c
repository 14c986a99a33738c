/* SPDX-License-Identifier: MIT
 *
 * known_sets.c - determines which known sets are installed, and whether their files are those published.
 */
#include "base/file.h"
#include "base/memory.h"
#include "data/data.h"

#include <string.h>
#include <sys/stat.h>

const known_set *known_set_find(const char *name)
{
    for (size_t i = 0; i < n_known_sets; i++)
        if (strcmp(known_sets[i].name, name) == 0) return &known_sets[i];
    return NULL;
}

size_t known_set_bytes(const known_set *set)
{
    size_t bytes = 0;

    for (size_t i = 0; i < set->n_files; i++) bytes += set->files[i].size;
    return bytes;
}

dlda_status known_set_folder(const known_set *set, char **folder)
{
    dlda_status status = DLDA_OK;
    char *root = NULL;

    DLDA_TRY(dlda_data_folder(&root));
    DLDA_TRY(dlda_path_join(root, set->name, folder));
done:
    dlda_release(root);
    return status;
}

/* ---- Installed files ---- */

static int has_size(const char *path, size_t size)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && (uintmax_t)info.st_size == size;
}

int known_set_is_present(const known_set *set)
{
    char *folder = NULL;
    int present = known_set_folder(set, &folder) == DLDA_OK;

    for (size_t i = 0; present && i < set->n_files; i++) {
        char *path = NULL;
        if (set->files[i].optional) continue;
        present = dlda_path_join(folder, set->files[i].name, &path) == DLDA_OK &&
                  has_size(path, set->files[i].size);
        dlda_release(path);
    }
    dlda_release(folder);
    return present;
}

dlda_status known_file_check(const char *folder, const known_file *file)
{
    dlda_status status = DLDA_OK;
    char digest[SHA256_TEXT];
    char *path = NULL;

    DLDA_TRY(dlda_path_join(folder, file->name, &path));
    if (file->optional && !dlda_path_exists(path)) goto done;
    DLDA_TRY(sha256_of_file(path, digest));
    if (!has_size(path, file->size))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: damaged or another version: not %zu bytes long", path, file->size);
    if (file->sha256 && strcmp(digest, file->sha256) != 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: damaged or another version: SHA-256 is %s, expected %s", path, digest,
                  file->sha256);
done:
    dlda_release(path);
    return status;
}

dlda_status known_set_verify(const known_set *set, void *user, void (*problem)(void *user, const char *message))
{
    dlda_status status = DLDA_OK, verdict = DLDA_OK;
    char *folder = NULL;

    DLDA_TRY(known_set_folder(set, &folder));
    for (size_t i = 0; i < set->n_files; i++) {
        dlda_status found = known_file_check(folder, &set->files[i]);
        if (found == DLDA_OK) continue;
        verdict = found;
        problem(user, dlda_last_error());
    }
    status = verdict;
done:
    dlda_release(folder);
    return status;
}

/* ---- Missing sets ---- */

dlda_status known_set_explain(const char *path, dlda_status status)
{
    const known_set *set = status == DLDA_E_IO && !dlda_path_exists(path) ? known_set_find(path) : NULL;
    char *folder = NULL;

    if (!set || known_set_folder(set, &folder) != DLDA_OK || dlda_path_is_folder(folder)) goto done;
    if (set->package) dlda_set_message("%s: not in %s; run: deeplda data fetch %s", path, folder, path);
    else
        dlda_set_message("%s: not in %s; it cannot be fetched, so put its files there: %s, %s, ...", path, folder,
                         set->files[0].name, set->files[1].name);
done:
    dlda_release(folder);
    return status;
}
