/* SPDX-License-Identifier: MIT
 *
 * priors.c - parses the option --priors: "uniform", "data" or "0.5,0.3,0.2".
 */
#include "priors.h"

#include <stdlib.h>
#include <string.h>

/* Parses one number up to a comma or the end; NULL unless it is positive. */
static const char *read_share(const char *text, double *share)
{
    char *end = NULL;

    *share = strtod(text, &end); /* uses a decimal point: the program keeps LC_NUMERIC "C" */
    if (end == text || (*end != ',' && *end != '\0') || !(*share > 0 && *share < 1e300)) return NULL;
    return *end == ',' ? end + 1 : end;
}

static size_t count_items(const char *text)
{
    size_t count = 1;

    for (; *text; text++) count += *text == ',';
    return count;
}

static int read_list(const char *command, const char *text, size_t classes, double *priors)
{
    const char *at = text;

    if (count_items(text) != classes)
        return complain_usage(
            command, "option priors: found %zu values, expected uniform, data, or one for each of the %zu classes",
            count_items(text), classes);
    for (size_t c = 0; c < classes; c++) {
        const char *next = read_share(at, &priors[c]);
        if (!next)
            return complain_usage(command, "option priors: value %zu, '%.*s', is not a number above 0", c + 1,
                                  (int)strcspn(at, ","), at);
        at = next;
    }
    return EXIT_OK;
}

int priors_read(const char *command, const char *text, size_t classes, double **priors)
{
    int code = EXIT_OK;

    *priors = NULL;
    if (!text[0] || strcmp(text, "data") == 0) return EXIT_OK;
    *priors = calloc(classes, sizeof **priors);
    if (!*priors) {
        complain(command, "no memory for %zu classes", classes);
        return EXIT_FAILED;
    }
    if (strcmp(text, "uniform") == 0)
        for (size_t c = 0; c < classes; c++) (*priors)[c] = 1.0 / (double)classes;
    else code = read_list(command, text, classes, *priors);
    if (code != EXIT_OK) {
        free(*priors);
        *priors = NULL;
    }
    return code;
}

int priors_apply(const char *command, const char *text, const dlda_model *model, dlda_model **adapted)
{
    double *priors = NULL;
    int code = priors_read(command, text, dlda_model_classes(model), &priors);

    if (code == EXIT_OK) code = exit_code_of(command, dlda_model_use_priors(model, priors, adapted));
    free(priors);
    return code;
}
