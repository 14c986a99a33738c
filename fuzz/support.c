/* SPDX-License-Identifier: MIT
 *
 * support.c - what the targets share: files in memory, and memory for jansson.
 */
#include "support.h"

#include <fcntl.h>
#include <jansson.h>
#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Files in memory ---- */

enum { MOST_FILES = 4 };

typedef struct kept_file {
    char path[160];
    const char *name;
    int file;
} kept_file;

const char *memory_folder(void)
{
    static char folder[128];

    if (folder[0]) return folder;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/deeplda-fuzz-XXXXXX", parent && strlen(parent) < 100 ? parent : "/dev/shm");
    if (!mkdtemp(folder)) abort();
    return folder;
}

static kept_file *find_file(const char *name)
{
    static kept_file files[MOST_FILES];

    for (kept_file *kept = files; kept < files + MOST_FILES; kept++) {
        if (kept->name && strcmp(kept->name, name) == 0) return kept;
        if (kept->name) continue;
        kept->name = name;
        snprintf(kept->path, sizeof kept->path, "%s/%s", memory_folder(), name);
        kept->file = open(kept->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (kept->file < 0) abort();
        return kept;
    }
    abort();
}

const char *put_file(const char *name, const uint8_t *data, size_t size)
{
    kept_file *kept = find_file(name);

    if (pwrite(kept->file, data, size, 0) != (ssize_t)size || ftruncate(kept->file, (off_t)size) != 0) abort();
    return kept->path;
}

const char *memory_file(const uint8_t *data, size_t size)
{
    return put_file("input", data, size);
}

void link_file(const char *name, const char *other)
{
    char path[160];

    snprintf(path, sizeof path, "%s/%s", memory_folder(), other);
    if (symlink(name, path) != 0 && access(path, F_OK) != 0) abort();
}

/* ---- Memory for jansson ---- */

/* Most of the time of a target that reads JSON would be spent in the sanitizer's malloc, for hundreds of small blocks of a
 * library that is not instrumented. Its blocks come from an arena instead, which is emptied after each input. Blocks are
 * apart and poisoned when freed, so that deeplda cannot misuse them unnoticed; a block that was not freed is a leak. */
enum { ARENA = 1 << 24, UNIT = 16 };

static struct {
    _Alignas(UNIT) char bytes[ARENA];
    size_t used, blocks;
} arena;

static void *arena_take(size_t size)
{
    if (size > ARENA) return NULL;
    size_t room = UNIT + (size + UNIT - 1) / UNIT * UNIT + UNIT; /* its size, the block, a gap */
    if (room > ARENA - arena.used) return NULL;
    char *block = arena.bytes + arena.used + UNIT;
    ASAN_UNPOISON_MEMORY_REGION(block - UNIT, sizeof size);
    memcpy(block - UNIT, &size, sizeof size);
    ASAN_POISON_MEMORY_REGION(block - UNIT, sizeof size);
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    arena.used += room;
    arena.blocks++;
    return block;
}

static void arena_release(void *block)
{
    size_t size = 0;

    if (!block) return;
    ASAN_UNPOISON_MEMORY_REGION((char *)block - UNIT, sizeof size);
    memcpy(&size, (char *)block - UNIT, sizeof size);
    if (__asan_region_is_poisoned(block, size)) abort(); /* freed twice */
    ASAN_POISON_MEMORY_REGION((char *)block - UNIT, UNIT + size);
    arena.blocks--;
}

void arena_empty(void)
{
    if (arena.blocks != 0) {
        fprintf(stderr, "%zu blocks of JSON were not freed\n", arena.blocks);
        abort();
    }
    arena.used = 0;
}

void arena_use(void)
{
    ASAN_POISON_MEMORY_REGION(arena.bytes, ARENA);
    json_set_alloc_funcs(arena_take, arena_release);
}
