/* SPDX-License-Identifier: MIT
 *
 * options.c - the table of the library's options.
 *
 * To add an option: a field in options.h and a row here; and a row in cli/options.c, which lists the commands that
 * take it. Options that affect the result are stored in files, so they must not be renamed.
 */
#include "base/options.h"

#include <stddef.h>

#define COUNT_MAX 9007199254740992.0 /* 2^53: up to here, whole numbers are exact in a double */

enum { RUN, RESULT }; /* affects only how a training runs; affects its result */

#define ROW(name, argument, initial, choices, least, most, help, type, decides, field)                             \
    {                                                                                                              \
        { name, argument, initial, choices, least, most, help, DLDA_OPTION_##type, decides == RESULT },            \
            offsetof(struct dlda_options, field)                                                                   \
    }

/* clang-format off */
static const dlda_option_row rows[] = {
    ROW("net", "NET", "mnist", NULL, 0, 0, "Network: mnist, cifar10, stl10, cnn, mlp, or the path of a .net file.", TEXT, RESULT, net),
    ROW("objective", "NAME", "lda", "lda|lda-mean|lda-log|lda-soft|lda-bayes|cce|lda-trace|lda-cce", 0, 0,
        "Objective: the paper's (lda: maximise the smallest eigenvalues), a variant of it, cross entropy (cce), or both (lda-cce).", CHOICE, RESULT, objective),
    ROW("epochs", "N", "12", NULL, 1, 1000000, "Number of passes over the training samples.", WHOLE, RESULT, epochs),
    ROW("batch", "N", "250", NULL, 2, 1e9,
        "Images per batch. For training with an lda objective, 20 or more per class are recommended.", WHOLE, RESULT, batch),
    ROW("norm-group", "N", "0", NULL, 0, 1e9,
        "Images of a batch that batch norm normalises together, approximately; 0: the whole batch.", WHOLE, RESULT, norm_group),
    ROW("rate", "R", "0.1", NULL, 0, 1e6, "Learning rate of the first epoch.", REAL, RESULT, rate),
    ROW("halve-every", "N", "4", NULL, 0, 1000000, "Halve the learning rate every N epochs; 0: never.", WHOLE, RESULT, halve_every),
    ROW("schedule", "NAME", "halve", "halve|cosine", 0, 0,
        "Learning rate schedule: halve (option halve-every), or cosine, which reaches 0 at the end of the last epoch.", CHOICE, RESULT, schedule),
    ROW("warm-up", "E", "0", NULL, 0, 1000000,
        "Number of epochs, possibly fractional, in which the learning rate rises linearly from 0.", REAL, RESULT, warm_up),
    ROW("patience", "N", "0", NULL, 0, 1000000,
        "Stop after N epochs in a row without improvement on the validation set; 0: never.", WHOLE, RESULT, patience),
    ROW("tolerance", "T", "0", NULL, 0, 100,
        "Keep a later epoch if its validation accuracy is at most T standard errors below the best; 0: only if it is not lower.", REAL, RESULT, tolerance),
    ROW("init", "MODEL", "", NULL, 0, 0,
        "Start from the weights of this model file, which must have the same network, instead of random ones.", TEXT, RESULT, init),
    ROW("momentum", "M", "0.9", NULL, 0, 0.9999, "Nesterov momentum.", REAL, RESULT, momentum),
    ROW("decay", "W", "0.0001", NULL, 0, 1, "Weight decay: adds W times the sum of squared weights to the loss.", REAL, RESULT, decay),
    ROW("lambda", "L", "0.001", NULL, 0, 1e6, "Added to the diagonal of the within-class scatter.", REAL, RESULT, lambda),
    ROW("epsilon", "E", "1", NULL, 0, 1e9, "Objective lda: eigenvalues below the smallest plus E are maximised.", REAL, RESULT, epsilon),
    ROW("validation", "V", "0.1", NULL, 0, COUNT_MAX,
        "Training samples held out to select the best epoch: a fraction below 1, or a count; 0: none.", REAL, RESULT, validation),
    ROW("measure", "M", "0.1", NULL, 0, COUNT_MAX,
        "Training samples on which each epoch is measured: a fraction below 1, or a count; 0: all. The final model's LDA is always fitted on all.", REAL, RESULT, measure),
    ROW("measure-every", "N", "1", NULL, 1, 1000000,
        "Measure accuracy after every Nth epoch and the last one; only measured epochs can be selected as the best.", WHOLE, RESULT, measure_every),
    ROW("resize", "HxW", "", NULL, 0, 0,
        "Resize all images to H x W pixels (N: N x N), by area averaging when shrinking, bilinear when enlarging.", SIZE, RESULT, resize),
    ROW("folds", "N", "0", NULL, 0, 1000000,
        "Cross-validation: divide the training data into N stratified parts and hold out the one selected by option fold; 0: off.", WHOLE, RESULT, folds),
    ROW("fold", "K", "0", NULL, 0, 1000000,
        "Number from 1 of the part to hold out; if option folds is 0, train on fold K defined by the data set; 0: none.", WHOLE, RESULT, fold),
    ROW("subset", "N", "0", NULL, 0, COUNT_MAX,
        "Use a stratified subset of N training samples, drawn before anything is held out; 0: all.", WHOLE, RESULT, subset),
    ROW("split-seed", "N", "-1", NULL, -1, COUNT_MAX,
        "Random seed of subset, folds and validation; -1: the value of option seed.", WHOLE, RESULT, split_seed),
    ROW("prepare", "LIST", "scale", NULL, 0, 0,
        "Preparation of images, fitted on the training set: scale, standardise, gcn, zca, separated by commas.", TEXT, RESULT, prepare),
    ROW("gcn-scale", "S", "55", NULL, 1e-6, 1e6, "Step gcn: Euclidean norm of each image after normalisation.", REAL, RESULT, gcn_scale),
    ROW("gcn-bias", "B", "0", NULL, 0, 1e9, "Step gcn: added to the squared norm of each image.", REAL, RESULT, gcn_bias),
    ROW("zca-bias", "B", "0.1", NULL, 0, 1e9, "Step zca: added to the diagonal of the covariance.", REAL, RESULT, zca_bias),
    ROW("flip", NULL, "false", NULL, 0, 0, "Flip training images left to right at random.", FLAG, RESULT, flip),
    ROW("shift", "N", "0", NULL, 0, 100000,
        "Shift training images at random by up to N pixels in each direction, filling with zeros.", WHOLE, RESULT, shift),
    ROW("seed", "N", "1", NULL, 0, COUNT_MAX, "Random seed: the same seed gives the same model.", WHOLE, RESULT, seed),
    ROW("kernels", "NAME", "fast", "fast|reference", 0, 0, "Implementation of the layers; reference is slow and serves to check fast.", CHOICE, RESULT, kernels),
    ROW("precision", "NAME", "float", "float|bf16", 0, 0,
        "Numbers that training steps multiply: float, or bf16, which rounds them to 8 bits and adds in float. Faster if the processor has bfloat16 "
        "instructions (avx512_bf16), slower if not. Evaluation and prediction use float.", CHOICE, RESULT, precision),
    ROW("data", "DATA", "digits", NULL, 0, 0,
        "The data: a known name, a file or a folder; recorded with the run.", TEXT, RUN, data),
    ROW("format", "NAME", "", NULL, 0, 0,
        "Format of the data (docs/data_formats.md); by default it is detected from the content.", TEXT, RUN, format),
    ROW("label", "COLUMN", "", NULL, 0, 0,
        "Tables: the label column, by name or by number from 1 (default: label, class, target or y, else the last).", TEXT, RUN, label),
    ROW("threads", "N", "0", NULL, 0, 1024, "Number of threads; 0: one per core. Results do not depend on it.", WHOLE, RUN, threads),
    ROW("micro-batch", "M", "0", NULL, 0, 1e9,
        "Images of a batch whose values are in memory at once, at least norm-group; the others are computed twice. 0: all. "
        "Results do not depend on it.", WHOLE, RUN, micro_batch),
    ROW("checkpoint", "MINUTES", "10", NULL, 0, 1e6,
        "Save a checkpoint at this interval and after each epoch; 0: after each epoch only.", REAL, RUN, checkpoint),
};
/* clang-format on */

static const dlda_option_row *row_at(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

static const dlda_option_table table = { row_at, sizeof(struct dlda_options) };

const dlda_option_info *dlda_option_at(size_t i)
{
    const dlda_option_row *row = row_at(i);

    return row ? &row->info : NULL;
}

/* ---- Settings for this table ---- */

/* The settings are the first member, so that a pointer to them converts to the options. */
_Static_assert(offsetof(struct dlda_options, settings) == 0, "dlda_options begins with its settings");

dlda_status dlda_options_create(dlda_options **options)
{
    DLDA_NEED(options);
    dlda_settings *settings = NULL;
    dlda_status status = dlda_settings_create(&table, &settings);

    if (status == DLDA_OK) *options = (dlda_options *)settings;
    return status;
}

dlda_status dlda_options_copy(const dlda_options *options, dlda_options **copy)
{
    DLDA_NEED(options, copy);
    dlda_settings *settings = NULL;
    dlda_status status = dlda_settings_copy(&options->settings, &settings);

    if (status == DLDA_OK) *copy = (dlda_options *)settings;
    return status;
}

void dlda_options_destroy(dlda_options *options)
{
    dlda_settings_destroy((dlda_settings *)options);
}

dlda_status dlda_options_set(dlda_options *options, const char *name, const char *value)
{
    DLDA_NEED(options, name, value);
    return dlda_settings_set(&options->settings, name, value);
}

dlda_status dlda_options_suggest(dlda_options *options, const char *name, const char *value)
{
    return dlda_settings_suggest(&options->settings, name, value);
}

const char *dlda_options_get(const dlda_options *options, const char *name)
{
    return options && name ? dlda_settings_get(&options->settings, name) : NULL;
}

int dlda_options_is_given(const dlda_options *options, const char *name)
{
    return options && name && dlda_settings_is_given(&options->settings, name);
}
