/* SPDX-License-Identifier: MIT
 *
 * run_data.h - the data that a run was trained on, for commands that are given a run, or the model in it, but no data.
 */
#ifndef DEEPLDA_CLI_RUN_DATA_H
#define DEEPLDA_CLI_RUN_DATA_H

#include "cli.h"

typedef struct run_data {
    const char *command;
    char *folder;          /* of the run                                                                 */
    cli_options *reading;  /* of the command, with the data, format and label of the run if not given    */
    cli_options *training; /* of the run: how its data were divided                                      */
    int has_options;       /* 0: those of the run are lost, and `training` has defaults                  */
    const char *path;      /* the data, a text of `reading`                                              */
    const char *part;      /* that the run is tested on: "test", or "validation" if there is no test part */
} run_data;

/* Finds the data of the run `folder`. The message of a failure says which fact is missing. Zero it before, and release
 * it in any case. */
dlda_status run_data_find(const char *command, const char *folder, const cli_options *options, run_data *self);
/* The same for an operand MODEL without data: a run folder, or a file in one. Fails if there is no run, or if the model
 * was trained with other options than the run; the message advises to name the data. Returns an exit code. */
int run_data_find_for(const char *command, const char *given, const dlda_model *model, const cli_options *options,
                      run_data *self);
void run_data_release(run_data *self);

/* Reads the samples that the run is tested on, in the form that a model takes: the test part of its data, or else the
 * samples that it held out. */
dlda_status run_data_read_test(const run_data *self, const dlda_model *model, dlda_dataset **samples);

/* 1 if a model was trained with the division of data that the run has, so that it has not seen the samples held out. */
int run_data_is_divided_as(const run_data *self, const dlda_model *model);

#endif
