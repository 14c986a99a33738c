/* SPDX-License-Identifier: MIT
 *
 * reproduce_list.c - `deeplda reproduce --list`: the experiments, what there is of them, and what they cost here.
 */
#include "folders.h"
#include "reproduce/reproduce.h"

#include <stdlib.h>

/* ---- What there is ---- */

static void print_training(const reproduction *self, const char *place, cli_trained model)
{
    training_record record;
    char *path = reproduce_record_path(place, model);
    int code = reproduce_read_record(path, &record);

    if (code == EXIT_OK && record.options) {
        training_progress progress = reproduce_progress(self, place, model, &record);
        char *state = reproduce_state_text(&progress);
        printf("  %s/%s: %s\n", place, trained_kinds[model].name, state);
        free(state);
    }
    reproduce_release_record(&record);
    free(path);
}

/* 1 if there is something of that seed. */
static int print_seed(const reproduction *self, const cli_experiment *experiment, size_t fold, size_t seed)
{
    char *place = reproduce_place(self, experiment, fold, seed);
    int is_there = path_is_there(place);

    for (cli_trained model = 0; is_there && model < N_TRAINED; model++) print_training(self, place, model);
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
    for (cli_row r = 0; r < N_PAPER_ROWS; r++) {
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
    size_t trainings = reproduce_trainings(self);
    double one = (double)task->epochs * cost.epoch + cost.rest, all = one * (double)trainings;
    char *one_text = reproduce_time_text(one), *all_text = reproduce_time_text(all);
    printf("  %zu training, %zu validation, %zu test images; %zu epochs at %.1f images/s: %s for a training",
           data->train, data->validation, data->test, task->epochs, cost.images_per_second, one_text);
    if (trainings == 2) printf(", %s for both", all_text);
    else if (trainings > 2) printf(", %s for all %zu", all_text, trainings);
    print_repeats(self, task, all);
    putchar('\n');
    free(all_text);
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

int reproduce_list(const reproduction *self)
{
    reproduce_task tasks[MOST_TASKS];
    int counted[MOST_TASKS] = { 0 };
    size_t count = 0;
    int code = reproduce_list_tasks(self, tasks, &count);

    if (code == EXIT_OK) code = reproduce_count_data(self, tasks, count, counted);
    if (code == EXIT_OK) code = reproduce_set_epochs(self, tasks, count);
    for (size_t i = 0; i < count && code == EXIT_OK; i++)
        if (reproduce_is_first(tasks, i)) code = list_experiment(self, &tasks[i], counted[i]);
    reproduce_release_data(tasks, count);
    return code;
}
