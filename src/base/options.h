/* SPDX-License-Identifier: MIT
 *
 * options.h - the options of the library: how to train a model, how to execute the training, and where the data is.
 *
 * options.c has a table with a row for each field. options.json, the metadata of model files and the program's
 * command line (with a table of its own, cli/options.c) are derived from it.
 */
#ifndef DLDA_BASE_OPTIONS_H
#define DLDA_BASE_OPTIONS_H

#include "base/settings.h"

typedef enum dlda_kernels { DLDA_KERNELS_FAST, DLDA_KERNELS_REFERENCE } dlda_kernels;
typedef enum dlda_precision { DLDA_PRECISION_FLOAT, DLDA_PRECISION_BF16 } dlda_precision;

/* Copy with dlda_options_copy only: the settings own the strings. */
struct dlda_options {
    dlda_settings settings;
    /* affect the result */
    const char *net;
    int64_t objective; /* dlda_objective_kind */
    int64_t epochs, batch, norm_group, halve_every, patience, seed;
    double tolerance;
    const char *init; /* a model file to start from, or "" */
    int64_t schedule; /* dlda_schedule_kind */
    double rate, warm_up, momentum, decay, lambda, epsilon, validation, measure;
    int64_t measure_every;
    dlda_size resize;
    const char *prepare;
    double gcn_scale, gcn_bias, zca_bias;
    int64_t flip, shift;
    int64_t split_seed, subset, folds, fold; /* split_seed: -1 for the value of `seed` */
    int64_t kernels;                         /* dlda_kernels */
    int64_t precision;                       /* dlda_precision */
    /* source of the data, recorded with a run */
    const char *data, *format, *label; /* format "": recognised from the content */
    /* execution */
    int64_t threads, micro_batch;
    double checkpoint; /* minutes */
};

/* Sets an option unless it was set explicitly. */
dlda_status dlda_options_suggest(dlda_options *options, const char *name, const char *value);

/* The inverse of dlda_options_to_json. Options set explicitly are not changed. DLDA_E_FORMAT for keys that are not
 * options affecting the result: files must not control execution. `where` names the text in errors. */
dlda_status dlda_options_from_json(dlda_options *options, const char *json, const char *where);

/* The options that affect the result, as one JSON object, in new memory (dlda_release). */
dlda_status dlda_options_to_json(const dlda_options *options, char **json);

#endif
