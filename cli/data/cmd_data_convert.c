/* SPDX-License-Identifier: MIT
 *
 * cmd_data_convert.c - `deeplda data convert`: writes a set in another format.
 *
 * All files are written into a temporary folder first. They appear under their names when all of them are complete, in
 * place of those of an older set.
 */
#include "base/file.h"
#include "base/memory.h"
#include "data/data.h"
#include "folders.h"
#include "read_data.h"
#include "terminal/json_out.h"
#include "terminal/print.h"
#include "words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const name = "data";

enum { PARTS = 2, MOST_FILES = 4 };

/* What a set consists of. */
typedef struct set_files {
    const char *format; /* of option --to */
    dlda_data_format number;
    const char *names[MOST_FILES];
} set_files;

static const set_files kinds[] = {
    { "npy", DLDA_FORMAT_NPY, { "X_train.npy", "y_train.npy", "X_test.npy", "y_test.npy" } },
    { "png", DLDA_FORMAT_PNG, { "train", "test" } },
    { "idx",
      DLDA_FORMAT_IDX,
      { "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte" } },
};

static const set_files *wanted_files(const cli_options *options)
{
    const set_files *kind = kinds;

    while (!option_is(options, "to", kind->format)) kind++; /* the table of options allows no others */
    return kind;
}

typedef struct converted_part {
    const char *title, *key;
    size_t count, height, width, channels, classes;
} converted_part;

typedef struct conversion {
    const cli_arguments *arguments;
    const set_files *files;
    char *folder; /* without slashes at its end         */
    char *fresh;  /* temporary folder of the new files  */
    converted_part parts[PARTS];
    size_t n_parts;
} conversion;

/* ---- The folder ---- */

/* Folders of pictures are not replaced, since pictures of two sets would be mixed. */
static int check_pictures(const conversion *self)
{
    int code = EXIT_OK;

    for (size_t i = 0; code == EXIT_OK && i < MOST_FILES && self->files->names[i]; i++) {
        char *path = text_format("%s/%s", self->folder, self->files->names[i]);
        if (path_is_there(path)) {
            complain(name, "%s: already exists; choose another folder, or remove it first", path);
            code = EXIT_FAILED;
        }
        free(path);
    }
    return code;
}

static int check_folder(const conversion *self)
{
    const cli_options *options = self->arguments->options;

    if (!self->folder[0]) return complain_usage(name, "convert needs a folder for the new files: -o FOLDER");
    if (!dlda_path_exists(self->folder)) return EXIT_OK;
    if (!option_is(options, "force", "true")) {
        complain(name, "%s: already exists; choose another, or use --force to write into it", self->folder);
        return EXIT_FAILED;
    }
    if (!dlda_path_is_folder(self->folder)) {
        complain(name, "%s: is there, and is not a folder; choose another", self->folder);
        return EXIT_FAILED;
    }
    return self->files->number == DLDA_FORMAT_PNG ? check_pictures(self) : EXIT_OK;
}

static int is_fresh(const char *file)
{
    return strcmp(file, ".convert") == 0;
}

/* Inside a folder that exists, which may be on another file system than its parent. */
static dlda_status make_fresh(conversion *self)
{
    dlda_status status = DLDA_OK;
    char *place = NULL;

    if (!dlda_path_is_folder(self->folder)) {
        folders_make_parents(self->folder);
        return dlda_folder_make_temporary(self->folder, &self->fresh);
    }
    dlda_folder_remove_leftovers(self->folder, is_fresh, DLDA_LEFTOVER_SECONDS);
    DLDA_TRY(dlda_path_join(self->folder, ".convert", &place));
    DLDA_TRY(dlda_folder_make_temporary(place, &self->fresh));
done:
    dlda_release(place);
    return status;
}

/* Puts the new files into a folder that exists. Those of an older set go at the same time, also of a part that the new
 * one does not have. */
static dlda_status move_files(const conversion *self)
{
    dlda_status status = DLDA_OK;
    char *from[MOST_FILES] = { NULL }, *to[MOST_FILES] = { NULL };
    size_t n = 0;

    for (; n < MOST_FILES && self->files->names[n]; n++) {
        DLDA_TRY(dlda_path_join(self->fresh, self->files->names[n], &from[n]));
        DLDA_TRY(dlda_path_join(self->folder, self->files->names[n], &to[n]));
        if (dlda_path_exists(from[n])) continue;
        dlda_release(from[n]);
        from[n] = NULL;
    }
    DLDA_TRY(dlda_paths_move_together((const char *const *)from, (const char *const *)to, n));
done:
    for (size_t i = 0; i < MOST_FILES; i++) {
        dlda_release(from[i]);
        dlda_release(to[i]);
    }
    return status;
}

static dlda_status put_in_place(const conversion *self)
{
    return dlda_path_is_folder(self->folder) ? move_files(self) : dlda_path_move(self->fresh, self->folder);
}

/* ---- Results ---- */

static void print_json(const conversion *self)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_add_text(&json, "folder", option_text(self->arguments->options, "output"));
    json_add_text(&json, "format", self->files->format);
    json_key(&json, "parts");
    json_open(&json, '[');
    for (const converted_part *part = self->parts; part < self->parts + self->n_parts; part++) {
        json_open(&json, '{');
        json_add_text(&json, "part", part->key);
        json_add_count(&json, "images", part->count);
        json_add_count(&json, "height", part->height);
        json_add_count(&json, "width", part->width);
        json_add_count(&json, "channels", part->channels);
        json_add_count(&json, "classes", part->classes);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', stdout);
}

static void print_text(const conversion *self)
{
    for (size_t i = 0; i < self->n_parts; i++)
        print("%s: %zu %s images\n", option_text(self->arguments->options, "output"), self->parts[i].count,
              self->parts[i].title);
}

static void note_part(conversion *self, const dlda_dataset *dataset, dlda_part part)
{
    int trains = part == DLDA_PART_TRAIN;

    self->parts[self->n_parts++] = (converted_part){ .title = trains ? "training" : "test",
                                                     .key = trains ? "train" : "test",
                                                     .count = dlda_dataset_count(dataset),
                                                     .height = dlda_dataset_height(dataset),
                                                     .width = dlda_dataset_width(dataset),
                                                     .channels = dlda_dataset_channels(dataset),
                                                     .classes = dlda_dataset_classes(dataset) };
}

/* ---- The verb ---- */

/* Pictures of the `other` part, if it is to follow, get the size that was chosen for these. */
static int convert_part(conversion *self, const dlda_read_spec *spec, dlda_read_spec *other)
{
    dlda_dataset *dataset = NULL;
    int code = exit_code_of(name, data_open(spec, &dataset));

    if (code == EXIT_OK)
        code = exit_code_at(name, spec->path,
                            dlda_dataset_write(dataset, spec->part, self->files->number, self->fresh));
    if (code == EXIT_OK) note_part(self, dataset, spec->part);
    if (other) data_use_size(other, dataset);
    dlda_dataset_destroy(dataset);
    return code;
}

static int convert_parts(conversion *self)
{
    dlda_read_spec train = data_read_spec(self->arguments, DLDA_PART_TRAIN),
                   test = data_read_spec(self->arguments, DLDA_PART_TEST);
    int code = EXIT_OK, has_test = dlda_dataset_has_part(&test);

    if (dlda_dataset_has_part(&train) || !has_test) code = convert_part(self, &train, &test);
    if (code == EXIT_OK && has_test) code = convert_part(self, &test, NULL);
    return code;
}

static char *without_slashes(const char *path)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/') n--;
    return text_format("%.*s", (int)n, path);
}

static int convert(conversion *self)
{
    int code = exit_code_of(name, make_fresh(self));

    if (code == EXIT_OK) code = convert_parts(self);
    if (code == EXIT_OK) code = exit_code_of(name, put_in_place(self));
    if (code != EXIT_OK) self->n_parts = 0;
    if (option_is(self->arguments->options, "json", "true")) print_json(self);
    else print_text(self);
    if (self->fresh) dlda_folder_remove(self->fresh);
    dlda_release(self->fresh);
    return code;
}

int data_convert(const cli_arguments *arguments)
{
    conversion self = { .arguments = arguments, .files = wanted_files(arguments->options) };

    self.folder = without_slashes(option_text(arguments->options, "output"));
    int code = check_folder(&self);
    if (code == EXIT_OK) code = convert(&self);
    free(self.folder);
    return code;
}
