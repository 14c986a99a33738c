/* SPDX-License-Identifier: MIT
 *
 * embedded.h - the embedded digits (data/digits), as bytes in memory.
 */
#ifndef DLDA_DATASET_EMBEDDED_H
#define DLDA_DATASET_EMBEDDED_H

#include "dataset/readers.h"

enum { DLDA_DIGITS_CLASSES = 10 };

/* The gzipped IDX files of one part. */
dlda_input dlda_embedded_images(dlda_part part);
dlda_input dlda_embedded_labels(dlda_part part);

#endif
