/* SPDX-License-Identifier: MIT
 *
 * inputs.h - protects the files that a command reads from being its output.
 *
 * Which files those are is known only while they are read: the pictures of a folder, labels beside an array, names in a
 * list, the data that a run records. So each file is noted when it is opened, whatever its name, and no output replaces
 * it. outputs.h has the checks that need only the command line.
 */
#ifndef DEEPLDA_CLI_INPUTS_H
#define DEEPLDA_CLI_INPUTS_H

#include "deeplda_lda.h"

/* From here on, files that are read are noted, and refused as outputs; and so are files of a run folder that another
 * process has locked, unless this command trains, which locks its folder itself. */
void inputs_begin(int trains);
void inputs_end(void);

/* The command may replace this file although it reads it, if it exists: it is there to be updated. */
dlda_status inputs_allow(const char *path);

#endif
