/* SPDX-License-Identifier: MIT
 *
 * options.h - the options of the library: what decides a training or a model, how a training runs, and what its data are.
 *
 * The table in options.c has a row for each field. options.json and the metadata of model files come from it, and the
 * program composes its command line from it and a table of its own (cli/options.c).
 */
#ifndef DLDA_BASE_OPTIONS_H
#define DLDA_BASE_OPTIONS_H

#include "base/settings.h"

typedef enum dlda_kernels { DLDA_KERNELS_FAST, DLDA_KERNELS_REFERENCE } dlda_kernels;

/* Copied by dlda_options_copy only: the settings own the texts. */
struct dlda_options {
    dlda_settings settings;
    /* what is learned, and how: these decide the result */
    const char *net;
    int64_t objective; /* dlda_objective_kind */
    int64_t epochs, batch, halve_every, patience, seed;
    const char *init; /* a model file to start from, or "" */
    int64_t schedule; /* dlda_schedule_kind */
    double rate, warm_up, momentum, decay, lambda, epsilon, validation, measure;
    int64_t measure_every;
    dlda_size resize;
    const char *prepare;
    double gcn_scale, gcn_bias, zca_bias;
    int64_t flip, shift;
    int64_t split_seed, subset, folds, fold; /* split_seed: -1 for that of `seed` */
    int64_t kernels;                         /* dlda_kernels */
    /* what the data are: recorded with a run */
    const char *data, *format, *label; /* format "": recognised from the content */
    /* how a training runs */
    int64_t threads;
    double checkpoint; /* minutes */
};

/* Sets an option that was not set explicitly. */
dlda_status dlda_options_suggest(dlda_options *options, const char *name, const char *value);

/* The reverse of dlda_options_to_json, for options that were not set explicitly. A key that is not
 * an option that decides the result is DLDA_E_FORMAT: files do not decide how a program runs. `where` names the text in
 * errors. */
dlda_status dlda_options_from_json(dlda_options *options, const char *json, const char *where);

/* The options that decide the result, as one JSON object, in new memory (dlda_release). */
dlda_status dlda_options_to_json(const dlda_options *options, char **json);

#endif
