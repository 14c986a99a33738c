/* SPDX-License-Identifier: MIT
 *
 * trainer.h - internals of a trainer. setup.c creates it; trainer.c does one step; loop.c runs steps and epochs and
 * decides when to stop; monitor.c measures an epoch and history.c keeps the results; diagnose.c explains failures;
 * record.c, run_file.c and checkpoint.c write the run folder.
 */
#ifndef DLDA_TRAINING_TRAINER_H
#define DLDA_TRAINING_TRAINER_H

#include "base/folder_lock.h"
#include "batch/loader.h"
#include "dataset/dataset.h"
#include "model/model.h"
#include "objective/scatter.h"
#include "training/history.h"

/* Times of this process, in seconds. */
typedef struct dlda_run_clock {
    double begin, saved;  /* start of training (0: not started); last checkpoint  */
    double epochs_before; /* epochs done before this process began, with fraction */
    size_t epoch;         /* the epoch to which the next two refer                */
    double epoch_begin;   /* when it would have begun without interruptions       */
    size_t images;        /* trained on in this epoch                             */
    double here, waited;  /* begin of the epoch in this process; its time of waiting for ranks till then */
} dlda_run_clock;

struct dlda_trainer {
    dlda_options *options;                     /* a copy, with the preparation that was applied to the data */
    const dlda_dataset *train, *validation;    /* as given, or prepared copies; validation may be NULL      */
    const dlda_dataset *held_out;              /* the validation samples as given; may be NULL              */
    dlda_dataset *prepared[2];                 /* the prepared copies, owned; NULL where not made           */
    const dlda_preparation *batch_preparation; /* applied to each batch; NULL: none                         */
    dlda_dataset *probe; /* part of train that is measured after each epoch; NULL: all of it */
    dlda_watch watch;
    const dlda_comm *comm; /* NULL: one rank */
    size_t batch;          /* size of the largest batch, of all ranks */
    double waiting;        /* share of the epoch's time that the ranks have waited for each other, on average */
    dlda_team *team;
    dlda_sampler *sampler;    /* from the first batch on, only the loader's thread uses it, except for sizes */
    dlda_batch_source source; /* input of the loader                                                         */
    dlda_loader *loader;
    dlda_passes *passes; /* NULL where its memory was released for other work; see dlda_trainer_need_passes */
    size_t portion;      /* images at once in passes over a whole set */
    dlda_objective *objective;
    dlda_scatter *scatter;
    /* learned values: the model holds the best epoch, these arrays the latest */
    dlda_model *model;
    float *weights, *gradient, *velocity; /* [n_weights]         */
    float *state;                         /* [n_state]           */
    dlda_lda *lda;                        /* of the latest epoch */
    size_t epochs_done, steps_done;
    size_t batches_done, best_epoch; /* in the current epoch; 0: none yet                     */
    double loss_sum;                 /* over the batches of the current epoch                 */
    double epoch_seconds;            /* spent in the current epoch before the last checkpoint */
    double loader_seconds;           /* processor time the latest batch took to prepare       */
    dlda_run_clock clock;
    int has_checkpoint;                   /* the folder has a checkpoint of this training          */
    int went_back;                        /* the newest checkpoint was damaged, and an older one is resumed */
    int is_unsettled;                     /* it is resumed from a checkpoint that is not yet under its name */
    int unwritten_epochs, unwritten_best; /* 1: the folder lacks the latest epochs, the best model */
    double best_accuracy;
    float *dH; /* [batch][features]       */
    /* scratch for passes over a whole set in portions */
    float *images;     /* [portion][input]  */
    size_t *positions; /* [portion]         */
    int *labels;       /* [portion]         */
    float *H;          /* [probe][features] */
    int *predicted;    /* [portion]         */
    dlda_history *history;
    char *folder;    /* NULL: the run is not recorded      */
    int made_folder; /* 1: this trainer created the folder */
    dlda_folder_lock *folder_lock;
};

/* trainer.c: one step on batch number `batch` (from 0) of an epoch. Allocates nothing. */
dlda_status dlda_trainer_step(dlda_trainer *trainer, size_t epoch, size_t batch, double *loss);

/* The scheduled learning rate after `done` epochs. */
double dlda_trainer_rate(const dlda_options *options, double done);

/* monitor.c: chooses the probe; after an epoch, fits an LDA on its features and measures accuracies, unless option
 * measure-every skips this epoch; at the end, fits the model's LDA on all training features and calibrates it on
 * the validation samples. */
dlda_status dlda_trainer_choose_probe(dlda_trainer *trainer);
dlda_status dlda_trainer_measure(dlda_trainer *trainer, dlda_epoch *epoch);
dlda_status dlda_trainer_complete(dlda_trainer *trainer);

/* setup.c: takes the memory of the passes if it was released. */
dlda_status dlda_trainer_need_passes(dlda_trainer *trainer);

/* setup.c: DLDA_E_CLASS unless there are two classes with two samples each; DLDA_E_SHAPE without labels. */
dlda_status dlda_trainer_check_classes(const dlda_dataset *train);

/* diagnose.c: DLDA_E_NUMERIC, with the layer's name, if a weight is not finite. */
dlda_status dlda_trainer_check_weights(const dlda_trainer *trainer);
/* Adds the likely cause and a remedy to the message of a failed step. */
dlda_status dlda_trainer_explain(const dlda_trainer *trainer, dlda_status status, size_t epoch, size_t batch);
/* Warns through the watch if batches are too small for a well-conditioned within-class scatter. */
void dlda_trainer_warn(const dlda_trainer *trainer);

/* record.c: before the first step, replaces the files of an earlier training by the first checkpoint of this one;
 * writes options.json and run.json. */
dlda_status dlda_trainer_begin_record(dlda_trainer *trainer);
dlda_status dlda_trainer_lock_folder(dlda_trainer *trainer);
void dlda_trainer_unlock_folder(dlda_trainer *trainer);
/* Unlocks the folder, and removes it if it is empty and this trainer created it. */
void dlda_trainer_leave_folder(dlda_trainer *trainer);
/* Removes the files of an earlier training, except its last checkpoint; removes all files of this one. */
dlda_status dlda_trainer_remove_earlier(const dlda_trainer *trainer);
void dlda_trainer_remove_record(const dlda_trainer *trainer);
/* Updates the files of the run. */
dlda_status dlda_trainer_write_record(const dlda_trainer *trainer, int new_best);

#endif
