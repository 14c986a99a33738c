/* SPDX-License-Identifier: MIT
 *
 * sheet.h - a contact sheet of a data set.
 */
#ifndef DEEPLDA_CLI_SHEET_H
#define DEEPLDA_CLI_SHEET_H

#include "deeplda_lda.h"

/* Writes a contact sheet as PNG: a row for each class with its name, its size and its first images, at most
 * `count`. If values lie outside 0 to 1, the smallest on the sheet is black and the largest white. */
dlda_status sheet_write(const dlda_dataset *dataset, size_t count, const char *path);

#endif
