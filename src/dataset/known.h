/* SPDX-License-Identifier: MIT
 *
 * known.h - data sets with a name.
 */
#ifndef DLDA_DATASET_KNOWN_H
#define DLDA_DATASET_KNOWN_H

#include "base/status.h"

/* If nothing exists at `path` and it is the name of a set: the folder of that set in the data folder, in new
 * memory; else NULL. DLDA_E_IO if there is no such folder. */
dlda_status dlda_known_resolve(const char *path, char **folder);

/* All names of sets. */
const char *const *dlda_known_names(size_t *count);

#endif
