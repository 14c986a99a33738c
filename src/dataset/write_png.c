/* SPDX-License-Identifier: MIT
 *
 * write_png.c - writes a data set as a folder of PNG files: PART/CLASS/NUMBER.png.
 *
 * Syncing each of many small files would take minutes. So they are written into a temporary folder, all of it is synced
 * at once with its file system, and the folder is renamed.
 */
#define _GNU_SOURCE
#include "base/by_class.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/png_file.h"
#include "dataset/dataset_internal.h"
#include "dataset/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- One file ---- */

static dlda_status write_plainly(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wbe");
    int written = file && fwrite(bytes, 1, size, file) == size;
    int closed = file && fclose(file) == 0;

    return written && closed ? DLDA_OK : dlda_fail(DLDA_E_IO, "%s: cannot write: %s", path, strerror(errno));
}

/* ---- A folder of classes ---- */

/* Converts a class name to a folder name: no slash, not hidden, not empty. */
static dlda_status class_folder(const char *root, const char *name, char **path)
{
    dlda_status status = DLDA_OK;
    char *safe = NULL;

    DLDA_TRY(dlda_take_text(name[0] ? name : "_", &safe));
    for (char *slash = strchr(safe, '/'); slash; slash = strchr(slash, '/')) *slash = '_';
    if (safe[0] == '.') safe[0] = '_';
    DLDA_TRY(dlda_path_join(root, safe, path));
    if (mkdir(*path, 0777) != 0)
        DLDA_FAIL(DLDA_E_IO, "%s: cannot make the folder of class '%s': %s", *path, name, strerror(errno));
done:
    dlda_release(safe);
    return status;
}

static dlda_status write_sample(const dlda_dataset *self, size_t i, const char *folder)
{
    dlda_status status = DLDA_OK;
    const dlda_pixels image = { self->height, self->width, self->channels, (uint8_t *)dlda_sample_bytes(self, i) };
    char name[32];
    char *path = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;

    snprintf(name, sizeof name, "%06zu.png", i);
    DLDA_TRY(dlda_path_join(folder, name, &path));
    DLDA_TRY(dlda_png_encode(path, &image, &bytes, &size));
    DLDA_TRY(write_plainly(path, bytes, size));
done:
    dlda_release(bytes);
    dlda_release(path);
    return status;
}

static dlda_status write_class(const dlda_dataset *self, const char *root, size_t label, const size_t *samples,
                               size_t n)
{
    dlda_status status = DLDA_OK;
    char *folder = NULL;

    if (n == 0) return DLDA_OK;
    DLDA_TRY(class_folder(root, self->storage->names[label], &folder));
    for (size_t i = 0; i < n; i++) DLDA_TRY(write_sample(self, samples[i], folder));
done:
    dlda_release(folder);
    return status;
}

static dlda_status write_classes(const dlda_dataset *self, const char *root)
{
    dlda_status status = DLDA_OK;
    size_t *start = NULL, *order = NULL;

    DLDA_TRY(DLDA_TAKE(&start, self->classes + 1, "classes"));
    DLDA_TRY(DLDA_TAKE(&order, self->count, "classes"));
    dlda_group_by_class(self->labels, self->count, self->classes, start, order);
    for (size_t c = 0; c < self->classes; c++)
        DLDA_TRY(write_class(self, root, c, order + start[c], start[c + 1] - start[c]));
done:
    dlda_release(start);
    dlda_release(order);
    return status;
}

static dlda_status check_images(const dlda_dataset *self)
{
    if (self->channels != 1 && self->channels != 3)
        return dlda_fail(DLDA_E_SHAPE, "png: %zu channels, expected 1 or 3", self->channels);
    if (self->height > DLDA_PNG_MOST_SIDE || self->width > DLDA_PNG_MOST_SIDE)
        return dlda_fail(DLDA_E_SHAPE, "png: images of %zu x %zu, which is too large", self->height, self->width);
    return dlda_expect_bytes(self, "png");
}

static dlda_status sync_files(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), synced = file >= 0 && syncfs(file) == 0,
        cause = errno;

    if (file >= 0) close(file);
    return synced ? DLDA_OK : dlda_fail(DLDA_E_IO, "%s: cannot sync: %s", folder, strerror(cause));
}

static int is_own(const char *name)
{
    return strcmp(name, ".train") == 0 || strcmp(name, ".test") == 0;
}

dlda_status dlda_write_png_folder(const dlda_dataset *self, dlda_part part, const char *folder)
{
    dlda_status status = DLDA_OK;
    const char *name = part == DLDA_PART_TRAIN ? "train" : "test";
    char *target = NULL, *hidden = NULL, *temporary = NULL;
    int made = 0;

    DLDA_TRY(check_images(self));
    DLDA_TRY(dlda_path_join(folder, name, &target));
    if (dlda_path_exists(target))
        DLDA_FAIL(DLDA_E_EXISTS, "%s: already exists; choose another folder, or remove it first", target);
    DLDA_TRY(dlda_folder_make(folder));
    dlda_folder_remove_leftovers(folder, is_own, DLDA_LEFTOVER_SECONDS);
    DLDA_TRY(dlda_path_join(folder, part == DLDA_PART_TRAIN ? ".train" : ".test", &hidden));
    DLDA_TRY(dlda_folder_make_temporary(hidden, &temporary));
    made = 1;
    DLDA_TRY(write_classes(self, temporary));
    DLDA_TRY(sync_files(temporary));
    DLDA_TRY(dlda_path_move(temporary, target));
    made = 0;
done:
    if (made) dlda_folder_remove(temporary);
    dlda_release(temporary);
    dlda_release(hidden);
    dlda_release(target);
    return status;
}
