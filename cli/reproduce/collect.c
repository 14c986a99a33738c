/* SPDX-License-Identifier: MIT
 *
 * reproduce_collect.c - puts together what the runs of an experiment have found.
 */
#include "folders.h"
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A complete training, and where it lies. */
typedef struct finished_run {
    char *place, *folder, *model;
    training_record record;
    size_t fold, seed;
    int *has_answers; /* [N_ROWS]: 1 where this place has answers of a row that is counted */
} finished_run;

/* ---- One more figure ---- */

/* The interval is that of one run, until there are more. */
static void count_figure(result_row *row, const row_counts *counts, int is_error)
{
    size_t counted = is_error ? counts->samples - counts->correct : counts->correct;
    stat_interval share = stat_share_interval(counted, counts->samples);

    row->figures = list_grow(row->figures, row->runs, sizeof *row->figures);
    row->figures[row->runs++] = 100 * (double)counted / (double)counts->samples;
    row->interval = (stat_interval){ 100 * share.low, 100 * share.high };
}

static char *evaluation_command(const finished_run *run, const row_kind *kind)
{
    cli_words words = { 0 };

    words_add(&words, "deeplda");
    words_add(&words, "eval");
    words_add(&words, "%s", run->model);
    words_add(&words, "%s", run->record.data);
    for (size_t i = 0; kind->words[i]; i++) words_add(&words, "%s", kind->words[i]);
    char *command = words_as_command(&words, 0);
    words_release(&words);
    return command;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void count_run(result_row *row, const finished_run *run)
{
    size_t epochs = run->record.schedule.epochs;

    if (row->runs == 1) {
        row->least_epochs = epochs;
        row->train = text_format("%s", run->record.command);
        row->eval = evaluation_command(run, row->kind);
    }
    if (epochs < row->least_epochs) row->least_epochs = epochs;
    row->most_epochs = larger(row->most_epochs, epochs);
    row->full_epochs = run->record.schedule.full_epochs;
    row->seeds += !row->has_seed[run->seed];
    row->folds += !row->has_fold[run->fold];
    row->has_seed[run->seed] = row->has_fold[run->fold] = 1;
    if (!isnan(run->record.seconds)) row->seconds += (run->record.seconds - row->seconds) / (double)++row->timed;
}

/* The images that a run has held out to choose its epoch: a number, or a share of the training images; 0: none. */
static double validation_of(const finished_run *run)
{
    const char *setting = reproduce_setting(&run->record.settings, "validation");
    dlda_options *options = NULL;
    double validation = 0;

    if (setting) return strtod(setting, NULL);
    /* An old record does not have it, but the run does. */
    if (dlda_options_create(&options) == DLDA_OK && dlda_options_use_run(options, run->folder) == DLDA_OK)
        validation = option_number(options, "validation");
    dlda_options_destroy(options);
    return validation;
}

/* In what every run departs from the paper, so that no record names it. */
static void note_protocol(result_table *table, const finished_run *run)
{
    char *epochs = text_format("the paper does not say for how many epochs it trains: %zu are ours",
                               run->record.schedule.full_epochs);

    words_add_once(&table->deviations, epochs);
    free(epochs);
    if (validation_of(run) > 0)
        words_add_once(&table->deviations, "the validation images are drawn by the seed, class by class");
}

static void note_deviations(result_table *table, const finished_run *run, cli_trained model)
{
    for (size_t i = 0; i < run->record.deviations.count; i++)
        words_add_once(&table->deviations, run->record.deviations.at[i]);
    reproduce_note_schedule(&run->record.schedule, trained_kinds[model].objective, &table->deviations);
    note_protocol(table, run);
}

/* The figure of a row, if there is one that is not older than the model. */
static int add_row(result_table *table, const finished_run *run, cli_row r)
{
    result_row *row = &table->rows[r];
    char *path = text_format("%s/%s.json", run->place, row_kinds[r].name);
    row_counts counts = { 0 };
    int code = EXIT_OK, is_there = path_is_newer(path, run->model);

    if (!is_there && path_is_there(path))
        complain(reproduce_name, "%s: %s, so it is not in the table", path,
                 path_is_there(run->model) ? "is older than its model" : "its model is not there");
    if (is_there) code = reproduce_read_counts(path, &row_kinds[r], &counts);
    if (is_there && code == EXIT_OK) {
        char *answers = reproduce_answers_path(run->place, &row_kinds[r]);
        run->has_answers[r] = path_is_newer(answers, run->model);
        free(answers);
        count_figure(row, &counts, strcmp(table->experiment->measure, "error") == 0);
        count_run(row, run);
        table->runs++;
        note_deviations(table, run, row_kinds[r].model);
    }
    free(path);
    return code;
}

/* ---- The runs ---- */

static void keep_failure(int *code, int latest)
{
    if (*code == EXIT_OK) *code = latest;
}

/* 1 if it may be counted. What the run says of itself goes before its record: someone may have prolonged it by hand. */
static int is_finished(const reproduction *self, cli_trained model, finished_run *run)
{
    const char *objective = reproduce_setting(&run->record.settings, "objective");

    if (!run->record.complete) return 0;
    if (objective && strcmp(objective, trained_kinds[model].objective) != 0) {
        complain(reproduce_name, "%s: was trained with objective %s instead of %s, so it is not in the table",
                 run->folder, objective, trained_kinds[model].objective);
        return 0;
    }
    training_progress progress = reproduce_progress(self, run->place, model, &run->record);
    if (!isnan(progress.seconds)) run->record.seconds = progress.seconds;
    if (progress.done > 0) run->record.schedule.epochs = progress.done;
    if (progress.state == TRAINING_COMPLETE || progress.state == TRAINING_MISSING) return 1;
    char *state = reproduce_state_text(&progress);
    complain(reproduce_name, "%s: someone went on with it, so it is not in the table: %s", run->folder, state);
    free(state);
    return 0;
}

/* `run` says where to look. */
static int add_model(const reproduction *self, result_table *table, cli_trained model, finished_run run)
{
    char *record = reproduce_record_path(run.place, model);
    int code = reproduce_read_record(record, &run.record);

    run.folder = reproduce_folder(run.place, model);
    run.model = text_format("%s/model.safetensors", run.folder);
    if (is_finished(self, model, &run))
        for (cli_row r = 0; r < N_ROWS; r++)
            if (row_kinds[r].model == model) keep_failure(&code, add_row(table, &run, r));
    reproduce_release_record(&run.record);
    free(record);
    free(run.model);
    free(run.folder);
    return code;
}

/* The trainings of one seed and fold, and their rows against each other. */
static int add_place(const reproduction *self, result_table *table, char *place, size_t fold, size_t seed)
{
    int has_answers[N_ROWS] = { 0 }, code = EXIT_OK;
    const finished_run run = { .place = place, .fold = fold, .seed = seed, .has_answers = has_answers };

    for (cli_trained model = 0; model < N_TRAINED; model++) keep_failure(&code, add_model(self, table, model, run));
    keep_failure(&code, reproduce_add_pairs(table->pairs, place, has_answers, fold, seed));
    return code;
}

static int add_fold(const reproduction *self, result_table *table, size_t fold)
{
    int code = EXIT_OK, is_there = 1;

    for (size_t seed = 1; seed <= MOST_SEEDS && is_there; seed++) {
        char *place = reproduce_place(self, table->experiment, fold, seed);
        is_there = path_is_there(place);
        if (is_there) keep_failure(&code, add_place(self, table, place, fold, seed));
        free(place);
    }
    return code;
}

/* ---- All of them ---- */

static void finish_row(result_row *row)
{
    row->summary = stat_summarise(row->figures, row->runs);
    if (row->runs != 1) row->interval = stat_mean_interval(&row->summary);
    if (row->timed == 0) row->seconds = NAN;
}

/* 1 if all rows that there are have as many folds. */
static int have_same_folds(const result_table *table, size_t *folds)
{
    *folds = 0;
    for (cli_row r = 0; r < N_ROWS; r++) {
        const result_row *row = &table->rows[r];
        if (row->runs == 0) continue;
        if (*folds && row->folds != *folds) return 0;
        *folds = row->folds;
    }
    return 1;
}

/* The paper's figures are means over all folds. */
static void note_folds(result_table *table)
{
    size_t all = table->experiment->folds, folds = 0;
    int same = have_same_folds(table, &folds);

    if (same && folds > 0 && folds < all) words_add(&table->deviations, "%zu of %zu folds", folds, all);
    for (cli_row r = 0; r < N_ROWS; r++) {
        result_row *row = &table->rows[r];
        if (all == 0) row->folds = 0;
        else if (!same && row->runs > 0 && row->folds < all)
            words_add(&table->deviations, "%s: %zu of %zu folds", row->kind->title, row->folds, all);
    }
}

int reproduce_collect(const reproduction *self, const cli_experiment *experiment, result_table *table)
{
    int code = EXIT_OK;

    *table = (result_table){ .experiment = experiment };
    for (cli_row r = 0; r < N_ROWS; r++)
        table->rows[r] = (result_row){ .kind = &row_kinds[r], .printed = experiment->printed[r] };
    for (int i = 0; i < N_PAIRS; i++) table->pairs[i].rows = &row_pairs[i];
    for (size_t fold = 1; fold <= larger(experiment->folds, 1); fold++)
        keep_failure(&code, add_fold(self, table, fold));
    for (cli_row r = 0; r < N_ROWS; r++) finish_row(&table->rows[r]);
    for (int i = 0; i < N_PAIRS; i++) reproduce_finish_pair(&table->pairs[i]);
    note_folds(table);
    return code;
}

void reproduce_release_table(result_table *table)
{
    for (cli_row r = 0; r < N_ROWS; r++) {
        free(table->rows[r].figures);
        free(table->rows[r].train);
        free(table->rows[r].eval);
    }
    for (int i = 0; i < N_PAIRS; i++) reproduce_release_pair(&table->pairs[i]);
    words_release(&table->deviations);
    *table = (result_table){ 0 };
}
