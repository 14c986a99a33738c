/* SPDX-License-Identifier: MIT
 *
 * options.c - the library's options with the commands that take them, and the program's own options.
 *
 * To add an option of the library: a row in src/base/options.c and one in `offered` here. To add one of the
 * program: a row in `own`. If it means something else for some command: a row in option_help.c. Then run `make
 * docs`.
 */
#include "options.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Options of the library ---- */

typedef struct offered_option {
    const char *name;
    char letter;
    const char *commands; /* separated by ", " */
} offered_option;

/* clang-format off */
static const offered_option offered[] = {
    { "net", 0, "train, bench, reproduce" },
    { "objective", 0, "train, bench" },
    { "epochs", 'e', "train, reproduce" },
    { "batch", 'b', "train, eval, refit, predict, embed, info, bench" },
    { "norm-group", 0, "train, reproduce, info, bench" },
    { "rate", 0, "train" },
    { "halve-every", 0, "train, reproduce" },
    { "schedule", 0, "train, reproduce" },
    { "warm-up", 0, "train" },
    { "patience", 0, "train" },
    { "tolerance", 0, "train" },
    { "init", 0, "train" },
    { "momentum", 0, "train" },
    { "decay", 0, "train" },
    { "lambda", 0, "train, refit, lda" },
    { "epsilon", 0, "train" },
    { "validation", 0, "train" },
    { "measure", 0, "train" },
    { "measure-every", 0, "train" },
    { "resize", 0, "train, eval, refit, predict, embed, data check, data convert, data show" },
    { "folds", 0, "train, reproduce" },
    { "fold", 0, "train, reproduce" },
    { "subset", 0, "train" },
    { "split-seed", 0, "train" },
    { "prepare", 0, "train, bench" },
    { "gcn-scale", 0, "train" },
    { "gcn-bias", 0, "train" },
    { "zca-bias", 0, "train" },
    { "flip", 0, "train, bench" },
    { "shift", 0, "train, bench" },
    { "seed", 0, "train, eval, lda" },
    { "kernels", 0, "train" },
    { "precision", 0, "train, reproduce, bench" },
    { "data", 0, "train, report, reproduce" },
    { "format", 0, "train, eval, refit, predict, embed, report, data check, data convert, data show" },
    { "label", 0, "train, eval, refit, predict, embed, lda, report, data check, data convert, data show" },
    { "threads", 't', "train, eval, refit, predict, embed, lda, report, reproduce, info, bench" },
    { "micro-batch", 0, "train, reproduce, info, bench" },
    { "checkpoint", 0, "train" },
};

/* ---- Options of the program ---- */

typedef struct own_option {
    dlda_option_row row;
    char letter;
    const char *commands;
} own_option;

#define OWN(name, argument, initial, choices, least, most, help, type, letter, commands)                           \
    { { { name, argument, initial, choices, least, most, help, DLDA_OPTION_##type, 0 }, 0 }, letter, commands }

static const own_option own[] = {
    OWN("output", "PATH", "", NULL, 0, 0, "File or folder for the result.", TEXT, 'o', "train, refit, predict, embed, lda, export, report, reproduce, data convert, data show"),
    OWN("force", NULL, "false", NULL, 0, 0, "Write to the output folder even if it exists.", FLAG, 'f', "train, data convert"),
    OWN("resume", "RUN", "", NULL, 0, 0,
        "Continue an interrupted training in its folder and with its options. The result is the same as without interruption.", TEXT, 0, "train"),
    OWN("no-presets", NULL, "false", NULL, 0, 0,
        "Use plain defaults: neither the presets of known data sets that `deeplda train --help` lists, nor options chosen from the data.", FLAG, 0, "train"),
    OWN("mpi", NULL, "false", NULL, 0, 0,
        "Work together with the other processes of a job that mpirun or srun has started.", FLAG, 0, "train, eval, embed, lda, bench"),
    OWN("skip-bad", NULL, "false", NULL, 0, 0,
        "Report and skip files that cannot be read.", FLAG, 0, "train, eval, refit, embed, data convert, data show"),
    OWN("most-pixels", "N", "67108864", NULL, 1, 1e12,
        "Refuse pictures with more pixels, by their header. Decoding takes up to 4 bytes per pixel, of a progressive JPEG up to 10.",
        WHOLE, 0, "train, eval, refit, predict, embed, report, info, data check, data convert, data show"),
    OWN("most-bytes", "N", "0", NULL, 0, 1e15,
        "Refuse compressed files (.gz, .npz) that expand to more bytes, and arrays of images that are resized to more; 0: 268435456, or 64 times "
        "the size before if that is more.", WHOLE, 0, "train, eval, refit, predict, embed, report, info, data check, data convert, data show"),
    OWN("proba", "NAME", "bayes", "bayes|paper", 0, 0,
        "How scores are converted to probabilities: by Bayes' rule, calibrated on the validation samples of the training, or as in the paper, which is not calibrated.", CHOICE, 0, "eval, predict, export"),
    OWN("head", "NAME", "lda", "lda|softmax", 0, 0,
        "Classifier: the LDA on the network's features, or the softmax of a network trained with objective cce or lda-cce.", CHOICE, 0, "eval, predict, export"),
    OWN("svm", NULL, "false", NULL, 0, 0, "Also fit a linear SVM on the projected training features, and test it.", FLAG, 0, "eval"),
    OWN("train-data", "DATA", "", NULL, 0, 0,
        "With --svm: the data to train it on (default: the training part of DATA).", TEXT, 0, "eval"),
    OWN("compare", "MODEL", "", NULL, 0, 0,
        "Compare with another model, or with predictions (.csv) written by --answers, on the same samples, and test whether the "
        "difference is significant.", TEXT, 0, "eval"),
    OWN("compare-head", "NAME", "lda", "lda|softmax", 0, 0,
        "Classifier of the model given by --compare; --head applies to the first model only.", CHOICE, 0, "eval"),
    OWN("mistakes", "N", "0", NULL, 0, 1e9,
        "List the N worst mistakes: file (or index), true class, predicted class, their probabilities; those with the lowest "
        "probability of the true class first.", WHOLE, 0, "eval"),
    OWN("answers", "FILE", "", NULL, 0, 0,
        "Write a CSV line for each sample: true class, predicted class and its probability, class predicted by the SVM.", TEXT, 0, "eval"),
    OWN("priors", "LIST", "", NULL, 0, 0,
        "Class priors for --proba bayes: uniform, data (frequencies in the fitted data), or numbers in the order of the classes, "
        "separated by commas.", TEXT, 0, "refit, lda"),
    OWN("calibrate", "DATA", "", NULL, 0, 0,
        "Calibrate probabilities and --reject on labelled samples that the network and its head were not fitted on.", TEXT, 0, "refit"),
    OWN("add-class", "NAME", "", NULL, 0, 0,
        "Add a class with this name; DATA has pictures of it only. The other classes are unchanged.", TEXT, 0, "refit"),
    OWN("as-trained", NULL, "false", NULL, 0, 0,
        "Fit on the same samples as the training: divide DATA by the model's options, omit those held out, and calibrate on them.", FLAG, 0, "refit"),
    OWN("top", "K", "0", NULL, 0, 1000000, "Print the K most probable classes instead of the probabilities of all; 0: all.", WHOLE, 0, "predict"),
    OWN("reject", "ALPHA", "0", NULL, 0, 0.999999,
        "Mark images that are of no class: more unusual than all but a share ALPHA of good images, such as 0.01; 0: off.", REAL, 0, "predict"),
    OWN("truth", NULL, "false", NULL, 0, 0,
        "Also print the true class: of a picture the name of its folder if the model has such a class, of other data the label. "
        "The number of correct predictions is printed on stderr.", FLAG, 0, "predict"),
    OWN("list", NULL, "false", NULL, 0, 0, "A list of files to read, or of experiments to show.", FLAG, 0, "predict, reproduce"),
    OWN("null", NULL, "false", NULL, 0, 0, "With --list: names end with a NUL byte, not with the line.", FLAG, '0', "predict"),
    OWN("raw", NULL, "false", NULL, 0, 0,
        "Write the network's output instead of its projection on the LDA directions.", FLAG, 0, "embed"),
    OWN("from", "PART", "auto", "auto|train|test", 0, 0,
        "Part of the data set; auto: the test part if there is one, else all.", CHOICE, 0, "embed"),
    OWN("cross-validate", "N", "5", NULL, 0, 100000,
        "Number of cross-validation folds, at most that of the rows, which is leave-one-out; 0: none.", WHOLE, 0, "lda"),
    OWN("shrinkage", "S", "", NULL, 0, 0,
        "Replace the within-class scatter Sw by (1-S) Sw + S tr(Sw)/D I, S from 0 to 1; auto: Ledoit and Wolf's estimate for each "
        "class, as in scikit-learn.", TEXT, 0, "lda"),
    OWN("standardise", NULL, "false", NULL, 0, 0,
        "Divide features by their standard deviation: for --lambda, --shrinkage and the printed coefficients.", FLAG, 0, "lda"),
    OWN("drop", "COLUMNS", "", NULL, 0, 0,
        "Columns of a CSV table that are not used, by name or number from 1, separated by commas.", TEXT, 0, "lda"),
    OWN("keep", "COLUMNS", "", NULL, 0, 0,
        "Columns that are used although they look like row numbers, which are refused.", TEXT, 0, "lda"),
    OWN("categories", "COLUMNS", "", NULL, 0, 0,
        "Columns of text: every level but the first becomes a feature that is 0 or 1.", TEXT, 0, "lda"),
    OWN("missing", "NAME", "error", "error|drop|mean", 0, 0,
        "Rows with empty cells, NA or NaN: error, drop them, or use the mean of the column.", CHOICE, 0, "lda"),
    OWN("save", "FILE", "", NULL, 0, 0, "Save the fitted LDA to FILE, for --apply.", TEXT, 0, "lda"),
    OWN("apply", "FILE", "", NULL, 0, 0,
        "Classify the rows with the LDA in FILE instead of fitting one, or with -o project them on its directions.", TEXT, 0, "lda"),
    OWN("repeats", "N", "5", NULL, 1, 100000, "Repeat each measurement N times after a warm-up, and report medians.", WHOLE, 0, "bench"),
    OWN("part", "NAME", "all", "all|step|layers|inference|single", 0, 0,
        "Measure training steps, single layers, inference of batches and of single images, single images alone, or all of these.",
        CHOICE, 0, "bench"),
    OWN("paced", NULL, "false", NULL, 0, 0,
        "Print \"ready\"; then measure --repeats more times, and print a JSON line, for each line of the standard input. Needs --part "
        "step, inference (batches only) or single.", FLAG, 0, "bench"),
    OWN("count", "N", "10", NULL, 1, 1000, "Number of images per class.", WHOLE, 'n', "data show"),
    OWN("to", "FORMAT", "idx", "idx|npy|png", 0, 0,
        "IDX files, NumPy arrays, or a folder of PNG pictures for each class.", CHOICE, 0, "data convert"),
    OWN("directions", "N", "5", NULL, 2, 12,
        "Maximum number of directions in figures of samples, largest eigenvalues first.", WHOLE, 0, "report"),
    OWN("live", NULL, "false", NULL, 0, 0,
        "Update the page after each epoch until the run ends; the page reloads itself.", FLAG, 0, "report"),
    OWN("budget", "TIME", "", NULL, 0, 0,
        "Shorten all trainings in proportion so that the total time is about TIME: 30m, 2h, 1h30m.", TEXT, 0, "reproduce"),
    OWN("seeds", "N", "1", NULL, 1, 1000, "Train with seeds 1 to N; the table shows mean and spread.", WHOLE, 0, "reproduce"),
    OWN("rows", "LIST", "", NULL, 0, 0,
        "Rows of the tables, separated by commas: deeplda, svm, cce, cce-lda (the default), ours, ours-lda; or all.", TEXT, 0, "reproduce"),
    OWN("json", NULL, "false", NULL, 0, 0, "Print the result as one JSON object.", FLAG, 0, "train, eval, refit, predict, embed, lda, export, info, bench, report, reproduce, data list, data fetch, data check, data convert, data show"),
    OWN("quiet", NULL, "false", NULL, 0, 0, "Print no progress, only the result.", FLAG, 'q', "train, data fetch, reproduce"),
    OWN("help", NULL, "false", NULL, 0, 0,
        "Explain the command and its options.", FLAG, 'h', "train, eval, refit, predict, embed, lda, export, report, reproduce, info, bench, data, data list, data fetch, data check, data convert, data show"),
};
/* clang-format on */

enum { N_OFFERED = sizeof offered / sizeof offered[0], N_OWN = sizeof own / sizeof own[0] };

static const dlda_option_row *own_row_at(size_t i)
{
    return i < N_OWN ? &own[i].row : NULL;
}

static const dlda_option_table own_table = { own_row_at, sizeof(dlda_settings) };

/* ---- Both tables ---- */

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
        *option = (cli_option){ library_info(row->name), row->letter, row->commands, 1 };
        return 1;
    }
    i -= N_OFFERED;
    if (i >= N_OWN) return 0;
    *option = (cli_option){ &own[i].row.info, own[i].letter, own[i].commands, 0 };
    return 1;
}

int option_find(const char *name, cli_option *option)
{
    for (size_t i = 0; option_at(i, option); i++)
        if (strcmp(option->info->name, name) == 0) return 1;
    return 0;
}

int is_in_list(const char *command, const char *commands)
{
    size_t length = strlen(command);

    for (const char *at = commands;; at += strspn(at, ", ")) {
        if (strncmp(at, command, length) == 0 && strchr(", ", at[length])) return 1; /* also '\0' */
        at += strcspn(at, ",");
        if (!*at) return 0;
    }
}

int option_belongs(const cli_option *option, const char *command)
{
    return is_in_list(command, option->commands);
}

int option_can_be_negated(const cli_option *option)
{
    return option->of_library && option->info->type == DLDA_OPTION_FLAG;
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
