/* SPDX-License-Identifier: MIT
 *
 * tiny_known.h - a table of known sets for the tests: the real names, but sets of a few images, in archives that
 * the tests create. A program that links tiny_known.c does not link cli/data/known_table.c.
 */
#ifndef DLDA_TESTS_TINY_KNOWN_H
#define DLDA_TESTS_TINY_KNOWN_H

#include "data/data.h"

/* Expected SHA-256 of the archives of mnist and cifar10; initially from TINY_MNIST and
 * TINY_CIFAR10 in the environment. */
extern char tiny_mnist_archive[SHA256_TEXT], tiny_cifar10_archive[SHA256_TEXT];

/* mnist: 6 training and 3 test images of 4 x 4. cifar10: six sheets of 2 images. */
enum {
    TINY_TRAIN_IMAGES = 16 + 6 * 16, /* bytes of the four IDX files */
    TINY_TRAIN_LABELS = 8 + 6,
    TINY_TEST_IMAGES = 16 + 3 * 16,
    TINY_TEST_LABELS = 8 + 3,
    TINY_BATCH = 2 * 3073, /* bytes of a binary file of cifar10 */
    TINY_SHEET = 6214      /* of a sheet, an uncompressed PNG   */
};

#endif
