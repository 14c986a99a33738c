/* SPDX-License-Identifier: MIT
 *
 * lda_file.c - an LDA without a network as one safetensors file (docs/model_format.md, "LDA files").
 *
 * The arrays are those of a model's head. Nothing in the file is trusted, and unknown arrays are an error.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "model/class_names.h"
#include "model/feature_names.h"
#include "model/file_version.h"
#include "model/head_file.h"

#include <math.h>
#include <stdlib.h>

static const char format_version[] = "1", lambda_key[] = "lambda", classes_key[] = "classes",
                  features_key[] = "features";

/* ---- Saving ---- */

/* *text is NULL if the classes have no names. */
static dlda_status names_to_json(const dlda_lda *lda, const char *path, char **text)
{
    dlda_status status = DLDA_OK;
    const char **names = NULL;

    if (lda->names.count == 0) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&names, lda->C, "class names"));
    for (size_t c = 0; c < lda->C; c++) names[c] = dlda_name_list_at(&lda->names, c);
    DLDA_TRY(dlda_names_check(names, lda->C, path, "classes", DLDA_E_ARGUMENT));
    DLDA_TRY(dlda_names_to_json(names, lda->C, path, text));
done:
    dlda_release(names);
    return status;
}

/* `path` is for messages. */
static dlda_status encode(const dlda_lda *lda, const char *path, char **bytes, size_t *size)
{
    dlda_status status = DLDA_OK;
    dlda_metadata_entry texts[4] = { { DLDA_LDA_KEY, format_version } };
    dlda_tensor tensors[DLDA_HEAD_TENSORS];
    char lambda[40], *names = NULL, *features = NULL;
    size_t n_texts = 1;

    DLDA_TRY(names_to_json(lda, path, &names));
    if (names) texts[n_texts++] = (dlda_metadata_entry){ classes_key, names };
    if (!dlda_print_real(lda->lambda, 17, lambda)) DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for a locale", path);
    if (!isnan(lda->lambda)) texts[n_texts++] = (dlda_metadata_entry){ lambda_key, lambda };
    if (lda->list) {
        DLDA_TRY(dlda_feature_names_to_json(lda, path, &features));
        texts[n_texts++] = (dlda_metadata_entry){ features_key, features };
    }
    size_t n_tensors = dlda_head_tensors(lda, tensors);
    DLDA_TRY(dlda_safetensors_encode(path, tensors, n_tensors, texts, n_texts, bytes, size));
done:
    dlda_release(names);
    dlda_release(features);
    return status;
}

dlda_status dlda_lda_save(const dlda_lda *lda, const char *path)
{
    dlda_status status = DLDA_OK;
    char *bytes = NULL;
    size_t size = 0;

    DLDA_NEED(lda, path);
    DLDA_TRY(encode(lda, path, &bytes, &size));
    DLDA_TRY(dlda_file_write(path, bytes, size));
done:
    dlda_release(bytes);
    return status;
}

dlda_status dlda_lda_to_bytes(const dlda_lda *lda, void **bytes, size_t *size)
{
    DLDA_NEED(lda, bytes, size);
    char *made = NULL;
    dlda_status status = encode(lda, "LDA", &made, size);

    if (status == DLDA_OK) *bytes = made;
    return status;
}

/* ---- Loading ---- */

/* Derives the number of classes and features; dlda_head_check then compares all arrays with them. */
static dlda_status find_sizes(const dlda_safetensors *file, const char *path, size_t *C, size_t *D)
{
    const dlda_tensor *counts = dlda_safetensors_find(file, "head.counts");
    const dlda_tensor *means = dlda_safetensors_find(file, "head.means");

    *C = counts && counts->rank == 1 ? counts->shape[0] : 0;
    *D = means && means->rank == 2 ? means->shape[1] : 0;
    if (*C < 2 || *C > DLDA_MOST_CLASSES)
        return dlda_fail(DLDA_E_FORMAT, "%s: head.counts: %zu classes, expected 2 to %d", path, *C,
                         DLDA_MOST_CLASSES);
    if (*D < 1) return dlda_fail(DLDA_E_FORMAT, "%s: head.means: no features, expected 1 or more", path);
    return DLDA_OK;
}

static dlda_status load_names(const dlda_safetensors *file, const char *path, dlda_lda *lda)
{
    dlda_status status = DLDA_OK;
    const char *text = dlda_safetensors_metadata(file, classes_key), **names = NULL;
    json_t *array = NULL;
    size_t count = 0;

    if (!text) return DLDA_OK;
    DLDA_TRY(dlda_class_names_from_json(path, text, &array, &names, &count));
    if (count != lda->C) DLDA_FAIL(DLDA_E_FORMAT, "%s: %zu class names, expected %zu", path, count, lda->C);
    DLDA_TRY(dlda_lda_name_classes(lda, names));
done:
    dlda_release(names);
    json_decref(array);
    return status;
}

static dlda_status load_lambda(const dlda_safetensors *file, const char *path, dlda_lda *lda)
{
    const char *text = dlda_safetensors_metadata(file, lambda_key);

    if (!text) return DLDA_OK;
    if (dlda_parse_real(text, &lda->lambda) && lda->lambda >= 0 && isfinite(lda->lambda)) return DLDA_OK;
    return dlda_fail(DLDA_E_FORMAT, "%s: '%s' is '%.32s', expected a number, 0 or more", path, lambda_key, text);
}

/* `path` is for messages. */
static dlda_status load(const dlda_safetensors *file, const char *path, dlda_lda **lda)
{
    dlda_status status = DLDA_OK;
    dlda_lda *self = NULL;
    size_t C = 0, D = 0, used = 0;

    DLDA_TRY(dlda_file_version_check(file, path, DLDA_LDA_KEY, format_version));
    DLDA_TRY(find_sizes(file, path, &C, &D));
    DLDA_TRY(dlda_head_check(file, path, C, D, &used));
    if (used != dlda_safetensors_count(file))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %zu tensors, expected %zu for an LDA", path, dlda_safetensors_count(file),
                  used);
    DLDA_TRY(dlda_head_load(file, path, C, D, &self));
    DLDA_TRY(load_names(file, path, self));
    DLDA_TRY(load_lambda(file, path, self));
    const char *features = dlda_safetensors_metadata(file, features_key);
    if (features) DLDA_TRY(dlda_feature_names_from_json(path, features, self));
    dlda_lda_fill_view(self);
    *lda = self;
    self = NULL;
done:
    dlda_lda_destroy(self);
    return status;
}

dlda_status dlda_lda_load(const char *path, dlda_lda **lda)
{
    DLDA_NEED(path, lda);
    dlda_safetensors *file = NULL;
    dlda_status status = dlda_safetensors_read(path, &file);

    if (status == DLDA_OK) status = load(file, path, lda);
    dlda_safetensors_destroy(file);
    return status;
}

dlda_status dlda_lda_from_bytes(const void *bytes, size_t size, dlda_lda **lda)
{
    DLDA_NEED(bytes, lda);
    static const char what[] = "LDA in memory";
    dlda_safetensors *file = NULL;
    dlda_status status = dlda_safetensors_decode(what, bytes, size, &file);

    if (status == DLDA_OK) status = load(file, what, lda);
    dlda_safetensors_destroy(file);
    return status;
}
