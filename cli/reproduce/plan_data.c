/* SPDX-License-Identifier: MIT
 *
 * plan_data.c - the images of each task: number, location, and division.
 *
 * A set without a test part is divided once, stratified: the images that the experiment does not train on become
 * the test part of a set in ROOT/data. So nothing is selected on test images.
 */
#include "base/file.h"
#include "base/memory.h"
#include "folders.h"
#include "reproduce/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The experiment's count, scaled to a set of another size. */
static size_t scaled(const plan_task *task, const counted_set *set, size_t count)
{
    return (size_t)llround((double)count * (double)set->images / (double)task->set->train);
}

/* ---- Dividing a set without a test part ---- */

static int write_parts(const dlda_dataset *train, const dlda_dataset *test, const char *folder)
{
    char *unfinished = text_format("%s.part", folder);
    dlda_status status = dlda_dataset_write(train, DLDA_PART_TRAIN, DLDA_FORMAT_NPY, unfinished);

    if (status == DLDA_OK) status = dlda_dataset_write(test, DLDA_PART_TEST, DLDA_FORMAT_NPY, unfinished);
    if (status == DLDA_OK) status = dlda_path_move(unfinished, folder);
    free(unfinished);
    return exit_code_of(reproduce_name, status);
}

static int divide(const counted_set *set, size_t test_images, size_t seed, const char *folder)
{
    dlda_dataset *train = NULL, *test = NULL;
    int code = exit_code_at(reproduce_name, set->path,
                            dlda_dataset_split(set->undivided, test_images, seed, &train, &test));

    if (code == EXIT_OK) code = write_parts(train, test, folder);
    dlda_dataset_destroy(test);
    dlda_dataset_destroy(train);
    return code;
}

/* FOLDER.txt names the origin of a divided set, and is written before the folder appears. */
static int write_origin(const char *folder, const char *origin)
{
    char *path = text_format("%s.txt", folder), *line = text_format("%s\n", origin);
    int code = exit_code_of(reproduce_name, dlda_path_remove_link(path));

    if (code == EXIT_OK) code = exit_code_of(reproduce_name, dlda_file_write(path, line, strlen(line)));
    free(line);
    free(path);
    return code;
}

static int check_origin(const char *folder, const char *origin)
{
    enum { MOST_BYTES = 1 << 16 };
    char *path = text_format("%s.txt", folder), *line = NULL;
    size_t size = 0;
    int code = exit_code_of(reproduce_name, dlda_file_read(path, MOST_BYTES, &line, &size));

    if (code == EXIT_OK) {
        line[strcspn(line, "\n")] = '\0';
        code = strcmp(line, origin) == 0 ? EXIT_OK : EXIT_FAILED;
        if (code != EXIT_OK)
            complain(reproduce_name,
                     "%s: was made of '%s', not of '%s'; choose another folder with -o, or remove this one", folder,
                     line, origin);
    }
    dlda_release(line);
    free(path);
    return code;
}

static int make_divided_set(const reproduce_request *request, const counted_set *set, plan_task *task)
{
    const cli_experiment *experiment = task->experiment;
    task_data *data = &task->data;

    data->path = experiment->folds
                     ? text_format("%s/data/%s-%zu-fold%zu", request->root, experiment->set, experiment->train,
                                   task->fold)
                     : text_format("%s/data/%s-%zu", request->root, experiment->set, experiment->train);
    if (path_is_there(data->path)) return check_origin(data->path, data->source);
    folders_make_parents(data->path);
    int code = write_origin(data->path, data->source);
    return code == EXIT_OK ? divide(set, data->test, task->fold, data->path) : code;
}

/* ---- Division ---- */

static void add_option(task_data *data, const char *name, size_t value)
{
    words_add(&data->options, "%s", name);
    words_add(&data->options, "%zu", value);
}

static int hold_out_test(const counted_set *set, plan_task *task)
{
    const cli_experiment *experiment = task->experiment;
    task_data *data = &task->data;

    data->train = scaled(task, set, experiment->train);
    data->test = set->images - data->train;
    if (data->test == 0) {
        complain(reproduce_name, "%s: has no test part, and %s trains on all other images", set->path,
                 experiment->name);
        return EXIT_FAILED;
    }
    add_option(data, "validation", 0);
    words_add(&data->deviations, "tested on the %zu other training images instead of the test set", data->test);
    if (experiment->validation)
        words_add(&data->deviations,
                  "the last epoch is kept, since the images to choose it by are the test images");
    if (experiment->folds) words_add(&data->deviations, "a fold of our own instead of the set's");
    return EXIT_OK;
}

static void take_fold(const counted_set *set, plan_task *task)
{
    task_data *data = &task->data;

    add_option(data, "validation", 0);
    if (set->own_folds[task->fold]) {
        data->train = set->own_folds[task->fold];
        add_option(data, "fold", task->fold);
        return;
    }
    data->train = scaled(task, set, task->experiment->train);
    add_option(data, "subset", data->train);
    add_option(data, "split-seed", task->fold);
    words_add(&data->deviations, "a fold of our own instead of the set's");
}

static void use_parts(const counted_set *set, plan_task *task)
{
    const cli_experiment *experiment = task->experiment;
    task_data *data = &task->data;

    data->path = text_format("%s", set->path);
    data->test = set->test;
    if (experiment->folds) {
        take_fold(set, task);
        return;
    }
    data->validation = scaled(task, set, experiment->validation);
    data->train = set->images - data->validation;
    add_option(data, "validation", data->validation);
}

static void note_departures(const counted_set *set, plan_task *task)
{
    const cli_experiment *experiment = task->experiment;
    cli_words *deviations = &task->data.deviations;

    if (set->images != task->set->train)
        words_add(deviations, "other data: %zu training images instead of %zu", set->images, task->set->train);
    else if (set->has_test && set->test != task->set->test)
        words_add(deviations, "%zu test images instead of %zu", set->test, task->set->test);
    if (experiment->epoch_choice && set->has_test) words_add(deviations, "%s", experiment->epoch_choice);
    if (experiment->augmentation) words_add(deviations, "%s", experiment->augmentation);
}

/* A tenth of a small set is too few to measure an epoch on. Measuring on all of it costs a third of an epoch's
 * steps, so it is not done after each epoch unless the epoch is selected by it. */
static void choose_measure(task_data *data)
{
    enum { MEASURED_WHOLE = 5000 }; /* up to this number of training images */

    data->is_measured_whole = data->train <= MEASURED_WHOLE;
    data->measured_every = data->is_measured_whole && data->validation == 0 ? 10 : 1;
}

/* ---- All tasks ---- */

/* The numbers of images of the paper. */
static void assume_counts(plan_task *task)
{
    task_data_release(&task->data);
    task->data.train = task->experiment->train;
    task->data.validation = task->experiment->validation;
    task->data.test = task->set->test;
}

/* Everything except the path of a divided set. */
static int count_data(reproduce_plan *plan, plan_task *task)
{
    const counted_set *set = sets_find(&plan->sets, plan->request, task->set);

    if (set->code != EXIT_OK) return set->code;
    task->data.source = text_format("%s", set->source);
    note_departures(set, task);
    if (set->has_test) use_parts(set, task);
    else if (hold_out_test(set, task) != EXIT_OK) return EXIT_FAILED;
    task->data.is_counted = 1;
    return EXIT_OK;
}

/* For --list: a set that is missing or unreadable is counted as in the paper, unless --data names it. */
static int estimate_data(reproduce_plan *plan, plan_task *task)
{
    if (set_is_here(plan->request, task->set) && count_data(plan, task) == EXIT_OK) return EXIT_OK;
    assume_counts(task);
    return plan->request->data ? EXIT_FAILED : EXIT_OK;
}

static int find_data(reproduce_plan *plan, plan_task *task)
{
    int code = set_bring(plan->request, task->set);

    if (code == EXIT_OK) code = count_data(plan, task);
    if (code != EXIT_OK) return code;
    const counted_set *set = sets_find(&plan->sets, plan->request, task->set);
    return set->has_test ? EXIT_OK : make_divided_set(plan->request, set, task);
}

int plan_find_data(reproduce_plan *plan)
{
    int code = EXIT_OK;

    for (size_t i = 0; i < plan->n_tasks && code == EXIT_OK; i++) {
        plan_task *task = &plan->tasks[i];
        code = plan->request->is_list ? estimate_data(plan, task) : find_data(plan, task);
        choose_measure(&task->data);
    }
    sets_close(&plan->sets);
    return code;
}

void task_data_release(task_data *data)
{
    free(data->path);
    free(data->source);
    words_release(&data->options);
    words_release(&data->deviations);
    *data = (task_data){ 0 };
}
