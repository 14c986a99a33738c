/* SPDX-License-Identifier: MIT
 *
 * trainer.h - the inside of a trainer. setup.c makes it; trainer.c does one step; loop.c runs steps and epochs and decides
 * when to stop; monitor.c measures an epoch and history.c keeps the result; diagnose.c explains failures; record.c,
 * run_file.c and checkpoint.c write the folder of a run.
 */
#ifndef DLDA_TRAINING_TRAINER_H
#define DLDA_TRAINING_TRAINER_H

#include "batch/loader.h"
#include "dataset/dataset.h"
#include "model/model.h"
#include "objective/scatter.h"
#include "training/history.h"

/* What this process knows of time. */
typedef struct dlda_run_clock {
    double begin, saved;  /* when it began to train (0: not yet); when it last saved a checkpoint */
    double epochs_before; /* done when it began, and the share of one                             */
    size_t epoch;         /* that the two below are of                                            */
    double epoch_begin;   /* when the epoch would have begun without interruptions                */
    size_t images;        /* trained on in it                                                     */
} dlda_run_clock;

struct dlda_trainer {
    dlda_options *options;                     /* a copy, with what was done to the data */
    const dlda_dataset *train, *validation;    /* as given, or else prepared; validation may be NULL     */
    dlda_dataset *prepared[2];                 /* those of them that are ours                            */
    const dlda_preparation *batch_preparation; /* what their images need in each batch; NULL: nothing    */
    dlda_dataset *probe; /* the part of train that is measured after each epoch; NULL: all of it */
    dlda_watch watch;
    size_t batch; /* size of the largest one */
    dlda_team *team;
    dlda_sampler *sampler;    /* used by the loader alone from its first batch on, but for sizes */
    dlda_batch_source source; /* what the loader makes batches from                              */
    dlda_loader *loader;
    dlda_plan *plan;
    dlda_objective *objective;
    dlda_scatter *scatter;
    /* what is learned: the model holds the best so far, these the latest */
    dlda_model *model;
    float *weights, *gradient, *velocity; /* [n_weights] */
    float *state;                         /* [n_state]   */
    dlda_lda *lda;                        /* of the latest epoch */
    size_t epochs_done, steps_done;
    size_t batches_done, best_epoch; /* in the current epoch; 0: there is none yet                */
    double loss_sum;                 /* of the current epoch's batches                            */
    double epoch_seconds;            /* that they took before the last checkpoint                 */
    double loader_seconds;           /* processor time that the latest batch took to make         */
    dlda_run_clock clock;
    int has_checkpoint; /* of this training, in the folder                           */
    double best_accuracy;
    float *dH; /* [batch][features]       */
    /* of a whole set, portion by portion; the features of the probe */
    float *images;     /* [batch][input]          */
    size_t *positions; /* [batch]                 */
    float *H;          /* [probe][features]       */
    int *predicted;    /* [batch]                 */
    dlda_history *history;
    char *folder;    /* NULL: no record is kept */
    int made_folder; /* by us                   */
};

/* trainer.c: one step on a batch, from 0, of an epoch. Takes no memory. */
dlda_status dlda_trainer_step(dlda_trainer *trainer, size_t epoch, size_t batch, double *loss);

/* The learning rate when `done` epochs are complete, of the schedule in the options. */
double dlda_trainer_rate(const dlda_options *options, double done);

/* monitor.c: chooses the probe; after an epoch, fits an LDA on its features and measures accuracies with it, unless option
 * measure-every skips this one; in the end, fits the LDA of the model on all training features. */
dlda_status dlda_trainer_choose_probe(dlda_trainer *trainer);
dlda_status dlda_trainer_measure(dlda_trainer *trainer, dlda_epoch *epoch);
dlda_status dlda_trainer_complete(dlda_trainer *trainer);

/* diagnose.c: DLDA_E_NUMERIC, with the layer's name, if a weight is not finite. */
dlda_status dlda_trainer_check_weights(const dlda_trainer *trainer);
/* Completes the message of a step that failed: what is wrong, and what may help. */
dlda_status dlda_trainer_explain(const dlda_trainer *trainer, dlda_status status, size_t epoch, size_t batch);
/* Tells the watch if batches are too small for a sound scatter within classes. */
void dlda_trainer_warn(const dlda_trainer *trainer);

/* record.c: brings the files of the run up to date; removes a folder in which nothing was ever written. */
void dlda_trainer_leave_folder(const dlda_trainer *trainer);
dlda_status dlda_trainer_write_record(const dlda_trainer *trainer, int new_best);

#endif
