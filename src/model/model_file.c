/* SPDX-License-Identifier: MIT
 *
 * model_file.c - writes and reads a model as one safetensors file (docs/model_format.md).
 *
 * Nothing in a file is trusted: the container is checked as a whole, then every tensor must have the shape that the
 * network text implies, and unknown tensors are an error.
 */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "model/calibration_file.h"
#include "model/class_names.h"
#include "model/feature_names.h"
#include "model/file_version.h"
#include "model/head_file.h"
#include "model/model.h"
#include "model/preparation_file.h"

#include <stdlib.h>
#include <string.h>

static const char format_version[] = "1";
static const char softmax_key[] = "softmax", no_softmax[] = "none", features_key[] = "features";

enum { ALWAYS_TEXTS = 5, MOST_TEXTS = ALWAYS_TEXTS + 2 };

/* ---- Saving ---- */

typedef struct tensor_list {
    const dlda_model *model;
    dlda_tensor *tensors;
    size_t count;
} tensor_list;

static dlda_status count_parameter(void *context, const dlda_parameter *parameter, int in_state)
{
    (void)parameter;
    (void)in_state;
    ((tensor_list *)context)->count++;
    return DLDA_OK;
}

static dlda_status list_parameter(void *context, const dlda_parameter *parameter, int in_state)
{
    tensor_list *list = context;
    const float *block = in_state ? list->model->state : list->model->weights;
    dlda_tensor *tensor = &list->tensors[list->count++];

    *tensor = (dlda_tensor){
        .name = parameter->name, .dtype = DLDA_F32, .rank = parameter->rank, .data = block + parameter->offset
    };
    memcpy(tensor->shape, parameter->shape, parameter->rank * sizeof *tensor->shape);
    return DLDA_OK;
}

/* The bytes of a model file, `path` being for messages; or, if `bytes` is NULL, writes them to `path`. */
static dlda_status encode(const dlda_model *model, const char *path, char **bytes, size_t *size)
{
    dlda_status status = DLDA_OK;
    tensor_list list = { model, NULL, 0 };
    char *names = NULL, *columns = NULL, *preparation = NULL;
    dlda_calibration_values calibration;

    if (!model->lda) DLDA_FAIL(DLDA_E_ARGUMENT, "%s: the model has no head yet", path);
    DLDA_TRY(dlda_names_to_json((const char *const *)model->class_names, model->classes, path, &names));
    if (model->columns)
        DLDA_TRY(
            dlda_names_to_json((const char *const *)model->columns, dlda_model_image_size(model), path, &columns));
    DLDA_TRY(dlda_preparation_to_json(model->preparation, &preparation));
    DLDA_TRY(dlda_network_visit(model->network, count_parameter, &list));
    DLDA_TRY(DLDA_TAKE(&list.tensors,
                       list.count + DLDA_HEAD_TENSORS + DLDA_PREPARATION_TENSORS + DLDA_CALIBRATION_TENSORS,
                       "tensors"));
    list.count = 0;
    DLDA_TRY(dlda_network_visit(model->network, list_parameter, &list));
    list.count += dlda_head_tensors(model->lda, list.tensors + list.count);
    list.count += dlda_preparation_tensors(model->preparation, list.tensors + list.count);
    list.count += dlda_calibration_tensors(model, &calibration, list.tensors + list.count);
    dlda_metadata_entry metadata[MOST_TEXTS] = { { DLDA_MODEL_KEY, format_version },
                                                 { "network", model->network->text },
                                                 { "classes", names },
                                                 { "options", model->options },
                                                 { DLDA_PREPARATION_KEY, preparation } };
    size_t n_texts = ALWAYS_TEXTS;
    if (model->lost_softmax) metadata[n_texts++] = (dlda_metadata_entry){ softmax_key, no_softmax };
    if (columns) metadata[n_texts++] = (dlda_metadata_entry){ features_key, columns };
    if (bytes) DLDA_TRY(dlda_safetensors_encode(path, list.tensors, list.count, metadata, n_texts, bytes, size));
    else DLDA_TRY(dlda_safetensors_write(path, list.tensors, list.count, metadata, n_texts));
done:
    dlda_release(names);
    dlda_release(columns);
    dlda_release(preparation);
    dlda_release(list.tensors);
    return status;
}

dlda_status dlda_model_save(const dlda_model *model, const char *path)
{
    DLDA_NEED(model, path);
    return encode(model, path, NULL, NULL);
}

dlda_status dlda_model_to_bytes(const dlda_model *model, void **bytes, size_t *size)
{
    DLDA_NEED(model, bytes, size);
    char *made = NULL;
    dlda_status status = encode(model, "model", &made, size);

    if (status == DLDA_OK) *bytes = made;
    return status;
}

void dlda_bytes_destroy(void *bytes)
{
    dlda_release(bytes);
}

/* ---- Loading ---- */

static dlda_status require_text(const dlda_safetensors *file, const char *path, const char *key, const char **text)
{
    *text = dlda_safetensors_metadata(file, key);
    if (*text) return DLDA_OK;
    return dlda_fail(DLDA_E_FORMAT, "%s: no '%s' in the metadata; this is not a deeplda model", path, key);
}

static dlda_status check_options(const char *path, const char *text)
{
    json_t *object = NULL;
    dlda_status status = dlda_json_parse_text(text, path, &object);
    int good = json_is_object(object);

    json_decref(object);
    if (status != DLDA_OK) return status;
    return good ? DLDA_OK : dlda_fail(DLDA_E_FORMAT, "%s: 'options' is not a JSON object", path);
}

typedef struct tensor_source {
    const dlda_safetensors *file;
    dlda_model *model; /* NULL: check only */
    size_t used;
} tensor_source;

static dlda_status load_parameter(void *context, const dlda_parameter *parameter, int in_state)
{
    tensor_source *source = context;
    const dlda_tensor *tensor = NULL;
    dlda_status status = dlda_safetensors_require(source->file, parameter->name, DLDA_F32, parameter->rank,
                                                  parameter->shape, &tensor);

    if (status != DLDA_OK) return status;
    source->used++;
    if (!source->model) return DLDA_OK;
    float *block = in_state ? source->model->state : source->model->weights;
    memcpy(block + parameter->offset, tensor->data, parameter->count * sizeof *block);
    return DLDA_OK;
}

/* Compares the tensors with the network text before anything is allocated, since the text could demand any size. */
static dlda_status check_tensors(const dlda_safetensors *file, const char *path, const char *network_text,
                                 size_t classes)
{
    dlda_status status = DLDA_OK;
    tensor_source source = { file, NULL, 0 };
    dlda_network *network = NULL;
    size_t head = 0, prepared = 0, calibrated = 0;

    DLDA_TRY(dlda_network_parse(network_text, path, (dlda_shape){ 0, 0, 0 }, 0, &network));
    DLDA_TRY(dlda_network_visit(network, load_parameter, &source));
    DLDA_TRY(dlda_head_check(file, path, classes, network->features, &head));
    DLDA_TRY(dlda_preparation_check(file, path, network->input, &prepared));
    DLDA_TRY(dlda_calibration_check(file, path, network->input, &calibrated));
    size_t expected = source.used + head + prepared + calibrated;
    if (expected != dlda_safetensors_count(file))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %zu tensors, expected %zu for this network", path,
                  dlda_safetensors_count(file), expected);
done:
    dlda_network_destroy(network);
    return status;
}

/* Batch norm takes the square root of the variances. */
static dlda_status check_variances(const dlda_model *model, const char *path)
{
    for (size_t i = 0; i < model->network->n_layers; i++) {
        const dlda_parameter *variance = &model->network->layers[i].variance;
        for (size_t c = 0; c < variance->count; c++)
            if (model->state[variance->offset + c] < 0)
                return dlda_fail(DLDA_E_FORMAT, "%s: %s: value %zu is %g, expected 0 or more", path, variance->name,
                                 c, (double)model->state[variance->offset + c]);
    }
    return DLDA_OK;
}

/* A refitted head may have classes that the network's softmax was not trained on. */
static dlda_status load_softmax(const dlda_safetensors *file, const char *path, dlda_model *model)
{
    const char *text = dlda_safetensors_metadata(file, softmax_key);

    if (!text) return DLDA_OK;
    if (strcmp(text, no_softmax) != 0)
        return dlda_fail(DLDA_E_FORMAT, "%s: '%s' is '%.32s', expected '%s'", path, softmax_key, text, no_softmax);
    dlda_model_lose_softmax(model);
    return DLDA_OK;
}

static dlda_status load_tensors(const dlda_safetensors *file, const char *path, dlda_model *model)
{
    dlda_status status = DLDA_OK;
    tensor_source source = { file, model, 0 };

    DLDA_TRY(dlda_network_visit(model->network, load_parameter, &source));
    DLDA_TRY(dlda_preparation_load(file, path, model->network->input, &model->preparation));
    DLDA_TRY(dlda_head_load(file, path, model->classes, model->network->features, &model->lda));
    DLDA_TRY(dlda_calibration_load(file, path, model));
    DLDA_TRY(load_softmax(file, path, model));
    DLDA_TRY(check_variances(model, path));
done:
    return status;
}

/* `path` is for messages. */
static dlda_status load(const dlda_safetensors *file, const char *path, dlda_model **model)
{
    dlda_status status = DLDA_OK;
    dlda_model *self = NULL;
    dlda_model_spec spec = { .where = path };
    const char *classes = NULL, **names = NULL;
    json_t *array = NULL;

    DLDA_TRY(dlda_file_version_check(file, path, DLDA_MODEL_KEY, format_version));
    DLDA_TRY(require_text(file, path, "network", &spec.network_text));
    DLDA_TRY(require_text(file, path, "classes", &classes));
    DLDA_TRY(require_text(file, path, "options", &spec.options));
    DLDA_TRY(check_options(path, spec.options));
    DLDA_TRY(dlda_class_names_from_json(path, classes, &array, &names, &spec.classes));
    spec.class_names = names;
    DLDA_TRY(check_tensors(file, path, spec.network_text, spec.classes));
    DLDA_TRY(dlda_model_create(&spec, &self));
    DLDA_TRY(load_tensors(file, path, self));
    const char *columns = dlda_safetensors_metadata(file, features_key);
    if (columns) DLDA_TRY(dlda_column_names_from_json(path, columns, self));
    *model = self;
    self = NULL;
done:
    dlda_model_destroy(self);
    dlda_release(names);
    json_decref(array);
    return status;
}

dlda_status dlda_model_load(const char *path, dlda_model **model)
{
    DLDA_NEED(path, model);
    dlda_safetensors *file = NULL;
    dlda_status status = dlda_safetensors_read(path, &file);

    if (status == DLDA_OK) status = load(file, path, model);
    dlda_safetensors_destroy(file);
    return status;
}

dlda_status dlda_model_from_bytes(const void *bytes, size_t size, dlda_model **model)
{
    DLDA_NEED(bytes, model);
    static const char what[] = "model in memory";
    dlda_safetensors *file = NULL;
    dlda_status status = dlda_safetensors_decode(what, bytes, size, &file);

    if (status == DLDA_OK) status = load(file, what, model);
    dlda_safetensors_destroy(file);
    return status;
}
