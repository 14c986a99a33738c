/* SPDX-License-Identifier: MIT
 *
 * eval_out.c - prints the results of an evaluation as text or JSON.
 */
#include "eval/eval_out.h"
#include "eval/compare_out.h"
#include "terminal/json_out.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
    [DLDA_PROBABILITY_PAPER] = "paper", [DLDA_PROBABILITY_BAYES] = "bayes", [DLDA_PROBABILITY_SOFTMAX] = "softmax"
};

const char *eval_head_name(dlda_probability kind)
{
    return kind == DLDA_PROBABILITY_SOFTMAX ? "softmax" : "lda";
}

static double error_percent(const dlda_evaluation *evaluation)
{
    return 100.0 * (double)(evaluation->samples - evaluation->correct) / (double)evaluation->samples;
}

/* ---- JSON ---- */

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
    json_add_number(json, "mean_separation", dlda_lda_mean_separation(lda));
    json_key(json, "nearest_classes");
    json_open(json, '{');
    json_add_text(json, "first", dlda_model_class_name(model, first));
    json_add_text(json, "second", dlda_model_class_name(model, second));
    json_add_number(json, "distance", distance);
    json_close(json, '}');
}

static void add_classes(json_out *json, const dlda_model *model, const dlda_evaluation *evaluation)
{
    json_key(json, "classes");
    json_open(json, '[');
    for (size_t c = 0; c < evaluation->classes; c++) {
        json_open(json, '{');
        json_add_text(json, "name", dlda_model_class_name(model, c));
        json_add_count(json, "samples", evaluation->class_samples[c]);
        json_add_number(json, "recall", evaluation->recall[c]);
        json_add_number(json, "precision", evaluation->precision[c]);
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
        json_add_count(json, "samples", evaluation->bin_samples[b]);
        json_add_number(json, "confidence", evaluation->bin_confidence[b]);
        json_add_number(json, "accuracy", evaluation->bin_accuracy[b]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_svm(json_out *json, const eval_result *result)
{
    json_key(json, "svm");
    json_open(json, '{');
    compare_add_accuracy(json, result->svm_evaluation->correct, result->svm_evaluation->samples);
    compare_add_pairs(json, &result->svm_pairs);
    json_add_number(json, "cost", dlda_svm_cost(result->svm));
    json_add_number(json, "cross_validated_accuracy", dlda_svm_accuracy(result->svm));
    json_add_text(json, "train_data", result->svm_data);
    json_add_count(json, "train_samples", result->svm_samples);
    add_confusion(json, result->svm_evaluation);
    json_close(json, '}');
}

static void add_evaluation(json_out *json, const eval_result *result)
{
    const dlda_evaluation *evaluation = result->evaluation;

    json_add_text(json, "data", result->data);
    json_add_text(json, "part", result->part);
    compare_add_accuracy(json, evaluation->correct, evaluation->samples);
    json_add_number(json, "log_loss", evaluation->log_loss);
    json_add_number(json, "calibration_error", evaluation->calibration_error);
    json_add_text(json, "head", eval_head_name(result->kind));
    json_add_text(json, "probability", kind_names[result->kind]);
    json_add_number(json, "temperature", dlda_model_temperature(result->model, result->kind));
    json_add_count(json, "calibration_samples", dlda_model_calibration_samples(result->model));
    add_separation(json, result->model);
    add_classes(json, result->model, evaluation);
    add_confusion(json, evaluation);
    add_calibration(json, evaluation);
    if (result->mistakes) mistakes_write_json(result->mistakes, json);
    if (result->svm) add_svm(json, result);
}

void eval_write_json(const eval_result *result)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    if (result->model) add_evaluation(&json, result);
    if (result->comparison) compare_add(&json, result->comparison);
    json_close(&json, '}');
    fputc('\n', stdout);
}

/* ---- Text ---- */

static void print_nearest(const dlda_model *model)
{
    size_t first = 0, second = 0;
    double distance = dlda_lda_nearest_classes(dlda_model_lda(model), &first, &second);

    print("mean separation %.4f; nearest classes ", dlda_lda_mean_separation(dlda_model_lda(model)));
    table_name(stdout, dlda_model_class_name(model, first));
    fputs(" and ", stdout);
    table_name(stdout, dlda_model_class_name(model, second));
    print(": Mahalanobis distance %.4f\n", distance);
}

static void print_svm(const eval_result *result)
{
    const dlda_evaluation *evaluation = result->svm_evaluation;

    print("\nlinear SVM on the projected features: accuracy %.2f %%, %zu of %zu correct, error %.2f %%\n",
          100 * evaluation->accuracy, evaluation->correct, evaluation->samples, error_percent(evaluation));
    print("  trained on %zu samples of %s; cost %g, cross-validated accuracy there %.2f %%\n", result->svm_samples,
          result->svm_data, dlda_svm_cost(result->svm), 100 * dlda_svm_accuracy(result->svm));
    print("  right only with the model: %zu, only with the SVM: %zu; ", result->svm_pairs.only_first,
          result->svm_pairs.only_second);
    compare_print_verdict(stdout, &result->svm_pairs, "the model", "the SVM");
}

static void print_evaluation(const eval_result *result)
{
    const dlda_evaluation *evaluation = result->evaluation;

    table_evaluation(stdout, result->model, evaluation,
                     strcmp(result->part, "validation") == 0 ? result->part : "test");
    print("\nerror %.2f %%; calibration error %.4f in %zu bins\n", error_percent(evaluation),
          evaluation->calibration_error, evaluation->bins);
    print("probabilities: %s, ", kind_names[result->kind]);
    table_calibration(stdout, result->model, result->kind);
    fputs("\n\n", stdout);
    table_eigenvalues(stdout, dlda_model_lda(result->model));
    print_nearest(result->model);
    if (result->mistakes) {
        putchar('\n');
        mistakes_write_text(result->mistakes, stdout);
    }
    if (result->svm) print_svm(result);
}

void eval_write_text(const eval_result *result)
{
    if (result->model) print_evaluation(result);
    if (result->model && result->comparison) putchar('\n');
    if (result->comparison) compare_print(stdout, result->comparison);
}
