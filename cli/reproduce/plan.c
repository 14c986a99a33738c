/* SPDX-License-Identifier: MIT
 *
 * plan.c - makes the plan: tasks, their data and epochs, and the trainings.
 */
#include "reproduce/plan.h"
#include "folders.h"

#include <stdlib.h>

/* ---- Tasks ---- */

static int make_task(const reproduce_request *request, const cli_experiment *experiment, size_t fold,
                     plan_task *task)
{
    cli_options *options = NULL;
    int code = plan_presets(experiment, trained_kinds[TRAINED_DEEPLDA].objective, &options);

    *task = (plan_task){ .experiment = experiment, .set = known_set_find(experiment->set), .fold = fold };
    if (code == EXIT_OK) {
        task->full = (full_schedule){ .epochs = (size_t)option_number(options, "epochs"),
                                      .halve_every = (size_t)option_number(options, "halve-every"),
                                      .batch = (size_t)option_number(options, "batch") };
        task->net = text_format("%s", request->net      ? request->net
                                      : experiment->net ? experiment->net
                                                        : option_text(options, "net"));
    }
    options_destroy(options);
    return code;
}

static int make_tasks(reproduce_plan *plan)
{
    const reproduce_request *request = plan->request;
    int code = EXIT_OK;

    for (size_t i = 0; i < request->n_experiments; i++) {
        const cli_experiment *experiment = request->experiments[i];
        size_t fold = experiment->folds ? request->first_fold : 1;
        size_t last = experiment->folds ? request->last_fold : 1;
        for (; fold <= last && plan->n_tasks < MOST_TASKS && code == EXIT_OK; fold++)
            code = make_task(request, experiment, fold, &plan->tasks[plan->n_tasks++]);
    }
    return code;
}

int plan_is_first(const reproduce_plan *plan, size_t i)
{
    return i == 0 || plan->tasks[i].experiment != plan->tasks[i - 1].experiment;
}

/* ---- Trainings ---- */

/* NULL if it is not requested. */
static const plan_task *find_task(const reproduce_plan *plan, const cli_experiment *experiment, size_t fold)
{
    for (size_t i = 0; i < plan->n_tasks; i++)
        if (plan->tasks[i].experiment == experiment && plan->tasks[i].fold == fold) return &plan->tasks[i];
    return NULL;
}

static int is_there(const reproduce_plan *plan, const cli_experiment *experiment, size_t fold, size_t seed)
{
    char *place = training_place(plan->request, experiment, fold, seed);
    int found = path_is_there(place);

    free(place);
    return found;
}

/* Adds all networks of a seed; `task` is NULL if the seed is not requested. */
static void add_seed(reproduce_plan *plan, const plan_task *task, const cli_experiment *experiment, size_t fold,
                     size_t seed)
{
    for (cli_trained kind = 0; kind < N_TRAINED; kind++) {
        training one = training_at(plan->request, experiment, fold, seed, kind);
        if (task && request_needs(plan->request, kind)) one.task = task;
        plan->n_asked += one.task != NULL;
        plan->trainings = list_grow(plan->trainings, plan->n_trainings, sizeof *plan->trainings);
        plan->trainings[plan->n_trainings++] = one;
    }
}

static void add_experiment(reproduce_plan *plan, const cli_experiment *experiment)
{
    for (size_t fold = 1; fold <= (experiment->folds ? experiment->folds : 1); fold++) {
        const plan_task *task = find_task(plan, experiment, fold);
        for (size_t seed = 1; seed <= MOST_SEEDS; seed++) {
            int is_asked = task && seed <= plan->request->seeds;
            if (!is_asked && !is_there(plan, experiment, fold, seed)) break;
            add_seed(plan, is_asked ? task : NULL, experiment, fold, seed);
        }
    }
}

static void list_trainings(reproduce_plan *plan)
{
    const reproduce_request *request = plan->request;

    for (size_t i = 0; i < request->n_experiments; i++) add_experiment(plan, request->experiments[i]);
    for (size_t i = 0; experiment_at(i); i++)
        if (!request_has(request, experiment_at(i))) add_experiment(plan, experiment_at(i));
}

/* ---- The whole plan ---- */

int plan_make(const reproduce_request *request, reproduce_plan *plan)
{
    *plan = (reproduce_plan){ .request = request };
    int code = make_tasks(plan);
    if (code == EXIT_OK) list_trainings(plan);
    if (code == EXIT_OK) code = plan_find_data(plan);
    if (code == EXIT_OK) code = plan_set_epochs(plan);
    for (size_t i = 0; i < plan->n_trainings && code == EXIT_OK && !request->is_list; i++)
        if (plan->trainings[i].task) code = plan_set_options(request, &plan->trainings[i]);
    return code;
}

void plan_release(reproduce_plan *plan)
{
    for (size_t i = 0; i < plan->n_trainings; i++) training_release(&plan->trainings[i]);
    for (size_t i = 0; i < plan->n_tasks; i++) {
        task_data_release(&plan->tasks[i].data);
        free(plan->tasks[i].net);
    }
    sets_release(&plan->sets);
    free(plan->trainings);
    *plan = (reproduce_plan){ .request = NULL };
}
