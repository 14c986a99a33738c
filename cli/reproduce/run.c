/* SPDX-License-Identifier: MIT
 *
 * reproduce_run.c - does what is missing: every training and every evaluation is a child that runs this program.
 *
 * A training that was interrupted, or of which more epochs are asked for, goes on from its checkpoint; one that is
 * complete stays as it is. An evaluation is kept while it is whole and newer than its model.
 */
#include "child.h"
#include "folders.h"
#include "reproduce/reproduce.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_quiet(const reproduction *self)
{
    return option_is(self->options, "quiet", "true");
}

static void say(const reproduction *self, const char *what, const char *command)
{
    if (!is_quiet(self)) fprintf(stderr, "\n%s:\n%s\n", what, command);
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
    if (option_is_given(self->options, "threads")) {
        words_add(&argv, "--threads");
        words_add(&argv, "%s", option_text(self->options, "threads"));
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

/* "training 2 of 4: stl10-1k, fold 1, seed 1, cce; all will end about ...", and how it is shortened. */
static void say_status(const reproduction *self, const training_plans *plans, size_t i)
{
    const training_plan *plan = &plans->at[i];
    double left = reproduce_seconds_left(self, plans, i);
    cli_words deviations = { 0 };

    fprintf(stderr, "\ntraining %zu of %zu: %s, %s", i + 1, plans->count, plan->title,
            trained_kinds[plan->model].name);
    if (plan->progress.state != TRAINING_MISSING)
        fprintf(stderr, ", going on after %zu epochs", plan->progress.done);
    if (!isnan(left)) {
        char *end = reproduce_end_text(left);
        fprintf(stderr, "; all will end about %s", end);
        free(end);
    }
    reproduce_note_schedule(&plan->record.schedule, trained_kinds[plan->model].objective, &deviations);
    for (size_t d = 0; d < deviations.count; d++) fprintf(stderr, "\n  %s", deviations.at[d]);
    fprintf(stderr, "\n%s\n", plan->record.command);
    words_release(&deviations);
}

static int train(const reproduction *self, training_plan *plan)
{
    cli_words words = { 0 };
    int resumes = reproduce_has_checkpoint(plan->folder);

    folders_make_parents(plan->folder);
    plan->record.process = (size_t)getpid();
    int code = reproduce_write_record(plan->record_path, &plan->record);
    plan->record.process = 0;
    words_add_all(&words, &plan->words);
    words_add(&words, resumes ? "--resume" : "-o");
    words_add(&words, "%s", plan->folder);
    if (!resumes) words_add(&words, "--force"); /* the folder of an attempt that saved nothing is in the way */
    if (is_quiet(self)) words_add(&words, "--quiet");
    if (code == EXIT_OK) code = run_child(self, &words, is_quiet(self) ? 0 : STDERR_FILENO);
    words_release(&words);
    return code;
}

static int is_complete(const training_plan *plan)
{
    return plan->progress.state == TRAINING_COMPLETE && plan->progress.done == plan->record.schedule.epochs;
}

/* The record follows the run, also if someone has trained the rest by hand. */
static int train_if_needed(const reproduction *self, training_plans *plans, size_t i)
{
    training_plan *plan = &plans->at[i];
    int code = EXIT_OK;

    if (is_complete(plan) && plan->is_recorded) return EXIT_OK;
    if (!is_complete(plan)) {
        if (!is_quiet(self)) say_status(self, plans, i);
        code = train(self, plan);
    }
    if (code != EXIT_OK) return code;
    plan->record.complete = 1;
    plan->progress = reproduce_progress(self, plan->place, plan->model, &plan->record);
    plan->record.seconds = plan->progress.seconds;
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
    char *answers = reproduce_answers_path(plan->place, kind);
    cli_words words = { 0 };
    int code = EXIT_OK;

    words_add(&words, "eval");
    words_add(&words, "%s", model);
    words_add(&words, "%s", plan->record.data);
    for (size_t i = 0; kind->words[i]; i++) words_add(&words, "%s", kind->words[i]);
    words_add(&words, "--answers");
    words_add(&words, "%s", answers);
    words_add(&words, "--json");
    if (!path_is_newer(target, model) || !path_is_newer(answers, model) || !reproduce_has_counts(target, kind)) {
        char *command = words_as_command(&words, 0), *line = text_format("deeplda %s", command);
        char *what = text_format("%s, %s", plan->title, kind->title);
        say(self, what, line);
        code = write_evaluation(self, &words, target);
        free(what);
        free(line);
        free(command);
    }
    words_release(&words);
    free(answers);
    free(model);
    free(target);
    return code;
}

/* ---- All of it ---- */

int reproduce_run(const reproduction *self, training_plans *plans)
{
    int code = EXIT_OK;

    for (size_t i = 0; i < plans->count && code == EXIT_OK; i++) {
        code = train_if_needed(self, plans, i);
        for (cli_row r = 0; r < N_ROWS && code == EXIT_OK; r++)
            if (self->rows[r] && row_kinds[r].model == plans->at[i].model)
                code = evaluate(self, &plans->at[i], &row_kinds[r]);
    }
    return code;
}
