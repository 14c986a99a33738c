/* SPDX-License-Identifier: MIT
 *
 * reproduce_list.c - `deeplda reproduce --list`: the experiments, what there is of them, and what they cost here.
 */
#include "folders.h"
#include "reproduce.h"

#include <stdlib.h>

/* ---- What there is ---- */

static char *state_of(const char *place, cli_trained model)
{
    training_record record;
    char *path = reproduce_record_path(place, model), *text = NULL;
    char *folder = text_format("%s/%s", place, trained_kinds[model].name);
    size_t done = 0;
    double seconds = 0;
    int code = reproduce_read_record(path, &record);

    if (code != EXIT_OK) text = text_format("cannot be read");
    else if (!record.options) text = text_format("not begun");
    else if (record.complete) text = text_format("complete (%zu epochs)", record.epochs);
    else {
        if (dlda_run_progress(folder, &done, &seconds) != DLDA_OK) done = 0;
        text = text_format("%zu of %zu epochs", done, record.epochs);
    }
    reproduce_release_record(&record);
    free(folder);
    free(path);
    return text;
}

/* 1 if there is something of that seed. */
static int print_seed(const reproduction *self, const cli_experiment *experiment, size_t fold, size_t seed)
{
    char *place = reproduce_place(self, experiment, fold, seed);
    int is_there = path_is_there(place);

    if (is_there) {
        char *states[N_TRAINED];
        for (cli_trained model = 0; model < N_TRAINED; model++) states[model] = state_of(place, model);
        printf("  %s: deeplda %s, cce %s\n", place, states[TRAINED_DEEPLDA], states[TRAINED_CCE]);
        for (cli_trained model = 0; model < N_TRAINED; model++) free(states[model]);
    }
    free(place);
    return is_there;
}

static void print_states(const reproduction *self, const cli_experiment *experiment)
{
    size_t fold = 1, seed = 0;
    int found = 0;

    do {
        for (seed = 1; seed <= MOST_SEEDS && print_seed(self, experiment, fold, seed); seed++) found = 1;
    } while (++fold <= experiment->folds);
    if (!found) printf("  nothing of it in %s yet\n", self->root);
}

/* ---- Rows and costs ---- */

static void print_rows(const cli_experiment *experiment)
{
    printf("  paper, test %s %%:", experiment->measure);
    for (cli_row r = 0; r < N_ROWS; r++) {
        const result_row row = { .printed = experiment->printed[r] };
        char *printed = reproduce_printed_text(&row);
        printf("%s %s %s", r ? "," : "", row_kinds[r].title, printed);
        free(printed);
    }
    putchar('\n');
}

/* What several seeds and folds cost together. */
static void print_repeats(const reproduction *self, const reproduce_task *task, double seconds)
{
    size_t folds = task->experiment->folds ? self->last_fold - self->first_fold + 1 : 1;
    char *all = reproduce_time_text((double)(folds * self->seeds) * seconds);

    if (folds > 1 && self->seeds > 1) printf(", %s for %zu folds with %zu seeds", all, folds, self->seeds);
    else if (folds > 1) printf(", %s for %zu folds", all, folds);
    else if (self->seeds > 1) printf(", %s for %zu seeds", all, self->seeds);
    free(all);
}

static int print_cost(const reproduction *self, const reproduce_task *task)
{
    const experiment_data *data = &task->data;
    training_cost cost;
    int code = reproduce_cost(self, task, &cost);

    if (code != EXIT_OK) return code;
    double one = (double)task->epochs * cost.epoch + cost.rest, both = one * (double)reproduce_trainings(self);
    char *one_text = reproduce_time_text(one), *both_text = reproduce_time_text(both);
    printf("  %zu training, %zu validation, %zu test images; %zu epochs at %.1f images/s: %s for a training",
           data->train, data->validation, data->test, task->epochs, cost.images_per_second, one_text);
    if (both > one) printf(", %s for both", both_text);
    print_repeats(self, task, both);
    putchar('\n');
    free(both_text);
    free(one_text);
    return EXIT_OK;
}

static int list_experiment(const reproduction *self, const reproduce_task *task, int is_counted)
{
    printf("%s: %s\n", task->experiment->name, task->experiment->title);
    print_rows(task->experiment);
    int code = print_cost(self, task);
    if (code == EXIT_OK && !is_counted)
        printf("  %s is not here, or cannot be read: images are counted as in the paper\n", task->experiment->set);
    if (code == EXIT_OK) print_states(self, task->experiment);
    return code;
}

/* All folds of an experiment have as many images. */
static void copy_counts(const experiment_data *from, experiment_data *to)
{
    to->train = from->train;
    to->validation = from->validation;
    to->test = from->test;
}

int reproduce_list(const reproduction *self)
{
    reproduce_task tasks[MOST_TASKS];
    int counted[MOST_TASKS] = { 0 }, code = EXIT_OK;
    size_t count = reproduce_list_tasks(self, tasks);

    for (size_t i = 0; i < count && code == EXIT_OK; i++) {
        if (reproduce_is_first(tasks, i)) code = reproduce_count_data(self, &tasks[i], &counted[i]);
        else copy_counts(&tasks[i - 1].data, &tasks[i].data);
    }
    if (code == EXIT_OK) code = reproduce_schedule(self, tasks, count);
    for (size_t i = 0; i < count && code == EXIT_OK; i++)
        if (reproduce_is_first(tasks, i)) code = list_experiment(self, &tasks[i], counted[i]);
    for (size_t i = 0; i < count; i++) reproduce_release_data(&tasks[i].data);
    return code;
}
