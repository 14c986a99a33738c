/* SPDX-License-Identifier: MIT
 *
 * name_list.c - growing lists of names. All names share one text, so that lists of millions of files are compact.
 */
#define _GNU_SOURCE
#include "base/name_list.h"
#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void dlda_name_list_release(dlda_name_list *list)
{
    dlda_release(list->start);
    dlda_release(list->text);
    *list = (dlda_name_list){ 0 };
}

static dlda_status enlarge_starts(dlda_name_list *list)
{
    size_t room = 2 * list->room + 16, *start = NULL;
    dlda_status status = DLDA_TAKE(&start, room, "list of names");

    if (status != DLDA_OK) return status;
    if (list->count) memcpy(start, list->start, list->count * sizeof *start);
    dlda_release(list->start);
    list->start = start;
    list->room = room;
    return DLDA_OK;
}

static dlda_status enlarge_text(dlda_name_list *list, size_t more)
{
    size_t room = 2 * list->text_room + more + 256;
    char *text = NULL;
    dlda_status status = DLDA_TAKE(&text, room, "list of names");

    if (status != DLDA_OK) return status;
    if (list->used) memcpy(text, list->text, list->used);
    dlda_release(list->text);
    list->text = text;
    list->text_room = room;
    return DLDA_OK;
}

dlda_status dlda_name_list_add(dlda_name_list *list, const char *name, size_t n)
{
    dlda_status status = DLDA_OK;

    if (list->count == list->room) DLDA_TRY(enlarge_starts(list));
    if (list->text_room - list->used <= n) DLDA_TRY(enlarge_text(list, n));
    list->start[list->count++] = list->used;
    memcpy(list->text + list->used, name, n);
    list->text[list->used + n] = '\0';
    list->used += n + 1;
done:
    return status;
}

const char *dlda_name_list_at(const dlda_name_list *list, size_t i)
{
    return list->text + list->start[i];
}

static int compare_names(const void *a, const void *b, void *text)
{
    return strcmp((const char *)text + *(const size_t *)a, (const char *)text + *(const size_t *)b);
}

static void sort_from(dlda_name_list *list, size_t first)
{
    if (list->count > first)
        qsort_r(list->start + first, list->count - first, sizeof *list->start, compare_names, list->text);
}

void dlda_name_list_sort(dlda_name_list *list)
{
    sort_from(list, 0);
}

dlda_status dlda_name_list_add_folder(dlda_name_list *list, const char *folder)
{
    dlda_status status = DLDA_OK;
    size_t first = list->count;
    DIR *stream = opendir(folder);

    if (!stream) DLDA_FAIL(DLDA_E_IO, "%s: cannot open the folder: %s", folder, strerror(errno));
    errno = 0;
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
        if (entry->d_name[0] != '.') DLDA_TRY(dlda_name_list_add(list, entry->d_name, strlen(entry->d_name)));
        errno = 0;
    }
    if (errno) DLDA_FAIL(DLDA_E_IO, "%s: cannot read the folder: %s", folder, strerror(errno));
    sort_from(list, first);
done:
    if (stream) closedir(stream);
    return status;
}

static dlda_status add_lines(dlda_name_list *list, const char *text, size_t size)
{
    dlda_status status = DLDA_OK;
    const char *end = text + size;

    while (end > text && (end[-1] == '\n' || end[-1] == '\r')) end--;
    while (text < end) {
        const char *line = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((line ? line : end) - text);
        DLDA_TRY(dlda_name_list_add(list, text, n > 0 && text[n - 1] == '\r' ? n - 1 : n));
        text += n + 1;
    }
done:
    return status;
}

dlda_status dlda_name_list_add_lines(dlda_name_list *list, const char *path)
{
    enum { MOST_BYTES = 1 << 20 };
    dlda_status status = DLDA_OK;
    char *text = NULL;
    size_t size = 0;

    DLDA_TRY(dlda_file_read(path, MOST_BYTES, &text, &size));
    if (memchr(text, '\0', size)) DLDA_FAIL(DLDA_E_FORMAT, "%s: holds a zero byte, expected lines of text", path);
    DLDA_TRY(add_lines(list, text, size));
done:
    dlda_release(text);
    return status;
}
