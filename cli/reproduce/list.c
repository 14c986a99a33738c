/* SPDX-License-Identifier: MIT
 *
 * list.c - `deeplda reproduce --list`: prints the experiments, their progress, and their predicted time.
 */
#include "reproduce/plan.h"
#include "reproduce/results.h"
#include "terminal/print.h"

#include <stdlib.h>

/* ---- Progress ---- */

static void print_state(const training *self)
{
    char *state = progress_text(&self->progress);

    print("  %s: %s\n", self->folder, state);
    free(state);
}

static void print_states(reproduce_plan *plan, const cli_experiment *experiment)
{
    int found = 0;

    for (size_t i = 0; i < plan->n_trainings; i++) {
        training *self = &plan->trainings[i];
        if (self->experiment != experiment || training_read(plan->request, self) != EXIT_OK || !self->found.exists)
            continue;
        print_state(self);
        found = 1;
    }
    if (!found) print("  nothing of it in %s yet\n", plan->request->root);
}

/* ---- Rows and costs ---- */

static void print_rows(const cli_experiment *experiment)
{
    print("  paper, test %s %%:", measure_names[experiment->measure]);
    for (cli_row r = 0; r < N_PAPER_ROWS; r++) {
        char *printed = printed_text(&experiment->printed[r]);
        print("%s %s %s", r ? "," : "", row_kinds[r].title, printed);
        free(printed);
    }
    putchar('\n');
}

/* Predicted time of several seeds and folds together. */
static void print_repeats(const reproduce_request *request, const plan_task *task, double seconds)
{
    size_t seeds = request->seeds;
    size_t folds = task->experiment->folds ? request->last_fold - request->first_fold + 1 : 1;
    char *all = duration_text((double)(folds * seeds) * seconds);

    if (folds > 1 && seeds > 1) print(", %s for %zu folds with %zu seeds", all, folds, seeds);
    else if (folds > 1) print(", %s for %zu folds", all, folds);
    else if (seeds > 1) print(", %s for %zu seeds", all, seeds);
    free(all);
}

static int print_cost(reproduce_plan *plan, const plan_task *task)
{
    const task_data *data = &task->data;
    training_cost cost;
    int code = plan_cost(plan, task, &cost);

    if (code != EXIT_OK) return code;
    size_t trainings = request_trainings(plan->request);
    double one = (double)task->epochs * cost.epoch + cost.rest, all = one * (double)trainings;
    char *one_text = duration_text(one), *all_text = duration_text(all);
    print("  %zu training, %zu validation, %zu test images; %zu epochs at %.1f images/s: %s for a training",
          data->train, data->validation, data->test, task->epochs, cost.images_per_second, one_text);
    if (trainings == 2) print(", %s for both", all_text);
    else if (trainings > 2) print(", %s for all %zu", all_text, trainings);
    print_repeats(plan->request, task, all);
    putchar('\n');
    free(all_text);
    free(one_text);
    return EXIT_OK;
}

static int list_experiment(reproduce_plan *plan, const plan_task *task)
{
    print("%s: %s\n", task->experiment->name, task->experiment->title);
    print_rows(task->experiment);
    int code = print_cost(plan, task);
    if (code == EXIT_OK && !task->data.is_counted)
        print("  %s is not installed or cannot be read: numbers of images are those of the paper\n",
              task->experiment->set);
    if (code == EXIT_OK) print_states(plan, task->experiment);
    return code;
}

int plan_list(reproduce_plan *plan)
{
    int code = EXIT_OK;

    if (plan->request->is_json) return plan_list_json(plan);
    for (size_t i = 0; i < plan->n_tasks && code == EXIT_OK; i++)
        if (plan_is_first(plan, i)) code = list_experiment(plan, &plan->tasks[i]);
    return code;
}
