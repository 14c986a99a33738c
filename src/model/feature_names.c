/* SPDX-License-Identifier: MIT
 *
 * feature_names.c - what the features of an LDA are, to and from JSON: an array with the name of a column for each
 * feature; or, of a column of categories, [column, level, reference]. Models of tables have names only.
 */
#include "model/feature_names.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "model/class_names.h"
#include "model/model.h"

static json_t *one_to_json(const dlda_feature *feature)
{
    if (!feature->level) return json_string(feature->column);
    return json_pack("[sss]", feature->column, feature->level, feature->reference ? feature->reference : "");
}

static int is_utf8(const dlda_feature *feature)
{
    return dlda_is_utf8(feature->column) && (!feature->level || dlda_is_utf8(feature->level)) &&
           (!feature->reference || dlda_is_utf8(feature->reference));
}

dlda_status dlda_feature_names_to_json(const dlda_lda *lda, const char *path, char **text)
{
    dlda_status status = DLDA_OK;
    json_t *array = json_array();

    for (size_t j = 0; j < dlda_lda_features(lda); j++) {
        const dlda_feature *feature = dlda_lda_feature(lda, j);
        if (!is_utf8(feature))
            DLDA_FAIL(DLDA_E_ARGUMENT, "%s: the feature '%s' is not valid UTF-8", path,
                      dlda_show(feature->column).text);
        if (!array || json_array_append_new(array, one_to_json(feature)) != 0)
            DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for JSON", path);
    }
    DLDA_TRY(dlda_json_print(array, JSON_COMPACT, path, text));
done:
    json_decref(array);
    return status;
}

static int one_from_json(const json_t *value, dlda_feature *feature)
{
    if (json_is_string(value)) {
        feature->column = json_string_value(value);
        return 1;
    }
    if (json_array_size(value) != 3) return 0;
    feature->column = json_string_value(json_array_get(value, 0));
    feature->level = json_string_value(json_array_get(value, 1));
    feature->reference = json_string_value(json_array_get(value, 2));
    return feature->column && feature->level && feature->level[0] && feature->reference;
}

dlda_status dlda_feature_names_from_json(const char *path, const char *text, dlda_lda *lda)
{
    dlda_status status = DLDA_OK;
    size_t D = dlda_lda_features(lda);
    json_t *array = NULL;
    dlda_feature *list = NULL;

    DLDA_TRY(dlda_json_parse_text(text, path, &array));
    if (!json_is_array(array) || json_array_size(array) != D)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: 'features' is not a JSON array of %zu names", path, D);
    DLDA_TRY(DLDA_TAKE(&list, D, "feature names"));
    for (size_t j = 0; j < D; j++)
        if (!one_from_json(json_array_get(array, j), &list[j]))
            DLDA_FAIL(DLDA_E_FORMAT, "%s: feature %zu is neither a name nor [column, level, reference]", path, j);
    DLDA_TRY(dlda_lda_name_features(lda, list));
done:
    dlda_release(list);
    json_decref(array);
    return status;
}

dlda_status dlda_column_names_from_json(const char *path, const char *text, dlda_model *model)
{
    dlda_status status = DLDA_OK;
    size_t n = dlda_model_image_size(model);
    json_t *array = NULL;
    const char **names = NULL;

    DLDA_TRY(dlda_json_parse_text(text, path, &array));
    if (!json_is_array(array) || json_array_size(array) != n)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: 'features' is not a JSON array of %zu names", path, n);
    DLDA_TRY(DLDA_TAKE(&names, n, "column names"));
    for (size_t j = 0; j < n; j++) {
        names[j] = json_string_value(json_array_get(array, j));
        if (!names[j]) DLDA_FAIL(DLDA_E_FORMAT, "%s: feature name %zu is not a string", path, j);
    }
    DLDA_TRY(dlda_names_check(names, n, path, "features", DLDA_E_FORMAT));
    DLDA_TRY(dlda_take_texts(names, n, &model->columns));
done:
    dlda_release(names);
    json_decref(array);
    return status;
}
