/* SPDX-License-Identifier: MIT
 *
 * cmd_embed.c - `deeplda embed`: writes the features of data as a NumPy array or as CSV.
 */
#include "base/file.h"
#include "find_model.h"
#include "fit.h"
#include "ranks.h"
#include "read_data.h"
#include "run_data.h"
#include "terminal/json_out.h"
#include "terminal/print.h"

#include <stdio.h>
#include <string.h>

static const char *const name = "embed";

/* The requested part; if the set has no parts, all of it. */
static dlda_part choose_part(const cli_options *options, const dlda_read_spec *spec)
{
    dlda_read_spec test = *spec;

    if (!option_is(options, "from", "auto"))
        return option_is(options, "from", "train") ? DLDA_PART_TRAIN : DLDA_PART_TEST;
    test.part = DLDA_PART_TEST;
    return dlda_dataset_has_part(&test) ? DLDA_PART_TEST : DLDA_PART_TRAIN;
}

/* Reads images, with labels if there are any. */
static int read_data(const cli_options *options, const char *path, const dlda_model *model, dlda_dataset **data)
{
    fit_size wanted = fit_of_model(model);
    dlda_read_spec spec = data_spec(name, options, path, DLDA_PART_TEST);

    spec.part = choose_part(options, &spec);
    dlda_read_spec_use_model(&spec, model);
    int code = exit_code_of(name, dlda_dataset_has_labels(&spec) ? data_open(&spec, data)
                                                                 : data_open_images(&spec, data));
    return code == EXIT_OK ? fit_images(name, path, "images", *data, &wanted) : code;
}

static dlda_status embed(const cli_options *options, const dlda_model *model, const dlda_dataset *data,
                         const char *output)
{
    dlda_workspace *workspace = NULL;
    dlda_status status = dlda_workspace_create(model, option_batch(options, dlda_dataset_count(data)),
                                               (size_t)option_number(options, "threads"), &workspace);

    if (status == DLDA_OK)
        status = dlda_model_write_features_over(ranks_comm(), model, workspace, data,
                                                option_is(options, "raw", "true"), output);
    dlda_workspace_destroy(workspace);
    return status;
}

/* ---- Results ---- */

static size_t columns_of(const cli_options *options, const dlda_model *model)
{
    size_t directions = 0;

    dlda_lda_eigenvalues(dlda_model_lda(model), &directions);
    return option_is(options, "raw", "true") ? dlda_model_features(model) : directions;
}

/* "F_labels.npy" for "F.npy". */
static void labels_name(const char *output, char *text, size_t size)
{
    size_t length = strlen(output), end = length > 4 && strcmp(output + length - 4, ".npy") == 0 ? 4 : 0;

    snprintf(text, size, "%.*s_labels.npy", (int)(length - end), output);
}

static void print_result(const cli_options *options, const dlda_model *model, const dlda_dataset *data)
{
    const char *output = option_text(options, "output");
    size_t rows = dlda_dataset_count(data), columns = columns_of(options, model);
    int labelled = dlda_dataset_label(data, 0) >= 0 && !dlda_path_ends(output, ".csv");
    char labels[8192];

    labels_name(output, labels, sizeof labels);
    if (option_is(options, "json", "true")) {
        json_out json = { .file = stdout };
        json_open(&json, '{');
        json_key(&json, "features");
        json_text(&json, output);
        json_key(&json, "labels");
        if (labelled) json_text(&json, labels);
        else json_raw(&json, "null");
        json_key(&json, "rows");
        json_count(&json, rows);
        json_key(&json, "columns");
        json_count(&json, columns);
        json_close(&json, '}');
        fputc('\n', stdout);
        return;
    }
    print("written:\n  %s  %zu x %zu\n", output, rows, columns);
    if (labelled) print("  %s\n", labels);
}

/* ---- The command ---- */

/* If no data are named, those of the run. */
static int find_data(const cli_arguments *arguments, const dlda_model *model, run_data *run)
{
    const char *given = arguments->words[0];

    if (arguments->n_words > 1) return EXIT_OK;
    int code = run_data_find_for(name, given, model, arguments->options, run);
    if (code == EXIT_OK) print_to(stderr, "features of the run's own data, %s\n", run->path);
    return code;
}

static int run_embed(const cli_arguments *arguments)
{
    const cli_options *options = arguments->options;
    const char *output = option_text(options, "output");
    dlda_model *model = NULL;
    dlda_dataset *data = NULL;
    run_data run = { 0 };

    if (!output[0]) return complain_usage(name, "expected -o FEATURES.npy");
    if (!dlda_path_ends(output, ".npy") && !dlda_path_ends(output, ".csv"))
        return complain_usage(name, "option output: found '%s', expected a name that ends in .npy or .csv", output);
    int code = model_open(name, arguments->words[0], &model);
    if (code == EXIT_OK) code = find_data(arguments, model, &run);
    const char *path = run.path ? run.path : arguments->words[1];
    if (code == EXIT_OK) code = read_data(run.reading ? run.reading : options, path, model, &data);
    if (code == EXIT_OK) {
        dlda_status status = embed(options, model, data, output);
        code = status == DLDA_E_IO ? exit_code_of(name, status) : exit_code_at(name, path, status);
    }
    if (code == EXIT_OK) print_result(options, model, data);
    dlda_dataset_destroy(data);
    dlda_model_destroy(model);
    run_data_release(&run);
    return code;
}

const cli_command embed_command = {
    .name = "embed",
    .operands = "MODEL [DATA] -o FEATURES.npy",
    .least = 1,
    .most = 2,
    .summary = "Write the features that a model computes, for NumPy and other programs.",
    .details = "MODEL is a model file or a run folder. DATA is anything that train or predict takes; without it, "
               "the data of the model's run. Of a set with two parts the test part is used, "
               "unless --from selects the other. FEATURES.npy has a row for each image, in the order of the "
               "data: its coordinates on the LDA directions, sorted by decreasing eigenvalue and scaled so that "
               "the within-class variance is 1; with --raw, the output of the network. If the data has labels, "
               "FEATURES_labels.npy gets them, as indices into the model's classes; otherwise an existing file "
               "of that name is removed. FEATURES.csv has a header and the names of the classes in a last column.",
    .examples = "deeplda embed run -o test.npy\n"
                "deeplda embed run/model.safetensors digits --from train --raw -o train.npy\n"
                "deeplda lda test.npy",
    .run = run_embed,
};
