/* SPDX-License-Identifier: MIT
 *
 * eval_out.c - prints the figures of an evaluation.
 */
#include "eval_out.h"
#include "json_out.h"
#include "table.h"

#include <stdio.h>

static const char *const kind_names[] = {
    [DLDA_PAPER] = "paper", [DLDA_BAYES] = "bayes", [DLDA_SOFTMAX] = "softmax"
};

static double error_percent(const dlda_evaluation *evaluation)
{
    return 100.0 * (double)(evaluation->samples - evaluation->correct) / (double)evaluation->samples;
}

/* ---- JSON ---- */

static void add_number(json_out *json, const char *key, double value)
{
    json_key(json, key);
    json_number(json, value);
}

static void add_count(json_out *json, const char *key, size_t value)
{
    json_key(json, key);
    json_count(json, value);
}

static void add_text(json_out *json, const char *key, const char *value)
{
    json_key(json, key);
    json_text(json, value);
}

static void add_right(json_out *json, const dlda_evaluation *evaluation)
{
    add_number(json, "accuracy", evaluation->accuracy);
    add_number(json, "error_percent", error_percent(evaluation));
    add_count(json, "samples", evaluation->samples);
    add_count(json, "correct", evaluation->correct);
}

static void add_separation(json_out *json, const dlda_model *model)
{
    const dlda_lda *lda = dlda_model_lda(model);
    size_t count = 0, first = 0, second = 0;
    const double *values = dlda_lda_eigenvalues(lda, &count);
    double distance = dlda_lda_nearest_classes(lda, &first, &second);

    json_key(json, "eigenvalues");
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) json_number(json, values[i]);
    json_close(json, ']');
    add_number(json, "mean_separation", dlda_lda_mean_separation(lda));
    json_key(json, "nearest_classes");
    json_open(json, '{');
    add_text(json, "first", dlda_model_class_name(model, first));
    add_text(json, "second", dlda_model_class_name(model, second));
    add_number(json, "distance", distance);
    json_close(json, '}');
}

static void add_classes(json_out *json, const dlda_model *model, const dlda_evaluation *evaluation)
{
    json_key(json, "classes");
    json_open(json, '[');
    for (size_t c = 0; c < evaluation->classes; c++) {
        json_open(json, '{');
        add_text(json, "name", dlda_model_class_name(model, c));
        add_count(json, "samples", evaluation->class_samples[c]);
        add_number(json, "recall", evaluation->recall[c]);
        add_number(json, "precision", evaluation->precision[c]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_confusion(json_out *json, const dlda_evaluation *evaluation)
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

static void add_calibration(json_out *json, const dlda_evaluation *evaluation)
{
    json_key(json, "calibration");
    json_open(json, '[');
    for (size_t b = 0; b < evaluation->bins; b++) {
        json_open(json, '{');
        add_count(json, "samples", evaluation->bin_samples[b]);
        add_number(json, "confidence", evaluation->bin_confidence[b]);
        add_number(json, "accuracy", evaluation->bin_accuracy[b]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_svm(json_out *json, const eval_result *result)
{
    json_key(json, "svm");
    json_open(json, '{');
    add_right(json, result->svm_evaluation);
    add_number(json, "cost", dlda_svm_cost(result->svm));
    add_number(json, "cross_validated_accuracy", dlda_svm_accuracy(result->svm));
    add_text(json, "train_data", result->svm_data);
    add_count(json, "train_samples", result->svm_samples);
    add_confusion(json, result->svm_evaluation);
    json_close(json, '}');
}

void eval_write_json(const eval_result *result)
{
    json_out json = { .file = stdout };
    const dlda_evaluation *evaluation = result->evaluation;

    json_open(&json, '{');
    add_right(&json, evaluation);
    add_number(&json, "log_loss", evaluation->log_loss);
    add_number(&json, "calibration_error", evaluation->calibration_error);
    add_text(&json, "head", result->kind == DLDA_SOFTMAX ? "softmax" : "lda");
    add_text(&json, "probability", kind_names[result->kind]);
    add_separation(&json, result->model);
    add_classes(&json, result->model, evaluation);
    add_confusion(&json, evaluation);
    add_calibration(&json, evaluation);
    if (result->svm) add_svm(&json, result);
    json_close(&json, '}');
    fputc('\n', stdout);
}

/* ---- Text ---- */

static void print_nearest(const dlda_model *model)
{
    size_t first = 0, second = 0;
    double distance = dlda_lda_nearest_classes(dlda_model_lda(model), &first, &second);

    printf("mean separation %.4f; nearest classes ", dlda_lda_mean_separation(dlda_model_lda(model)));
    table_name(stdout, dlda_model_class_name(model, first));
    fputs(" and ", stdout);
    table_name(stdout, dlda_model_class_name(model, second));
    printf(": Mahalanobis distance %.4f\n", distance);
}

static void print_svm(const eval_result *result)
{
    const dlda_evaluation *evaluation = result->svm_evaluation;

    printf("\nlinear SVM on the projected features: accuracy %.2f %%, %zu of %zu correct, error %.2f %%\n",
           100 * evaluation->accuracy, evaluation->correct, evaluation->samples, error_percent(evaluation));
    printf("  trained on %zu samples of %s; cost %g, cross-validated accuracy there %.2f %%\n", result->svm_samples,
           result->svm_data, dlda_svm_cost(result->svm), 100 * dlda_svm_accuracy(result->svm));
}

void eval_write_text(const eval_result *result)
{
    const dlda_evaluation *evaluation = result->evaluation;

    table_evaluation(stdout, result->model, evaluation, "test");
    printf("\nerror %.2f %%; calibration error %.4f in %zu bins, probabilities: %s\n\n", error_percent(evaluation),
           evaluation->calibration_error, evaluation->bins, kind_names[result->kind]);
    table_eigenvalues(stdout, dlda_model_lda(result->model));
    print_nearest(result->model);
    if (result->svm) print_svm(result);
}
