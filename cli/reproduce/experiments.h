/* SPDX-License-Identifier: MIT
 *
 * experiments.h - the experiments of the paper and its published results: data only.
 */
#ifndef DEEPLDA_CLI_EXPERIMENTS_H
#define DEEPLDA_CLI_EXPERIMENTS_H

#include <stddef.h>

/* The networks trained for an experiment: the paper's two, and one with the objective that we recommend. */
typedef enum cli_trained { TRAINED_DEEPLDA, TRAINED_CCE, TRAINED_OURS, N_TRAINED } cli_trained;

typedef struct trained_kind {
    const char *name;      /* "deeplda": also the name of the run folder */
    const char *objective; /* "lda"                                      */
} trained_kind;

extern const trained_kind trained_kinds[N_TRAINED];

/* The rows of a table are evaluations of these networks; the paper's rows come first. */
typedef enum cli_row {
    ROW_DEEPLDA,
    ROW_SVM,
    ROW_CCE,
    ROW_CCE_LDA,
    N_PAPER_ROWS,
    ROW_OURS = N_PAPER_ROWS,
    ROW_OURS_LDA,
    N_ROWS
} cli_row;

typedef struct row_kind {
    const char *name;     /* "cce-lda": in --rows, and in the name of the result file                           */
    const char *title;    /* "CCE(LDA)": as in the paper                                                        */
    cli_trained model;    /* which network                                                                      */
    const char *words[3]; /* arguments of `deeplda eval`, NULL at the end                                       */
    const char *figures;  /* part of its JSON with the result, and column of its answers; NULL: the model's own */
} row_kind;

extern const row_kind row_kinds[N_ROWS];

/* Two rows that are compared image by image. */
typedef struct row_pair {
    cli_row first, second;
} row_pair;

enum { N_PAIRS = 12 };
extern const row_pair row_pairs[N_PAIRS];

/* A published figure in %; 0: none. The paper's text does not always agree with its tables. */
typedef struct printed_figure {
    double table, text;
} printed_figure;

/* Whether the figures of an experiment are errors or accuracies. */
typedef enum cli_measure { MEASURE_ERROR, MEASURE_ACCURACY } cli_measure;
extern const char *const measure_names[]; /* "error", "accuracy" */

typedef struct cli_experiment {
    const char *name, *title;
    const char *set;            /* the known set, whose presets are used                             */
    const char *net;            /* replaces the preset's; NULL: does not                             */
    size_t resize;              /* side to which images are resized; 0: they are not                 */
    size_t train, validation;   /* images trained on; held out to select the epoch                   */
    size_t folds;               /* lists of training images that the paper averages over; 0: one set */
    size_t epochs, halve_every; /* replace the preset's; 0: do not                                   */
    cli_measure measure;
    printed_figure printed[N_ROWS];
    /* Deviations of this protocol from the paper's text, or additions; NULL: none known. */
    const char *epoch_choice; /* which epoch is tested        */
    const char *augmentation; /* of the training images       */
    const char *halving;      /* of the rate, if it is halved */
} cli_experiment;

/* Experiment i, from 0; NULL after the last. */
const cli_experiment *experiment_at(size_t i);
/* By its name; NULL if there is none. */
const cli_experiment *experiment_named(const char *name);

#endif
