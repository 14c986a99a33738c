/* SPDX-License-Identifier: MIT
 *
 * reproduce_data.c - where the images of an experiment are.
 *
 * A set without a test part is divided once, class by class: the images that the experiment does not train on become
 * the test part of a set in ROOT/data. So nothing is chosen by what it is tested on.
 */
#include "child.h"
#include "cmd_data.h"
#include "folders.h"
#include "output.h"
#include "reproduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What there is. */
typedef struct source {
    const char *path;
    size_t images, test;
    size_t own_fold; /* images in the fold that is asked for, if the set brings one along */
    int has_test;
} source;

/* As many as the experiment has, in a set of another size. */
static size_t scaled(const cli_experiment *experiment, const source *found, size_t count)
{
    return (size_t)llround((double)count * (double)found->images / (double)experiment->images);
}

/* ---- The set ---- */

static int complain_missing(const dlda_known_set *set)
{
    char *folder = NULL;

    if (dlda_known_set_folder(set->name, &folder) == DLDA_OK)
        complain(reproduce_name,
                 "%s: not here, and no package holds it; put its binary files into %s, or say --data PATH",
                 set->name, folder);
    dlda_text_destroy(folder);
    return EXIT_FAILED;
}

/* By the same command that anyone can type. */
static int fetch(const reproduction *self, const char *set)
{
    const char *argv[] = { self->program, "data", "fetch", set, NULL };
    int status = child_run(&(cli_child){ .argv = argv, .output = STDERR_FILENO, .dies_with_us = 1 });

    if (status < 0) complain(reproduce_name, "%s: cannot run %s", set, self->program);
    return status < 0 ? EXIT_FAILED : status;
}

static const char *path_of_set(const reproduction *self, const cli_experiment *experiment)
{
    return dlda_options_is_given(self->options, "data") ? dlda_options_get(self->options, "data") : experiment->set;
}

/* What --data names counts as here: whether it can be read, reading tells. */
static int is_here(const reproduction *self, const cli_experiment *experiment)
{
    return dlda_options_is_given(self->options, "data") || path_is_there(experiment->set) ||
           dlda_known_set_is_present(experiment->set);
}

static int bring_set(const reproduction *self, const cli_experiment *experiment)
{
    if (is_here(self, experiment)) return EXIT_OK;
    const dlda_known_set *set = data_known(experiment->set);
    return set->package ? fetch(self, experiment->set) : complain_missing(set);
}

static int read_part(const char *path, dlda_part part, dlda_dataset **set)
{
    return exit_code_of(reproduce_name, dlda_dataset_read(path, part, set));
}

static int count_fold(const dlda_dataset *set, size_t fold, source *found)
{
    dlda_dataset *part = NULL;

    if (fold > dlda_dataset_own_folds(set)) return EXIT_OK;
    int code = exit_code_at(reproduce_name, found->path, dlda_dataset_fold(set, fold, &part));
    if (code == EXIT_OK) found->own_fold = dlda_dataset_count(part);
    dlda_dataset_destroy(part);
    return code;
}

static int count_training_images(size_t fold, source *found)
{
    dlda_dataset *set = NULL;
    int code = read_part(found->path, DLDA_TRAIN, &set);

    if (code == EXIT_OK) found->images = dlda_dataset_count(set);
    if (code == EXIT_OK) code = count_fold(set, fold, found);
    dlda_dataset_destroy(set);
    return code;
}

static int count_test_images(source *found)
{
    const dlda_read_spec spec = { .path = found->path, .part = DLDA_TEST };
    dlda_dataset *set = NULL;

    found->has_test = dlda_dataset_has_part(&spec);
    if (!found->has_test) return EXIT_OK;
    int code = read_part(found->path, DLDA_TEST, &set);
    if (code == EXIT_OK) found->test = dlda_dataset_count(set);
    dlda_dataset_destroy(set);
    return code;
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
    int code = read_part(path, DLDA_TRAIN, &all);

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

static int make_divided_set(const reproduction *self, const source *found, reproduce_task *task)
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

static int hold_out_test(const source *found, reproduce_task *task)
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

static void take_fold(const source *found, reproduce_task *task)
{
    experiment_data *data = &task->data;

    add_option(data, "validation", 0);
    if (found->own_fold) {
        data->train = found->own_fold;
        add_option(data, "fold", task->fold);
        return;
    }
    data->train = scaled(task->experiment, found, task->experiment->train);
    add_option(data, "subset", data->train);
    add_option(data, "split-seed", task->fold);
    words_add(&data->deviations, "a fold of our own instead of the set's");
}

static void use_parts(const source *found, reproduce_task *task)
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
static char *source_name(const reproduction *self, const source *found)
{
    int is_path = dlda_options_is_given(self->options, "data") || path_is_there(found->path);
    char *whole = is_path ? realpath(found->path, NULL) : NULL;
    char *name = text_format("%s", whole ? whole : found->path);

    free(whole);
    return name;
}

/* Everything but the path of a divided set. */
static int plan_data(const reproduction *self, source *found, reproduce_task *task)
{
    const cli_experiment *experiment = task->experiment;
    experiment_data *data = &task->data;

    found->path = path_of_set(self, experiment);
    int code = count_training_images(task->fold, found);
    if (code == EXIT_OK) code = count_test_images(found);
    if (code != EXIT_OK) return code;
    data->source = source_name(self, found);
    if (found->images != experiment->images)
        words_add(&data->deviations, "other data: %zu training images instead of %zu", found->images,
                  experiment->images);
    if (!found->has_test) return hold_out_test(found, task);
    use_parts(found, task);
    if (experiment->departure && data->validation > 0) words_add(&data->deviations, "%s", experiment->departure);
    if (found->images == experiment->images && found->test != experiment->test)
        words_add(&data->deviations, "%zu test images instead of %zu", found->test, experiment->test);
    return EXIT_OK;
}

int reproduce_find_data(const reproduction *self, reproduce_task *task)
{
    source found = { 0 };
    int code = bring_set(self, task->experiment);

    if (code == EXIT_OK) code = plan_data(self, &found, task);
    if (code == EXIT_OK && !found.has_test) code = make_divided_set(self, &found, task);
    return code;
}

int reproduce_count_data(const reproduction *self, reproduce_task *task, int *is_counted)
{
    const cli_experiment *experiment = task->experiment;
    source found = { 0 };

    *is_counted = is_here(self, experiment) && plan_data(self, &found, task) == EXIT_OK;
    if (*is_counted) return EXIT_OK;
    if (dlda_options_is_given(self->options, "data"))
        return EXIT_FAILED; /* it was meant, and plan_data has complained */
    reproduce_release_data(&task->data);
    task->data.train = experiment->train;
    task->data.validation = experiment->validation;
    task->data.test = experiment->test;
    return EXIT_OK;
}

void reproduce_release_data(experiment_data *data)
{
    free(data->path);
    free(data->source);
    words_release(&data->options);
    words_release(&data->deviations);
    *data = (experiment_data){ 0 };
}
