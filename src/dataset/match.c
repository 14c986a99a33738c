/* SPDX-License-Identifier: MIT
 *
 * match.c - matches the class names of a data set with those of a model or of training data.
 *
 * A folder that lacks a class would number the classes after it differently. So if both sides have names, labels
 * are matched by name, not by number.
 */
#include "base/memory.h"
#include "base/options.h"
#include "dataset/dataset_internal.h"

#include <stdio.h>
#include <string.h>

/* Index of a name in the spec's list; -1 if it is not there. */
static int place_of(const dlda_read_spec *spec, const char *name)
{
    for (size_t k = 0; k < spec->classes; k++)
        if (strcmp(spec->names[k], name) == 0) return (int)k;
    return -1;
}

/* 1 if the list is "0", "1", ...: the training data had no names. */
static int only_numbers(const dlda_read_spec *spec)
{
    char number[24];

    for (size_t k = 0; k < spec->classes; k++) {
        snprintf(number, sizeof number, "%zu", k);
        if (strcmp(spec->names[k], number) != 0) return 0;
    }
    return 1;
}

static dlda_status fail_unknown_class(const dlda_read_spec *spec, const char *name)
{
    enum { ROOM = 400 };
    char known[ROOM] = "";
    size_t used = 0;

    for (size_t k = 0; k < spec->classes && used < ROOM; k++)
        used += (size_t)snprintf(known + used, ROOM - used, "%s%s", k ? ", " : "", spec->names[k]);
    return dlda_fail(DLDA_E_CLASS, "%s: class '%s' is not known; expected one of: %s%s", spec->path, name, known,
                     used < ROOM ? "" : " ...");
}

static void relabel(dlda_dataset *dataset, const int *place)
{
    for (size_t i = 0; dataset->labels && i < dataset->count; i++) dataset->labels[i] = place[dataset->labels[i]];
}

/* A class that is not in the list is allowed as long as it has no samples. */
static dlda_status check_places(const dlda_dataset *dataset, const dlda_read_spec *spec, const int *place)
{
    for (size_t i = 0; dataset->labels && i < dataset->count; i++)
        if (place[dataset->labels[i]] < 0)
            return fail_unknown_class(spec, dataset->storage->names[dataset->labels[i]]);
    return DLDA_OK;
}

dlda_status dlda_dataset_match(dlda_dataset *dataset, const dlda_read_spec *spec)
{
    dlda_status status = DLDA_OK;
    int *place = NULL;
    size_t known = 0;

    if (!spec->names || !dataset->storage->named) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&place, dataset->classes, "class names"));
    for (size_t c = 0; c < dataset->classes; c++) {
        place[c] = place_of(spec, dataset->storage->names[c]);
        known += place[c] >= 0;
    }
    if (known == 0 && only_numbers(spec)) goto done; /* only one side has names: labels are matched by number */
    DLDA_TRY(check_places(dataset, spec, place));
    DLDA_TRY(dlda_storage_set_names(dataset->storage, spec->names, spec->classes));
    relabel(dataset, place);
    dataset->classes = spec->classes;
done:
    dlda_release(place);
    return status;
}

/* ---- Read specifications ---- */

void dlda_read_spec_use_options(dlda_read_spec *spec, const dlda_options *options)
{
    if (!spec || !options) return;
    spec->format = options->format[0] ? options->format : NULL;
    spec->height = options->resize.height;
    spec->width = options->resize.width;
    spec->label = options->label[0] ? options->label : NULL;
    spec->threads = (size_t)options->threads;
}

void dlda_read_spec_use_size(dlda_read_spec *spec, int resized, size_t height, size_t width)
{
    if (spec->height || spec->width) return;
    if (resized) {
        spec->height = height;
        spec->width = width;
    } else {
        spec->fixed_height = height;
        spec->fixed_width = width;
    }
}

void dlda_read_spec_use_dataset(dlda_read_spec *spec, const dlda_dataset *dataset)
{
    if (!spec || !dataset) return;
    if (dataset->height * dataset->width > 1 && (dataset->channels == 1 || dataset->channels == 3))
        spec->channels = dataset->channels;
    spec->names = (const char *const *)dataset->storage->names;
    spec->classes = dataset->classes;
    spec->columns = dlda_dataset_columns(dataset);
    if (spec->columns) spec->features = dataset->storage->n_columns;
    dlda_read_spec_use_size(spec, dataset->resized, dataset->height, dataset->width);
}

dlda_status dlda_dataset_record_size(const dlda_dataset *train, dlda_options *options)
{
    char text[48];

    if (!train->resized || options->resize.height) return DLDA_OK;
    snprintf(text, sizeof text, "%zux%zu", train->height, train->width);
    return dlda_options_suggest(options, "resize", text);
}
