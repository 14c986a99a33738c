/* SPDX-License-Identifier: MIT
 *
 * request.c - reads the command line of `deeplda reproduce`.
 */
#include "reproduce/request.h"
#include "base/closest_word.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char reproduce_name[] = "reproduce";

/* ---- Questions ---- */

int request_has(const reproduce_request *request, const cli_experiment *experiment)
{
    for (size_t i = 0; i < request->n_experiments; i++)
        if (request->experiments[i] == experiment) return 1;
    return 0;
}

int request_needs(const reproduce_request *request, cli_trained kind)
{
    for (cli_row r = 0; r < N_ROWS; r++)
        if (request->rows[r] && row_kinds[r].model == kind) return 1;
    return 0;
}

size_t request_trainings(const reproduce_request *request)
{
    size_t count = 0;

    for (cli_trained kind = 0; kind < N_TRAINED; kind++) count += (size_t)request_needs(request, kind);
    return count;
}

/* ---- Experiments ---- */

static int complain_experiment(const char *word)
{
    const char *names[MOST_EXPERIMENTS];
    size_t count = 0;

    for (; count < MOST_EXPERIMENTS && experiment_at(count); count++) names[count] = experiment_at(count)->name;
    int near = dlda_closest_word(word, names, count);
    if (near >= 0)
        return complain_usage(reproduce_name, "unknown experiment '%s'; did you mean '%s'?", word, names[near]);
    return complain_usage(reproduce_name, "unknown experiment '%s'; --list names them", word);
}

static int read_experiments(const cli_arguments *arguments, reproduce_request *request)
{
    for (size_t i = 0; i < arguments->n_words; i++) {
        const cli_experiment *experiment = experiment_named(arguments->words[i]);
        if (!experiment) return complain_experiment(arguments->words[i]);
        if (!request_has(request, experiment)) request->experiments[request->n_experiments++] = experiment;
    }
    if (request->n_experiments > 0) return EXIT_OK;
    if (!request->is_list) return complain_usage(reproduce_name, "expected EXPERIMENT...; --list names them");
    for (size_t i = 0; experiment_at(i); i++) request->experiments[request->n_experiments++] = experiment_at(i);
    return EXIT_OK;
}

/* ---- Rows ---- */

static int row_named(const char *name, size_t length)
{
    for (int r = 0; r < N_ROWS; r++)
        if (strlen(row_kinds[r].name) == length && strncmp(row_kinds[r].name, name, length) == 0) return r;
    return -1;
}

static int complain_row(const char *name, size_t length)
{
    cli_words names = { 0 };

    for (int r = 0; r < N_ROWS; r++) words_add(&names, "%s", row_kinds[r].name);
    char *all = words_as_command(&names, 0);
    int code = complain_usage(reproduce_name, "option rows: found '%.*s', expected all, or some of %s, with commas",
                              (int)length, name, all);
    free(all);
    words_release(&names);
    return code;
}

static int read_rows(const char *list, reproduce_request *request)
{
    int is_all = strcmp(list, "all") == 0;

    if (is_all || !list[0]) {
        for (int r = 0; r < (is_all ? N_ROWS : N_PAPER_ROWS); r++) request->rows[r] = 1;
        return EXIT_OK;
    }
    while (*list) {
        size_t length = strcspn(list, ",");
        int r = row_named(list, length);
        if (r < 0) return complain_row(list, length);
        request->rows[r] = 1;
        list += length + (list[length] == ',');
    }
    return EXIT_OK;
}

/* ---- Epochs ---- */

static double unit_seconds(char unit)
{
    return unit == 'h' ? 3600 : unit == 'm' ? 60 : unit == 's' ? 1 : 0;
}

/* Parses "1h30m" to seconds. */
static int parse_time(const char *text, double *seconds)
{
    double sum = 0, last = INFINITY;
    const char *at = text;

    while (*at >= '0' && *at <= '9') {
        char *end = NULL;
        double number = strtod(at, &end), unit = unit_seconds(*end);
        if (unit == 0 || unit >= last) break;
        sum += number * unit;
        last = unit;
        at = end + 1;
    }
    if (*at || !(sum > 0) || !isfinite(sum))
        return complain_usage(reproduce_name, "option budget: found '%s', expected a time as 2h, 30m, 90s or 1h30m",
                              text);
    *seconds = sum;
    return EXIT_OK;
}

static int read_epochs(const cli_options *options, reproduce_request *request)
{
    const char *budget = option_text(options, "budget");

    request->is_cosine = option_is(options, "schedule", "cosine");
    request->has_halving = option_is_given(options, "halve-every");
    request->halve_every = (size_t)option_number(options, "halve-every");
    if (request->is_cosine && request->has_halving)
        return complain_usage(reproduce_name,
                              "--halve-every has no effect with a cosine; expected --schedule halve");
    if (option_is_given(options, "epochs")) {
        if (budget[0]) return complain_usage(reproduce_name, "--epochs and --budget: expected one of them");
        request->epochs = (size_t)option_number(options, "epochs");
    }
    return budget[0] ? parse_time(budget, &request->budget) : EXIT_OK;
}

/* ---- Folds ---- */

/* The fold given by --fold, the first ones by --folds, or the first one. */
static int read_folds(const cli_options *options, reproduce_request *request)
{
    size_t one = (size_t)option_number(options, "fold"), several = (size_t)option_number(options, "folds");

    if (one && several) return complain_usage(reproduce_name, "--fold and --folds: expected one of them");
    request->first_fold = one ? one : 1;
    request->last_fold = several ? several : request->first_fold;
    return EXIT_OK;
}

/* The experiments must have these folds, and use the same set if --data is given. */
static int check_experiments(const reproduce_request *request)
{
    const char *set = request->experiments[0]->set;

    for (size_t i = 0; i < request->n_experiments; i++) {
        const cli_experiment *experiment = request->experiments[i];
        if (experiment->folds && request->last_fold > experiment->folds)
            return complain_usage(reproduce_name, "option %s: found %zu, %s has the folds 1 to %zu",
                                  request->first_fold < request->last_fold ? "folds" : "fold", request->last_fold,
                                  experiment->name, experiment->folds);
        if (request->data && strcmp(experiment->set, set) != 0)
            return complain_usage(reproduce_name, "option data names one set, but these experiments need %s and %s",
                                  set, experiment->set);
    }
    return EXIT_OK;
}

/* ---- Memory ---- */

/* As in the library, but before any training. */
static int read_groups(const cli_options *options, reproduce_request *request)
{
    size_t micro = (size_t)option_number(options, "micro-batch");

    request->norm_group = (size_t)option_number(options, "norm-group");
    if (micro == 0) return EXIT_OK;
    request->micro_batch = option_text(options, "micro-batch");
    if (request->norm_group > 0 && request->norm_group <= micro) return EXIT_OK;
    return complain_usage(reproduce_name,
                          "option micro-batch: found %zu with --norm-group %zu, expected --norm-group of 1 to %zu",
                          micro, request->norm_group, micro);
}

/* ---- The whole request ---- */

/* NULL if the option was not given. */
static const char *given(const cli_options *options, const char *name)
{
    return option_is_given(options, name) ? option_text(options, name) : NULL;
}

int request_read(const cli_arguments *arguments, reproduce_request *request)
{
    const cli_options *options = arguments->options;
    const char *root = option_text(options, "output");

    *request = (reproduce_request){ .root = root[0] ? root : "runs/reproduce",
                                    .seeds = (size_t)option_number(options, "seeds"),
                                    .data = given(options, "data"),
                                    .net = given(options, "net"),
                                    .threads = given(options, "threads"),
                                    .precision = given(options, "precision"),
                                    .is_list = option_is(options, "list", "true"),
                                    .is_quiet = option_is(options, "quiet", "true"),
                                    .is_json = option_is(options, "json", "true") };
    int code = read_experiments(arguments, request);
    if (code == EXIT_OK) code = read_rows(option_text(options, "rows"), request);
    if (code == EXIT_OK) code = read_epochs(options, request);
    if (code == EXIT_OK) code = read_folds(options, request);
    if (code == EXIT_OK) code = read_groups(options, request);
    if (code == EXIT_OK) code = check_experiments(request);
    return code;
}
