/* SPDX-License-Identifier: MIT
 *
 * read_folder.c - reads pictures in folders: one sub-folder per class, or one folder of pictures without classes.
 *
 * The classes are the sub-folder names in bytewise order. If the folder has train/ or test/ with sub-folders of
 * their own, these are the parts. Hidden entries are ignored. Entries where no picture is expected are reported and
 * skipped, except files in a class folder, which may be damaged pictures. An empty sub-folder is no class.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "dataset/dataset_internal.h"
#include "dataset/folder_probe.h"
#include "dataset/picture_set.h"

#include <stdio.h>
#include <string.h>

enum { LISTED = 400 }; /* bytes for the names of classes in a message */

typedef struct class_folder {
    const dlda_read_spec *spec;
    char *root; /* contains the class folders */
    dlda_name_list classes;
    dlda_name_list files; /* "class/picture", relative to the root     */
    size_t *ends;         /* [classes]: end of the files of each class */
    dlda_picture_set set; /* of the files                              */
    int *labels;          /* [good files]                              */
} class_folder;

static void release(class_folder *self)
{
    dlda_release(self->root);
    dlda_name_list_release(&self->classes);
    dlda_name_list_release(&self->files);
    dlda_release(self->ends);
    dlda_release(self->set.good);
    dlda_release(self->set.images.bytes);
    dlda_release(self->labels);
}

/* ---- Finding the pictures ---- */

/* Sorts the entries of root/below, or of the root if that is "", into files and folders. */
static dlda_status list_entries(const char *root, const char *below, dlda_name_list *files, dlda_name_list *folders)
{
    dlda_status status = DLDA_OK;
    dlda_name_list entries = { 0 };
    char *folder = NULL, *path = NULL;

    DLDA_TRY(dlda_path_join(root, below, &folder));
    DLDA_TRY(dlda_name_list_add_folder(&entries, folder));
    for (size_t i = 0; i < entries.count; i++) {
        const char *name = dlda_name_list_at(&entries, i);
        dlda_release(path);
        DLDA_TRY(dlda_path_join(folder, name, &path));
        dlda_name_list *list = dlda_path_is_folder(path) ? folders : files;
        DLDA_TRY(dlda_name_list_add(list, name, strlen(name)));
    }
done:
    dlda_name_list_release(&entries);
    dlda_release(folder);
    dlda_release(path);
    return status;
}

static int has_parts(const char *folder, dlda_status *failure)
{
    return dlda_folder_has_part(folder, "train", failure) || dlda_folder_has_part(folder, "test", failure);
}

static void tell_unused(const dlda_read_spec *spec, const char *folder, const dlda_name_list *names,
                        const char *reason)
{
    for (size_t i = 0; i < names->count; i++)
        dlda_read_problem(spec, "%s/%s: not used: %s", folder, dlda_name_list_at(names, i), reason);
}

/* Appends a name to a list in a text: "cat, dog"; what does not fit is left out. */
static void append_name(char *text, size_t room, const char *name)
{
    size_t used = strlen(text);

    snprintf(text + used, room - used, "%s%s", used ? ", " : "", name);
}

/* With parts, the root is the folder of the part; other entries are reported. */
static dlda_status find_root(const dlda_read_spec *spec, char **root)
{
    dlda_status status = DLDA_OK;
    const char *part = spec->part == DLDA_PART_TRAIN ? "train" : "test", *name;
    dlda_name_list entries = { 0 };

    if (!has_parts(spec->path, &status) && status == DLDA_OK) return dlda_take_text(spec->path, root);
    DLDA_TRY(status);
    int has_part = dlda_folder_has_part(spec->path, part, &status);
    DLDA_TRY(status);
    if (!has_part) DLDA_FAIL(DLDA_E_IO, "%s: found no %s/ with a sub-folder per class", spec->path, part);
    DLDA_TRY(dlda_name_list_add_folder(&entries, spec->path));
    for (size_t i = 0; spec->part == DLDA_PART_TRAIN && i < entries.count; i++) {
        name = dlda_name_list_at(&entries, i);
        if (strcmp(name, "train") != 0 && strcmp(name, "test") != 0)
            dlda_read_problem(spec, "%s/%s: not used: only train and test are parts", spec->path, name);
    }
    DLDA_TRY(dlda_path_join(spec->path, part, root));
done:
    dlda_name_list_release(&entries);
    return status;
}

/* Lists the files of a class as "class/file". */
static dlda_status list_class(class_folder *self, const char *name)
{
    dlda_status status = DLDA_OK;
    dlda_name_list files = { 0 }, deeper = { 0 };
    char *path = NULL;

    DLDA_TRY(list_entries(self->root, name, &files, &deeper));
    for (size_t i = 0; i < files.count; i++) {
        dlda_release(path);
        DLDA_TRY(dlda_path_join(name, dlda_name_list_at(&files, i), &path));
        DLDA_TRY(dlda_name_list_add(&self->files, path, strlen(path)));
    }
    dlda_release(path);
    DLDA_TRY(dlda_path_join(self->root, name, &path));
    tell_unused(self->spec, path, &deeper, "folders in the folder of a class are not followed");
done:
    dlda_name_list_release(&files);
    dlda_name_list_release(&deeper);
    dlda_release(path);
    return status;
}

static dlda_status add_class(class_folder *self, const char *name)
{
    dlda_status status = DLDA_OK;

    if (!dlda_is_utf8(name))
        DLDA_FAIL(DLDA_E_FORMAT, "%s/%s: the name of a class must be valid UTF-8", self->root, name);
    DLDA_TRY(dlda_name_list_add(&self->classes, name, strlen(name)));
    self->ends[self->classes.count - 1] = self->files.count;
done:
    return status;
}

/* Lists the pictures of all folders; those that have some are the classes. */
static dlda_status list_pictures(class_folder *self, const dlda_name_list *folders)
{
    dlda_status status = DLDA_OK;
    char empty[LISTED] = "";

    DLDA_TRY(DLDA_TAKE(&self->ends, folders->count, self->root));
    for (size_t c = 0; c < folders->count; c++) {
        const char *name = dlda_name_list_at(folders, c);
        size_t before = self->files.count;
        DLDA_TRY(list_class(self, name));
        if (self->files.count == before) append_name(empty, sizeof empty, name);
        else DLDA_TRY(add_class(self, name));
    }
    if (self->classes.count == 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: no pictures in the folders in it (%s), expected some in each", self->root,
                  empty);
    if (empty[0])
        dlda_read_note(self->spec, "%s: a folder without pictures is no class; left out: %s", self->root, empty);
done:
    return status;
}

static dlda_status list_classes(class_folder *self)
{
    dlda_status status = DLDA_OK;
    dlda_name_list strays = { 0 }, folders = { 0 };

    DLDA_TRY(list_entries(self->root, "", &strays, &folders));
    if (folders.count == 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: found no folder in it, expected one for each class, with its pictures",
                  self->root);
    tell_unused(self->spec, self->root, &strays, "not in the folder of a class");
    DLDA_TRY(list_pictures(self, &folders));
done:
    dlda_name_list_release(&strays);
    dlda_name_list_release(&folders);
    return status;
}

/* ---- Reading them ---- */

/* Stores in the data set the names of the files that were read, as they are below the path ("test/class/picture" if
 * `part` is "test", "class/picture" if it is ""), and whether their size was chosen. */
static dlda_status keep_names(const char *part, const dlda_name_list *files, const dlda_picture_set *set,
                              dlda_dataset *dataset)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    dataset->resized = set->resized;
    for (size_t i = 0; i < files->count; i++) {
        if (!set->good[i]) continue;
        dlda_release(path);
        DLDA_TRY(dlda_path_join(part, dlda_name_list_at(files, i), &path));
        DLDA_TRY(dlda_name_list_add(&dataset->storage->files, path, strlen(path)));
    }
done:
    dlda_release(path);
    return status;
}

static dlda_status label_pictures(class_folder *self)
{
    dlda_status status = DLDA_OK;
    char single[LISTED] = "";
    size_t n = 0;

    DLDA_TRY(DLDA_TAKE(&self->labels, self->files.count, self->root));
    for (size_t c = 0, i = 0; c < self->classes.count; c++) {
        const char *name = dlda_name_list_at(&self->classes, c);
        size_t before = n;
        for (; i < self->ends[c]; i++)
            if (self->set.good[i]) self->labels[n++] = (int)c;
        if (n == before)
            DLDA_FAIL(DLDA_E_FORMAT, "%s/%s: none of the pictures of this class can be read", self->root, name);
        if (n == before + 1) append_name(single, sizeof single, name);
    }
    if (single[0] && self->spec->part == DLDA_PART_TRAIN)
        dlda_read_note(
            self->spec,
            "%s: a class with only 1 picture can hardly be learned and cannot be tested; add pictures to, "
            "or remove: %s",
            self->root, single);
done:
    return status;
}

static dlda_status make_set(class_folder *self, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *set = NULL;
    const char **names = NULL;
    int in_part = strcmp(self->root, self->spec->path) != 0;

    DLDA_TRY(DLDA_TAKE(&names, self->classes.count, self->root));
    for (size_t c = 0; c < self->classes.count; c++) names[c] = dlda_name_list_at(&self->classes, c);
    DLDA_TRY(dlda_dataset_adopt(&self->set.images, self->labels, self->classes.count, names, &set));
    DLDA_TRY(keep_names(in_part ? dlda_path_name(self->root) : "", &self->files, &self->set, set));
    *dataset = set;
    set = NULL;
done:
    dlda_release(names);
    dlda_dataset_destroy(set);
    return status;
}

static dlda_status read_classes(const dlda_source *source, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    class_folder self = { .spec = source->spec };

    if (!source->is_folder) DLDA_FAIL(DLDA_E_IO, "%s: not a folder", source->spec->path);
    DLDA_TRY(find_root(source->spec, &self.root));
    DLDA_TRY(list_classes(&self));
    DLDA_TRY(DLDA_TAKE(&self.set.good, self.files.count, self.root));
    DLDA_TRY(dlda_picture_set_read(self.root, &self.files, source->spec, &self.set));
    DLDA_TRY(label_pictures(&self));
    DLDA_TRY(make_set(&self, dataset));
done:
    release(&self);
    return status;
}

/* Reads the pictures in the folder itself. */
static dlda_status read_flat(const dlda_source *source, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    const char *folder = source->spec->path;
    dlda_name_list files = { 0 }, deeper = { 0 };
    dlda_picture_set pictures = { 0 };
    dlda_dataset *set = NULL;

    DLDA_TRY(list_entries(folder, "", &files, &deeper));
    if (files.count == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: no pictures in this folder, expected at least 1", folder);
    tell_unused(source->spec, folder, &deeper, "folders in it are not followed");
    DLDA_TRY(DLDA_TAKE(&pictures.good, files.count, folder));
    DLDA_TRY(dlda_picture_set_read(folder, &files, source->spec, &pictures));
    DLDA_TRY(dlda_dataset_adopt(&pictures.images, NULL, 0, NULL, &set));
    DLDA_TRY(keep_names("", &files, &pictures, set));
    *dataset = set;
    set = NULL;
done:
    dlda_name_list_release(&files);
    dlda_name_list_release(&deeper);
    dlda_release(pictures.images.bytes);
    dlda_release(pictures.good);
    dlda_dataset_destroy(set);
    return status;
}

/* ---- Reader ---- */

/* The last reader to be tried for folders, since the others require specific files. */
static int recognises(const dlda_source *source)
{
    return source->is_folder && dlda_folder_has_classes_or_pictures(source->spec->path, source->failure);
}

static int has_part(const dlda_source *source, dlda_part part)
{
    const char *path = source->spec->path;

    if (!has_parts(path, source->failure))
        return part == DLDA_PART_TRAIN && dlda_folder_has_pictures(path, NULL, source->failure);
    return dlda_folder_has_pictures(path, part == DLDA_PART_TRAIN ? "train" : "test", source->failure);
}

static int has_classes(const dlda_source *source)
{
    return dlda_folder_has_folders(source->spec->path, source->failure);
}

const dlda_reader dlda_folder_reader = { .name = "folder",
                                         .expected = "a folder with a sub-folder of PNG or JPEG pictures per class",
                                         .recognises = recognises,
                                         .has_part = has_part,
                                         .read = read_classes,
                                         .read_images = read_flat,
                                         .has_labels = has_classes };
