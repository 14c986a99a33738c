/* SPDX-License-Identifier: MIT
 *
 * model_file.c - a model as one safetensors file (docs/model_format.md).
 *
 * Nothing in a file is trusted: after the container is checked as a whole, every tensor must have the shape that
 * the network text demands, and nothing may be left over.
 */
#include "base/memory.h"
#include "model/model.h"
#include "model/preparation_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char format_key[] = "deeplda_format", format_version[] = "1";

enum { MOST_CLASSES = 1 << 20, N_HEAD_TENSORS = 4 };

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

static void list_head(tensor_list *list)
{
    const dlda_lda *lda = list->model->lda;
    const dlda_tensor head[N_HEAD_TENSORS] = {
        { "head.counts", DLDA_F64, 1, { lda->C }, lda->counts },
        { "head.means", DLDA_F64, 2, { lda->C, lda->D }, lda->M },
        { "head.directions", DLDA_F64, 2, { lda->K, lda->D }, lda->A },
        { "head.eigenvalues", DLDA_F64, 1, { lda->K }, lda->eigenvalues },
    };
    memcpy(list->tensors + list->count, head, sizeof head);
    list->count += N_HEAD_TENSORS;
}

char *dlda_model_names_to_json(const dlda_model *model)
{
    json_t *array = json_array();
    char *text = NULL;
    int good = array != NULL;

    for (size_t c = 0; good && c < model->classes; c++)
        good = json_array_append_new(array, json_string(model->class_names[c])) == 0;
    if (good) text = json_dumps(array, JSON_COMPACT);
    json_decref(array);
    return text;
}

dlda_status dlda_model_save(const dlda_model *model, const char *path)
{
    dlda_status status = DLDA_OK;
    tensor_list list = { model, NULL, 0 };
    char *names = NULL, *preparation = NULL;

    if (!model->lda) DLDA_FAIL(DLDA_E_ARGUMENT, "%s: the model has no head yet", path);
    names = dlda_model_names_to_json(model);
    if (!names) DLDA_FAIL(DLDA_E_ARGUMENT, "%s: a class name is not valid UTF-8", path);
    DLDA_TRY(dlda_preparation_to_json(model->preparation, &preparation));
    DLDA_TRY(dlda_network_visit(model->network, count_parameter, &list));
    DLDA_TRY(DLDA_TAKE(&list.tensors, list.count + N_HEAD_TENSORS + DLDA_PREPARATION_TENSORS, "tensors"));
    list.count = 0;
    DLDA_TRY(dlda_network_visit(model->network, list_parameter, &list));
    list_head(&list);
    list.count += dlda_preparation_tensors(model->preparation, list.tensors + list.count);
    const dlda_metadata_entry metadata[] = { { format_key, format_version },
                                             { "network", model->network->text },
                                             { "classes", names },
                                             { "options", model->options },
                                             { DLDA_PREPARATION_KEY, preparation } };
    DLDA_TRY(dlda_safetensors_write(path, list.tensors, list.count, metadata, 5));
done:
    free(names);
    dlda_release(preparation);
    dlda_release(list.tensors);
    return status;
}

/* ---- Loading ---- */

static dlda_status require_text(const dlda_safetensors *file, const char *path, const char *key, const char **text)
{
    *text = dlda_safetensors_metadata(file, key);
    if (*text) return DLDA_OK;
    return dlda_fail(DLDA_E_FORMAT, "%s: no '%s' in the metadata; this is not a deeplda model", path, key);
}

static dlda_status check_version(const dlda_safetensors *file, const char *path)
{
    const char *version = NULL;
    dlda_status status = require_text(file, path, format_key, &version);

    if (status != DLDA_OK || strcmp(version, format_version) == 0) return status;
    return dlda_fail(DLDA_E_FORMAT, "%s: format version '%.32s', expected '%s'; a newer deeplda may read it", path,
                     version, format_version);
}

/* The class names; the strings belong to *array. */
static dlda_status read_names(const char *path, const char *text, json_t **array, const char ***names,
                              size_t *count)
{
    dlda_status status = DLDA_OK;

    *array = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_array(*array)) DLDA_FAIL(DLDA_E_FORMAT, "%s: 'classes' is not a JSON array", path);
    *count = json_array_size(*array);
    if (*count < 2 || *count > MOST_CLASSES)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %zu classes, expected 2 to %d", path, *count, MOST_CLASSES);
    DLDA_TRY(DLDA_TAKE(names, *count, "class names"));
    for (size_t c = 0; c < *count; c++) {
        (*names)[c] = json_string_value(json_array_get(*array, c));
        if (!(*names)[c]) DLDA_FAIL(DLDA_E_FORMAT, "%s: class name %zu is not a string", path, c);
    }
done:
    return status;
}

static dlda_status check_options(const char *path, const char *text)
{
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    int good = json_is_object(object);

    json_decref(object);
    return good ? DLDA_OK : dlda_fail(DLDA_E_FORMAT, "%s: 'options' is not a JSON object", path);
}

typedef struct tensor_source {
    const dlda_safetensors *file;
    dlda_model *model; /* NULL: only look whether all is there */
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

/* The head's tensors, in this order. */
enum { COUNTS, MEANS, DIRECTIONS, EIGENVALUES };

static dlda_status find_head(const dlda_safetensors *file, const char *path, size_t C, size_t D,
                             const dlda_tensor *head[N_HEAD_TENSORS])
{
    dlda_status status = DLDA_OK;
    const dlda_tensor *values = dlda_safetensors_find(file, "head.eigenvalues");
    size_t K = values && values->rank == 1 ? values->shape[0] : 0;
    const size_t means[] = { C, D }, directions[] = { K, D };

    if (K < 1 || K > D || K > C - 1)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: head.eigenvalues: %zu, expected 1 to %zu", path, K, D < C - 1 ? D : C - 1);
    DLDA_TRY(dlda_safetensors_require(file, "head.counts", DLDA_F64, 1, &C, &head[COUNTS]));
    DLDA_TRY(dlda_safetensors_require(file, "head.means", DLDA_F64, 2, means, &head[MEANS]));
    DLDA_TRY(dlda_safetensors_require(file, "head.directions", DLDA_F64, 2, directions, &head[DIRECTIONS]));
    DLDA_TRY(dlda_safetensors_require(file, "head.eigenvalues", DLDA_F64, 1, &K, &head[EIGENVALUES]));
done:
    return status;
}

/* Compares the file with what its network text demands, before memory is taken on the word of that text. */
static dlda_status check_tensors(const dlda_safetensors *file, const char *path, const char *network_text,
                                 size_t classes)
{
    dlda_status status = DLDA_OK;
    tensor_source source = { file, NULL, 0 };
    dlda_network *network = NULL;
    const dlda_tensor *head[N_HEAD_TENSORS];
    size_t prepared = 0;

    DLDA_TRY(dlda_network_parse(network_text, path, (dlda_shape){ 0, 0, 0 }, &network));
    DLDA_TRY(dlda_network_visit(network, load_parameter, &source));
    DLDA_TRY(find_head(file, path, classes, network->features, head));
    DLDA_TRY(dlda_preparation_check(file, path, network->input, &prepared));
    size_t expected = source.used + N_HEAD_TENSORS + prepared;
    if (expected != dlda_safetensors_count(file))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %zu tensors, expected %zu for this network", path,
                  dlda_safetensors_count(file), expected);
done:
    dlda_network_destroy(network);
    return status;
}

/* Eigenvalues in order, and counts that make the number of directions possible. */
static dlda_status check_head(const dlda_lda *lda, const char *path)
{
    size_t usable = 0;

    for (size_t c = 0; c < lda->C; c++) {
        if (!(lda->counts[c] >= 0 && lda->counts[c] <= 0x1p53))
            return dlda_fail(DLDA_E_FORMAT, "%s: head.counts: class %zu has %g rows", path, c, lda->counts[c]);
        usable += lda->counts[c] >= 2;
    }
    if (usable < 2 || lda->K != (usable - 1 < lda->D ? usable - 1 : lda->D))
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: head: %zu directions do not go with %zu usable classes and %zu features", path,
                         lda->K, usable, lda->D);
    for (size_t k = 1; k < lda->K; k++)
        if (lda->eigenvalues[k] > lda->eigenvalues[k - 1])
            return dlda_fail(DLDA_E_FORMAT, "%s: head.eigenvalues: number %zu is larger than the one before it",
                             path, k);
    return DLDA_OK;
}

static dlda_status load_head(const dlda_safetensors *file, const char *path, dlda_model *model)
{
    dlda_status status = DLDA_OK;
    size_t C = model->classes, D = model->network->features;
    const dlda_tensor *head[N_HEAD_TENSORS] = { NULL };

    DLDA_TRY(find_head(file, path, C, D, head));
    size_t K = head[EIGENVALUES]->shape[0];
    DLDA_TRY(dlda_lda_create(C, D, K, &model->lda));
    memcpy(model->lda->counts, head[COUNTS]->data, C * sizeof(double));
    memcpy(model->lda->M, head[MEANS]->data, C * D * sizeof(double));
    memcpy(model->lda->A, head[DIRECTIONS]->data, K * D * sizeof(double));
    memcpy(model->lda->eigenvalues, head[EIGENVALUES]->data, K * sizeof(double));
    DLDA_TRY(check_head(model->lda, path));
    dlda_lda_prepare(model->lda);
done:
    return status;
}

/* Batch norm takes the root of its variances. */
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

static dlda_status load_tensors(const dlda_safetensors *file, const char *path, dlda_model *model)
{
    dlda_status status = DLDA_OK;
    tensor_source source = { file, model, 0 };

    DLDA_TRY(dlda_network_visit(model->network, load_parameter, &source));
    DLDA_TRY(dlda_preparation_load(file, path, model->network->input, &model->preparation));
    DLDA_TRY(load_head(file, path, model));
    DLDA_TRY(check_variances(model, path));
done:
    return status;
}

dlda_status dlda_model_load(const char *path, dlda_model **model)
{
    dlda_status status = DLDA_OK;
    dlda_safetensors *file = NULL;
    dlda_model *self = NULL;
    dlda_model_spec spec = { .where = path };
    const char *classes = NULL, **names = NULL;
    json_t *array = NULL;

    DLDA_TRY(dlda_safetensors_read(path, &file));
    DLDA_TRY(check_version(file, path));
    DLDA_TRY(require_text(file, path, "network", &spec.network_text));
    DLDA_TRY(require_text(file, path, "classes", &classes));
    DLDA_TRY(require_text(file, path, "options", &spec.options));
    DLDA_TRY(check_options(path, spec.options));
    DLDA_TRY(read_names(path, classes, &array, &names, &spec.classes));
    spec.class_names = names;
    DLDA_TRY(check_tensors(file, path, spec.network_text, spec.classes));
    DLDA_TRY(dlda_model_create(&spec, &self));
    DLDA_TRY(load_tensors(file, path, self));
    *model = self;
    self = NULL;
done:
    dlda_model_destroy(self);
    dlda_release(names);
    json_decref(array);
    dlda_safetensors_destroy(file);
    return status;
}
