/* SPDX-License-Identifier: MIT
 *
 * reproduce_data.c - where the images of an experiment are.
 *
 * A set without a test part is divided once, class by class: the images that the experiment does not train on become
 * the test part of a set in ROOT/data. So nothing is chosen by what it is tested on.
 */
#include "folders.h"
#include "terminal/output.h"
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many as the experiment has, in a set of another size. */
static size_t scaled(const cli_experiment *experiment, const set_size *found, size_t count)
{
    return (size_t)llround((double)count * (double)found->images / (double)experiment->images);
}

/* ---- A set of our own, if it has no test part ---- */

static int write_parts(const dlda_dataset *train, const dlda_dataset *test, const char *folder)
{
    char *unfinished = text_format("%s.part", folder);
    dlda_status status = dlda_dataset_write(train, DLDA_TRAIN, DLDA_NPY, unfinished);

    if (status == DLDA_OK) status = dlda_dataset_write(test, DLDA_TEST, DLDA_NPY, unfinished);
    int code = exit_code_of(reproduce_name, status);
    if (code == EXIT_OK && rename(unfinished, folder) != 0) {
        complain(reproduce_name, "%s: cannot make the folder of the divided set", folder);
        code = EXIT_FAILED;
    }
    free(unfinished);
    return code;
}

static int divide(const char *path, size_t test_images, size_t seed, const char *folder)
{
    dlda_dataset *all = NULL, *train = NULL, *test = NULL;
    int code = reproduce_read_part(path, DLDA_TRAIN, &all);

    if (code == EXIT_OK)
        code = exit_code_at(reproduce_name, path, dlda_dataset_split(all, test_images, seed, &train, &test));
    if (code == EXIT_OK) code = write_parts(train, test, folder);
    dlda_dataset_destroy(test);
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(all);
    return code;
}

/* FOLDER.txt names what a divided set was made of, and is written before the folder appears. */
static int note_origin(const char *folder, const char *origin)
{
    cli_output note;
    char *path = text_format("%s.txt", folder);
    int code = output_open(&note, reproduce_name, path);

    if (code == EXIT_OK) {
        fprintf(note.file, "%s\n", origin);
        code = output_close(&note);
    }
    free(path);
    return code;
}

static int check_origin(const char *folder, const char *origin)
{
    char *path = text_format("%s.txt", folder), line[4200] = "";
    FILE *file = fopen(path, "re");

    if (!file || !fgets(line, sizeof line, file)) line[0] = '\0';
    if (file) fclose(file);
    free(path);
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, origin) == 0) return EXIT_OK;
    complain(reproduce_name, "%s: was made of '%s', not of '%s'; choose another folder with -o, or remove this one",
             folder, line, origin);
    return EXIT_FAILED;
}

static int make_divided_set(const reproduction *self, const set_size *found, reproduce_task *task)
{
    const cli_experiment *experiment = task->experiment;
    experiment_data *data = &task->data;
    size_t seed = experiment->folds ? task->fold : 1;
    int code = EXIT_OK;

    data->path = experiment->folds ? text_format("%s/data/%s-%zu-fold%zu", self->root, experiment->set,
                                                 experiment->train, task->fold)
                                   : text_format("%s/data/%s-%zu", self->root, experiment->set, experiment->train);
    if (path_is_there(data->path)) return check_origin(data->path, data->source);
    folders_make_parents(data->path);
    code = note_origin(data->path, data->source);
    if (code == EXIT_OK) code = divide(found->path, data->test, seed, data->path);
    return code;
}

/* ---- How it is divided ---- */

static void add_option(experiment_data *data, const char *name, size_t value)
{
    words_add(&data->options, "%s", name);
    words_add(&data->options, "%zu", value);
}

static int hold_out_test(const set_size *found, reproduce_task *task)
{
    const cli_experiment *experiment = task->experiment;
    experiment_data *data = &task->data;

    data->train = scaled(experiment, found, experiment->train);
    data->test = found->images - data->train;
    if (data->test == 0) {
        complain(reproduce_name, "%s: has no test part, and %s trains on all other images", found->path,
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

static void take_fold(const set_size *found, reproduce_task *task)
{
    experiment_data *data = &task->data;

    add_option(data, "validation", 0);
    if (found->own_folds[task->fold]) {
        data->train = found->own_folds[task->fold];
        add_option(data, "fold", task->fold);
        return;
    }
    data->train = scaled(task->experiment, found, task->experiment->train);
    add_option(data, "subset", data->train);
    add_option(data, "split-seed", task->fold);
    words_add(&data->deviations, "a fold of our own instead of the set's");
}

static void use_parts(const set_size *found, reproduce_task *task)
{
    const cli_experiment *experiment = task->experiment;
    experiment_data *data = &task->data;

    data->path = text_format("%s", found->path);
    data->test = found->test;
    if (experiment->folds) {
        take_fold(found, task);
        return;
    }
    data->validation = scaled(experiment, found, experiment->validation);
    data->train = found->images - data->validation;
    add_option(data, "validation", data->validation);
}

/* What tells one set from another, wherever the command is given. */
static char *source_name(const reproduction *self, const set_size *found)
{
    int is_path = option_is_given(self->options, "data") || path_is_there(found->path);
    char *whole = is_path ? realpath(found->path, NULL) : NULL;
    char *name = text_format("%s", whole ? whole : found->path);

    free(whole);
    return name;
}

static void note_departures(const set_size *found, reproduce_task *task)
{
    const cli_experiment *experiment = task->experiment;
    cli_words *deviations = &task->data.deviations;

    if (found->images != experiment->images)
        words_add(deviations, "other data: %zu training images instead of %zu", found->images, experiment->images);
    else if (found->has_test && found->test != experiment->test)
        words_add(deviations, "%zu test images instead of %zu", found->test, experiment->test);
    if (experiment->epoch_choice && found->has_test) words_add(deviations, "%s", experiment->epoch_choice);
    if (experiment->augmentation) words_add(deviations, "%s", experiment->augmentation);
}

/* Everything but the path of a divided set. */
static int plan_data(const reproduction *self, const set_size *found, reproduce_task *task)
{
    if (found->code != EXIT_OK) return found->code;
    task->data.source = source_name(self, found);
    note_departures(found, task);
    if (!found->has_test) return hold_out_test(found, task);
    use_parts(found, task);
    return EXIT_OK;
}

int reproduce_find_data(const reproduction *self, reproduce_task *tasks, size_t count)
{
    set_sizes sizes = { .count = 0 };
    int code = EXIT_OK;

    for (size_t i = 0; i < count && code == EXIT_OK; i++) {
        code = reproduce_bring_set(self, tasks[i].experiment);
        if (code != EXIT_OK) break;
        const set_size *found = reproduce_count_set(self, tasks[i].experiment, &sizes);
        code = plan_data(self, found, &tasks[i]);
        if (code == EXIT_OK && !found->has_test) code = make_divided_set(self, found, &tasks[i]);
    }
    return code;
}

/* As many images as in the paper. */
static void assume_counts(reproduce_task *task)
{
    reproduce_release_data(task, 1);
    task->data.train = task->experiment->train;
    task->data.validation = task->experiment->validation;
    task->data.test = task->experiment->test;
}

int reproduce_count_data(const reproduction *self, reproduce_task *tasks, size_t count, int *counted)
{
    set_sizes sizes = { .count = 0 };

    for (size_t i = 0; i < count; i++) {
        const cli_experiment *experiment = tasks[i].experiment;
        counted[i] = reproduce_is_here(self, experiment) &&
                     plan_data(self, reproduce_count_set(self, experiment, &sizes), &tasks[i]) == EXIT_OK;
        if (!counted[i] && option_is_given(self->options, "data"))
            return EXIT_FAILED; /* it was meant, and someone has complained */
        if (!counted[i]) assume_counts(&tasks[i]);
    }
    return EXIT_OK;
}

void reproduce_release_data(reproduce_task *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        experiment_data *data = &tasks[i].data;
        free(data->path);
        free(data->source);
        words_release(&data->options);
        words_release(&data->deviations);
        *data = (experiment_data){ 0 };
    }
}
