/* SPDX-License-Identifier: MIT
 *
 * export_head.c - the LDA as ONNX operations: projection, label, probabilities (docs/method.md, step 6).
 *
 *     z = h A',   d_c = z w_c' + offset_c,   w_c = M_c A'        projection; scores, as T = M A' A
 *     label = argmax d
 *     paper: softmax of log(1 / (1 + exp(-d)));   bayes: softmax of d / temperature + log prior, as other w and offsets
 */
#include "onnx/export.h"

#include <math.h>

/* Score of a class that must not be predicted: far below all others, giving probability 0. */
static const float never = -1e30F;

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static dlda_status add_projection(dlda_onnx_graph *graph, const dlda_lda *lda, const char *features,
                                  const char **value)
{
    dlda_status status = DLDA_OK;
    float *to = NULL; /* [D][K] */
    const char *directions = NULL;

    DLDA_TRY(dlda_onnx_floats(graph, "head.directions", (const size_t[4]){ lda->D, lda->K }, &to, &directions));
    for (size_t i = 0; i < lda->D; i++)
        for (size_t k = 0; k < lda->K; k++) to[i * lda->K + k] = (float)lda->A[k * lda->D + i];
    DLDA_TRY(dlda_onnx_add(
        graph, &(dlda_onnx_node){ .type = "MatMul", .inputs = { features, directions }, .output = "projection" },
        value));
done:
    return status;
}

static dlda_status add_scores(dlda_onnx_graph *graph, const dlda_lda *lda, dlda_probability kind,
                              const char *projection, const char **value)
{
    dlda_status status = DLDA_OK;
    size_t C = lda->C, D = lda->D, K = lda->K;
    double temperature = kind == DLDA_PROBABILITY_BAYES ? lda->temperature : 1;
    float *w = NULL, *offset = NULL; /* [K][C], [C] */
    const char *means = NULL, *offsets = NULL;

    DLDA_TRY(dlda_onnx_floats(graph, "head.means", (const size_t[4]){ K, C }, &w, &means));
    DLDA_TRY(dlda_onnx_floats(graph, "head.offsets", (const size_t[4]){ C }, &offset, &offsets));
    for (size_t c = 0; c < C; c++) {
        double score = kind == DLDA_PROBABILITY_BAYES ? lda->intercept[c] : lda->offset[c];
        offset[c] = never;
        if (!dlda_lda_usable(lda, c) || isinf(score)) continue; /* too few training rows, or prior 0 */
        offset[c] = (float)score;
        for (size_t k = 0; k < K; k++) w[k * C + c] = (float)(dot(D, lda->M + c * D, lda->A + k * D) / temperature);
    }
    DLDA_TRY(dlda_onnx_add(
        graph, &(dlda_onnx_node){ .type = "Gemm", .inputs = { projection, means, offsets }, .output = "scores" },
        value));
done:
    return status;
}

/* log(1 / (1 + exp(-d))) = min(d, 0) - log(1 + exp(-|d|)), which does not overflow. */
static dlda_status add_log_sigmoid(dlda_onnx_graph *graph, const char **d)
{
    dlda_status status = DLDA_OK;
    const char *zero = NULL, *one = NULL, *below = NULL, *rest = NULL;

    DLDA_TRY(dlda_onnx_number(graph, "head.zero", 0, &zero));
    DLDA_TRY(dlda_onnx_number(graph, "head.one", 1, &one));
    DLDA_TRY(dlda_onnx_apply(graph, "Min", *d, zero, &below));
    DLDA_TRY(dlda_onnx_apply(graph, "Abs", *d, NULL, &rest));
    DLDA_TRY(dlda_onnx_apply(graph, "Neg", rest, NULL, &rest));
    DLDA_TRY(dlda_onnx_apply(graph, "Exp", rest, NULL, &rest));
    DLDA_TRY(dlda_onnx_apply(graph, "Add", rest, one, &rest));
    DLDA_TRY(dlda_onnx_apply(graph, "Log", rest, NULL, &rest));
    DLDA_TRY(dlda_onnx_apply(graph, "Sub", below, rest, d));
done:
    return status;
}

static dlda_status add_softmax(dlda_onnx_graph *graph, const char *x, const char *name)
{
    const char *value = NULL;

    return dlda_onnx_add(graph, &(dlda_onnx_node){ "Softmax", { x }, name, { { "axis", 0, { 1 } } } }, &value);
}

/* The logits of the softmax at its temperature. */
static dlda_status add_logits(dlda_onnx_graph *graph, const dlda_model *model, const char *features,
                              const char **logits)
{
    dlda_status status = DLDA_OK;
    double temperature = dlda_model_temperature(model, DLDA_PROBABILITY_SOFTMAX);
    const char *divisor = NULL;

    *logits = features;
    if (!model->softmax || temperature == 1) return DLDA_OK;
    DLDA_TRY(dlda_onnx_number(graph, "softmax.temperature", temperature, &divisor));
    DLDA_TRY(dlda_onnx_apply(graph, "Div", features, divisor, logits));
done:
    return status;
}

static dlda_status add_label(dlda_onnx_graph *graph, const char *scores)
{
    const dlda_onnx_node node = {
        "ArgMax", { scores }, "label", { { "axis", 0, { 1 } }, { "keepdims", 0, { 0 } } }
    };
    const char *value = NULL;

    return dlda_onnx_add(graph, &node, &value);
}

static dlda_status add_outputs(dlda_onnx_graph *graph, const dlda_model *model)
{
    dlda_status status = DLDA_OK;
    const size_t of_classes[4] = { model->classes }, of_directions[4] = { model->lda->K }, single[4] = { 0 };

    DLDA_TRY(dlda_onnx_output(graph, "probabilities", DLDA_ONNX_FLOAT, of_classes,
                              "of each class, as deeplda predict gives them"));
    DLDA_TRY(dlda_onnx_output(graph, "label", DLDA_ONNX_INT64, single,
                              "the class, a place in the metadata's list of classes"));
    DLDA_TRY(dlda_onnx_output(graph, "projection", DLDA_ONNX_FLOAT, of_directions,
                              "the discriminant space, the direction that separates best first"));
    if (model->softmax)
        DLDA_TRY(dlda_onnx_output(graph, "softmax", DLDA_ONNX_FLOAT, of_classes,
                                  "of the network's own outputs, without the LDA"));
done:
    return status;
}

dlda_status dlda_onnx_add_head(dlda_onnx_graph *graph, const dlda_model *model, dlda_probability kind,
                               const char *features)
{
    dlda_status status = DLDA_OK;
    const char *projection = NULL, *scores = NULL, *logits = NULL;

    DLDA_TRY(add_projection(graph, model->lda, features, &projection));
    DLDA_TRY(add_logits(graph, model, features, &logits));
    scores = logits; /* if the softmax classifies */
    if (kind != DLDA_PROBABILITY_SOFTMAX) DLDA_TRY(add_scores(graph, model->lda, kind, projection, &scores));
    DLDA_TRY(add_label(graph, scores));
    if (kind == DLDA_PROBABILITY_PAPER) DLDA_TRY(add_log_sigmoid(graph, &scores));
    DLDA_TRY(add_softmax(graph, scores, "probabilities"));
    if (model->softmax) DLDA_TRY(add_softmax(graph, logits, "softmax"));
    DLDA_TRY(add_outputs(graph, model));
done:
    return status;
}
