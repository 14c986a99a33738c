/* SPDX-License-Identifier: MIT
 *
 * export_preparation.c - the preparation of images as ONNX operations. Formulas: docs/preparation.md.
 */
#include "onnx/export.h"

/* ---- Standardise ---- */

/* A constant with one value per channel, as [1][channels][1][1]. */
static dlda_status add_per_channel(dlda_onnx_graph *graph, const char *name, size_t channels, const float *from,
                                   const char **value)
{
    float *to = NULL;
    dlda_status status = dlda_onnx_floats(graph, name, (const size_t[4]){ 1, channels, 1, 1 }, &to, value);

    for (size_t c = 0; status == DLDA_OK && c < channels; c++) to[c] = from[c];
    return status;
}

static dlda_status add_standardise(dlda_onnx_graph *graph, const dlda_model *model, const char **x)
{
    dlda_status status = DLDA_OK;
    const dlda_preparation *preparation = model->preparation;
    const char *mean = NULL, *deviation = NULL;

    DLDA_TRY(add_per_channel(graph, "prepare.mean", preparation->channels, preparation->mean, &mean));
    DLDA_TRY(add_per_channel(graph, "prepare.std", preparation->channels, preparation->deviation, &deviation));
    DLDA_TRY(dlda_onnx_apply(graph, "Sub", *x, mean, x));
    DLDA_TRY(dlda_onnx_apply(graph, "Div", *x, deviation, x));
done:
    return status;
}

/* ---- Global contrast normalisation ---- */

/* One number per image: mean, minimum or sum of squares of its values. */
static dlda_status add_reduction(dlda_onnx_graph *graph, const char *type, const char *x, const char **value)
{
    return dlda_onnx_add(
        graph, &(dlda_onnx_node){ type, { x }, NULL, { { "axes", 3, { 1, 2, 3 } }, { "keepdims", 0, { 1 } } } },
        value);
}

/* Subtracts the mean of x. The minimum is subtracted first: a uniform image then becomes exactly 0, instead of
 * rounding errors that the normalisation would amplify. The mean is subtracted twice: the first one, a sum of
 * thousands of floats, has an error of about 1e-6, which ZCA, fitted on images with mean 0, would amplify. */
static dlda_status add_centring(dlda_onnx_graph *graph, const char **x)
{
    static const char *const reductions[] = { "ReduceMin", "ReduceMean", "ReduceMean" };
    dlda_status status = DLDA_OK;

    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++) {
        const char *number = NULL;
        DLDA_TRY(add_reduction(graph, reductions[i], *x, &number));
        DLDA_TRY(dlda_onnx_apply(graph, "Sub", *x, number, x));
    }
done:
    return status;
}

/* d = sqrt(bias + sum c^2) / scale, replaced by 1 if it is below 1e-8. */
static dlda_status add_divisor(dlda_onnx_graph *graph, const dlda_preparation_spec *spec, const char *x,
                               const char **divisor)
{
    dlda_status status = DLDA_OK;
    const char *bias = NULL, *scale = NULL, *least = NULL, *one = NULL, *d = NULL, *is_small = NULL;

    DLDA_TRY(dlda_onnx_number(graph, "prepare.gcn.bias", spec->gcn_bias, &bias));
    DLDA_TRY(dlda_onnx_number(graph, "prepare.gcn.scale", spec->gcn_scale, &scale));
    DLDA_TRY(dlda_onnx_number(graph, "prepare.gcn.least", DLDA_GCN_LEAST, &least));
    DLDA_TRY(dlda_onnx_number(graph, "prepare.gcn.one", 1, &one));
    DLDA_TRY(add_reduction(graph, "ReduceSumSquare", x, &d));
    DLDA_TRY(dlda_onnx_apply(graph, "Add", d, bias, &d));
    DLDA_TRY(dlda_onnx_apply(graph, "Sqrt", d, NULL, &d));
    DLDA_TRY(dlda_onnx_apply(graph, "Div", d, scale, &d));
    DLDA_TRY(dlda_onnx_apply(graph, "Less", d, least, &is_small));
    DLDA_TRY(dlda_onnx_add(graph, &(dlda_onnx_node){ .type = "Where", .inputs = { is_small, one, d } }, divisor));
done:
    return status;
}

static dlda_status add_gcn(dlda_onnx_graph *graph, const dlda_model *model, const char **x)
{
    dlda_status status = DLDA_OK;
    const char *divisor = NULL;

    DLDA_TRY(add_centring(graph, x));
    DLDA_TRY(add_divisor(graph, &model->preparation->spec, *x, &divisor));
    DLDA_TRY(dlda_onnx_apply(graph, "Div", *x, divisor, x));
done:
    return status;
}

/* ---- Whitening ---- */

/* Mean and P with their values in ONNX order. */
static dlda_status add_whitening_constants(dlda_onnx_graph *graph, const dlda_zca *zca, dlda_shape shape,
                                           const char **mean, const char **matrix)
{
    dlda_status status = DLDA_OK;
    size_t n = zca->d;
    float *m = NULL, *P = NULL;

    DLDA_TRY(dlda_onnx_floats(graph, "prepare.zca.mean", (const size_t[4]){ n }, &m, mean));
    DLDA_TRY(dlda_onnx_floats(graph, "prepare.zca.matrix", (const size_t[4]){ n, n }, &P, matrix));
    for (size_t i = 0; i < n; i++) {
        size_t row = dlda_onnx_place(shape, i);
        m[row] = zca->mean[i];
        for (size_t j = 0; j < n; j++) P[row * n + dlda_onnx_place(shape, j)] = zca->P[i * n + j];
    }
done:
    return status;
}

static dlda_status add_zca(dlda_onnx_graph *graph, const dlda_model *model, const char **x)
{
    dlda_status status = DLDA_OK;
    dlda_shape shape = model->network->input;
    const int64_t dims[] = { 0, (int64_t)shape.channels, (int64_t)shape.height, (int64_t)shape.width };
    const char *mean = NULL, *matrix = NULL, *image = NULL;

    DLDA_TRY(add_whitening_constants(graph, model->preparation->zca, shape, &mean, &matrix));
    DLDA_TRY(dlda_onnx_list(graph, "prepare.zca.shape", 4, dims, &image)); /* 0: unchanged */
    DLDA_TRY(dlda_onnx_add(graph, &(dlda_onnx_node){ "Flatten", { *x }, NULL, { { "axis", 0, { 1 } } } }, x));
    DLDA_TRY(dlda_onnx_apply(graph, "Sub", *x, mean, x));
    DLDA_TRY(dlda_onnx_apply(graph, "MatMul", *x, matrix, x));
    DLDA_TRY(dlda_onnx_apply(graph, "Reshape", *x, image, x));
done:
    return status;
}

/* ---- All steps ---- */

dlda_status dlda_onnx_add_preparation(dlda_onnx_graph *graph, const dlda_model *model, const char **value)
{
    dlda_status status = DLDA_OK;
    const dlda_preparation *preparation = model->preparation;

    for (size_t i = 0; preparation && i < preparation->spec.n_steps; i++) {
        switch (preparation->spec.steps[i]) {
        case DLDA_PREPARE_STANDARDISE: DLDA_TRY(add_standardise(graph, model, value)); break;
        case DLDA_PREPARE_GCN: DLDA_TRY(add_gcn(graph, model, value)); break;
        case DLDA_PREPARE_ZCA: DLDA_TRY(add_zca(graph, model, value)); break;
        case DLDA_PREPARE_SCALE: /* the input already has values from 0 to 1 */
        case DLDA_PREPARE_STEPS: break;
        }
    }
done:
    return status;
}
