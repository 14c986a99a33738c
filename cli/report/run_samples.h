/* SPDX-License-Identifier: MIT
 *
 * run_samples.h - the model of a run and its test samples: the test part of the run's data,
 * else the samples held out.
 */
#ifndef DEEPLDA_CLI_RUN_SAMPLES_H
#define DEEPLDA_CLI_RUN_SAMPLES_H

#include "cli.h"

typedef struct run_samples {
    dlda_model *model;     /* NULL: not available                                  */
    dlda_dataset *samples; /* NULL: not available                                  */
    const char *part;      /* "test" or "validation"                               */
    char problem[1200];    /* why there is no model or no samples; "" if there are */
} run_samples;

/* `options` are those of the command line; missing ones are taken from the run. Fails only if there is no memory:
 * whatever else is missing is a problem of the run. */
dlda_status run_samples_read(const char *command, const char *folder, const cli_options *options,
                             run_samples *result);
void run_samples_release(run_samples *result);

#endif
