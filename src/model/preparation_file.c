/* SPDX-License-Identifier: MIT
 *
 * preparation_file.c - writes and reads the image preparation of a model file.
 *
 * A JSON text names the steps and their constants: {"steps": ["scale", "gcn", "zca"], "gcn_scale": 55, ...}.
 * Tensors hold the fitted values. Nothing is trusted: every key must be known, every constant in range, every
 * tensor of the right shape.
 */
#include "model/preparation_file.h"
#include "base/json.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A constant of a step. */
typedef struct constant {
    const char *key;
    dlda_prepare_step step;
    size_t offset; /* of the double in the spec */
    double least, most;
} constant;

static const constant constants[] = {
    { "gcn_scale", DLDA_PREPARE_GCN, offsetof(dlda_preparation_spec, gcn_scale), 1e-6, 1e6 },
    { "gcn_bias", DLDA_PREPARE_GCN, offsetof(dlda_preparation_spec, gcn_bias), 0, 1e9 },
    { "zca_bias", DLDA_PREPARE_ZCA, offsetof(dlda_preparation_spec, zca_bias), 0, 1e9 },
};

enum { N_CONSTANTS = sizeof constants / sizeof constants[0] };

/* ---- The text ---- */

static int add_steps(json_t *object, const dlda_preparation_spec *spec)
{
    json_t *array = json_array();
    int good = array && json_object_set_new(object, "steps", array) == 0;

    for (size_t i = 0; good && i < spec->n_steps; i++)
        good = json_array_append_new(array, json_string(dlda_prepare_name(spec->steps[i]))) == 0;
    for (size_t i = 0; good && i < N_CONSTANTS; i++) {
        double value = *(const double *)((const char *)spec + constants[i].offset);
        if (dlda_preparation_has(spec, constants[i].step))
            good = json_object_set_new(object, constants[i].key, json_real(value)) == 0;
    }
    return good;
}

dlda_status dlda_preparation_to_json(const dlda_preparation *preparation, char **json)
{
    dlda_status status = DLDA_OK;
    const dlda_preparation_spec plain = { .n_steps = 1, .steps = { DLDA_PREPARE_SCALE } };
    json_t *object = json_object();

    if (!object || !add_steps(object, preparation ? &preparation->spec : &plain))
        DLDA_FAIL(DLDA_E_MEMORY, "preparation: no memory for JSON");
    DLDA_TRY(dlda_json_print(object, JSON_COMPACT | JSON_REAL_PRECISION(17), "preparation", json));
done:
    json_decref(object);
    return status;
}

static dlda_status read_step(const char *path, const json_t *item, dlda_preparation_spec *spec)
{
    const char *name = json_string_value(item);
    size_t step = 0;

    while (name && dlda_prepare_name(step) && strcmp(dlda_prepare_name(step), name) != 0) step++;
    if (!name || !dlda_prepare_name(step))
        return dlda_fail(DLDA_E_FORMAT, "%s: preparation: step %zu is '%.32s', which is not known", path,
                         spec->n_steps, name ? name : "not a string");
    if (dlda_preparation_has(spec, (dlda_prepare_step)step))
        return dlda_fail(DLDA_E_FORMAT, "%s: preparation: %s stands there twice", path, name);
    spec->steps[spec->n_steps++] = (dlda_prepare_step)step;
    return DLDA_OK;
}

static dlda_status read_steps(const char *path, const json_t *array, dlda_preparation_spec *spec)
{
    dlda_status status = DLDA_OK;

    if (!json_is_array(array)) DLDA_FAIL(DLDA_E_FORMAT, "%s: preparation: no array 'steps'", path);
    /* No step may occur twice, so there is room for all that are valid. */
    for (size_t i = 0; i < json_array_size(array); i++) DLDA_TRY(read_step(path, json_array_get(array, i), spec));
    if (spec->n_steps == 0 || spec->steps[0] != DLDA_PREPARE_SCALE)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: preparation: the first step is not scale", path);
done:
    return status;
}

static dlda_status read_constants(const char *path, const json_t *object, dlda_preparation_spec *spec)
{
    size_t known = 1; /* number of known keys; 1 for steps */

    for (size_t i = 0; i < N_CONSTANTS; i++) {
        const json_t *item = json_object_get(object, constants[i].key);
        double value = json_number_value(item);
        if (!dlda_preparation_has(spec, constants[i].step)) continue;
        if (!json_is_number(item) || !(value >= constants[i].least && value <= constants[i].most))
            return dlda_fail(DLDA_E_FORMAT, "%s: preparation: %s is missing, or not a number from %g to %g", path,
                             constants[i].key, constants[i].least, constants[i].most);
        *(double *)((char *)spec + constants[i].offset) = value;
        known++;
    }
    if (json_object_size(object) == known) return DLDA_OK;
    return dlda_fail(DLDA_E_FORMAT, "%s: preparation: %zu entries, expected %zu for these steps", path,
                     json_object_size(object), known);
}

static dlda_status read_spec(const dlda_safetensors *file, const char *path, dlda_preparation_spec *spec)
{
    dlda_status status = DLDA_OK;
    const char *text = dlda_safetensors_metadata(file, DLDA_PREPARATION_KEY);
    json_t *object = NULL;

    *spec = (dlda_preparation_spec){ .n_steps = 0 };
    DLDA_TRY(dlda_json_parse_text(text ? text : "{\"steps\":[\"scale\"]}", path, &object));
    if (!json_is_object(object)) DLDA_FAIL(DLDA_E_FORMAT, "%s: 'preparation' is not a JSON object", path);
    DLDA_TRY(read_steps(path, json_object_get(object, "steps"), spec));
    DLDA_TRY(read_constants(path, object, spec));
done:
    json_decref(object);
    return status;
}

/* ---- The tensors ---- */

/* The tensors that the steps of `spec` need for that image shape; with the data of `p` unless it is NULL. */
static size_t list_tensors(const dlda_preparation_spec *spec, size_t values, size_t channels,
                           const dlda_preparation *p, dlda_tensor tensors[DLDA_PREPARATION_TENSORS])
{
    size_t n = 0;

    if (dlda_preparation_has(spec, DLDA_PREPARE_STANDARDISE)) {
        tensors[n++] = (dlda_tensor){ "prepare.mean", DLDA_F32, 1, { channels }, p ? p->mean : NULL };
        tensors[n++] = (dlda_tensor){ "prepare.std", DLDA_F32, 1, { channels }, p ? p->deviation : NULL };
    }
    if (dlda_preparation_has(spec, DLDA_PREPARE_ZCA)) {
        tensors[n++] = (dlda_tensor){ "prepare.zca.mean", DLDA_F32, 1, { values }, p ? p->zca->mean : NULL };
        tensors[n++] = (dlda_tensor){ "prepare.zca.matrix", DLDA_F32, 2, { values, values }, p ? p->zca->P : NULL };
    }
    return n;
}

size_t dlda_preparation_tensors(const dlda_preparation *self, dlda_tensor tensors[DLDA_PREPARATION_TENSORS])
{
    return self ? list_tensors(&self->spec, self->values, self->channels, self, tensors) : 0;
}

static dlda_status check_spec(const dlda_safetensors *file, const char *path, dlda_shape input,
                              dlda_preparation_spec *spec, size_t *used)
{
    dlda_status status = DLDA_OK;
    dlda_tensor wanted[DLDA_PREPARATION_TENSORS];
    const dlda_tensor *found = NULL;

    DLDA_TRY(read_spec(file, path, spec));
    if (dlda_preparation_has(spec, DLDA_PREPARE_ZCA) && dlda_shape_size(input) > DLDA_ZCA_MOST)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: preparation: zca of images of %zu values, expected at most %d", path,
                  dlda_shape_size(input), DLDA_ZCA_MOST);
    *used = list_tensors(spec, dlda_shape_size(input), input.channels, NULL, wanted);
    for (size_t i = 0; i < *used; i++)
        DLDA_TRY(dlda_safetensors_require(file, wanted[i].name, DLDA_F32, wanted[i].rank, wanted[i].shape, &found));
done:
    return status;
}

dlda_status dlda_preparation_check(const dlda_safetensors *file, const char *path, dlda_shape input, size_t *used)
{
    dlda_preparation_spec spec;
    return check_spec(file, path, input, &spec, used);
}

/* Images are divided by the deviations. */
static dlda_status check_deviations(const dlda_preparation *self, const char *path)
{
    for (size_t c = 0; self->deviation && c < self->channels; c++)
        if (!(self->deviation[c] > 0))
            return dlda_fail(DLDA_E_FORMAT, "%s: prepare.std: value %zu is %g, expected more than 0", path, c,
                             (double)self->deviation[c]);
    return DLDA_OK;
}

dlda_status dlda_preparation_load(const dlda_safetensors *file, const char *path, dlda_shape input,
                                  dlda_preparation **preparation)
{
    dlda_status status = DLDA_OK;
    dlda_preparation *self = NULL;
    dlda_preparation_spec spec;
    dlda_tensor tensors[DLDA_PREPARATION_TENSORS];
    size_t count = 0;

    DLDA_TRY(check_spec(file, path, input, &spec, &count));
    DLDA_TRY(dlda_preparation_create(&spec, dlda_shape_size(input), input.channels, &self));
    count = dlda_preparation_tensors(self, tensors);
    for (size_t i = 0; i < count; i++)
        memcpy((void *)tensors[i].data, dlda_safetensors_find(file, tensors[i].name)->data,
               dlda_tensor_elements(&tensors[i]) * sizeof(float));
    DLDA_TRY(check_deviations(self, path));
    *preparation = self;
    self = NULL;
done:
    dlda_preparation_destroy(self);
    return status;
}
