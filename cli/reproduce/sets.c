/* SPDX-License-Identifier: MIT
 *
 * sets.c - finds, fetches and counts data sets.
 */
#include "reproduce/sets.h"
#include "child.h"
#include "folders.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Availability ---- */

static int complain_missing(const known_set *set)
{
    char *folder = NULL;

    if (known_set_folder(set, &folder) == DLDA_OK)
        complain(
            reproduce_name,
            "%s: not installed and not available as a package; put its binary files into %s, or use --data PATH",
            set->name, folder);
    dlda_text_destroy(folder);
    return EXIT_FAILED;
}

/* Runs the same command that a user would. */
static int fetch(const reproduce_request *request, const char *set)
{
    const char *argv[] = { request->program, "data", "fetch", set, NULL };
    int status = child_run(&(cli_child){ .argv = argv, .output = STDERR_FILENO, .dies_with_us = 1 });

    if (status < 0) complain(reproduce_name, "%s: cannot run %s", set, request->program);
    return status < 0 ? EXIT_FAILED : status;
}

int set_is_here(const reproduce_request *request, const known_set *set)
{
    return request->data || path_is_there(set->name) || known_set_is_present(set);
}

int set_bring(const reproduce_request *request, const known_set *set)
{
    if (set_is_here(request, set)) return EXIT_OK;
    return set->package ? fetch(request, set->name) : complain_missing(set);
}

/* ---- Size ---- */

static int read_part(const char *path, dlda_part part, dlda_dataset **set)
{
    return exit_code_of(reproduce_name, known_set_explain(path, dlda_dataset_read(path, part, set)));
}

/* Counts the requested folds of a set that defines its own. */
static int count_folds(const reproduce_request *request, const dlda_dataset *train, counted_set *set)
{
    size_t own = dlda_dataset_own_folds(train);
    int code = EXIT_OK;

    for (size_t fold = request->first_fold; fold <= request->last_fold && fold <= own && code == EXIT_OK; fold++) {
        dlda_dataset *part = NULL;
        if (fold > MOST_FOLDS) break;
        code = exit_code_at(reproduce_name, set->path, dlda_dataset_fold(train, fold, &part));
        if (code == EXIT_OK) set->own_folds[fold] = dlda_dataset_count(part);
        dlda_dataset_destroy(part);
    }
    return code;
}

static int count_training_images(const reproduce_request *request, counted_set *set)
{
    int code = read_part(set->path, DLDA_PART_TRAIN, &set->undivided);

    if (code == EXIT_OK) set->images = dlda_dataset_count(set->undivided);
    return code == EXIT_OK ? count_folds(request, set->undivided, set) : code;
}

static int count_test_images(counted_set *set)
{
    const dlda_read_spec spec = { .path = set->path, .part = DLDA_PART_TEST };
    dlda_dataset *test = NULL;

    set->has_test = dlda_dataset_has_part(&spec);
    if (!set->has_test) return EXIT_OK;
    int code = read_part(set->path, DLDA_PART_TEST, &test);
    if (code == EXIT_OK) set->test = dlda_dataset_count(test);
    dlda_dataset_destroy(test);
    return code;
}

static void close_set(counted_set *set)
{
    dlda_dataset_destroy(set->undivided);
    set->undivided = NULL;
}

static char *source_of(const reproduce_request *request, const char *path)
{
    return request->data || path_is_there(path) ? text_whole_path(path) : text_format("%s", path);
}

const counted_set *sets_find(counted_sets *sets, const reproduce_request *request, const known_set *known)
{
    const char *path = request->data ? request->data : known->name;

    for (size_t i = 0; i < sets->count; i++)
        if (strcmp(sets->at[i].path, path) == 0) return &sets->at[i];
    counted_set *set = &sets->at[sets->count++];
    *set = (counted_set){ .path = path, .source = source_of(request, path) };
    set->code = count_training_images(request, set);
    if (set->code == EXIT_OK) set->code = count_test_images(set);
    if (set->code != EXIT_OK || set->has_test || request->is_list) close_set(set);
    return set;
}

void sets_close(counted_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++) close_set(&sets->at[i]);
}

void sets_release(counted_sets *sets)
{
    sets_close(sets);
    for (size_t i = 0; i < sets->count; i++) free(sets->at[i].source);
    *sets = (counted_sets){ .count = 0 };
}
