/* SPDX-License-Identifier: MIT
 *
 * reproduce_budget.c - how many epochs each training gets: those of its experiment, of --epochs, or what a budget allows.
 *
 * ROOT/budget.json keeps the share that each request was given, so that the same command gives the same trainings again,
 * whatever is done of them by then and however fast the machine is that day.
 */
#include "folders.h"
#include "terminal/output.h"
#include "reproduce/reproduce.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What was begun ---- */

/* The epochs of the trainings in a place; 0 if none was begun. */
static int epochs_in(const reproduction *self, const char *place, size_t *epochs)
{
    int code = EXIT_OK;

    for (cli_trained model = 0; model < N_TRAINED && code == EXIT_OK && *epochs == 0; model++) {
        char *path = reproduce_record_path(place, model);
        training_record record;
        code = reproduce_read_record(path, &record);
        if (code == EXIT_OK && reproduce_progress(self, place, model, &record).state != TRAINING_MISSING)
            *epochs = record.schedule.epochs;
        reproduce_release_record(&record);
        free(path);
    }
    return code;
}

static int epochs_of_fold(const reproduction *self, const cli_experiment *experiment, size_t fold, size_t *epochs)
{
    int code = EXIT_OK;

    for (size_t seed = 1; seed <= self->seeds && code == EXIT_OK && *epochs == 0; seed++) {
        char *place = reproduce_place(self, experiment, fold, seed);
        code = epochs_in(self, place, epochs);
        free(place);
    }
    return code;
}

/* The epochs of what was begun of a task, or else of other folds, which are to be averaged with it; 0: nothing was. */
static int begun_epochs(const reproduction *self, const reproduce_task *task, size_t *epochs)
{
    *epochs = 0;
    int code = epochs_of_fold(self, task->experiment, task->fold, epochs);
    for (size_t fold = 1; fold <= task->experiment->folds && code == EXIT_OK && *epochs == 0; fold++)
        code = epochs_of_fold(self, task->experiment, fold, epochs);
    return code;
}

/* ---- What a budget gave before ---- */

/* All that decides how a budget is divided, but for the machine. */
static char *request_text(const reproduction *self, const reproduce_task *tasks, size_t count)
{
    static const char *const others[] = { "data", "net", "threads" };
    cli_words words = { 0 };

    for (size_t i = 0; i < count; i++)
        if (reproduce_is_first(tasks, i))
            words_add(&words, "%s:%zu", tasks[i].experiment->name, tasks[i].full.epochs);
    words_add(&words, "--budget=%.0fs", self->budget);
    words_add(&words, "--folds=%zu-%zu", self->first_fold, self->last_fold);
    words_add(&words, "--seeds=%zu", self->seeds);
    for (cli_row r = 0; r < N_ROWS; r++)
        if (self->rows[r]) words_add(&words, "--row=%s", row_kinds[r].name);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (option_is_given(self->options, others[i]))
            words_add(&words, "--%s=%s", others[i], option_text(self->options, others[i]));
    char *text = words_as_command(&words, 0);
    words_release(&words);
    return text;
}

static char *shares_path(const reproduction *self)
{
    return text_format("%s/budget.json", self->root);
}

/* Of a file that is damaged or not there, nothing is known: shares are measured again. */
static json_t *read_shares(const reproduction *self)
{
    char *path = shares_path(self);
    json_t *shares = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);

    free(path);
    if (json_is_object(shares)) return shares;
    json_decref(shares);
    return json_object();
}

static int write_shares(const reproduction *self, const json_t *shares)
{
    cli_output output;
    char *path = shares_path(self);
    int code = output_open(&output, reproduce_name, path);

    if (code == EXIT_OK) {
        if (json_dumpf(shares, output.file, JSON_INDENT(2) | JSON_SORT_KEYS) == 0) fputc('\n', output.file);
        code = output_close(&output);
    }
    free(path);
    return code;
}

/* ---- Shares ---- */

/* The share of its epochs that every training can have, so that those of all tasks together take as long as the budget
 * says; tasks that were begun have theirs. */
static int measure_share(const reproduction *self, const reproduce_task *tasks, size_t count, double *share)
{
    double full = 0, rest = 0, trainings = (double)(reproduce_trainings(self) * self->seeds);

    for (size_t i = 0; i < count; i++) {
        training_cost cost;
        if (tasks[i].epochs) continue;
        int code = reproduce_cost(self, &tasks[i], &cost);
        if (code != EXIT_OK) return code;
        full += trainings * (double)tasks[i].full.epochs * cost.epoch;
        rest += trainings * cost.rest;
    }
    *share = full > 0 ? fmin(1, fmax(0, (self->budget - rest) / full)) : 1;
    return EXIT_OK;
}

/* A share that was measured for a part of the request only is not kept. */
static int is_for_all(const reproduction *self, const reproduce_task *tasks, size_t count)
{
    if (option_is(self->options, "list", "true")) return 0;
    for (size_t i = 0; i < count; i++)
        if (tasks[i].epochs) return 0;
    return 1;
}

static int budget_share(const reproduction *self, const reproduce_task *tasks, size_t count, double *share)
{
    char *request = request_text(self, tasks, count);
    json_t *shares = read_shares(self);
    const json_t *before = json_object_get(shares, request);
    int code = EXIT_OK;

    *share = json_is_number(before) ? json_number_value(before) : NAN;
    if (!(*share >= 0 && *share <= 1)) {
        code = measure_share(self, tasks, count, share);
        if (code == EXIT_OK && is_for_all(self, tasks, count)) {
            json_object_set_new(shares, request, json_real(*share));
            code = write_shares(self, shares);
        }
    }
    json_decref(shares);
    free(request);
    return code;
}

/* ---- The epochs ---- */

static void say_kept(const reproduction *self, const reproduce_task *task, size_t allowed)
{
    if (task->epochs != allowed && !option_is(self->options, "quiet", "true"))
        fprintf(stderr, "%s keeps the %zu epochs that it was begun with; the budget would give it %zu\n",
                task->experiment->name, task->epochs, allowed);
}

int reproduce_set_epochs(const reproduction *self, reproduce_task *tasks, size_t count)
{
    double share = 1;
    int code = EXIT_OK;

    for (size_t i = 0; i < count && code == EXIT_OK; i++) {
        tasks[i].epochs = self->epochs;
        if (self->budget > 0) code = begun_epochs(self, &tasks[i], &tasks[i].epochs);
    }
    if (code == EXIT_OK && self->budget > 0) code = budget_share(self, tasks, count, &share);
    for (size_t i = 0; i < count && code == EXIT_OK; i++) {
        size_t allowed = (size_t)fmax(1, floor(share * (double)tasks[i].full.epochs + 1e-9));
        if (!tasks[i].epochs) tasks[i].epochs = allowed;
        else if (self->budget > 0 && reproduce_is_first(tasks, i)) say_kept(self, &tasks[i], allowed);
    }
    return code;
}
