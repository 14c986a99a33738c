/* SPDX-License-Identifier: MIT
 *
 * run_files.c - the files of a run folder.
 */
#include "run_files.h"

#include <string.h>

const char *run_file_at(size_t i)
{
    static const char *const files[] = { "model.safetensors",
                                         "history.csv",
                                         "eigenvalues.csv",
                                         "options.json",
                                         "run.json",
                                         "checkpoint.safetensors",
                                         "checkpoint-previous.safetensors",
                                         "checkpoint-next.safetensors" };

    return i < sizeof files / sizeof files[0] ? files[i] : NULL;
}

int run_file_is(const char *name)
{
    for (size_t i = 0; run_file_at(i); i++)
        if (strcmp(run_file_at(i), name) == 0) return 1;
    return 0;
}
