/* SPDX-License-Identifier: MIT
 *
 * cmd_data_convert.c - `deeplda data convert`: writes a set in another format. The new files appear when all of them are
 * complete.
 */
#include "base/file.h"
#include "base/memory.h"
#include "data/data.h"
#include "folders.h"
#include "read_data.h"
#include "terminal/json_out.h"
#include "terminal/print.h"
#include "words.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const name = "data";

static dlda_data_format wanted_format(const cli_options *options)
{
    if (option_is(options, "to", "npy")) return DLDA_FORMAT_NPY;
    return option_is(options, "to", "png") ? DLDA_FORMAT_PNG : DLDA_FORMAT_IDX;
}

/* Folders of pictures are not replaced, since pictures of two sets would be mixed. */
static int check_parts(const cli_options *options, const char *folder)
{
    static const char *const parts[] = { "train", "test" };
    int code = EXIT_OK;

    for (size_t i = 0; wanted_format(options) == DLDA_FORMAT_PNG && code == EXIT_OK && i < 2; i++) {
        char *path = text_format("%s/%s", folder, parts[i]);
        if (path_is_there(path)) {
            complain(name, "%s: already exists; choose another folder, or remove it first", path);
            code = EXIT_FAILED;
        }
        free(path);
    }
    return code;
}

static int check_folder(const cli_options *options)
{
    const char *folder = option_text(options, "output");
    struct stat info;

    if (!folder[0]) return complain_usage(name, "convert needs a folder for the new files: -o FOLDER");
    if (lstat(folder, &info) != 0) return EXIT_OK;
    if (option_is(options, "force", "true")) return check_parts(options, folder);
    complain(name, "%s: already exists; choose another, or use --force to write into it", folder);
    return EXIT_FAILED;
}

/* ---- Results ---- */

typedef struct conversion {
    const cli_arguments *arguments;
    char *fresh; /* temporary folder of the new files */
    int is_json;
    json_out json;
} conversion;

static void begin_json(conversion *self)
{
    json_open(&self->json, '{');
    json_add_text(&self->json, "folder", option_text(self->arguments->options, "output"));
    json_add_text(&self->json, "format", option_text(self->arguments->options, "to"));
    json_key(&self->json, "parts");
    json_open(&self->json, '[');
}

static void show_part(conversion *self, const dlda_dataset *dataset, dlda_part part)
{
    size_t count = dlda_dataset_count(dataset);

    if (!self->is_json) {
        print("%s: %zu %s images\n", option_text(self->arguments->options, "output"), count,
              part == DLDA_PART_TRAIN ? "training" : "test");
        return;
    }
    json_open(&self->json, '{');
    json_add_text(&self->json, "part", part == DLDA_PART_TRAIN ? "train" : "test");
    json_add_count(&self->json, "images", count);
    json_add_count(&self->json, "height", dlda_dataset_height(dataset));
    json_add_count(&self->json, "width", dlda_dataset_width(dataset));
    json_add_count(&self->json, "channels", dlda_dataset_channels(dataset));
    json_add_count(&self->json, "classes", dlda_dataset_classes(dataset));
    json_close(&self->json, '}');
}

static void end_json(conversion *self)
{
    json_close(&self->json, ']');
    json_close(&self->json, '}');
    fputc('\n', stdout);
}

/* ---- The verb ---- */

/* Pictures of the `other` part, if it is to follow, get the size that was chosen for these. */
static int convert_part(conversion *self, const dlda_read_spec *spec, dlda_read_spec *other)
{
    dlda_data_format format = wanted_format(self->arguments->options);
    dlda_dataset *dataset = NULL;
    int code = exit_code_of(name, data_open(spec, &dataset));

    if (code == EXIT_OK)
        code = exit_code_at(name, spec->path, dlda_dataset_write(dataset, spec->part, format, self->fresh));
    if (code == EXIT_OK) show_part(self, dataset, spec->part);
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

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Puts the new files into a folder that exists. Older ones of the same names go together, so that no part of an older
 * set remains beside a part of this one. */
static dlda_status move_into(const char *fresh, const char *folder)
{
    dlda_status status = DLDA_OK;
    struct dirent **entries = NULL;
    int n = scandir(fresh, &entries, is_entry, alphasort);
    size_t count = n > 0 ? (size_t)n : 0;
    char **from = NULL, **to = NULL;

    if (n < 0) DLDA_FAIL(DLDA_E_IO, "%s: cannot read the folder: %s", fresh, strerror(errno));
    DLDA_TRY(DLDA_TAKE(&from, count + 1, "file names"));
    DLDA_TRY(DLDA_TAKE(&to, count + 1, "file names"));
    for (size_t i = 0; i < count; i++) {
        DLDA_TRY(dlda_path_join(fresh, entries[i]->d_name, &from[i]));
        DLDA_TRY(dlda_path_join(folder, entries[i]->d_name, &to[i]));
    }
    DLDA_TRY(dlda_paths_move_together((const char *const *)from, (const char *const *)to, count));
done:
    for (size_t i = 0; i < count; i++) {
        if (from) dlda_release(from[i]);
        if (to) dlda_release(to[i]);
        free(entries[i]);
    }
    dlda_release(from);
    dlda_release(to);
    free(entries);
    return status;
}

int data_convert(const cli_arguments *arguments)
{
    conversion self = { .arguments = arguments,
                        .is_json = option_is(arguments->options, "json", "true"),
                        .json = { .file = stdout } };
    const char *folder = option_text(arguments->options, "output");
    int code = check_folder(arguments->options);

    if (code != EXIT_OK) return code;
    folders_make_parents(folder);
    code = exit_code_of(name, dlda_folder_make_temporary(folder, &self.fresh));
    if (code != EXIT_OK) return code;
    if (self.is_json) begin_json(&self);
    code = convert_parts(&self);
    if (code == EXIT_OK)
        code = exit_code_of(name, dlda_path_exists(folder) ? move_into(self.fresh, folder)
                                                           : dlda_path_move(self.fresh, folder));
    if (self.is_json) end_json(&self);
    dlda_folder_remove(self.fresh);
    dlda_release(self.fresh);
    return code;
}
