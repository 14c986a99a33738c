/* SPDX-License-Identifier: MIT
 *
 * options.c - which options of the library the commands take, and the options that are the program's own.
 *
 * To add an option of the library: a row in src/base/options.c, and one in `offered` here. To add one of the program: a row
 * in `own`. Then `make docs`.
 */
#include "options.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- The library's ---- */

typedef struct offered_option {
    const char *name;
    char letter;
    const char *commands, *remark;
} offered_option;

/* clang-format off */
static const offered_option offered[] = {
    { "net", 0, "train bench reproduce", "reproduce: instead of the paper's." },
    { "objective", 0, "train bench", NULL },
    { "epochs", 'e', "train reproduce", "reproduce: instead of the experiment's own." },
    { "batch", 'b', "train eval refit predict embed info bench", NULL },
    { "rate", 0, "train", NULL },
    { "halve-every", 0, "train reproduce", "reproduce: instead of what follows from the number of epochs." },
    { "schedule", 0, "train reproduce", "reproduce: the paper halves it." },
    { "warm-up", 0, "train", NULL },
    { "patience", 0, "train", NULL },
    { "init", 0, "train", NULL },
    { "momentum", 0, "train", NULL },
    { "decay", 0, "train", NULL },
    { "lambda", 0, "train refit lda", NULL },
    { "epsilon", 0, "train", NULL },
    { "validation", 0, "train", NULL },
    { "measure", 0, "train", NULL },
    { "measure-every", 0, "train", NULL },
    { "resize", 0, "train eval refit predict embed data", NULL },
    { "folds", 0, "train reproduce", "reproduce: the folds 1 to N of stl10-1k (the paper has 10); 0: one." },
    { "fold", 0, "train reproduce", "reproduce: the fold of stl10-1k; 0: the first." },
    { "subset", 0, "train", NULL },
    { "split-seed", 0, "train", NULL },
    { "prepare", 0, "train bench", NULL },
    { "gcn-scale", 0, "train", NULL },
    { "gcn-bias", 0, "train", NULL },
    { "zca-bias", 0, "train", NULL },
    { "flip", 0, "train bench", NULL },
    { "shift", 0, "train bench", NULL },
    { "seed", 0, "train eval lda", NULL },
    { "kernels", 0, "train", NULL },
    { "data", 0, "train report reproduce", "train: the same as the word DATA. report: test the models on these data, not on those of "
      "their runs. reproduce: where the data set of the experiments lies." },
    { "format", 0, "train eval refit predict embed report data", NULL },
    { "label", 0, "train eval refit embed lda report data", NULL },
    { "threads", 't', "train eval refit predict embed lda report reproduce info bench", NULL },
    { "checkpoint", 0, "train", NULL },
};

/* ---- The program's ---- */

typedef struct own_option {
    dlda_option_row row;
    char letter;
    const char *commands;
} own_option;

#define OWN(name, argument, initial, choices, least, most, help, type, letter, commands)                           \
    { { { name, argument, initial, choices, least, most, help, DLDA_OPTION_##type, 0 }, 0 }, letter, commands }

static const own_option own[] = {
    OWN("output", "PATH", "", NULL, 0, 0,
        "train: folder of the run (default: run). refit: file of the new model. predict: file for the answers (default: the terminal)."
        " embed: .npy file for the features. lda: .npy file for the projected rows (default: none). export: the ONNX file. report: "
        "folder of the page and its figures (default: that of the run; of several: report). reproduce: folder of all its runs and "
        "tables (default: runs/reproduce). data convert: folder of the new files. data show: the picture (default: sheet.png).", TEXT, 'o', "train refit predict embed lda export report reproduce data"),
    OWN("force", NULL, "false", NULL, 0, 0, "Write into the output folder even if it exists.", FLAG, 'f', "train data"),
    OWN("resume", "RUN", "", NULL, 0, 0,
        "Go on with an interrupted training, in its folder and with its options, as if it had never stopped.", TEXT, 0, "train"),
    OWN("no-presets", NULL, "false", NULL, 0, 0,
        "Do not take the options that suit a known set, which `deeplda train --help` lists.", FLAG, 0, "train"),
    OWN("skip-bad", NULL, "false", NULL, 0, 0,
        "Leave out what cannot be read, name it, and go on.", FLAG, 0, "train eval refit embed data"),
    OWN("proba", "NAME", "paper", "paper|bayes", 0, 0,
        "How scores become probabilities; bayes is the better calibrated.", CHOICE, 0, "eval predict export"),
    OWN("head", "NAME", "lda", "lda|softmax", 0, 0,
        "What classifies: the LDA on the network's features, or the softmax that a network was trained with (objective cce).", CHOICE, 0, "eval predict export"),
    OWN("svm", NULL, "false", NULL, 0, 0, "Also fit a linear SVM on the projected training features, and test it.", FLAG, 0, "eval"),
    OWN("train-data", "DATA", "", NULL, 0, 0,
        "With --svm: where the training features come from (default: the training part of DATA).", TEXT, 0, "eval"),
    OWN("compare", "MODEL", "", NULL, 0, 0,
        "Another model, or the answers (.csv) that --answers wrote, for the same samples: which of the two is better, and whether "
        "these samples can tell.", TEXT, 0, "eval"),
    OWN("compare-head", "NAME", "lda", "lda|softmax", 0, 0,
        "What classifies in the model of --compare; --head is for the first model alone.", CHOICE, 0, "eval"),
    OWN("answers", "FILE", "", NULL, 0, 0,
        "Write a CSV line for each sample: true class, predicted class, probability of that, class by the SVM.", TEXT, 0, "eval"),
    OWN("priors", "LIST", "", NULL, 0, 0,
        "Shares of the classes that --proba bayes assumes: uniform, data (those of the fitted data), or numbers in the order of the "
        "classes, separated by commas.", TEXT, 0, "refit"),
    OWN("add-class", "NAME", "", NULL, 0, 0,
        "Add a class of that name; DATA has pictures of it alone. The other classes stay as they are.", TEXT, 0, "refit"),
    OWN("as-trained", NULL, "false", NULL, 0, 0,
        "Fit on the samples that training on DATA with the model's options fits on, without those it holds out.", FLAG, 0, "refit"),
    OWN("top", "K", "0", NULL, 0, 1000000, "The K most probable classes instead of the probabilities of all; 0: all.", WHOLE, 0, "predict"),
    OWN("reject", "ALPHA", "0", NULL, 0, 0.999999,
        "Mark images that are farther from every class than all but a share ALPHA of a class's own would be, say 0.001; 0: do not.", REAL, 0, "predict"),
    OWN("list", NULL, "false", NULL, 0, 0,
        "predict: read names of files from the standard input, one a line, and answer each as soon as it is known. reproduce: show the"
        " experiments, what there is of each already, and what the rest will cost on this machine.", FLAG, 0, "predict reproduce"),
    OWN("raw", NULL, "false", NULL, 0, 0,
        "The network's features as they are, not projected on the directions of the LDA.", FLAG, 0, "embed"),
    OWN("from", "PART", "auto", "auto|train|test", 0, 0,
        "The part of a data set that has two; auto: the test part if there is one.", CHOICE, 0, "embed"),
    OWN("cross-validate", "N", "5", NULL, 0, 1000, "Folds of the cross-validation; 0: none.", WHOLE, 0, "lda"),
    OWN("save", "FILE", "", NULL, 0, 0, "Keep the fitted LDA in FILE, for --apply.", TEXT, 0, "lda"),
    OWN("apply", "FILE", "", NULL, 0, 0,
        "Fit nothing: classify the rows by the LDA in FILE, or with -o project them on its directions.", TEXT, 0, "lda"),
    OWN("repeats", "N", "5", NULL, 1, 100000, "Measure everything N times, after one run to warm up; medians count.", WHOLE, 0, "bench"),
    OWN("part", "NAME", "all", "all|step|layers|inference", 0, 0,
        "Measure training steps, single layers, inference, or all of these.", CHOICE, 0, "bench"),
    OWN("count", "N", "10", NULL, 1, 1000, "data show: images of each class, from the first on.", WHOLE, 'n', "data"),
    OWN("to", "FORMAT", "idx", "idx|npy|png", 0, 0,
        "data convert: IDX files, NumPy arrays, or a folder of PNG pictures for each class.", CHOICE, 0, "data"),
    OWN("directions", "N", "5", NULL, 2, 12,
        "Directions that figures of samples show, at most, from the one with the largest eigenvalue on.", WHOLE, 0, "report"),
    OWN("live", NULL, "false", NULL, 0, 0,
        "Write the page anew after each epoch until the run ends; it reloads itself.", FLAG, 0, "report"),
    OWN("budget", "TIME", "", NULL, 0, 0,
        "Shorten the trainings in proportion so that all together take about that long: 30m, 2h, 1h30m.", TEXT, 0, "reproduce"),
    OWN("seeds", "N", "1", NULL, 1, 1000, "Train with the seeds 1 to N; the table has mean and spread.", WHOLE, 0, "reproduce"),
    OWN("rows", "LIST", "", NULL, 0, 0,
        "Rows of the tables, separated by commas: deeplda, svm, cce, cce-lda (the default), ours, ours-svm; or all.", TEXT, 0, "reproduce"),
    OWN("json", NULL, "false", NULL, 0, 0,
        "Print JSON: one object, or one line per image or event.", FLAG, 0, "train eval refit predict embed lda export info bench data"),
    OWN("quiet", NULL, "false", NULL, 0, 0, "No progress, only the result.", FLAG, 'q', "train data reproduce"),
    OWN("help", NULL, "false", NULL, 0, 0,
        "Explain the command and its options.", FLAG, 'h', "train eval refit predict embed lda export report reproduce info bench data"),
};
/* clang-format on */

enum { N_OFFERED = sizeof offered / sizeof offered[0], N_OWN = sizeof own / sizeof own[0] };

static const dlda_option_row *own_row_at(size_t i)
{
    return i < N_OWN ? &own[i].row : NULL;
}

static const dlda_option_table own_table = { own_row_at, sizeof(dlda_settings) };

/* ---- Both ---- */

static const dlda_option_info *library_info(const char *name)
{
    const dlda_option_info *info = NULL;

    for (size_t i = 0; (info = dlda_option_at(i)) != NULL; i++)
        if (strcmp(info->name, name) == 0) break;
    return info;
}

int option_at(size_t i, cli_option *option)
{
    if (i < N_OFFERED) {
        const offered_option *row = &offered[i];
        *option = (cli_option){ library_info(row->name), row->letter, row->commands, row->remark };
        return 1;
    }
    i -= N_OFFERED;
    if (i >= N_OWN) return 0;
    *option = (cli_option){ &own[i].row.info, own[i].letter, own[i].commands, NULL };
    return 1;
}

int option_find(const char *name, cli_option *option)
{
    for (size_t i = 0; option_at(i, option); i++)
        if (strcmp(option->info->name, name) == 0) return 1;
    return 0;
}

int option_belongs(const cli_option *option, const char *command)
{
    size_t length = strlen(command);

    for (const char *at = option->commands; (at = strstr(at, command)) != NULL; at += length) {
        int starts = at == option->commands || at[-1] == ' ';
        int ends = at[length] == ' ' || at[length] == '\0';
        if (starts && ends) return 1;
    }
    return 0;
}

/* ---- Values ---- */

static int is_own(const char *name)
{
    return dlda_option_index(&own_table, name) >= 0;
}

dlda_status options_create(cli_options **options)
{
    dlda_status status = DLDA_OK;
    cli_options *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "options"));
    DLDA_TRY(dlda_options_create(&self->training));
    DLDA_TRY(dlda_settings_create(&own_table, &self->own));
    *options = self;
    self = NULL;
done:
    options_destroy(self);
    return status;
}

dlda_status options_copy(const cli_options *options, cli_options **copy)
{
    dlda_status status = DLDA_OK;
    cli_options *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "options"));
    DLDA_TRY(dlda_options_copy(options->training, &self->training));
    DLDA_TRY(dlda_settings_copy(options->own, &self->own));
    *copy = self;
    self = NULL;
done:
    options_destroy(self);
    return status;
}

void options_destroy(cli_options *self)
{
    if (!self) return;
    dlda_options_destroy(self->training);
    dlda_settings_destroy(self->own);
    dlda_release(self);
}

dlda_status option_set(cli_options *self, const char *name, const char *value)
{
    return is_own(name) ? dlda_settings_set(self->own, name, value) : dlda_options_set(self->training, name, value);
}

const char *option_text(const cli_options *self, const char *name)
{
    return is_own(name) ? dlda_settings_get(self->own, name) : dlda_options_get(self->training, name);
}

int option_is_given(const cli_options *self, const char *name)
{
    return is_own(name) ? dlda_settings_is_given(self->own, name) : dlda_options_is_given(self->training, name);
}

int option_is(const cli_options *self, const char *name, const char *value)
{
    return strcmp(option_text(self, name), value) == 0;
}

double option_number(const cli_options *self, const char *name)
{
    return strtod(option_text(self, name), NULL);
}

size_t option_batch(const cli_options *self, size_t count)
{
    double batch = option_number(self, "batch");

    return batch < (double)count ? (size_t)batch : count;
}

dlda_probability option_probability(const cli_options *self, const char *head)
{
    if (option_is(self, head, "softmax")) return DLDA_PROBABILITY_SOFTMAX;
    return option_is(self, "proba", "bayes") ? DLDA_PROBABILITY_BAYES : DLDA_PROBABILITY_PAPER;
}
