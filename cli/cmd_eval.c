/* SPDX-License-Identifier: MIT
 *
 * cmd_eval.c - `deeplda eval`: how good a model is on labelled data it has not been trained on.
 */
#include "fit.h"
#include "json_out.h"
#include "table.h"

static const char *const name = "eval";

/* ---- JSON ---- */

static void write_eigenvalues(json_out *json, const dlda_lda *lda)
{
    size_t count = 0;
    const double *values = dlda_lda_eigenvalues(lda, &count);

    json_key(json, "eigenvalues");
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) json_number(json, values[i]);
    json_close(json, ']');
}

static void write_classes(json_out *json, const dlda_model *model, const dlda_evaluation *evaluation)
{
    json_key(json, "classes");
    json_open(json, '[');
    for (size_t c = 0; c < evaluation->classes; c++) {
        json_open(json, '{');
        json_key(json, "name");
        json_text(json, dlda_model_class_name(model, c));
        json_key(json, "samples");
        json_count(json, evaluation->class_samples[c]);
        json_key(json, "recall");
        json_number(json, evaluation->recall[c]);
        json_key(json, "precision");
        json_number(json, evaluation->precision[c]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_confusion(json_out *json, const dlda_evaluation *evaluation)
{
    size_t classes = evaluation->classes;

    json_key(json, "confusion");
    json_open(json, '[');
    for (size_t row = 0; row < classes; row++) {
        json_open(json, '[');
        for (size_t c = 0; c < classes; c++) json_count(json, evaluation->confusion[row * classes + c]);
        json_close(json, ']');
    }
    json_close(json, ']');
}

static void write_json(const dlda_model *model, const dlda_evaluation *evaluation)
{
    json_out json = { .file = stdout };
    size_t wrong = evaluation->samples - evaluation->correct;

    json_open(&json, '{');
    json_key(&json, "accuracy");
    json_number(&json, evaluation->accuracy);
    json_key(&json, "error_percent");
    json_number(&json, 100.0 * (double)wrong / (double)evaluation->samples);
    json_key(&json, "samples");
    json_count(&json, evaluation->samples);
    json_key(&json, "correct");
    json_count(&json, evaluation->correct);
    json_key(&json, "log_loss");
    json_number(&json, evaluation->log_loss);
    write_eigenvalues(&json, dlda_model_lda(model));
    write_classes(&json, model, evaluation);
    write_confusion(&json, evaluation);
    json_close(&json, '}');
    fputc('\n', stdout);
}

/* ---- The command ---- */

static void write_text(const dlda_model *model, const dlda_evaluation *evaluation)
{
    table_evaluation(stdout, model, evaluation, "test");
    fputc('\n', stdout);
    table_eigenvalues(stdout, dlda_model_lda(model));
}

/* Reads the test data, and sees that the model can take them. */
static int read_data(const dlda_options *options, const char *data, const dlda_model *model, dlda_dataset **test)
{
    fit_size wanted = fit_of_model(model);
    const dlda_read_spec spec = { .path = data, .part = DLDA_TEST, .label = dlda_options_get(options, "label") };
    int code = exit_code_of(name, dlda_dataset_open(&spec, test));

    if (code == EXIT_OK) code = fit_images(name, data, "images", *test, &wanted);
    if (code == EXIT_OK) code = fit_classes(name, data, "images", *test, &wanted);
    return code;
}

static dlda_status evaluate(const dlda_options *options, const dlda_model *model, const dlda_dataset *test,
                            dlda_evaluation **evaluation)
{
    dlda_workspace *workspace = NULL;
    dlda_status status = dlda_workspace_create(model, option_batch(options, dlda_dataset_count(test)),
                                               (size_t)option_number(options, "threads"), &workspace);

    if (status == DLDA_OK)
        status = dlda_model_evaluate(model, workspace, test, option_probability(options), evaluation);
    dlda_workspace_destroy(workspace);
    return status;
}

static int run_eval(const cli_arguments *arguments)
{
    const dlda_options *options = arguments->options;
    const char *data = arguments->n_words > 1 ? arguments->words[1] : "digits";
    dlda_model *model = NULL;
    dlda_dataset *test = NULL;
    dlda_evaluation *evaluation = NULL;

    int code = exit_code_of(name, dlda_model_load(arguments->words[0], &model));
    if (code == EXIT_OK) code = read_data(options, data, model, &test);
    if (code == EXIT_OK) code = exit_code_at(name, data, evaluate(options, model, test, &evaluation));
    if (code == EXIT_OK && option_is(options, "json", "true")) write_json(model, evaluation);
    else if (code == EXIT_OK) write_text(model, evaluation);

    dlda_evaluation_destroy(evaluation);
    dlda_dataset_destroy(test);
    dlda_model_destroy(model);
    return code;
}

const cli_command eval_command = {
    .name = "eval",
    .operands = "MODEL [DATA]",
    .least = 1,
    .most = 2,
    .summary = "Test a model on labelled data: accuracy, classes, confusion, eigenvalues.",
    .details =
        "DATA is digits (the default), or what train takes: a folder or an .npz file, of which the test part is "
        "used, an IDX image file or an .npy file with its labels beside it, or a CSV table.",
    .examples = "deeplda eval run/model.safetensors digits\n"
                "deeplda eval run/model.safetensors ~/mnist --json",
    .run = run_eval,
};
