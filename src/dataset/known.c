/* SPDX-License-Identifier: MIT
 *
 * known.c - sets by name: where the data folder is, what is in it, and whether it is what was published.
 */
#include "dataset/known.h"
#include "base/closest_word.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- The data folder ---- */

/* The value of an environment variable, NULL if it is empty or, where it must be, no absolute path. */
static const char *variable(const char *name, int absolute)
{
    const char *value = getenv(name);

    return value && value[0] && (!absolute || value[0] == '/') ? value : NULL;
}

dlda_status dlda_data_folder(char **folder)
{
    DLDA_NEED(folder);
    const char *ours = variable("DEEPLDA_DATA", 0), *cache = variable("XDG_CACHE_HOME", 1);
    const char *home = variable("HOME", 1);

    if (ours) return dlda_take_text(ours, folder);
    if (cache) return dlda_path_join(cache, "deeplda", folder);
    if (home) return dlda_path_join(home, ".cache/deeplda", folder);
    return dlda_fail(DLDA_E_IO, "data folder: neither HOME nor DEEPLDA_DATA is set; set DEEPLDA_DATA to a folder");
}

dlda_status dlda_known_folder(const dlda_known *known, char **folder)
{
    dlda_status status = DLDA_OK;
    char *root = NULL;

    DLDA_TRY(dlda_data_folder(&root));
    DLDA_TRY(dlda_path_join(root, known->set.name, folder));
done:
    dlda_release(root);
    return status;
}

/* ---- The table ---- */

const dlda_known_set *dlda_known_set_at(size_t i)
{
    return i < dlda_known_count ? &dlda_known_table[i].set : NULL;
}

const dlda_known *dlda_known_find(const char *name)
{
    for (size_t i = 0; i < dlda_known_count; i++)
        if (strcmp(dlda_known_table[i].set.name, name) == 0) return &dlda_known_table[i];
    return NULL;
}

static dlda_status find_set(const char *name, const dlda_known **known)
{
    enum { MOST = 16 };
    const char *names[MOST];
    size_t count = 0;

    *known = dlda_known_find(name);
    if (*known) return DLDA_OK;
    for (; count < MOST && count < dlda_known_count; count++) names[count] = dlda_known_table[count].set.name;
    int near = dlda_closest_word(name, names, count);
    if (near < 0) return dlda_fail(DLDA_E_ARGUMENT, "%s: not a known data set", name);
    return dlda_fail(DLDA_E_ARGUMENT, "%s: not a known data set; did you mean '%s'?", name, names[near]);
}

/* ---- What is there ---- */

static int has_size(const char *path, size_t size)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && (uintmax_t)info.st_size == size;
}

static int files_are_present(const dlda_known *known, const char *folder)
{
    int present = 1;

    for (size_t i = 0; present && i < known->n_files; i++) {
        char *path = NULL;
        if (known->files[i].optional) continue;
        present = dlda_path_join(folder, known->files[i].name, &path) == DLDA_OK &&
                  has_size(path, known->files[i].size);
        dlda_release(path);
    }
    return present;
}

int dlda_known_set_is_present(const char *name)
{
    const dlda_known *known = name ? dlda_known_find(name) : NULL;
    char *folder = NULL;
    int present = known && dlda_known_folder(known, &folder) == DLDA_OK && files_are_present(known, folder);

    dlda_release(folder);
    return present;
}

dlda_status dlda_known_set_folder(const char *name, char **folder)
{
    DLDA_NEED(name, folder);
    const dlda_known *known = NULL;
    dlda_status status = find_set(name, &known);

    return status == DLDA_OK ? dlda_known_folder(known, folder) : status;
}

dlda_status dlda_known_check_file(const char *folder, const dlda_known_file *file)
{
    dlda_status status = DLDA_OK;
    char digest[DLDA_SHA256_TEXT];
    char *path = NULL;

    DLDA_TRY(dlda_path_join(folder, file->name, &path));
    if (file->optional && !dlda_path_exists(path)) goto done;
    DLDA_TRY(dlda_sha256_of_file(path, digest));
    if (!has_size(path, file->size))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: damaged or of another edition: not %zu bytes long", path, file->size);
    if (file->sha256 && strcmp(digest, file->sha256) != 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: damaged or of another edition: SHA-256 is %s, expected %s", path, digest,
                  file->sha256);
done:
    dlda_release(path);
    return status;
}

dlda_status dlda_known_set_verify(const char *name, void *user, void (*problem)(void *user, const char *message))
{
    DLDA_NEED(name);
    dlda_status status = DLDA_OK, verdict = DLDA_OK;
    const dlda_known *known = NULL;
    char *folder = NULL;

    DLDA_TRY(find_set(name, &known));
    DLDA_TRY(dlda_known_folder(known, &folder));
    for (size_t i = 0; i < known->n_files; i++) {
        dlda_status found = dlda_known_check_file(folder, &known->files[i]);
        if (found == DLDA_OK) continue;
        verdict = found;
        if (problem) problem(user, dlda_last_error());
    }
    status = verdict;
done:
    dlda_release(folder);
    return status;
}

/* ---- As paths ---- */

static dlda_status fail_missing(const dlda_known *known, const char *folder)
{
    const char *name = known->set.name;

    if (known->set.package)
        return dlda_fail(DLDA_E_IO, "%s: not in %s yet; run: deeplda data fetch %s", name, folder, name);
    return dlda_fail(DLDA_E_IO, "%s: not in %s; it cannot be fetched, so put its files there: %s, %s, ...", name,
                     folder, known->files[0].name, known->files[1].name);
}

dlda_status dlda_known_resolve(const char *path, char **folder)
{
    dlda_status status = DLDA_OK;
    const dlda_known *known = dlda_path_exists(path) ? NULL : dlda_known_find(path);
    char *found = NULL;

    *folder = NULL;
    if (!known) return DLDA_OK;
    DLDA_TRY(dlda_known_folder(known, &found));
    if (!dlda_path_is_folder(found)) DLDA_TRY(fail_missing(known, found));
    *folder = found;
    found = NULL;
done:
    dlda_release(found);
    return status;
}
