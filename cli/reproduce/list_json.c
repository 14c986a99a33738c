/* SPDX-License-Identifier: MIT
 *
 * list_json.c - `deeplda reproduce --list --json`: the experiments, their progress and their predicted time.
 */
#include "reproduce/plan.h"
#include "terminal/json_out.h"

static const char *const state_names[] = { [TRAINING_MISSING] = "missing",
                                           [TRAINING_RUNNING] = "running",
                                           [TRAINING_STOPPED] = "stopped",
                                           [TRAINING_COMPLETE] = "complete",
                                           [TRAINING_FAILED] = "failed" };

static void write_training(json_out *json, const training *self)
{
    json_open(json, '{');
    json_add_text(json, "folder", self->folder);
    json_add_text(json, "state", state_names[self->progress.state]);
    json_add_count(json, "done", self->progress.done);
    json_add_count(json, "epochs", self->progress.epochs);
    json_add_number(json, "seconds", self->progress.seconds);
    json_close(json, '}');
}

static void write_trainings(json_out *json, reproduce_plan *plan, const cli_experiment *experiment)
{
    json_key(json, "trainings");
    json_open(json, '[');
    for (size_t i = 0; i < plan->n_trainings; i++) {
        training *self = &plan->trainings[i];
        if (self->experiment == experiment && training_read(plan->request, self) == EXIT_OK && self->found.exists)
            write_training(json, self);
    }
    json_close(json, ']');
}

/* The figures of the paper's tables, in %. */
static void write_paper(json_out *json, const cli_experiment *experiment)
{
    json_key(json, "paper");
    json_open(json, '{');
    for (cli_row r = 0; r < N_PAPER_ROWS; r++)
        if (experiment->printed[r].table != 0)
            json_add_number(json, row_kinds[r].name, experiment->printed[r].table);
    json_close(json, '}');
}

static void write_data(json_out *json, const plan_task *task)
{
    json_add_text(json, "set", task->experiment->set);
    json_key(json, "installed"); /* otherwise the numbers of images are those of the paper */
    json_raw(json, task->data.is_counted ? "true" : "false");
    json_add_count(json, "train", task->data.train);
    json_add_count(json, "validation", task->data.validation);
    json_add_count(json, "test", task->data.test);
}

/* The measured speed, and the predicted seconds of one training and of all of them. */
static void write_cost(json_out *json, const reproduce_request *request, const plan_task *task,
                       const training_cost *cost)
{
    size_t folds = task->experiment->folds ? request->last_fold - request->first_fold + 1 : 1;
    double one = (double)task->epochs * cost->epoch + cost->rest;

    json_add_count(json, "epochs", task->epochs);
    json_add_number(json, "images_per_second", cost->images_per_second);
    json_add_number(json, "training_seconds", one);
    json_add_number(json, "total_seconds", one * (double)(request_trainings(request) * folds * request->seeds));
}

static int write_experiment(json_out *json, reproduce_plan *plan, const plan_task *task)
{
    const cli_experiment *experiment = task->experiment;
    training_cost cost;
    int code = plan_cost(plan, task, &cost);

    if (code != EXIT_OK) return code;
    json_open(json, '{');
    json_add_text(json, "experiment", experiment->name);
    json_add_text(json, "title", experiment->title);
    json_add_text(json, "measure", measure_names[experiment->measure]);
    write_paper(json, experiment);
    write_data(json, task);
    write_cost(json, plan->request, task, &cost);
    write_trainings(json, plan, experiment);
    json_close(json, '}');
    return EXIT_OK;
}

int plan_list_json(reproduce_plan *plan)
{
    json_out json = { .file = stdout };
    int code = EXIT_OK;

    json_open(&json, '{');
    json_add_text(&json, "root", plan->request->root);
    json_key(&json, "experiments");
    json_open(&json, '[');
    for (size_t i = 0; i < plan->n_tasks && code == EXIT_OK; i++)
        if (plan_is_first(plan, i)) code = write_experiment(&json, plan, &plan->tasks[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', stdout);
    return code;
}
