/* SPDX-License-Identifier: MIT
 *
 * collect.c - collects the results of an experiment from the evaluations of all its trainings below ROOT.
 */
#include "folders.h"
#include "reproduce/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Adding a result ---- */

/* For a single run, the interval is that of its images. */
static void count_figure(result_row *row, const row_counts *counts, int is_error)
{
    size_t counted = is_error ? counts->samples - counts->correct : counts->correct;
    stat_interval share = stat_share_interval(counted, counts->samples);

    row->figures = list_grow(row->figures, row->runs, sizeof *row->figures);
    row->figures[row->runs++] = 100 * (double)counted / (double)counts->samples;
    row->interval = (stat_interval){ 100 * share.low, 100 * share.high };
}

static char *evaluation_command(const training *self, const evaluation *row)
{
    cli_words words = { 0 };

    words_add(&words, "deeplda");
    evaluation_add_words(self, row, self->found.data, &words);
    char *command = words_as_command(&words, 0);
    words_release(&words);
    return command;
}

static void count_run(result_row *row, const training *self, const evaluation *found)
{
    const training_record *record = &self->found;
    size_t epochs = record->schedule.epochs;

    if (row->runs == 1) {
        row->least_epochs = epochs;
        row->train = text_format("%s", record->command);
        row->eval = evaluation_command(self, found);
    }
    if (epochs < row->least_epochs) row->least_epochs = epochs;
    if (epochs > row->most_epochs) row->most_epochs = epochs;
    row->full_epochs = record->schedule.full_epochs;
    row->seeds += !row->has_seed[self->seed];
    row->folds += !row->has_fold[self->fold];
    row->has_seed[self->seed] = row->has_fold[self->fold] = 1;
    if (!isnan(record->seconds)) row->seconds += (record->seconds - row->seconds) / (double)++row->timed;
}

/* 1 if images were held out to select the epoch: the setting is their number or fraction. */
static int has_validation(const training_record *record)
{
    const char *validation = record_setting(record, "validation");
    return validation && strtod(validation, NULL) > 0;
}

static void note_deviations(result_table *table, const training *self)
{
    const training_record *record = &self->found;
    char *epochs = text_format("the paper does not say for how many epochs it trains: %zu are ours",
                               record->schedule.full_epochs);

    for (size_t i = 0; i < record->deviations.count; i++)
        words_add_once(&table->deviations, record->deviations.at[i]);
    schedule_note(&record->schedule, trained_kinds[self->kind].objective, &table->deviations);
    words_add_once(&table->deviations, epochs);
    if (has_validation(record))
        words_add_once(&table->deviations, "the validation images are drawn by the seed, class by class");
    free(epochs);
}

/* Adds the result of a row, if it exists and is not older than the model; `answers` receives its file
 * under the same condition. */
static int add_row(result_table *table, const training *self, const evaluation *found, const char **answers)
{
    result_row *row = &table->rows[found->row];
    const char *path = found->figures;
    row_counts counts = { 0 };

    if (!path_is_there(path)) return EXIT_OK;
    if (!path_is_newer(path, self->model)) {
        complain(reproduce_name, "%s: %s, so it is not in the table", path,
                 path_is_there(self->model) ? "is older than its model" : "its model is not there");
        return EXIT_OK;
    }
    int code = evaluation_read(found, &counts);
    if (code != EXIT_OK) return code;
    if (path_is_newer(found->answers, self->model)) *answers = found->answers;
    count_figure(row, &counts, table->experiment->measure == MEASURE_ERROR);
    count_run(row, self, found);
    table->runs++;
    note_deviations(table, self);
    return EXIT_OK;
}

/* ---- The runs ---- */

static void keep_failure(int *code, int latest)
{
    if (*code == EXIT_OK) *code = latest;
}

/* 1 if the training may be counted. The run's own files take precedence over its record, since it may
 * have been extended manually. */
static int is_finished(training *self)
{
    const char *objective = record_setting(&self->found, "objective"),
               *expected = trained_kinds[self->kind].objective;
    const training_progress *progress = &self->progress;

    if (!self->found.complete) return 0;
    if (objective && strcmp(objective, expected) != 0) {
        complain(reproduce_name, "%s: was trained with objective %s instead of %s, so it is not in the table",
                 self->folder, objective, expected);
        return 0;
    }
    if (!isnan(progress->seconds)) self->found.seconds = progress->seconds;
    if (progress->done > 0) self->found.schedule.epochs = progress->done;
    if (progress->state == TRAINING_COMPLETE || progress->state == TRAINING_MISSING) return 1;
    char *state = progress_text(progress);
    complain(reproduce_name, "%s: was continued manually, so it is not in the table: %s", self->folder, state);
    free(state);
    return 0;
}

/* Adds the trainings of one seed and fold, and compares their rows. */
static int add_place(const reproduce_request *request, result_table *table, training place[N_TRAINED])
{
    const char *answers[N_ROWS] = { NULL };
    int code = EXIT_OK;

    for (int k = 0; k < N_TRAINED; k++) {
        keep_failure(&code, training_read_again(request, &place[k]));
        if (!is_finished(&place[k])) continue;
        for (int e = 0; e < N_EVALUATIONS; e++) {
            const evaluation *found = &place[k].evaluations[e];
            keep_failure(&code, add_row(table, &place[k], found, &answers[found->row]));
        }
    }
    keep_failure(&code, pairs_add(table->pairs, place, answers));
    return code;
}

/* ---- All results ---- */

static void finish_row(result_row *row)
{
    row->summary = stat_summarise(row->figures, row->runs);
    if (row->runs != 1) row->interval = stat_mean_interval(&row->summary);
    if (row->timed == 0) row->seconds = NAN;
}

/* 1 if all existing rows have the same number of folds. */
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

/* The paper's results are means over all folds. */
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

int result_collect(reproduce_plan *plan, const cli_experiment *experiment, result_table *table)
{
    int code = EXIT_OK;

    *table = (result_table){ .experiment = experiment };
    for (cli_row r = 0; r < N_ROWS; r++)
        table->rows[r] = (result_row){ .kind = &row_kinds[r], .printed = experiment->printed[r] };
    for (int i = 0; i < N_PAIRS; i++) table->pairs[i].rows = &row_pairs[i];
    for (size_t i = 0; i < plan->n_trainings; i += N_TRAINED)
        if (plan->trainings[i].experiment == experiment)
            keep_failure(&code, add_place(plan->request, table, &plan->trainings[i]));
    for (cli_row r = 0; r < N_ROWS; r++) finish_row(&table->rows[r]);
    for (int i = 0; i < N_PAIRS; i++) pair_finish(&table->pairs[i]);
    note_folds(table);
    return code;
}

void result_release(result_table *table)
{
    for (cli_row r = 0; r < N_ROWS; r++) {
        free(table->rows[r].figures);
        free(table->rows[r].train);
        free(table->rows[r].eval);
    }
    for (int i = 0; i < N_PAIRS; i++) pair_release(&table->pairs[i]);
    words_release(&table->deviations);
    *table = (result_table){ .experiment = NULL };
}

int result_is_shown(const result_table *table, cli_row row)
{
    return row < N_PAPER_ROWS || table->rows[row].runs > 0;
}
