/* SPDX-License-Identifier: MIT
 *
 * feature_names.c - what the features of an LDA are, to and from JSON: an array with the name of a column for each
 * feature; or, of a column of categories, [column, level, reference]. Models of tables have names only.
 */
#include "model/feature_names.h"
#include "base/memory.h"
#include "model/class_names.h"
#include "model/model.h"

#include <jansson.h>

static json_t *one_to_json(const dlda_feature *feature)
{
    if (!feature->level) return json_string(feature->column);
    return json_pack("[sss]", feature->column, feature->level, feature->reference ? feature->reference : "");
}

char *dlda_feature_names_to_json(const dlda_lda *lda)
{
    json_t *array = json_array();
    char *text = NULL;
    int good = array != NULL;

    for (size_t j = 0; good && j < dlda_lda_features(lda); j++)
        good = json_array_append_new(array, one_to_json(dlda_lda_feature(lda, j))) == 0;
    if (good) text = json_dumps(array, JSON_COMPACT);
    json_decref(array);
    return text;
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
    json_t *array = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    dlda_feature *list = NULL;

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
    json_t *array = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const char **names = NULL;

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
