/* SPDX-License-Identifier: MIT
 *
 * cmd_eval.c - `deeplda eval`: how good a model is on labelled data it has not been trained on.
 */
#include "data.h"
#include "eval_out.h"
#include "fit.h"
#include "split.h"

#include <stdio.h>

static const char *const name = "eval";

typedef struct evaluator {
    const dlda_options *options;
    const char *path, *data; /* of the model; of the test data */
    dlda_model *model;
    dlda_dataset *test;
    dlda_dataset *all, *train_part; /* of --svm; train_part is NULL if it is all of it */
    eval_result result;
} evaluator;

/* ---- Data ---- */

/* Reads a part of some data, and sees that the model can take them. */
static int read_part(const evaluator *self, const char *data, dlda_part part, const char *what, dlda_dataset **set)
{
    fit_size wanted = fit_of_model(self->model);
    dlda_read_spec spec = data_spec(name, self->options, data, part);

    dlda_read_spec_use_model(&spec, self->model);
    int code = exit_code_of(name, dlda_dataset_open(&spec, set));
    if (code == EXIT_OK) code = fit_images(name, data, what, *set, &wanted);
    if (code == EXIT_OK) code = fit_classes(name, data, what, *set, &wanted);
    return code;
}

/* Without --train-data it is the training part of the test data, which must then be another one than the test part. */
static int find_training_data(evaluator *self)
{
    const char *data = dlda_options_get(self->options, "train-data");
    dlda_read_spec test = data_spec(name, self->options, self->data, DLDA_TEST), train = test;

    train.part = DLDA_TRAIN;
    self->result.svm_data = data[0] ? data : self->data;
    if (data[0] || (dlda_dataset_has_part(&test) && dlda_dataset_has_part(&train))) return EXIT_OK;
    return complain_usage(name,
                          "%s: has no training part apart from the test images; --svm is trained on other "
                          "images: name them with --train-data DATA",
                          self->data);
}

/* The samples that the model was trained on, if these are its data: divided by the options of its training. */
static int read_training_data(evaluator *self)
{
    dlda_options *training = NULL;
    dlda_dataset *held_out = NULL;
    int code = find_training_data(self);

    if (code == EXIT_OK) code = exit_code_of(name, dlda_options_create(&training));
    if (code == EXIT_OK) code = exit_code_at(name, self->path, dlda_options_use_model(training, self->model));
    if (code == EXIT_OK) code = read_part(self, self->result.svm_data, DLDA_TRAIN, "training images", &self->all);
    if (code == EXIT_OK)
        code = split_training_data(name, self->result.svm_data, training, self->all, &self->train_part, &held_out);
    dlda_dataset_destroy(held_out);
    dlda_options_destroy(training);
    return code;
}

static int read_data(evaluator *self)
{
    int code = read_part(self, self->data, DLDA_TEST, "images", &self->test);

    if (code == EXIT_OK && option_is(self->options, "svm", "true")) code = read_training_data(self);
    return code;
}

/* ---- Work ---- */

static int evaluate_svm(evaluator *self, dlda_workspace *workspace)
{
    const dlda_dataset *train = self->train_part ? self->train_part : self->all;
    const dlda_svm_spec spec = { .seed = (uint64_t)option_number(self->options, "seed"),
                                 .threads = (size_t)option_number(self->options, "threads") };
    eval_result *result = &self->result;

    if (!train) return EXIT_OK;
    result->svm_samples = dlda_dataset_count(train);
    int code = exit_code_at(name, result->svm_data,
                            dlda_model_fit_svm(self->model, workspace, train, &spec, &result->svm));
    if (code == EXIT_OK)
        code = exit_code_at(
            name, self->data,
            dlda_model_evaluate_svm(self->model, workspace, result->svm, self->test, &result->svm_evaluation));
    return code;
}

static int evaluate(evaluator *self)
{
    eval_result *result = &self->result;
    dlda_workspace *workspace = NULL;
    int code = exit_code_of(
        name, dlda_workspace_create(self->model, option_batch(self->options, dlda_dataset_count(self->test)),
                                    (size_t)option_number(self->options, "threads"), &workspace));

    if (code == EXIT_OK)
        code = exit_code_at(
            name, self->data,
            dlda_model_evaluate(self->model, workspace, self->test, result->kind, &result->evaluation));
    if (code == EXIT_OK) code = evaluate_svm(self, workspace);
    dlda_workspace_destroy(workspace);
    return code;
}

/* ---- The command ---- */

static int load_model(evaluator *self)
{
    int softmax = option_is(self->options, "head", "softmax");
    int code = exit_code_of(name, dlda_model_load(self->path, &self->model));

    if (code == EXIT_OK && softmax) code = exit_code_at(name, self->path, dlda_model_require_softmax(self->model));
    self->result.model = self->model;
    self->result.kind = softmax ? DLDA_SOFTMAX : option_probability(self->options);
    return code;
}

static void release(evaluator *self)
{
    dlda_evaluation_destroy(self->result.svm_evaluation);
    dlda_svm_destroy(self->result.svm);
    dlda_evaluation_destroy(self->result.evaluation);
    dlda_dataset_destroy(self->train_part);
    dlda_dataset_destroy(self->all);
    dlda_dataset_destroy(self->test);
    dlda_model_destroy(self->model);
}

static int run_eval(const cli_arguments *arguments)
{
    evaluator self = { .options = arguments->options,
                       .path = arguments->words[0],
                       .data = arguments->n_words > 1 ? arguments->words[1] : "digits" };

    if (dlda_options_get(self.options, "train-data")[0] && !option_is(self.options, "svm", "true"))
        return complain_usage(name, "option train-data is for --svm, which was not given");
    int code = load_model(&self);
    if (code == EXIT_OK) code = read_data(&self);
    if (code == EXIT_OK) code = evaluate(&self);
    if (code == EXIT_OK && option_is(self.options, "json", "true")) eval_write_json(&self.result);
    else if (code == EXIT_OK) eval_write_text(&self.result);
    release(&self);
    return code;
}

const cli_command eval_command = {
    .name = "eval",
    .operands = "MODEL [DATA]",
    .least = 1,
    .most = 2,
    .summary = "Test a model on labelled data: accuracy, classes, confusion, eigenvalues.",
    .details =
        "DATA is digits (the default) or anything that train takes: the test part of a set that has one, else "
        "all of it. Images are brought to the model's colours, and to its size if it was trained with --resize; "
        "classes go by their names.\n"
        "Prints accuracy and error, the figures of each class, the confusion matrix, log loss and expected "
        "calibration error (15 bins), the eigenvalues, and the two classes whose means are nearest. A model that "
        "was "
        "trained with --objective cce can be judged by its softmax too: --head softmax. --svm compares with a "
        "linear "
        "SVM on the projected features. docs/evaluation.md explains the figures.",
    .examples = "deeplda eval run/model.safetensors digits\n"
                "deeplda eval run/model.safetensors ~/mnist --json\n"
                "deeplda eval run/model.safetensors digits --proba bayes --svm\n"
                "deeplda eval runs/cce/model.safetensors digits --head softmax",
    .run = run_eval,
};
