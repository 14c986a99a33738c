/* SPDX-License-Identifier: MIT
 *
 * options.c - the table of all options, and the functions that read and write values by name.
 *
 * To add an option: a field in options.h, a row here. Everything else follows from the row.
 */
#include "base/options.h"
#include "base/closest_word.h"
#include "base/memory.h"
#include "base/number.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_type { WHOLE, REAL, TEXT, CHOICE, FLAG, SIZE } option_type;

typedef struct option_row {
    dlda_option_info info;
    option_type type;
    size_t offset;      /* of the field in struct dlda_options     */
    int decides_result; /* part of options.json and of model files */
} option_row;

#define FIELD(name) offsetof(struct dlda_options, name)
#define COUNT_MAX   9007199254740992.0 /* 2^53: whole numbers are exact in a double up to there */

/* clang-format off: one row, one option */
static const option_row table[] = {
    { { "net", 0, "NET", "mnist", NULL, 0, 0, "train bench reproduce",
        "Network: mnist, cifar10, stl10, mlp, or the path of a .net file. reproduce: instead of the paper's." },
      TEXT,
      FIELD(net),
      1 },
    { { "objective", 0, "NAME", "lda", "lda|lda-mean|lda-log|lda-soft|lda-bayes|cce", 0, 0, "train bench",
        "What is optimised: the paper's smallest eigenvalues, a variant of it, or cross entropy." },
      CHOICE,
      FIELD(objective),
      1 },
    { { "epochs", 'e', "N", "12", NULL, 1, 1000000, "train reproduce",
        "Times that the network sees all training samples. reproduce: instead of the experiment's own." },
      WHOLE,
      FIELD(epochs),
      1 },
    { { "batch", 'b', "N", "250", NULL, 2, 1e9, "train eval refit predict embed info bench",
        "Images at once. In training with an lda objective, 20 or more per class are wise." },
      WHOLE,
      FIELD(batch),
      1 },
    { { "rate", 0, "R", "0.1", NULL, 0, 1e6, "train", "Learning rate of the first epoch." }, REAL, FIELD(rate), 1 },
    { { "halve-every", 0, "N", "4", NULL, 0, 1000000, "train reproduce",
        "Halve the rate every N epochs; 0: never. reproduce: instead of what follows from the number of epochs." },
      WHOLE,
      FIELD(halve_every),
      1 },
    { { "schedule", 0, "NAME", "halve", "halve|cosine", 0, 0, "train reproduce",
        "How the rate falls: halved every so often, or along half a cosine to 0 at the last epoch. reproduce: the "
        "paper halves it." },
      CHOICE,
      FIELD(schedule),
      1 },
    { { "warm-up", 0, "E", "0", NULL, 0, 1000000, "train",
        "Epochs, or a part of one, in which the rate rises from 0 to --rate." },
      REAL,
      FIELD(warm_up),
      1 },
    { { "patience", 0, "N", "0", NULL, 0, 1000000, "train",
        "Stop when N epochs in a row have not been better on the validation set; 0: never." },
      WHOLE,
      FIELD(patience),
      1 },
    { { "init", 0, "MODEL", "", NULL, 0, 0, "train",
        "Start from the weights of a model file with the same network, instead of random ones." },
      TEXT,
      FIELD(init),
      1 },
    { { "momentum", 0, "M", "0.9", NULL, 0, 0.9999, "train", "Nesterov momentum." }, REAL, FIELD(momentum), 1 },
    { { "decay", 0, "W", "0.0001", NULL, 0, 1, "train",
        "Weight penalty: adds W times the sum of squares to the loss." },
      REAL,
      FIELD(decay),
      1 },
    { { "lambda", 0, "L", "0.001", NULL, 0, 1e6, "train refit lda",
        "Added to the diagonal of the within-class scatter." },
      REAL,
      FIELD(lambda),
      1 },
    { { "epsilon", 0, "E", "1", NULL, 0, 1e9, "train",
        "Objective lda: eigenvalues below the smallest plus E are maximised." },
      REAL,
      FIELD(epsilon),
      1 },
    { { "validation", 0, "V", "0.1", NULL, 0, COUNT_MAX, "train",
        "Held out of the training data to choose the best epoch: a share below 1, or a count; 0: none." },
      REAL,
      FIELD(validation),
      1 },
    { { "measure", 0, "M", "0.1", NULL, 0, COUNT_MAX, "train",
        "Training samples on which each epoch is measured: a share below 1, or a count; 0: all. The final model's "
        "LDA is always fitted on all." },
      REAL,
      FIELD(measure),
      1 },
    { { "measure-every", 0, "N", "1", NULL, 1, 1000000, "train",
        "Measure accuracy after every Nth epoch and the last one; only these can be kept as the best." },
      WHOLE,
      FIELD(measure_every),
      1 },
    { { "resize", 0, "HxW", "", NULL, 0, 0, "train eval refit predict embed data",
        "Bring all images to H x W pixels (N: N x N); smaller by area averages, larger bilinear." },
      SIZE,
      FIELD(resize),
      1 },
    { { "folds", 0, "N", "0", NULL, 0, 1000000, "train reproduce",
        "With --fold K: divide the training data into N parts, class by class, and hold out part K; 0: do not. "
        "reproduce: the folds 1 to N of stl10-1k (the paper has 10); 0: one." },
      WHOLE,
      FIELD(folds),
      1 },
    { { "fold", 0, "K", "0", NULL, 0, 1000000, "train reproduce",
        "From 1: the part that --folds holds out; without --folds, the set's own fold K to train on; 0: none. "
        "reproduce: the fold of stl10-1k; 0: the first." },
      WHOLE,
      FIELD(fold),
      1 },
    { { "subset", 0, "N", "0", NULL, 0, COUNT_MAX, "train",
        "Use N of the training samples, class by class in equal shares, before anything is held out; 0: all." },
      WHOLE,
      FIELD(subset),
      1 },
    { { "split-seed", 0, "N", "-1", NULL, -1, COUNT_MAX, "train",
        "Decides which samples go into subset, folds and validation; -1: the same as --seed." },
      WHOLE,
      FIELD(split_seed),
      1 },
    { { "prepare", 0, "LIST", "scale", NULL, 0, 0, "train bench",
        "What is done to images, fitted on the training set: scale, standardise, gcn, zca, separated by commas." },
      TEXT,
      FIELD(prepare),
      1 },
    { { "gcn-scale", 0, "S", "55", NULL, 1e-6, 1e6, "train", "Step gcn: length that each image gets." },
      REAL,
      FIELD(gcn_scale),
      1 },
    { { "gcn-bias", 0, "B", "0", NULL, 0, 1e9, "train", "Step gcn: added to an image's squared length." },
      REAL,
      FIELD(gcn_bias),
      1 },
    { { "zca-bias", 0, "B", "0.1", NULL, 0, 1e9, "train", "Step zca: added to the diagonal of the covariance." },
      REAL,
      FIELD(zca_bias),
      1 },
    { { "flip", 0, NULL, "false", NULL, 0, 0, "train bench", "Turn training images left to right, at random." },
      FLAG,
      FIELD(flip),
      1 },
    { { "shift", 0, "N", "0", NULL, 0, 100000, "train bench",
        "Move training images by up to N pixels each way, at random; zeros come in." },
      WHOLE,
      FIELD(shift),
      1 },
    { { "seed", 0, "N", "1", NULL, 0, COUNT_MAX, "train eval lda",
        "Start of all random numbers: same seed, same model." },
      WHOLE,
      FIELD(seed),
      1 },
    { { "kernels", 0, "NAME", "fast", "fast|reference", 0, 0, "train",
        "Reference: slow plain loops, to check the fast ones." },
      CHOICE,
      FIELD(kernels),
      1 },
    { { "format", 0, "NAME", "", NULL, 0, 0, "train eval refit predict embed report data",
        "Format of the data, if it is not to be recognised from the content (docs/data_formats.md)." },
      TEXT,
      FIELD(format),
      0 },
    { { "threads", 't', "N", "0", NULL, 0, 1024, "train eval refit predict embed lda report reproduce info bench",
        "Threads; 0: one per core. Results do not depend on it." },
      WHOLE,
      FIELD(threads),
      0 },
    { { "output", 'o', "PATH", "", NULL, 0, 0, "train refit predict embed lda export report reproduce data",
        "train: folder of the run (default: run). refit: file of the new model. predict: file for the answers "
        "(default: the terminal). embed: .npy file for the features. lda: .npy file for the projected rows "
        "(default: "
        "none). export: the ONNX file. report: folder of the page and its figures (default: that of the run; of "
        "several: report). reproduce: folder of all its runs and tables (default: runs/reproduce). data convert: "
        "folder of the new files. data show: the picture (default: sheet.png)." },
      TEXT,
      FIELD(output),
      0 },
    { { "data", 0, "DATA", "digits", NULL, 0, 0, "train report reproduce",
        "train: the same as the word DATA. report: test the models on these data, not on those of their runs. "
        "reproduce: where the data set of the experiments lies." },
      TEXT,
      FIELD(data),
      0 },
    { { "resume", 0, "RUN", "", NULL, 0, 0, "train",
        "Go on with an interrupted training, in its folder and with its options, as if it had never stopped." },
      TEXT,
      FIELD(resume),
      0 },
    { { "checkpoint", 0, "MINUTES", "10", NULL, 0, 1e6, "train",
        "Save the state of a training every so often, and after each epoch in any case; 0: then only." },
      REAL,
      FIELD(checkpoint),
      0 },
    { { "force", 'f', NULL, "false", NULL, 0, 0, "train data", "Write into the output folder even if it exists." },
      FLAG,
      FIELD(force),
      0 },
    { { "proba", 0, "NAME", "paper", "paper|bayes", 0, 0, "eval predict export",
        "How scores become probabilities; bayes is the better calibrated." },
      CHOICE,
      FIELD(probability),
      0 },
    { { "head", 0, "NAME", "lda", "lda|softmax", 0, 0, "eval predict export",
        "What classifies: the LDA on the network's features, or the softmax that a network was trained with "
        "(objective "
        "cce)." },
      CHOICE,
      FIELD(head),
      0 },
    { { "svm", 0, NULL, "false", NULL, 0, 0, "eval",
        "Also fit a linear SVM on the projected training features, and test it." },
      FLAG,
      FIELD(svm),
      0 },
    { { "train-data", 0, "DATA", "", NULL, 0, 0, "eval",
        "With --svm: where the training features come from (default: the training part of DATA)." },
      TEXT,
      FIELD(train_data),
      0 },
    { { "compare", 0, "MODEL", "", NULL, 0, 0, "eval",
        "Another model, or the answers (.csv) that --answers wrote, for the same samples: which of the two is "
        "better, and whether these samples can tell." },
      TEXT,
      FIELD(compare),
      0 },
    { { "compare-head", 0, "NAME", "lda", "lda|softmax", 0, 0, "eval",
        "What classifies in the model of --compare; --head is for the first model alone." },
      CHOICE,
      FIELD(compare_head),
      0 },
    { { "answers", 0, "FILE", "", NULL, 0, 0, "eval",
        "Write a CSV line for each sample: true class, predicted class, probability of that, class by the SVM." },
      TEXT,
      FIELD(answers),
      0 },
    { { "priors", 0, "LIST", "", NULL, 0, 0, "refit",
        "Shares of the classes that --proba bayes assumes: uniform, data (those of the fitted data), or numbers in "
        "the "
        "order of the classes, separated by commas." },
      TEXT,
      FIELD(priors),
      0 },
    { { "add-class", 0, "NAME", "", NULL, 0, 0, "refit",
        "Add a class of that name; DATA has pictures of it alone. The other classes stay as they are." },
      TEXT,
      FIELD(add_class),
      0 },
    { { "as-trained", 0, NULL, "false", NULL, 0, 0, "refit",
        "Fit on the samples that training on DATA with the model's options fits on, without those it holds out." },
      FLAG,
      FIELD(as_trained),
      0 },
    { { "top", 0, "K", "0", NULL, 0, 1000000, "predict",
        "The K most probable classes instead of the probabilities of all; 0: all." },
      WHOLE,
      FIELD(top),
      0 },
    { { "reject", 0, "ALPHA", "0", NULL, 0, 0.999999, "predict",
        "Mark images that are farther from every class than all but a share ALPHA of a class's own would be, say "
        "0.001; 0: do not." },
      REAL,
      FIELD(reject),
      0 },
    { { "list", 0, NULL, "false", NULL, 0, 0, "predict reproduce",
        "predict: read names of files from the standard input, one a line, and answer each as soon as it is known. "
        "reproduce: show the experiments, what there is of each already, and what the rest will cost on this "
        "machine." },
      FLAG,
      FIELD(list),
      0 },
    { { "raw", 0, NULL, "false", NULL, 0, 0, "embed",
        "The network's features as they are, not projected on the directions of the LDA." },
      FLAG,
      FIELD(raw),
      0 },
    { { "from", 0, "PART", "auto", "auto|train|test", 0, 0, "embed",
        "The part of a data set that has two; auto: the test part if there is one." },
      CHOICE,
      FIELD(from),
      0 },
    { { "cross-validate", 0, "N", "5", NULL, 0, 1000, "lda", "Folds of the cross-validation; 0: none." },
      WHOLE,
      FIELD(cross_validate),
      0 },
    { { "save", 0, "FILE", "", NULL, 0, 0, "lda", "Keep the fitted LDA in FILE, for --apply." }, TEXT, FIELD(save), 0 },
    { { "apply", 0, "FILE", "", NULL, 0, 0, "lda",
        "Fit nothing: classify the rows by the LDA in FILE, or with -o project them on its directions." },
      TEXT,
      FIELD(apply),
      0 },
    { { "label", 0, "COLUMN", "", NULL, 0, 0, "train eval refit embed lda report data",
        "Tables: the column of the labels, by name or by number from 1 (default: label, class, target or y, else "
        "the last)." },
      TEXT,
      FIELD(label),
      0 },
    { { "repeats", 0, "N", "5", NULL, 1, 100000, "bench",
        "Measure everything N times, after one run to warm up; medians count." },
      WHOLE,
      FIELD(repeats),
      0 },
    { { "part", 0, "NAME", "all", "all|step|layers|inference", 0, 0, "bench",
        "Measure training steps, single layers, inference, or all of these." },
      CHOICE,
      FIELD(part),
      0 },
    { { "count", 'n', "N", "10", NULL, 1, 1000, "data", "data show: images of each class, from the first on." },
      WHOLE,
      FIELD(count),
      0 },
    { { "to", 0, "FORMAT", "idx", "idx|npy|png", 0, 0, "data",
        "data convert: IDX files, NumPy arrays, or a folder of PNG pictures for each class." },
      CHOICE,
      FIELD(to),
      0 },
    { { "directions", 0, "N", "5", NULL, 2, 12, "report",
        "Directions that figures of samples show, at most, from the one with the largest eigenvalue on." },
      WHOLE,
      FIELD(directions),
      0 },
    { { "live", 0, NULL, "false", NULL, 0, 0, "report",
        "Write the page anew after each epoch until the run ends; it reloads itself." },
      FLAG,
      FIELD(live),
      0 },
    { { "budget", 0, "TIME", "", NULL, 0, 0, "reproduce",
        "Shorten the trainings in proportion so that all together take about that long: 30m, 2h, 1h30m." },
      TEXT,
      FIELD(budget),
      0 },
    { { "seeds", 0, "N", "1", NULL, 1, 1000, "reproduce",
        "Train with the seeds 1 to N; the table has mean and spread." },
      WHOLE,
      FIELD(seeds),
      0 },
    { { "rows", 0, "LIST", "", NULL, 0, 0, "reproduce",
        "Rows of the tables, separated by commas: deeplda, svm, cce, cce-lda (the default), ours, ours-svm; or all." },
      TEXT,
      FIELD(rows),
      0 },
    { { "no-presets", 0, NULL, "false", NULL, 0, 0, "train",
        "Do not take the options that suit a known set, which `deeplda train --help` lists." },
      FLAG,
      FIELD(no_presets),
      0 },
    { { "skip-bad", 0, NULL, "false", NULL, 0, 0, "train eval refit embed data",
        "Leave out what cannot be read, name it, and go on." },
      FLAG,
      FIELD(skip_bad),
      0 },
    { { "json", 0, NULL, "false", NULL, 0, 0, "train eval refit predict embed lda export info bench data",
        "Print JSON: one object, or one line per image or event." },
      FLAG,
      FIELD(json),
      0 },
    { { "quiet", 'q', NULL, "false", NULL, 0, 0, "train data reproduce", "No progress, only the result." },
      FLAG,
      FIELD(quiet),
      0 },
    { { "help", 'h', NULL, "false", NULL, 0, 0,
        "train eval refit predict embed lda export report reproduce info bench data",
        "Explain the command and its options." },
      FLAG,
      FIELD(help),
      0 },
};
/* clang-format on */

enum { N_OPTIONS = sizeof table / sizeof table[0] };
_Static_assert(N_OPTIONS <= sizeof((struct dlda_options *)0)->text / DLDA_OPTION_TEXT, "enlarge dlda_options.text");

const dlda_option_info *dlda_option_at(size_t i)
{
    return i < N_OPTIONS ? &table[i].info : NULL;
}

int dlda_option_decides_result(size_t i)
{
    return table[i].decides_result;
}

/* ---- Values ---- */

static void *field_of(dlda_options *options, const option_row *row)
{
    return (char *)options + row->offset;
}

static dlda_status bad_value(const option_row *row, const char *value, const char *expected)
{
    return dlda_fail(DLDA_E_OPTION, "option %s: found '%s', expected %s", row->info.name, value, expected);
}

static dlda_status out_of_range(const option_row *row, const char *value)
{
    return dlda_fail(DLDA_E_OPTION, "option %s: found %s, expected %.16g to %.16g", row->info.name, value,
                     row->info.least, row->info.most);
}

static dlda_status set_whole(const option_row *row, const char *value, int64_t *field)
{
    int64_t number = 0;

    if (!dlda_parse_whole(value, &number)) return bad_value(row, value, "a whole number");
    if ((double)number < row->info.least || number > (int64_t)row->info.most) return out_of_range(row, value);
    *field = number;
    return DLDA_OK;
}

static dlda_status set_real(const option_row *row, const char *value, double *field)
{
    double number = 0;

    if (!dlda_parse_real(value, &number)) return bad_value(row, value, "a number");
    if (number < row->info.least || number > row->info.most) return out_of_range(row, value);
    *field = number;
    return DLDA_OK;
}

static dlda_status set_choice(const option_row *row, const char *value, int64_t *field)
{
    enum { MOST = 16 };
    char copy[DLDA_OPTION_TEXT];
    const char *words[MOST];
    int count = 0;

    snprintf(copy, sizeof copy, "%s", row->info.choices);
    char *rest = NULL;
    for (char *word = strtok_r(copy, "|", &rest); word && count < MOST; word = strtok_r(NULL, "|", &rest)) {
        if (strcmp(word, value) == 0) {
            *field = count;
            return DLDA_OK;
        }
        words[count++] = word;
    }
    int near = dlda_closest_word(value, words, (size_t)count);
    if (near >= 0)
        return dlda_fail(DLDA_E_OPTION, "option %s: found '%s', expected one of %s; did you mean '%s'?",
                         row->info.name, value, row->info.choices, words[near]);
    return dlda_fail(DLDA_E_OPTION, "option %s: found '%s', expected one of %s", row->info.name, value,
                     row->info.choices);
}

static dlda_status set_flag(const option_row *row, const char *value, int64_t *field)
{
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0) return bad_value(row, value, "true or false");
    *field = strcmp(value, "true") == 0;
    return DLDA_OK;
}

/* A whole number from 1 to DLDA_MOST_SIDE before `end`; 0 if there is none. */
static size_t read_side(const char *text, const char *end)
{
    size_t side = 0;

    for (const char *c = text; c < end; c++) {
        if (*c < '0' || *c > '9' || side > DLDA_MOST_SIDE) return 0;
        side = 10 * side + (size_t)(*c - '0');
    }
    return side <= DLDA_MOST_SIDE ? side : 0;
}

/* "HxW", "N" for NxN, or "". */
static dlda_status set_size(const option_row *row, const char *value, dlda_size *field)
{
    const char *end = value + strlen(value), *x = strchr(value, 'x');
    dlda_size size = { read_side(value, x ? x : end), read_side(x ? x + 1 : value, end) };

    if (value[0] && (!size.height || !size.width))
        return dlda_fail(DLDA_E_OPTION, "option %s: found '%s', expected a size as 32 or 32x48, from 1 to %d",
                         row->info.name, value, DLDA_MOST_SIDE);
    *field = size;
    return DLDA_OK;
}

static dlda_status set_row(dlda_options *options, size_t i, const char *value)
{
    const option_row *row = &table[i];
    void *field = field_of(options, row);
    dlda_status status = DLDA_OK;

    if (strlen(value) >= DLDA_OPTION_TEXT)
        return dlda_fail(DLDA_E_OPTION, "option %s: %zu characters, expected at most %d", row->info.name,
                         strlen(value), DLDA_OPTION_TEXT - 1);
    switch (row->type) {
    case WHOLE: status = set_whole(row, value, field); break;
    case REAL: status = set_real(row, value, field); break;
    case CHOICE: status = set_choice(row, value, field); break;
    case FLAG: status = set_flag(row, value, field); break;
    case SIZE: status = set_size(row, value, field); break;
    case TEXT: memcpy(field, value, strlen(value) + 1); break;
    }
    if (status == DLDA_OK) memcpy(options->text[i], value, strlen(value) + 1);
    return status;
}

static dlda_status unknown_option(const char *name)
{
    const char *names[N_OPTIONS];

    for (size_t i = 0; i < N_OPTIONS; i++) names[i] = table[i].info.name;
    int near = dlda_closest_word(name, names, N_OPTIONS);
    if (near < 0) return dlda_fail(DLDA_E_OPTION, "unknown option '%s'", name);
    return dlda_fail(DLDA_E_OPTION, "unknown option '%s'; did you mean '%s'?", name, names[near]);
}

dlda_status dlda_options_create(dlda_options **options)
{
    DLDA_NEED(options);
    dlda_status status = DLDA_OK;
    dlda_options *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "options"));
    for (size_t i = 0; i < N_OPTIONS; i++) DLDA_TRY(set_row(self, i, table[i].info.initial));
    *options = self;
    self = NULL;
done:
    dlda_release(self);
    return status;
}

dlda_status dlda_options_copy(const dlda_options *options, dlda_options **copy)
{
    DLDA_NEED(options, copy);
    dlda_status status = DLDA_TAKE(copy, 1, "options");

    if (status == DLDA_OK) **copy = *options;
    return status;
}

void dlda_options_destroy(dlda_options *options)
{
    dlda_release(options);
}

static int index_of(const char *name)
{
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (strcmp(table[i].info.name, name) == 0) return (int)i;
    return -1;
}

dlda_status dlda_options_set(dlda_options *options, const char *name, const char *value)
{
    DLDA_NEED(options, name, value);
    int i = index_of(name);

    if (i < 0) return unknown_option(name);
    dlda_status status = set_row(options, (size_t)i, value);
    if (status == DLDA_OK) options->given[i] = 1;
    return status;
}

int dlda_options_is_given(const dlda_options *options, const char *name)
{
    int i = options && name ? index_of(name) : -1;

    return i >= 0 && options->given[i];
}

dlda_status dlda_options_suggest(dlda_options *options, const char *name, const char *value)
{
    int i = index_of(name);

    if (i < 0) return unknown_option(name);
    return options->given[i] ? DLDA_OK : set_row(options, (size_t)i, value);
}

const char *dlda_options_get(const dlda_options *options, const char *name)
{
    for (size_t i = 0; options && name && i < N_OPTIONS; i++)
        if (strcmp(table[i].info.name, name) == 0) return options->text[i];
    return NULL;
}
