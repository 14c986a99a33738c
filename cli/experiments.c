/* SPDX-License-Identifier: MIT
 *
 * experiments.c - the experiments of Dorfer, Kelz, Widmer: Deep Linear Discriminant Analysis (ICLR 2016).
 */
#include "experiments.h"

#include <string.h>

const trained_kind trained_kinds[N_TRAINED] = {
    [TRAINED_DEEPLDA] = { "deeplda", "lda" },
    [TRAINED_CCE] = { "cce", "cce" },
};

const row_kind row_kinds[N_ROWS] = {
    [ROW_DEEPLDA] = { "deeplda", "DeepLDA", TRAINED_DEEPLDA, { NULL }, NULL },
    [ROW_SVM] = { "svm", "DeepLDA(LinSVM)", TRAINED_DEEPLDA, { "--svm" }, "svm" },
    [ROW_CCE] = { "cce", "CCE", TRAINED_CCE, { "--head", "softmax" }, NULL },
    [ROW_CCE_LDA] = { "cce-lda", "CCE(LDA)", TRAINED_CCE, { "--head", "lda" }, NULL },
};

static const cli_experiment experiments[] = {
    { .name = "mnist-50k",
      .title = "MNIST, the epoch chosen on 10,000 of the training images",
      .set = "mnist",
      .images = 60000,
      .train = 50000,
      .validation = 10000,
      .test = 10000,
      .measure = "error",
      .printed = { { 0.29, 0 }, { 0.29, 0 }, { 0.37, 0 }, { 0.39, 0 } } },
    { .name = "mnist-60k",
      .title = "MNIST, all training images and a fixed number of epochs",
      .set = "mnist",
      .images = 60000,
      .train = 60000,
      .test = 10000,
      .measure = "error",
      .printed = { { 0.32, 0 }, { 0, 0 }, { 0.34, 0 }, { 0.30, 0 } } },
    { .name = "cifar10",
      .title = "CIFAR-10, contrast normalised and whitened",
      .set = "cifar10",
      .images = 50000,
      .train = 45000,
      .validation = 5000,
      .test = 10000,
      .measure = "error",
      .printed = { { 7.29, 0 }, { 7.58, 0 }, { 7.10, 0 }, { 7.19, 0 } },
      .departure = "a tenth of the training images is held out to choose the epoch" },
    { .name = "stl10-4k",
      .title = "STL-10, the epoch chosen on 1,000 of the training images",
      .set = "stl10",
      .images = 5000,
      .train = 4000,
      .validation = 1000,
      .test = 8000,
      .measure = "accuracy",
      .printed = { { 81.16, 81.46 }, { 81.40, 0 }, { 78.84, 78.39 }, { 78.50, 0 } } },
    { .name = "stl10-1k",
      .title = "STL-10, a fold of 1,000 images and a fixed number of epochs",
      .set = "stl10",
      .images = 5000,
      .train = 1000,
      .test = 8000,
      .folds = 10,
      .measure = "accuracy",
      .printed = { { 66.97, 0 }, { 55.92, 0 }, { 57.44, 0 }, { 59.48, 0 } } },
    { .name = "stl10-32",
      .title = "STL-10 at 32 x 32 with the CIFAR-10 network; the paper shows a curve, no figures",
      .set = "stl10",
      .net = "cifar10",
      .resize = "32",
      .images = 5000,
      .train = 4000,
      .validation = 1000,
      .test = 8000,
      .measure = "accuracy" },
};

const cli_experiment *experiment_at(size_t i)
{
    return i < sizeof experiments / sizeof experiments[0] ? &experiments[i] : NULL;
}

const cli_experiment *experiment_named(const char *name)
{
    for (size_t i = 0; experiment_at(i); i++)
        if (strcmp(experiments[i].name, name) == 0) return &experiments[i];
    return NULL;
}
