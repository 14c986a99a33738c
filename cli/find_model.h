/* SPDX-License-Identifier: MIT
 *
 * find_model.h - opens the model that an operand or an option names: a model file, or a run folder, which stands for
 * its model.safetensors.
 *
 * All commands open their models through this file, so that they accept and refuse the same.
 */
#ifndef DEEPLDA_CLI_FIND_MODEL_H
#define DEEPLDA_CLI_FIND_MODEL_H

#include "cli.h"

/* The model file, to be released with dlda_release. Returns an exit code: a folder that is no run, a run without a
 * model and a file of another kind are reported with what to do. */
int model_find(const char *command, const char *given, char **path);
/* The same, and loads it. */
int model_open(const char *command, const char *given, dlda_model **model);

/* 1 if the folder has a file, other than a model, that a training writes. */
int folder_has_record(const char *folder);

#endif
