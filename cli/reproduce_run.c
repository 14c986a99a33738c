/* SPDX-License-Identifier: MIT
 *
 * reproduce_run.c - does what is missing: every training and every evaluation is a child that runs this program.
 *
 * A training that was interrupted goes on from its checkpoint, one that is complete stays as it is. An evaluation is
 * kept while it is whole and newer than its model.
 */
#include "child.h"
#include "folders.h"
#include "reproduce.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const reproduction *self, const char *what, const char *command)
{
    if (!option_is(self->options, "quiet", "true")) fprintf(stderr, "\n%s:\n%s\n", what, command);
}

static char *model_of(const training_plan *plan)
{
    return text_format("%s/model.safetensors", plan->folder);
}

/* ---- A child ---- */

/* It was asked to stop by nobody. */
static int is_crash(int status, int stopped)
{
    return status > EXIT_SIGNAL && !stopped && status != EXIT_SIGNAL + SIGINT && status != EXIT_SIGNAL + SIGTERM;
}

/* Runs this program with these words; `output` gets its results. */
static int run_child(const reproduction *self, cli_words *words, int output)
{
    cli_words argv = { 0 };
    int stopped = 0;

    words_add(&argv, "%s", self->program);
    words_add_all(&argv, words);
    if (dlda_options_is_given(self->options, "threads")) {
        words_add(&argv, "--threads");
        words_add(&argv, "%s", dlda_options_get(self->options, "threads"));
    }
    int status = child_run(&(cli_child){
        .argv = (const char *const *)argv.at, .output = output, .dies_with_us = 1, .stopped = &stopped });
    if (status < 0 && !stopped) complain(reproduce_name, "cannot run %s: %s", self->program, strerror(errno));
    else if (status == EXIT_SIGNAL + SIGKILL)
        complain(reproduce_name, "'deeplda %s' was killed; is there too little memory?", words->at[0]);
    else if (is_crash(status, stopped))
        complain(reproduce_name, "'deeplda %s' was ended by signal %d (%s): that is an error in the program",
                 words->at[0], status - EXIT_SIGNAL, strsignal(status - EXIT_SIGNAL));
    words_release(&argv);
    if (stopped && status <= 0)
        return EXIT_SIGNAL + stopped; /* it came before the child was there, or too late to be noticed */
    return status < 0 || is_crash(status, stopped) ? EXIT_FAILED : status;
}

/* ---- Trainings ---- */

static int complain_other_options(const training_plan *plan, const training_record *found)
{
    complain(
        reproduce_name,
        "%s: holds another training\n  there: %s, data %s\n  asked: %s, data %s\nChoose another folder with -o, or "
        "remove %s and %s.",
        plan->folder, found->options, found->source, plan->record.options, plan->record.source, plan->folder,
        plan->record_path);
    return EXIT_FAILED;
}

/* What is there must be what is asked for; a training that has not saved anything yet does not count. */
static int check_record(const training_plan *plan, int *complete)
{
    training_record found;
    char *model = model_of(plan);
    int code = reproduce_read_record(plan->record_path, &found);

    *complete = found.complete && path_is_there(model);
    if (code == EXIT_OK && reproduce_is_begun(plan->place, plan->model, &found) &&
        (strcmp(found.options, plan->record.options) != 0 || strcmp(found.source, plan->record.source) != 0))
        code = complain_other_options(plan, &found);
    reproduce_release_record(&found);
    free(model);
    return code;
}

static int train(const reproduction *self, training_plan *plan)
{
    cli_words words = { 0 };
    int resumes = reproduce_has_checkpoint(plan->folder);
    char *what = text_format("%s, %s%s", plan->title, trained_kinds[plan->model].name, resumes ? ", going on" : "");

    folders_make_parents(plan->folder);
    int code = reproduce_write_record(plan->record_path, &plan->record);
    words_add_all(&words, &plan->words);
    words_add(&words, resumes ? "--resume" : "-o");
    words_add(&words, "%s", plan->folder);
    if (!resumes) words_add(&words, "--force"); /* the folder of an attempt that saved nothing is in the way */
    int quiet = option_is(self->options, "quiet", "true");
    if (quiet) words_add(&words, "--quiet");
    say(self, what, plan->record.command);
    if (code == EXIT_OK) code = run_child(self, &words, quiet ? 0 : STDERR_FILENO);
    free(what);
    words_release(&words);
    return code;
}

static int train_if_needed(const reproduction *self, training_plan *plan)
{
    int complete = 0, code = check_record(plan, &complete);

    if (code != EXIT_OK || complete) return code;
    code = train(self, plan);
    if (code != EXIT_OK) return code;
    plan->record.complete = 1;
    plan->record.seconds = reproduce_seconds(plan->folder);
    return reproduce_write_record(plan->record_path, &plan->record);
}

/* ---- Evaluations ---- */

/* 1 if all of it reached the disk. */
static int close_file(int file)
{
    int written = fsync(file) == 0;
    return close(file) == 0 && written;
}

static int write_evaluation(const reproduction *self, cli_words *words, const char *target)
{
    char *unfinished = text_format("%s.tmp-%ld", target, (long)getpid());
    int file = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int code = file < 0 ? EXIT_FAILED : run_child(self, words, file);

    if (file < 0) complain(reproduce_name, "%s: cannot write: %s", unfinished, strerror(errno));
    else if (!close_file(file) && code == EXIT_OK) {
        complain(reproduce_name, "%s: cannot write: %s", unfinished, strerror(errno));
        code = EXIT_FAILED;
    }
    if (code == EXIT_OK && rename(unfinished, target) != 0) {
        complain(reproduce_name, "%s: cannot write: %s", target, strerror(errno));
        code = EXIT_FAILED;
    }
    if (code != EXIT_OK) unlink(unfinished);
    free(unfinished);
    return code;
}

static int evaluate(const reproduction *self, const training_plan *plan, const row_kind *kind)
{
    char *target = text_format("%s/%s.json", plan->place, kind->name), *model = model_of(plan);
    cli_words words = { 0 };
    int code = EXIT_OK;

    words_add(&words, "eval");
    words_add(&words, "%s", model);
    words_add(&words, "%s", plan->record.data);
    for (size_t i = 0; kind->words[i]; i++) words_add(&words, "%s", kind->words[i]);
    words_add(&words, "--json");
    if (!path_is_newer(target, model) || !reproduce_has_accuracy(target, kind)) {
        char *command = words_as_command(&words, 0), *line = text_format("deeplda %s", command);
        char *what = text_format("%s, %s", plan->title, kind->title);
        say(self, what, line);
        code = write_evaluation(self, &words, target);
        free(what);
        free(line);
        free(command);
    }
    words_release(&words);
    free(model);
    free(target);
    return code;
}

/* ---- All of it ---- */

static int run_training(const reproduction *self, const reproduce_task *task, cli_trained model, size_t seed)
{
    training_plan plan;
    int code = reproduce_make_plan(self, task, model, seed, &plan);

    if (code == EXIT_OK) code = train_if_needed(self, &plan);
    for (cli_row r = 0; r < N_ROWS && code == EXIT_OK; r++)
        if (self->rows[r] && row_kinds[r].model == model) code = evaluate(self, &plan, &row_kinds[r]);
    reproduce_release_plan(&plan);
    return code;
}

static int check_training(const reproduction *self, const reproduce_task *task, cli_trained model, size_t seed)
{
    training_plan plan;
    int complete = 0, code = reproduce_make_plan(self, task, model, seed, &plan);

    if (code == EXIT_OK) code = check_record(&plan, &complete);
    reproduce_release_plan(&plan);
    return code;
}

typedef int visit_training(const reproduction *self, const reproduce_task *task, cli_trained model, size_t seed);

static int visit_all(const reproduction *self, const reproduce_task *tasks, size_t count, visit_training *visit)
{
    int code = EXIT_OK;

    for (size_t i = 0; i < count; i++)
        for (size_t seed = 1; seed <= self->seeds; seed++)
            for (cli_trained model = 0; model < N_TRAINED && code == EXIT_OK; model++)
                if (reproduce_needs(self, model)) code = visit(self, &tasks[i], model, seed);
    return code;
}

int reproduce_check(const reproduction *self, const reproduce_task *tasks, size_t count)
{
    return visit_all(self, tasks, count, check_training);
}

int reproduce_run(const reproduction *self, const reproduce_task *tasks, size_t count)
{
    return visit_all(self, tasks, count, run_training);
}
