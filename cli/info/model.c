/* SPDX-License-Identifier: MIT
 *
 * model.c - describes a model file.
 */
#include "info/info.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <stdio.h>

static const char *const name = "info";

static void write_model_json(const dlda_model *model, const memory_need *need)
{
    json_out json = { .file = stdout };
    size_t count = 0;
    const double *values = dlda_lda_eigenvalues(dlda_model_lda(model), &count);

    json_open(&json, '{');
    json_key(&json, "kind");
    json_text(&json, "model");
    info_write_shape(&json, "input", dlda_model_height(model), dlda_model_width(model), dlda_model_channels(model));
    json_key(&json, "preparation");
    json_text(&json, dlda_model_preparation(model));
    json_key(&json, "parameters");
    json_count(&json, dlda_model_parameters(model));
    json_key(&json, "features");
    json_count(&json, dlda_model_features(model));
    info_write_memory_json(&json, need);
    json_key(&json, "classes");
    json_open(&json, '[');
    for (size_t c = 0; c < dlda_model_classes(model); c++) json_text(&json, dlda_model_class_name(model, c));
    json_close(&json, ']');
    json_add_number(&json, "temperature", dlda_model_temperature(model, DLDA_PROBABILITY_BAYES));
    json_add_count(&json, "calibration_samples", dlda_model_calibration_samples(model));
    json_key(&json, "eigenvalues");
    json_open(&json, '[');
    for (size_t i = 0; i < count; i++) json_number(&json, values[i]);
    json_close(&json, ']');
    json_key(&json, "network");
    json_text(&json, dlda_model_network_text(model));
    json_key(&json, "options");
    json_raw(&json, dlda_model_options_json(model));
    json_close(&json, '}');
    fputc('\n', stdout);
}

static void write_model_text(const dlda_model *model, const char *path, const char *description,
                             const memory_need *need)
{
    print("%s: a DeepLDA model\n", path);
    if (dlda_model_height(model) * dlda_model_width(model) == 1)
        print("input       rows of %zu numbers\n", dlda_model_channels(model));
    else
        print("input       %zu x %zu x %zu (height, width, channels)\n", dlda_model_height(model),
              dlda_model_width(model), dlda_model_channels(model));
    print("preparation %s\n", dlda_model_preparation(model));
    print("features    %zu\n", dlda_model_features(model));
    print("parameters  %zu\n", dlda_model_parameters(model));
    print("classes     %zu:", dlda_model_classes(model));
    for (size_t c = 0; c < dlda_model_classes(model); c++) {
        fputc(' ', stdout);
        table_name(stdout, dlda_model_class_name(model, c));
    }
    fputs("\ncalibration ", stdout);
    table_calibration(stdout, model, DLDA_PROBABILITY_BAYES);
    fputs("\n\n", stdout);
    table_text(stdout, description);
    info_write_memory_text(need);
    fputc('\n', stdout);
    table_eigenvalues(stdout, dlda_model_lda(model));
    fputs("\noptions of the training\n", stdout);
    table_text(stdout, dlda_model_options_json(model));
    fputc('\n', stdout);
}

int info_show_model(const char *path, const cli_options *options)
{
    dlda_model *model = NULL;
    memory_need need = { 0 };
    char *description = NULL;
    dlda_status status = dlda_model_load(path, &model);

    if (status == DLDA_OK)
        status = dlda_network_text_describe(dlda_model_network_text(model), path, dlda_model_height(model),
                                            dlda_model_width(model), dlda_model_channels(model), &description);
    if (status == DLDA_OK)
        status = info_ask_memory(
            options, (dlda_memory_spec){ .text = dlda_model_network_text(model), .where = path }, &need);
    int code = exit_code_of(name, status);
    if (code == EXIT_OK && info_is_json(options)) write_model_json(model, &need);
    else if (code == EXIT_OK) write_model_text(model, path, description, &need);
    dlda_text_destroy(description);
    dlda_model_destroy(model);
    return code;
}
