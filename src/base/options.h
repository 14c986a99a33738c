/* SPDX-License-Identifier: MIT
 *
 * options.h - what the library reads of its options: the fields behind the one table in options.c.
 *
 * The parser of the program, its --help, docs/options.md, options.json and the metadata of model files all
 * come from that table.
 */
#ifndef DLDA_BASE_OPTIONS_H
#define DLDA_BASE_OPTIONS_H

#include "base/status.h"

enum { DLDA_OPTION_TEXT = 4096 }; /* longest value of an option, with its final zero */

typedef enum dlda_kernels { DLDA_KERNELS_FAST, DLDA_KERNELS_REFERENCE } dlda_kernels;

struct dlda_options {
    /* what is learned, and how: these decide the result */
    char net[DLDA_OPTION_TEXT];
    int64_t objective; /* dlda_objective_kind */
    int64_t epochs, batch, halve_every, seed;
    double rate, momentum, decay, lambda, epsilon, validation;
    int64_t kernels; /* dlda_kernels */
    /* how it runs and what is shown */
    int64_t threads, probability, force, quiet, json, help;
    int64_t repeats, part; /* bench; part: dlda_benchmark_part */
    int64_t folds;         /* lda                                      */
    char output[DLDA_OPTION_TEXT];
    char label[DLDA_OPTION_TEXT];
    /* the text of each value, in the order of the table */
    char text[26][DLDA_OPTION_TEXT];
};

/* 1 if option i of the table decides the result of a training, so that files record it. */
int dlda_option_decides_result(size_t i);

/* The options that decide the result, as one JSON object, in new memory (dlda_release). */
dlda_status dlda_options_to_json(const dlda_options *options, char **json);

#endif
