/* SPDX-License-Identifier: MIT
 *
 * run_files.c - the files of a run folder.
 */
#include "run_files.h"

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
