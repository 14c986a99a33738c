/* SPDX-License-Identifier: MIT
 *
 * run.c - does the missing work: every training and every evaluation runs this program as a child process.
 *
 * A training that was interrupted or needs more epochs continues from its checkpoint; a complete one is kept. An
 * evaluation is kept if it is intact and newer than its model.
 */
#include "base/file.h"
#include "base/memory.h"
#include "child.h"
#include "folders.h"
#include "reproduce/plan.h"
#include "terminal/output.h"
#include "terminal/print.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Child processes ---- */

/* 1 if it was ended by a signal that was not a request to stop. */
static int is_crash(int status, int stopped)
{
    return status > EXIT_SIGNAL && !stopped && status != EXIT_SIGNAL + SIGINT && status != EXIT_SIGNAL + SIGTERM;
}

/* Runs this program with these arguments; its standard output goes to the file descriptor `output`. */
static int run_child(const reproduce_request *request, cli_words *words, int output)
{
    cli_words argv = { 0 };
    int stopped = 0;

    words_add(&argv, "%s", request->program);
    words_add_all(&argv, words);
    if (request->threads) {
        words_add(&argv, "--threads");
        words_add(&argv, "%s", request->threads);
    }
    int status = child_run(&(cli_child){
        .argv = (const char *const *)argv.at, .output = output, .dies_with_us = 1, .stopped = &stopped });
    if (status < 0 && !stopped) complain(reproduce_name, "cannot run %s: %s", request->program, strerror(errno));
    else if (status == EXIT_SIGNAL + SIGKILL)
        complain(reproduce_name, "'deeplda %s' was killed, possibly for lack of memory", words->at[0]);
    else if (is_crash(status, stopped))
        complain(reproduce_name, "'deeplda %s' was ended by signal %d (%s): this is a bug in deeplda", words->at[0],
                 status - EXIT_SIGNAL, strsignal(status - EXIT_SIGNAL));
    words_release(&argv);
    if (stopped && status <= 0)
        return EXIT_SIGNAL + stopped; /* the signal came before the child was started, or was not noticed by it */
    return status < 0 || is_crash(status, stopped) ? EXIT_FAILED : status;
}

/* ---- Trainings ---- */

/* "training 2 of 4: stl10-1k, fold 1, seed 1, cce; all will be done at about ...", and how it is shortened. */
static void say_status(reproduce_plan *plan, const training *self, size_t number)
{
    double left = plan_seconds_left(plan, self);
    cli_words deviations = { 0 };

    print_to(stderr, "\ntraining %zu of %zu: %s, %s", number, plan->n_asked, self->title,
             trained_kinds[self->kind].name);
    if (self->progress.state != TRAINING_MISSING)
        print_to(stderr, ", continuing after %zu epochs", self->progress.done);
    if (!isnan(left)) {
        char *end = end_text(left);
        print_to(stderr, "; all will be done at about %s", end);
        free(end);
    }
    schedule_note(&self->asked.schedule, trained_kinds[self->kind].objective, &deviations);
    for (size_t d = 0; d < deviations.count; d++) print_to(stderr, "\n  %s", deviations.at[d]);
    print_to(stderr, "\n%s\n", self->asked.command);
    words_release(&deviations);
}

/* "NAME.json", "NAME-training.json" or "NAME-answers.csv" of a network or a row. */
static int is_named_after(const char *file, const char *name)
{
    static const char *const ends[] = { ".json", "-training.json", "-answers.csv" };
    size_t n = strlen(name);

    if (strncmp(file, name, n) != 0) return 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (strcmp(file + n, ends[i]) == 0) return 1;
    return 0;
}

static int is_own(const char *file)
{
    for (size_t i = 0; i < N_TRAINED; i++)
        if (is_named_after(file, trained_kinds[i].name)) return 1;
    for (size_t i = 0; i < N_ROWS; i++)
        if (is_named_after(file, row_kinds[i].name)) return 1;
    return 0;
}

/* Of a command that was killed while it wrote records or results beside this one. The root is locked meanwhile. */
static void remove_leftovers(const char *record_path)
{
    char *folder = NULL;

    if (dlda_path_folder(record_path, &folder) == DLDA_OK) dlda_folder_remove_leftovers(folder, is_own, 0);
    dlda_release(folder);
}

static int train(const reproduce_request *request, training *self)
{
    cli_words words = { 0 };
    int resumes = progress_has_checkpoint(self->folder);

    folders_make_parents(self->folder);
    remove_leftovers(self->record_path);
    self->asked.process = (size_t)getpid();
    int code = record_write(self->record_path, &self->asked);
    self->asked.process = 0;
    words_add_all(&words, &self->words);
    words_add(&words, resumes ? "--resume" : "-o");
    words_add(&words, "%s", self->folder);
    if (!resumes) words_add(&words, "--force"); /* replaces the folder of an attempt that saved nothing */
    if (request->is_quiet) words_add(&words, "--quiet");
    if (request->micro_batch) words_add(&words, "--micro-batch=%s", request->micro_batch);
    if (code == EXIT_OK) code = run_child(request, &words, request->is_quiet ? 0 : STDERR_FILENO);
    words_release(&words);
    return code;
}

static int is_complete(const training *self)
{
    return self->progress.state == TRAINING_COMPLETE && self->progress.done == self->asked.schedule.epochs;
}

/* Updates the record from the run, also if the rest was trained manually. */
static int train_if_needed(reproduce_plan *plan, training *self, size_t number)
{
    const reproduce_request *request = plan->request;
    int code = EXIT_OK, trains = !is_complete(self);

    if (!trains && training_is_recorded(self)) return EXIT_OK;
    if (trains) {
        if (!request->is_quiet) say_status(plan, self, number);
        code = train(request, self);
    }
    if (code != EXIT_OK) return code;
    self->asked.complete = 1;
    training_progress end = progress_read(request, self->folder, &self->asked);
    if (end.done < self->asked.schedule.epochs || (trains && isnan(end.seconds))) { /* those of an older checkpoint */
        complain(reproduce_name, "%s: trained, but its last checkpoint cannot be read; run the command again",
                 self->folder);
        return EXIT_FAILED;
    }
    self->asked.seconds = end.seconds;
    code = record_write(self->record_path, &self->asked);
    return code == EXIT_OK ? training_read_again(request, self) : code;
}

/* ---- Evaluations ---- */

static int write_evaluation(const reproduce_request *request, cli_words *words, const char *target)
{
    cli_output output;
    int code = output_open_inside(&output, reproduce_name, target);

    if (code != EXIT_OK) return code;
    code = run_child(request, words, fileno(output.file));
    if (code == EXIT_OK) return output_close(&output);
    output_discard(&output);
    return code;
}

static int evaluate(const reproduce_request *request, const training *self, const evaluation *row)
{
    cli_words words = { 0 };

    if (evaluation_is_current(self, row)) return EXIT_OK;
    evaluation_add_words(self, row, self->asked.data, &words);
    words_add(&words, "--answers");
    words_add(&words, "%s", row->answers);
    words_add(&words, "--json");
    if (!request->is_quiet) {
        char *command = words_as_command(&words, 0);
        print_to(stderr, "\n%s, %s:\ndeeplda %s\n", self->title, row_kinds[row->row].title, command);
        free(command);
    }
    int code = exit_code_of(reproduce_name, dlda_path_remove_link(row->answers)); /* the child follows links */
    if (code == EXIT_OK) code = write_evaluation(request, &words, row->figures);
    words_release(&words);
    return code;
}

/* ---- All work ---- */

int plan_run(reproduce_plan *plan)
{
    size_t number = 0;
    int code = EXIT_OK;

    for (size_t i = 0; i < plan->n_trainings && code == EXIT_OK; i++) {
        training *self = &plan->trainings[i];
        if (!self->task) continue;
        code = train_if_needed(plan, self, ++number);
        for (int e = 0; e < N_EVALUATIONS && code == EXIT_OK; e++)
            if (self->evaluations[e].is_asked) code = evaluate(plan->request, self, &self->evaluations[e]);
    }
    return code;
}
