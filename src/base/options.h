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

enum {
    DLDA_OPTION_TEXT = 4096, /* longest value of an option, with its final zero */
    DLDA_MOST_SIDE = 4096    /* of an image that was brought to a size          */
};

/* The size of images; 0, 0: as they are. */
typedef struct dlda_size {
    size_t height, width;
} dlda_size;

typedef enum dlda_kernels { DLDA_KERNELS_FAST, DLDA_KERNELS_REFERENCE } dlda_kernels;

struct dlda_options {
    /* what is learned, and how: these decide the result */
    char net[DLDA_OPTION_TEXT];
    int64_t objective; /* dlda_objective_kind */
    int64_t epochs, batch, halve_every, patience, seed;
    char init[DLDA_OPTION_TEXT]; /* a model file to start from, or "" */
    int64_t schedule;            /* dlda_schedule_kind */
    double rate, warm_up, momentum, decay, lambda, epsilon, validation, measure;
    int64_t measure_every;
    dlda_size resize;
    char prepare[DLDA_OPTION_TEXT];
    double gcn_scale, gcn_bias, zca_bias;
    int64_t flip, shift;
    int64_t split_seed, subset, folds, fold; /* split_seed: -1 for that of `seed` */
    int64_t kernels;                         /* dlda_kernels */
    /* how it runs and what is shown */
    int64_t threads, probability, force, quiet, json, help;
    double checkpoint; /* minutes */
    char data[DLDA_OPTION_TEXT], resume[DLDA_OPTION_TEXT];
    int64_t repeats, part;       /* bench; part: dlda_benchmark_part */
    int64_t no_presets;          /* train */
    int64_t count, skip_bad, to; /* data; to: dlda_data_format */
    int64_t cross_validate;      /* lda: folds */
    char save[DLDA_OPTION_TEXT], apply[DLDA_OPTION_TEXT];
    int64_t list;                /* predict, reproduce */
    int64_t seeds;               /* reproduce */
    char budget[DLDA_OPTION_TEXT], rows[DLDA_OPTION_TEXT];
    int64_t head, svm; /* eval; head: 0 LDA, 1 softmax */
    char train_data[DLDA_OPTION_TEXT];
    char compare[DLDA_OPTION_TEXT], answers[DLDA_OPTION_TEXT]; /* eval */
    int64_t compare_head;                                      /* eval; as head */
    int64_t as_trained; /* refit */
    char priors[DLDA_OPTION_TEXT], add_class[DLDA_OPTION_TEXT];
    int64_t top; /* predict */
    double reject;
    int64_t raw, from;        /* embed */
    int64_t directions, live; /* report */
    char output[DLDA_OPTION_TEXT];
    char label[DLDA_OPTION_TEXT];
    char format[DLDA_OPTION_TEXT]; /* of the data; "": recognised from the content */
    /* the text of each value, in the order of the table */
    char text[96][DLDA_OPTION_TEXT];
    unsigned char given[96]; /* 1: set by the user, so that no preset changes it */
};

/* 1 if option i of the table decides the result of a training, so that files record it. */
int dlda_option_decides_result(size_t i);

/* Sets an option that the user has not given. */
dlda_status dlda_options_suggest(dlda_options *options, const char *name, const char *value);

/* The reverse of dlda_options_to_json, for options that the user has not given; `where` names the text in errors. */
dlda_status dlda_options_from_json(dlda_options *options, const char *json, const char *where);

/* The options that decide the result, as one JSON object, in new memory (dlda_release). */
dlda_status dlda_options_to_json(const dlda_options *options, char **json);

#endif
