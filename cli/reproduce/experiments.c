/* SPDX-License-Identifier: MIT
 *
 * experiments.c - the experiments of Dorfer, Kelz, Widmer: Deep Linear Discriminant Analysis (ICLR 2016).
 */
#include "reproduce/experiments.h"

#include <string.h>

/* The objective shown in addition to the paper's. */
#define OUR_OBJECTIVE "lda-cce"

const trained_kind trained_kinds[N_TRAINED] = {
    [TRAINED_DEEPLDA] = { "deeplda", "lda" },
    [TRAINED_CCE] = { "cce", "cce" },
    [TRAINED_OURS] = { "ours", OUR_OBJECTIVE },
};

const row_kind row_kinds[N_ROWS] = {
    [ROW_DEEPLDA] = { "deeplda", "DeepLDA", TRAINED_DEEPLDA, { NULL }, NULL },
    [ROW_SVM] = { "svm", "DeepLDA(LinSVM)", TRAINED_DEEPLDA, { "--svm" }, "svm" },
    [ROW_CCE] = { "cce", "CCE", TRAINED_CCE, { "--head", "softmax" }, NULL },
    [ROW_CCE_LDA] = { "cce-lda", "CCE(LDA)", TRAINED_CCE, { "--head", "lda" }, NULL },
    [ROW_OURS] = { "ours", OUR_OBJECTIVE, TRAINED_OURS, { "--head", "softmax" }, NULL },
    [ROW_OURS_LDA] = { "ours-lda", OUR_OBJECTIVE "(LDA)", TRAINED_OURS, { "--head", "lda" }, NULL },
};

/* Each row against cross entropy with both heads; the two heads of a network; our objective against the paper's. */
const row_pair row_pairs[N_PAIRS] = {
    { ROW_DEEPLDA, ROW_CCE },  { ROW_DEEPLDA, ROW_CCE_LDA },  { ROW_SVM, ROW_CCE },       { ROW_SVM, ROW_CCE_LDA },
    { ROW_CCE_LDA, ROW_CCE },  { ROW_DEEPLDA, ROW_SVM },      { ROW_OURS, ROW_CCE },      { ROW_OURS, ROW_CCE_LDA },
    { ROW_OURS_LDA, ROW_CCE }, { ROW_OURS_LDA, ROW_CCE_LDA }, { ROW_OURS_LDA, ROW_OURS }, { ROW_OURS, ROW_DEEPLDA },
};

const char *const measure_names[] = { [MEASURE_ERROR] = "error", [MEASURE_ACCURACY] = "accuracy" };

/* In the authors' published code, but not mentioned in the paper. */
static const char flips[] =
    "training images are flipped left to right at random, as in the authors' published code; the paper does not "
    "say so";

static const cli_experiment experiments[] = {
    { .name = "mnist-50k",
      .title = "MNIST, the epoch chosen on 10,000 of the training images",
      .set = "mnist",
      .train = 50000,
      .validation = 10000,
      .measure = MEASURE_ERROR,
      .printed = { { 0.29, 0 }, { 0.29, 0 }, { 0.37, 0 }, { 0.39, 0 } } },
    { .name = "mnist-60k",
      .title = "MNIST, all training images and a fixed number of epochs",
      .set = "mnist",
      .train = 60000,
      .measure = MEASURE_ERROR,
      .printed = { { 0.32, 0 }, { 0, 0 }, { 0.34, 0 }, { 0.30, 0 } } },
    { .name = "cifar10",
      .title = "CIFAR-10, contrast normalised and whitened",
      .set = "cifar10",
      .train = 45000,
      .validation = 5000,
      .measure = MEASURE_ERROR,
      .printed = { { 7.29, 0 }, { 7.58, 0 }, { 7.10, 0 }, { 7.19, 0 } },
      .epoch_choice = "a tenth of the training images is held out to choose the epoch" },
    /* The paper has a single result and mentions no validation images, so its figures are used for both. */
    { .name = "cifar10-50k",
      .title = "CIFAR-10, contrast normalised and whitened, all training images and a fixed number of epochs",
      .set = "cifar10",
      .train = 50000,
      .measure = MEASURE_ERROR,
      .printed = { { 7.29, 0 }, { 7.58, 0 }, { 7.10, 0 }, { 7.19, 0 } },
      .epoch_choice = "the last epoch is tested; the paper does not say which one it tests" },
    { .name = "stl10-4k",
      .title = "STL-10, the epoch chosen on 1,000 of the training images",
      .set = "stl10",
      .train = 4000,
      .validation = 1000,
      .measure = MEASURE_ACCURACY,
      .printed = { { 81.16, 81.46 }, { 81.40, 0 }, { 78.84, 78.39 }, { 78.50, 0 } },
      .augmentation = flips },
    { .name = "stl10-1k",
      .title = "STL-10, a fold of 1,000 images and a fixed number of epochs",
      .set = "stl10",
      .train = 1000,
      .folds = 10,
      .epochs = 700,
      .halve_every = 100,
      .measure = MEASURE_ACCURACY,
      .printed = { { 66.97, 0 }, { 55.92, 0 }, { 57.44, 0 }, { 59.48, 0 } },
      .augmentation = flips,
      .halving = "in the 700 epochs the rate is halved every 100, as in the authors' published code; the paper "
                 "says every 25" },
    { .name = "stl10-32",
      .title = "STL-10 at 32 x 32 with the CIFAR-10 network; the paper shows a curve, no figures",
      .set = "stl10",
      .net = "cifar10",
      .resize = 32,
      .train = 4000,
      .validation = 1000,
      .measure = MEASURE_ACCURACY,
      .augmentation = flips },
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
