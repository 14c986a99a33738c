/* SPDX-License-Identifier: MIT
 *
 * budget.c - the number of epochs of each training: that of its experiment, of --epochs, or what a budget allows.
 *
 * ROOT/budget.json stores the share given to each request, so that the same command gives the same trainings again,
 * independently of the progress so far and of the current speed of the machine.
 */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "reproduce/plan.h"
#include "terminal/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Trainings already begun ---- */

/* The epochs of a task that was begun, or else of its other folds, since folds are averaged; 0: none was begun. */
static int begun_epochs(reproduce_plan *plan, const plan_task *task, size_t *epochs)
{
    *epochs = 0;
    for (int any_fold = 0; any_fold < 2; any_fold++)
        for (size_t i = 0; i < plan->n_trainings; i++) {
            training *self = &plan->trainings[i];
            if (self->experiment != task->experiment || (!any_fold && self->fold != task->fold)) continue;
            int code = training_read(plan->request, self);
            if (code != EXIT_OK) return code;
            if (self->progress.state == TRAINING_MISSING) continue;
            *epochs = self->found.schedule.epochs;
            return EXIT_OK;
        }
    return EXIT_OK;
}

/* ---- Shares given before ---- */

static void add_given(cli_words *words, const char *name, const char *value)
{
    if (value) words_add(words, "--%s=%s", name, value);
}

/* Everything that determines how a budget is divided, except the machine. */
static char *request_text(const reproduce_plan *plan)
{
    const reproduce_request *request = plan->request;
    cli_words words = { 0 };

    for (size_t i = 0; i < plan->n_tasks; i++)
        if (plan_is_first(plan, i))
            words_add(&words, "%s:%zu", plan->tasks[i].experiment->name, plan->tasks[i].full.epochs);
    words_add(&words, "--budget=%.0fs", request->budget);
    words_add(&words, "--folds=%zu-%zu", request->first_fold, request->last_fold);
    words_add(&words, "--seeds=%zu", request->seeds);
    for (cli_row r = 0; r < N_ROWS; r++)
        if (request->rows[r]) words_add(&words, "--row=%s", row_kinds[r].name);
    add_given(&words, "data", request->data);
    add_given(&words, "net", request->net);
    add_given(&words, "threads", request->threads);
    add_given(&words, "micro-batch", request->micro_batch);
    add_given(&words, "precision", request->precision);
    char *text = words_as_command(&words, 0);
    words_release(&words);
    return text;
}

static char *shares_path(const reproduce_request *request)
{
    return text_format("%s/budget.json", request->root);
}

enum { MOST_SHARES = 1 << 20 }; /* bytes */

/* If the file is missing or damaged, shares are measured again. */
static json_t *read_shares(const reproduce_request *request)
{
    char *path = shares_path(request);
    json_t *shares = NULL;
    dlda_status status = dlda_json_read(path, MOST_SHARES, &shares);

    free(path);
    if (status == DLDA_OK && json_is_object(shares)) return shares;
    json_decref(shares);
    return json_object();
}

static int write_shares(const reproduce_request *request, const json_t *shares)
{
    char *path = shares_path(request);
    char *text = NULL;
    int code = exit_code_of(reproduce_name,
                            dlda_json_print(shares, JSON_INDENT(2) | JSON_SORT_KEYS, "budget.json", &text));

    if (code == EXIT_OK) code = exit_code_of(reproduce_name, dlda_path_remove_link(path));
    if (code == EXIT_OK) code = exit_code_of(reproduce_name, dlda_file_write(path, text, strlen(text)));
    dlda_release(text);
    free(path);
    return code;
}

/* ---- Shares ---- */

/* The share of its epochs that every training can have so that all tasks together take as long as the budget. Tasks
 * already begun keep their epochs. */
static int measure_share(reproduce_plan *plan, double *share)
{
    double full = 0, rest = 0, trainings = (double)(request_trainings(plan->request) * plan->request->seeds);

    for (size_t i = 0; i < plan->n_tasks; i++) {
        const plan_task *task = &plan->tasks[i];
        training_cost cost;
        if (task->epochs) continue;
        int code = plan_cost(plan, task, &cost);
        if (code != EXIT_OK) return code;
        full += trainings * (double)task->full.epochs * cost.epoch;
        rest += trainings * cost.rest;
    }
    *share = full > 0 ? fmin(1, fmax(0, (plan->request->budget - rest) / full)) : 1;
    return EXIT_OK;
}

/* A share that was measured for only a part of the request is not stored. */
static int is_for_all(const reproduce_plan *plan)
{
    for (size_t i = 0; i < plan->n_tasks; i++)
        if (plan->tasks[i].epochs) return 0;
    return !plan->request->is_list;
}

static int budget_share(reproduce_plan *plan, double *share)
{
    char *request = request_text(plan);
    json_t *shares = read_shares(plan->request);
    const json_t *before = json_object_get(shares, request);
    int code = EXIT_OK;

    *share = json_is_number(before) ? json_number_value(before) : NAN;
    if (!(*share >= 0 && *share <= 1)) {
        code = measure_share(plan, share);
        if (code == EXIT_OK && is_for_all(plan)) {
            code = exit_code_of(reproduce_name, dlda_json_set(shares, request, json_real(*share), "budget.json"));
            if (code == EXIT_OK) code = write_shares(plan->request, shares);
        }
    }
    json_decref(shares);
    free(request);
    return code;
}

/* ---- Epochs ---- */

static void say_kept(const plan_task *task, size_t allowed)
{
    if (task->epochs != allowed)
        print_to(stderr, "%s keeps the %zu epochs that it was begun with; the budget would give it %zu\n",
                 task->experiment->name, task->epochs, allowed);
}

static int divide_budget(reproduce_plan *plan)
{
    double share = 1;
    int code = EXIT_OK;

    for (size_t i = 0; i < plan->n_tasks && code == EXIT_OK; i++)
        code = begun_epochs(plan, &plan->tasks[i], &plan->tasks[i].epochs);
    if (code == EXIT_OK) code = budget_share(plan, &share);
    for (size_t i = 0; i < plan->n_tasks && code == EXIT_OK; i++) {
        plan_task *task = &plan->tasks[i];
        size_t allowed = (size_t)fmax(1, floor(share * (double)task->full.epochs + 1e-9));
        if (!task->epochs) task->epochs = allowed;
        else if (plan_is_first(plan, i) && !plan->request->is_quiet) say_kept(task, allowed);
    }
    return code;
}

int plan_set_epochs(reproduce_plan *plan)
{
    const reproduce_request *request = plan->request;

    if (request->budget > 0) return divide_budget(plan);
    for (size_t i = 0; i < plan->n_tasks; i++)
        plan->tasks[i].epochs = request->epochs ? request->epochs : plan->tasks[i].full.epochs;
    return EXIT_OK;
}
