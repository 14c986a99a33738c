/* SPDX-License-Identifier: MIT
 *
 * tiny_known.h - a table of known sets for the tests: the same names as the real one, but sets of a few images, in
 * archives that the tests make. A program that has tiny_known.c does not get cli/data/known_table.c.
 */
#ifndef DLDA_TESTS_TINY_KNOWN_H
#define DLDA_TESTS_TINY_KNOWN_H

#include "data/data.h"

/* What the archives of mnist and cifar10 have to have; at first what TINY_MNIST and TINY_CIFAR10 in the environment say. */
extern char tiny_mnist_archive[SHA256_TEXT], tiny_cifar10_archive[SHA256_TEXT];

/* mnist: 6 training and 3 test images of 4 x 4. cifar10: six sheets of 2 images. */
enum {
    TINY_TRAIN_IMAGES = 16 + 6 * 16, /* bytes of the four IDX files */
    TINY_TRAIN_LABELS = 8 + 6,
    TINY_TEST_IMAGES = 16 + 3 * 16,
    TINY_TEST_LABELS = 8 + 3,
    TINY_BATCH = 2 * 3073, /* bytes of a binary file of cifar10          */
    TINY_SHEET = 6214      /* of a sheet, an uncompressed PNG            */
};

#endif
