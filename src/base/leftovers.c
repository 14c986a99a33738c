/* SPDX-License-Identifier: MIT
 *
 * leftovers.c - removes the temporary files and folders of processes that were killed while they wrote.
 *
 * A folder may contain files of the user with such names. So the caller says which names it writes, and nothing else is
 * removed.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *position)
{
    (void)info;
    (void)type;
    (void)position;
    return remove(path);
}

void dlda_folder_remove(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* The process of a temporary name, and the name without it; 0 if it is not a temporary name. */
static long process_of(const char *temporary, char name[256])
{
    const char *mark = strstr(temporary, ".tmp-"), *digits = mark ? mark + strlen(".tmp-") : "";
    size_t n = strspn(digits, "0123456789"), length = mark ? (size_t)(mark - temporary) : 0;

    if (n == 0 || n > 9 || length == 0 || length > 255) return 0;
    if (digits[n] && (digits[n] != '-' || digits[n + 1 + strspn(digits + n + 1, "0123456789")])) return 0;
    memcpy(name, temporary, length);
    name[length] = '\0';
    return strtol(digits, NULL, 10);
}

int dlda_path_is_temporary(const char *path)
{
    char name[256];
    return process_of(dlda_path_name(path), name) > 0;
}

/* 1 if the process does not exist, or has ended and waits only for its parent. */
static int is_gone(long process)
{
    char path[32], state = '\0';

    if (kill((pid_t)process, 0) != 0) return errno == ESRCH;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    int found = fscanf(file, "%*[^)]) %c", &state); /* PID (name) state */
    fclose(file);
    return found == 1 && state == 'Z';
}

/* Links stay: this program makes none. */
static void remove_leftover(const char *folder, const char *name, double seconds)
{
    struct stat info;
    char *path = NULL;

    if (dlda_path_join(folder, name, &path) != DLDA_OK) return;
    if (lstat(path, &info) == 0 && difftime(time(NULL), info.st_mtime) >= seconds) {
        if (S_ISREG(info.st_mode)) remove(path);
        else if (S_ISDIR(info.st_mode)) dlda_folder_remove(path);
    }
    dlda_release(path);
}

void dlda_folder_remove_leftovers(const char *path, dlda_name_test *is_own, double seconds)
{
    DIR *stream = opendir(path);
    char name[256];

    if (!stream) return;
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
        long process = process_of(entry->d_name, name);
        if (process > 0 && is_own(name) && is_gone(process)) remove_leftover(path, entry->d_name, seconds);
    }
    closedir(stream);
}
