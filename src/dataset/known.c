/* SPDX-License-Identifier: MIT
 *
 * known.c - data sets with a name. The name stands for a folder in the data folder.
 *
 * The library only resolves names. Which files a set has and how to download them is part of the program
 * (cli/data/known_table.c).
 */
#include "dataset/known.h"
#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The digits are embedded in the library (embedded.c); the others are in the data folder. */
static const char *const names[] = { "digits", "mnist", "cifar10", "stl10" };

enum { N_NAMES = sizeof names / sizeof names[0], FIRST_IN_FOLDER = 1 };

/* The value of an environment variable; NULL if it is empty or, with `absolute`, not an absolute path. */
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

static int is_in_data_folder(const char *name)
{
    for (size_t i = FIRST_IN_FOLDER; i < N_NAMES; i++)
        if (strcmp(names[i], name) == 0) return 1;
    return 0;
}

const char *const *dlda_known_names(size_t *count)
{
    *count = N_NAMES;
    return names;
}

dlda_status dlda_known_resolve(const char *path, char **folder)
{
    dlda_status status = DLDA_OK;
    char *root = NULL, *found = NULL;

    *folder = NULL;
    if (!is_in_data_folder(path) || dlda_path_exists(path)) return DLDA_OK;
    DLDA_TRY(dlda_data_folder(&root));
    DLDA_TRY(dlda_path_join(root, path, &found));
    if (!dlda_path_is_folder(found))
        DLDA_FAIL(DLDA_E_IO, "%s: no such file or folder; the files of the set of that name belong in %s", path,
                  found);
    *folder = found;
    found = NULL;
done:
    dlda_release(root);
    dlda_release(found);
    return status;
}
