/* SPDX-License-Identifier: MIT
 *
 * cmd_eval.c - `deeplda eval`: tests a model on labelled data.
 */
#include "base/memory.h"
#include "eval/eval_out.h"
#include "eval/eval_side.h"
#include "ranks.h"
#include "read_data.h"
#include "terminal/print.h"

#include <stdio.h>
#include <string.h>

typedef struct evaluator {
    const cli_options *options;
    eval_side first, second;        /* second: of --compare; its path is "" without                        */
    run_data run;                   /* of the first model, if no data are given                            */
    dlda_dataset *all, *train_part; /* of --svm: all training data; those samples the model was trained on */
    sample_answers svm_answers;
    eval_comparison comparison;
    mistake_list mistakes;
    eval_result result;
} evaluator;

static int is_given(const evaluator *self, const char *option)
{
    return option_text(self->options, option)[0] != '\0';
}

static int wants_svm(const evaluator *self)
{
    return option_is(self->options, "svm", "true");
}

/* ---- The command line ---- */

/* A file of answers can only be compared with another one. */
static int check_answers_file(const evaluator *self, const cli_arguments *arguments)
{
    if (!is_given(self, "compare"))
        return complain_usage(eval_name,
                              "%s: is a CSV file, not a model; only a file of --answers can be compared: --compare "
                              "OTHER.csv",
                              self->first.path);
    if (arguments->n_words > 1 || !answers_is_file(self->second.path))
        return complain_usage(eval_name,
                              "%s: is a file of answers, which needs another such file and no data; found %s",
                              self->first.path, arguments->n_words > 1 ? arguments->words[1] : self->second.path);
    if (wants_svm(self) || is_given(self, "answers") || option_is_given(self->options, "head") ||
        option_is_given(self->options, "mistakes"))
        return complain_usage(eval_name,
                              "%s: --svm, --answers, --mistakes and --head are for models, found a file of answers",
                              self->first.path);
    return EXIT_OK;
}

static int check_usage(const evaluator *self, const cli_arguments *arguments)
{
    int has_head = option_is_given(self->options, "compare-head");

    if (is_given(self, "train-data") && !wants_svm(self))
        return complain_usage(eval_name, "option train-data is for --svm, which was not given");
    if (has_head && !is_given(self, "compare"))
        return complain_usage(eval_name, "option compare-head is for --compare, which was not given");
    if (has_head && answers_is_file(self->second.path))
        return complain_usage(eval_name, "%s: --compare-head is for models, found a file of answers",
                              self->second.path);
    return answers_is_file(self->first.path) ? check_answers_file(self, arguments) : EXIT_OK;
}

/* ---- Data ---- */

/* If no data are given, the model is tested as its run was. */
static int use_run_data(evaluator *self)
{
    const char *path = self->first.path;

    if (self->first.data || !self->first.model) return EXIT_OK;
    int code = run_data_find_for(eval_name, path, self->first.model, self->options, &self->run);
    if (code != EXIT_OK) return code;
    self->first.run = self->second.run = &self->run;
    self->first.data = self->second.data = self->run.path;
    return EXIT_OK;
}

/* Says on what a model is tested that was given without data. */
static void tell_run_data(const evaluator *self)
{
    int test = strcmp(self->run.part, "test") == 0;

    print_to(stderr, "testing on the run's own data, %s: %s\n", self->run.path,
             test ? "test part"
                  : "there is no test part, so on the samples held out for validation, which chose the best epoch");
    if (!test && self->second.model && !run_data_is_divided_as(&self->run, self->second.model))
        print_to(stderr,
                 "%s was trained with another division of its data: it may have seen some of these samples\n",
                 self->second.path);
}

static void name_part(evaluator *self)
{
    const char *data = self->first.data;

    if (!data) return;
    dlda_read_spec spec = data_spec(eval_name, self->options, data, DLDA_PART_TEST);
    self->result.data = data;
    self->result.part = self->first.run ? self->run.part : dlda_dataset_has_part(&spec) ? "test" : "all";
    if (self->first.run) tell_run_data(self);
}

/* Samples drawn by classes that another model has in another order may be other samples. */
static int check_pairs(const evaluator *self)
{
    const dlda_dataset *first = self->first.test, *second = self->second.test;

    for (size_t i = 0; self->first.run && second && i < dlda_dataset_count(first); i++)
        if (dlda_dataset_sample_index(first, i) != dlda_dataset_sample_index(second, i)) {
            complain(eval_name,
                     "%s, %s: their classes are in different orders, so that they would be tested on different "
                     "samples of %s; name a test set: deeplda eval %s DATA",
                     self->first.path, self->second.path, self->first.data, self->first.path);
            return EXIT_FAILED;
        }
    return EXIT_OK;
}

/* Without --train-data, the SVM uses the training part of the test data, which must differ from the test part. */
static int find_training_data(evaluator *self)
{
    const char *data = option_text(self->options, "train-data"), *test_data = self->first.data;
    dlda_read_spec test = data_spec(eval_name, self->options, test_data, DLDA_PART_TEST), train = test;

    train.part = DLDA_PART_TRAIN;
    self->result.svm_data = data[0] ? data : test_data;
    if (data[0] || self->first.run || (dlda_dataset_has_part(&test) && dlda_dataset_has_part(&train)))
        return EXIT_OK;
    return complain_usage(eval_name,
                          "%s: has no training part apart from the test images; --svm is trained on other "
                          "images: name them with --train-data DATA",
                          test_data);
}

/* The samples that the model was trained on, if this is its training data: divided by the
 * options of the training. */
static int read_training_data(evaluator *self)
{
    const char *data = NULL;
    cli_options *training = NULL;
    dlda_dataset *held_out = NULL;
    int code = find_training_data(self);

    data = self->result.svm_data;
    if (code == EXIT_OK) code = exit_code_of(eval_name, options_create(&training));
    if (code == EXIT_OK)
        code = exit_code_at(eval_name, self->first.path,
                            dlda_options_use_model(training->training, self->first.model));
    if (code == EXIT_OK)
        code = eval_side_read_part(&self->first, data, DLDA_PART_TRAIN, "training images", &self->all);
    if (code == EXIT_OK) code = data_divide(eval_name, data, training, self->all, &self->train_part, &held_out);
    dlda_dataset_destroy(held_out);
    options_destroy(training);
    return code;
}

/* Everything is read before the first image is classified, so that errors show at once. */
static int read_all(evaluator *self)
{
    int code = eval_side_open(&self->first);

    if (code == EXIT_OK && is_given(self, "compare")) code = eval_side_open(&self->second);
    if (code == EXIT_OK) code = use_run_data(self);
    if (code == EXIT_OK) code = eval_side_read(&self->first);
    if (code == EXIT_OK) code = eval_side_read(&self->second);
    if (code == EXIT_OK) code = check_pairs(self);
    if (code == EXIT_OK && wants_svm(self)) code = read_training_data(self);
    return code;
}

/* ---- Work ---- */

static int fit_and_test_svm(evaluator *self, dlda_workspace *workspace)
{
    const dlda_dataset *train = self->train_part;
    const eval_side *side = &self->first;
    const dlda_svm_spec spec = { .seed = (uint64_t)option_number(self->options, "seed"),
                                 .threads = (size_t)option_number(self->options, "threads") };
    eval_result *result = &self->result;

    result->svm_samples = dlda_dataset_count(train);
    int code = exit_code_at(eval_name, result->svm_data,
                            dlda_model_fit_svm(side->model, workspace, train, &spec, &result->svm));
    if (code == EXIT_OK)
        code = exit_code_at(
            eval_name, side->data,
            dlda_model_evaluate_svm(side->model, workspace, result->svm, side->test, &result->svm_evaluation));
    if (code == EXIT_OK)
        code = answers_of_model(&self->svm_answers, eval_name, side->model, side->test, result->svm_evaluation);
    return code;
}

static int evaluate_svm(evaluator *self)
{
    const answers_pair pair = { &self->first.answers, &self->svm_answers, "the model", "the SVM" };
    dlda_workspace *workspace = NULL;

    if (!wants_svm(self)) return EXIT_OK;
    int code = eval_side_workspace(&self->first, &workspace);
    if (code == EXIT_OK) code = fit_and_test_svm(self, workspace);
    if (code == EXIT_OK) code = answers_compare(eval_name, &pair, &self->result.svm_pairs);
    dlda_workspace_destroy(workspace);
    return code;
}

static int compare(evaluator *self)
{
    const eval_side *const sides[] = { &self->first, &self->second };
    const answers_pair pair = { &self->first.answers, &self->second.answers, self->first.path, self->second.path };

    if (!is_given(self, "compare")) return EXIT_OK;
    for (int i = 0; i < 2; i++) {
        self->comparison.names[i] = sides[i]->path;
        self->comparison.heads[i] = sides[i]->model ? eval_head_name(sides[i]->kind) : NULL;
    }
    self->result.comparison = &self->comparison;
    return answers_compare(eval_name, &pair, &self->comparison.pairs);
}

static int write_answers(const evaluator *self)
{
    if (!is_given(self, "answers") || !ranks_writes()) return EXIT_OK;
    return answers_write(eval_name, option_text(self->options, "answers"), &self->first.answers,
                         self->first.evaluation, self->result.svm ? &self->svm_answers : NULL);
}

static int find_mistakes(evaluator *self)
{
    const eval_side *side = &self->first;
    size_t most = (size_t)option_number(self->options, "mistakes");
    mistake_list *list = &self->mistakes;

    if (most == 0) return EXIT_OK;
    *list = (mistake_list){ .model = side->model, .samples = side->test, .evaluation = side->evaluation };
    self->result.mistakes = list;
    return exit_code_of(eval_name, hardest_first(side->evaluation, dlda_dataset_labels(side->test), most,
                                                 &list->order, &list->count));
}

static int evaluate(evaluator *self)
{
    int code = eval_side_evaluate(&self->first);

    if (code == EXIT_OK) code = eval_side_evaluate(&self->second);
    if (code == EXIT_OK) code = compare(self);
    if (code == EXIT_OK) code = evaluate_svm(self);
    if (code == EXIT_OK) code = find_mistakes(self);
    if (code == EXIT_OK) code = write_answers(self);
    return code;
}

/* ---- The command ---- */

static void print_results(evaluator *self)
{
    self->result.model = self->first.model;
    self->result.kind = self->first.kind;
    self->result.evaluation = self->first.evaluation;
    if (option_is(self->options, "json", "true")) eval_write_json(&self->result);
    else eval_write_text(&self->result);
}

static void release(evaluator *self)
{
    dlda_release(self->mistakes.order);
    answers_release(&self->svm_answers);
    dlda_evaluation_destroy(self->result.svm_evaluation);
    dlda_svm_destroy(self->result.svm);
    dlda_dataset_destroy(self->train_part);
    dlda_dataset_destroy(self->all);
    eval_side_release(&self->second);
    eval_side_release(&self->first);
    run_data_release(&self->run);
}

static int run_eval(const cli_arguments *arguments)
{
    const cli_options *options = arguments->options;
    const char *data = arguments->n_words > 1 ? arguments->words[1] : NULL;
    evaluator self = { .options = options,
                       .first = { .options = options,
                                  .path = arguments->words[0],
                                  .data = data,
                                  .kind = option_probability(options, "head") },
                       .second = { .options = options,
                                   .path = option_text(options, "compare"),
                                   .data = data,
                                   .kind = option_probability(options, "compare-head") } };
    int code = check_usage(&self, arguments);

    if (code == EXIT_OK) code = read_all(&self);
    if (code == EXIT_OK) name_part(&self);
    if (code == EXIT_OK) code = evaluate(&self);
    if (code == EXIT_OK) print_results(&self);
    release(&self);
    return code;
}

const cli_command eval_command = {
    .name = "eval",
    .operands = "MODEL [DATA]",
    .least = 1,
    .most = 2,
    .summary = "Test a model on labelled data: accuracy, classes, confusion, eigenvalues; compare two models.",
    .details =
        "MODEL is a model file or a run folder. DATA is anything that train takes; of a set with two parts "
        "the test part is used. Without DATA, the model is tested on the data of its run: their test part, or "
        "else the samples held out for validation. Images are converted to the model's channels, and to its size "
        "if it was trained with "
        "--resize; classes are matched by name.\n"
        "Prints accuracy with its 95 % interval and error, the figures of each class, the confusion "
        "matrix, log loss and expected calibration error (15 bins), the eigenvalues, and the two classes "
        "with the closest means. --head softmax evaluates the softmax of a model trained with --objective "
        "cce. --svm compares with a linear SVM on the projected features. --mistakes N lists the worst "
        "mistakes with their files.\n"
        "--compare MODEL tests another model on the same samples and reports whether the difference is "
        "significant: McNemar's exact test, and the difference of the accuracies with its interval. "
        "--answers FILE.csv writes the prediction for each sample; such files can be compared instead of "
        "models: deeplda eval A.csv --compare B.csv. docs/evaluation.md explains the figures.",
    .examples = "deeplda eval run\n"
                "deeplda eval run --mistakes 20\n"
                "deeplda eval run/model.safetensors ~/mnist --json\n"
                "deeplda eval run digits --proba paper --svm\n"
                "deeplda eval runs/cce digits --head softmax\n"
                "deeplda eval run --compare runs/cce\n"
                "deeplda eval run digits --answers answers.csv",
    .run = run_eval,
};
