/* SPDX-License-Identifier: MIT
 *
 * cmd_data_convert.c - `deeplda data convert`: writes a set in another format.
 */
#include "data/data.h"
#include "read_data.h"
#include "terminal/json_out.h"
#include "terminal/print.h"

#include <stdio.h>
#include <sys/stat.h>

static const char *const name = "data";

static dlda_data_format wanted_format(const cli_options *options)
{
    if (option_is(options, "to", "npy")) return DLDA_FORMAT_NPY;
    return option_is(options, "to", "png") ? DLDA_FORMAT_PNG : DLDA_FORMAT_IDX;
}

static int check_folder(const cli_options *options)
{
    const char *folder = option_text(options, "output");
    struct stat info;

    if (!folder[0]) return complain_usage(name, "convert needs a folder for the new files: -o FOLDER");
    if (lstat(folder, &info) != 0 || option_is(options, "force", "true")) return EXIT_OK;
    complain(name, "%s: already exists; choose another, or use --force to write into it", folder);
    return EXIT_FAILED;
}

/* ---- Results ---- */

typedef struct conversion {
    const cli_arguments *arguments;
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
    const cli_options *options = self->arguments->options;
    const char *folder = option_text(options, "output");
    dlda_dataset *dataset = NULL;
    int code = exit_code_of(name, data_open(spec, &dataset));

    if (code == EXIT_OK)
        code = exit_code_at(name, spec->path,
                            dlda_dataset_write(dataset, spec->part, wanted_format(options), folder));
    if (code == EXIT_OK) show_part(self, dataset, spec->part);
    if (other) data_use_size(other, dataset);
    dlda_dataset_destroy(dataset);
    return code;
}

int data_convert(const cli_arguments *arguments)
{
    conversion self = { .arguments = arguments,
                        .is_json = option_is(arguments->options, "json", "true"),
                        .json = { .file = stdout } };
    dlda_read_spec train = data_read_spec(arguments, DLDA_PART_TRAIN),
                   test = data_read_spec(arguments, DLDA_PART_TEST);
    int code = check_folder(arguments->options), has_test = dlda_dataset_has_part(&test);

    if (code != EXIT_OK) return code;
    if (self.is_json) begin_json(&self);
    if (dlda_dataset_has_part(&train) || !has_test) code = convert_part(&self, &train, &test);
    if (code == EXIT_OK && has_test) code = convert_part(&self, &test, NULL);
    if (self.is_json) end_json(&self);
    return code;
}
