/* SPDX-License-Identifier: MIT
 *
 * closest_path.c - finds the existing path that a mistyped one may stand for.
 *
 * Compares the first component that does not exist with the entries of the folder that should contain it.
 */
#include "base/closest_path.h"
#include "base/closest_word.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/name_list.h"

#include <string.h>

/* A path in three parts: an existing folder, a component that does not exist in it, and the rest. */
typedef struct parts {
    char *folder, *name;
    const char *rest; /* of the path: "" or "/..." */
} parts;

static dlda_status copy(const char *text, size_t n, char **result)
{
    dlda_status status = DLDA_TAKE(result, n + 1, "path");

    if (status == DLDA_OK) memcpy(*result, text, n);
    return status;
}

/* Takes apart a path that does not exist. */
static dlda_status take_apart(const char *path, parts *self)
{
    dlda_status status = DLDA_OK;
    size_t begin = 0, end = 0;
    char *prefix = NULL;

    for (;;) {
        begin = end + strspn(path + end, "/");
        end = begin + strcspn(path + begin, "/");
        dlda_release(prefix);
        prefix = NULL;
        DLDA_TRY(copy(path, end, &prefix));
        if (path[end] == '\0' || !dlda_path_is_folder(prefix)) break;
    }
    if (begin == 0) DLDA_TRY(copy(".", 1, &self->folder));
    else DLDA_TRY(copy(path, begin, &self->folder));
    DLDA_TRY(copy(path + begin, end - begin, &self->name));
    self->rest = path + end;
done:
    dlda_release(prefix);
    return status;
}

/* folder/entry, and the rest of the mistyped path if that exists too. */
static dlda_status put_together(const parts *self, const char *entry, char **path)
{
    dlda_status status = DLDA_OK;
    char *begin = NULL, *whole = NULL;

    if (strcmp(self->folder, ".") == 0) DLDA_TRY(copy(entry, strlen(entry), &begin));
    else DLDA_TRY(dlda_path_join(self->folder, entry, &begin));
    DLDA_TRY(dlda_path_join(begin, self->rest + strspn(self->rest, "/"), &whole));
    if (self->rest[0] && dlda_path_exists(whole)) {
        *path = whole;
        whole = NULL;
    } else {
        *path = begin;
        begin = NULL;
    }
done:
    dlda_release(begin);
    dlda_release(whole);
    return status;
}

/* The entries of the folder, then the words if the path is a single name. */
static dlda_status find_closest(const parts *self, const dlda_name_list *entries, const char *const *words,
                                size_t n_words, char **path)
{
    dlda_status status = DLDA_OK;
    const char **names = NULL;
    size_t n = entries->count;

    DLDA_TRY(DLDA_TAKE(&names, n + n_words, "path"));
    for (size_t i = 0; i < n; i++) names[i] = dlda_name_list_at(entries, i);
    for (size_t i = 0; i < n_words; i++) names[n + i] = words[i];
    int closest = dlda_closest_word(self->name, names, n + n_words);
    if (closest >= 0) DLDA_TRY(put_together(self, names[closest], path));
done:
    dlda_release(names);
    return status;
}

dlda_status dlda_closest_path(const char *path, const char *const *words, size_t n_words, char **closest)
{
    dlda_status status = DLDA_OK;
    parts self = { 0 };
    dlda_name_list entries = { 0 };

    *closest = NULL;
    DLDA_TRY(take_apart(path, &self));
    if (self.name[0] == '\0' || !dlda_path_is_folder(self.folder)) goto done;
    DLDA_TRY(dlda_name_list_add_folder(&entries, self.folder));
    DLDA_TRY(find_closest(&self, &entries, words, strchr(path, '/') ? 0 : n_words, closest));
done:
    dlda_name_list_release(&entries);
    dlda_release(self.folder);
    dlda_release(self.name);
    return status;
}
