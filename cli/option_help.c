/* SPDX-License-Identifier: MIT
 *
 * option_help.c - what options mean for single commands, where that differs from the tables of options.
 *
 * `deeplda COMMAND --help`, docs/options.md, the man page and the shell completions are made from the tables and
 * from these rows.
 */
#include "options.h"

#include <string.h>

static const char from_data[] = "from the data";

/* clang-format off */
static const option_words words[] = {
    { "net", "train", NULL, from_data },
    { "net", "reproduce", "Network instead of the paper's: mnist, cifar10, stl10, cnn, mlp, or the path of a .net file.", "" },
    { "objective", "train", NULL, from_data },
    { "epochs", "train", NULL, from_data },
    { "epochs", "reproduce", "Number of epochs instead of the experiment's.", "" },
    { "batch", "train", NULL, from_data },
    { "batch", "eval, refit, predict, embed", "Images per batch; more need more memory.", NULL },
    { "batch", "info", "Predict the memory use for N images per batch.", NULL },
    { "batch", "bench", "Images per batch.", NULL },
    { "halve-every", "reproduce", "Halve the learning rate every N epochs; 0: never. By default derived from the number of epochs.", "" },
    { "schedule", "train", NULL, from_data },
    { "schedule", "reproduce", "Learning rate schedule; the paper uses halve.", NULL },
    { "patience", "train", NULL, from_data },
    { "tolerance", "train", NULL, from_data },
    { "init", "train", "Start from the weights of this model, a file or a run folder, which must have the same network, instead of "
      "random ones.", NULL },
    { "lambda", "lda", "Added to the diagonal of the within-class scatter. If that is singular or nearly so, 0.001 of its mean variance by "
      "default, and a message says so.", "0" },
    { "measure", "train", NULL, from_data },
    { "measure-every", "train", NULL, from_data },
    { "folds", "reproduce", "Train on folds 1 to N of stl10-1k (the paper uses 10); 0: one fold.", NULL },
    { "fold", "reproduce", "The fold of stl10-1k; 0: the first.", NULL },
    { "prepare", "train", NULL, "scale; tables: standardise" },
    { "prepare", "bench", "Preparation of images: scale, standardise, gcn, zca, separated by commas.", NULL },
    { "shift", "train", NULL, from_data },
    { "seed", "eval", "With --svm: random seed of its cross-validation.", NULL },
    { "seed", "lda", "Random seed of the cross-validation folds.", NULL },
    { "data", "train", "Same as the operand DATA.", NULL },
    { "data", "report", "Test the models on these data instead of those of their runs.", "" },
    { "data", "reproduce", "Location of the data set of the experiments.", "" },
    { "output", "train", "Run folder.", "run" },
    { "output", "refit", "File of the new model.", NULL },
    { "output", "predict", "File for the predictions.", "standard output" },
    { "output", "embed", ".npy or .csv file for the features.", NULL },
    { "output", "lda", ".npy or .csv file for the projected rows.", NULL },
    { "output", "export", "The ONNX file.", NULL },
    { "output", "report", "Folder for the page and its figures.", "the run folder; for several runs: report" },
    { "output", "reproduce", "Folder for all runs and tables.", "runs/reproduce" },
    { "output", "data convert", "Folder for the new files.", NULL },
    { "output", "data show", "The PNG file.", "sheet.png" },
    { "priors", "lda", "Class priors: uniform, data (frequencies in the table), or numbers in the order of the classes, separated by "
      "commas; also the weights of the classes in the between-class scatter, as in R.", NULL },
    { "list", "predict", "Read file names from the standard input, one per line, and print each prediction as soon as it is "
      "available.", NULL },
    { "list", "reproduce", "Show the experiments, their progress, and the predicted time of the rest on this machine.", NULL },
    { "json", "train", "Print JSON lines: one per event, the last one with the result.", NULL },
    { "json", "predict", "Print one JSON line per image instead of CSV.", NULL },
    { "json", "lda", "Print one JSON object; with --apply one line per row.", NULL },
};
/* clang-format on */

enum { N_WORDS = sizeof words / sizeof words[0] };

const option_words *option_words_at(size_t i)
{
    return i < N_WORDS ? &words[i] : NULL;
}

static const option_words *find(const cli_option *option, const char *command)
{
    for (size_t i = 0; i < N_WORDS; i++)
        if (strcmp(words[i].option, option->info->name) == 0 && is_in_list(command, words[i].commands))
            return &words[i];
    return NULL;
}

const char *option_help(const cli_option *option, const char *command)
{
    const option_words *row = find(option, command);

    return row && row->help ? row->help : option->info->help;
}

const char *option_initial(const cli_option *option, const char *command)
{
    const option_words *row = find(option, command);

    if (!option->info->argument) return ""; /* flags are off */
    return row && row->initial ? row->initial : option->info->initial;
}
