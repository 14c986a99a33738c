/* SPDX-License-Identifier: MIT
 *
 * cmd_reproduce.c - `deeplda reproduce`: the experiments of the paper, and its tables with our figures beside the
 * printed ones.
 */
#include "folders.h"
#include "base/closest_word.h"
#include "reproduce/reproduce.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

const char reproduce_name[] = "reproduce";

/* ---- What is asked for ---- */

static int complain_experiment(const char *word)
{
    const char *names[MOST_EXPERIMENTS];
    size_t count = 0;

    for (; count < MOST_EXPERIMENTS && experiment_at(count); count++) names[count] = experiment_at(count)->name;
    int near = dlda_closest_word(word, names, count);
    if (near >= 0)
        return complain_usage(reproduce_name, "no experiment is called '%s'; did you mean '%s'?", word,
                              names[near]);
    return complain_usage(reproduce_name, "no experiment is called '%s'; --list names them", word);
}

static int is_listed(const reproduction *self, const cli_experiment *experiment)
{
    for (size_t i = 0; i < self->n_experiments; i++)
        if (self->experiments[i] == experiment) return 1;
    return 0;
}

static int read_experiments(const cli_arguments *arguments, reproduction *self)
{
    for (size_t i = 0; i < arguments->n_words; i++) {
        const cli_experiment *experiment = experiment_named(arguments->words[i]);
        if (!experiment) return complain_experiment(arguments->words[i]);
        if (!is_listed(self, experiment)) self->experiments[self->n_experiments++] = experiment;
    }
    if (self->n_experiments > 0) return EXIT_OK;
    if (!option_is(self->options, "list", "true"))
        return complain_usage(reproduce_name, "expected EXPERIMENT...; --list names them");
    for (size_t i = 0; experiment_at(i); i++) self->experiments[self->n_experiments++] = experiment_at(i);
    return EXIT_OK;
}

static int row_named(const char *name, size_t length)
{
    for (int r = 0; r < N_ROWS; r++)
        if (strlen(row_kinds[r].name) == length && strncmp(row_kinds[r].name, name, length) == 0) return r;
    return -1;
}

static int complain_row(const char *name, size_t length)
{
    cli_words names = { 0 };

    for (int r = 0; r < N_ROWS; r++) words_add(&names, "%s", row_kinds[r].name);
    char *all = words_as_command(&names, 0);
    int code = complain_usage(reproduce_name, "option rows: found '%.*s', expected all, or some of %s, with commas",
                              (int)length, name, all);
    free(all);
    words_release(&names);
    return code;
}

static void take_rows(reproduction *self, int count)
{
    for (int r = 0; r < count; r++) self->rows[r] = 1;
}

static int read_rows(reproduction *self)
{
    const char *at = option_text(self->options, "rows");

    if (!at[0]) take_rows(self, N_PAPER_ROWS);
    if (strcmp(at, "all") == 0) {
        take_rows(self, N_ROWS);
        return EXIT_OK;
    }
    while (*at) {
        size_t length = strcspn(at, ",");
        int r = row_named(at, length);
        if (r < 0) return complain_row(at, length);
        self->rows[r] = 1;
        at += length + (at[length] == ',');
    }
    return EXIT_OK;
}

static int read_schedule(reproduction *self)
{
    const char *budget = option_text(self->options, "budget");

    if (option_is(self->options, "schedule", "cosine") && option_is_given(self->options, "halve-every"))
        return complain_usage(reproduce_name, "--halve-every: a cosine halves nothing; expected --schedule halve");
    if (option_is_given(self->options, "epochs")) {
        if (budget[0]) return complain_usage(reproduce_name, "--epochs and --budget: expected one of them");
        self->epochs = (size_t)option_number(self->options, "epochs");
    }
    return budget[0] ? reproduce_parse_time(budget, &self->budget) : EXIT_OK;
}

/* The fold of --fold, the first ones of --folds, or the first one. */
static int read_folds(reproduction *self)
{
    size_t one = (size_t)option_number(self->options, "fold");
    size_t several = (size_t)option_number(self->options, "folds");

    if (one && several) return complain_usage(reproduce_name, "--fold and --folds: expected one of them");
    self->first_fold = one ? one : 1;
    self->last_fold = several ? several : self->first_fold;
    return EXIT_OK;
}

/* --fold and --folds are for experiments with folds, --data for experiments on one set. */
static int check_experiments(const reproduction *self)
{
    for (size_t i = 0; i < self->n_experiments; i++) {
        const cli_experiment *experiment = self->experiments[i];
        if (experiment->folds && self->last_fold > experiment->folds)
            return complain_usage(reproduce_name, "option %s: found %zu, %s has the folds 1 to %zu",
                                  self->first_fold < self->last_fold ? "folds" : "fold", self->last_fold,
                                  experiment->name, experiment->folds);
        if (option_is_given(self->options, "data") && strcmp(experiment->set, self->experiments[0]->set) != 0)
            return complain_usage(reproduce_name,
                                  "option data stands for one set, and these experiments need %s and %s",
                                  self->experiments[0]->set, experiment->set);
    }
    return EXIT_OK;
}

static int read_request(const cli_arguments *arguments, reproduction *self)
{
    const char *root = option_text(arguments->options, "output");

    *self = (reproduction){ .options = arguments->options,
                            .root = root[0] ? root : "runs/reproduce",
                            .seeds = (size_t)option_number(arguments->options, "seeds") };
    int code = read_experiments(arguments, self);
    if (code == EXIT_OK) code = read_rows(self);
    if (code == EXIT_OK) code = read_schedule(self);
    if (code == EXIT_OK) code = read_folds(self);
    if (code == EXIT_OK) code = check_experiments(self);
    return code;
}

/* ---- One at a time ---- */

/* Locks ROOT. Children inherit the lock, so it holds until the last of them has ended. */
static int lock_root(const reproduction *self, int *lock)
{
    enum { TRIES = 20 };
    char *path = text_format("%s/.lock", self->root);
    int locked = -1;

    folders_make_parents(path);
    *lock = open(path, O_RDWR | O_CREAT, 0666);
    /* A training that was killed a moment ago may not be gone yet. */
    for (int i = 0; *lock >= 0 && locked != 0 && i < TRIES; i++) {
        locked = flock(*lock, LOCK_EX | LOCK_NB);
        if (locked != 0) nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    }
    if (*lock < 0) complain(reproduce_name, "%s: cannot write: %s", path, strerror(errno));
    else if (locked != 0)
        complain(reproduce_name, "%s: another process works in this folder; wait for it, or choose another with -o",
                 self->root);
    free(path);
    return locked == 0 ? EXIT_OK : EXIT_FAILED;
}

int reproduce_is_locked(const reproduction *self)
{
    if (self->has_lock) return 0;
    char *path = text_format("%s/.lock", self->root);
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    int locked = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (lock >= 0) close(lock);
    free(path);
    return locked;
}

static int find_program(reproduction *self)
{
    self->program = realpath("/proc/self/exe", NULL);
    if (self->program) return EXIT_OK;
    complain(reproduce_name, "cannot find this program itself: /proc/self/exe: %s", strerror(errno));
    return EXIT_FAILED;
}

/* ---- The command ---- */

/* All data are there, and all that was done before fits, before the first training begins. */
static int prepare(const reproduction *self, reproduce_task *tasks, size_t count, training_plans *plans)
{
    int code = reproduce_find_data(self, tasks, count);

    if (code == EXIT_OK) code = reproduce_set_epochs(self, tasks, count);
    if (code == EXIT_OK) code = reproduce_make_plans(self, tasks, count, plans);
    if (code == EXIT_OK) code = reproduce_check(self, plans);
    return code;
}

/* The tables have what was done, also if something stopped it. */
static int run_and_show(const reproduction *self)
{
    reproduce_task tasks[MOST_TASKS];
    training_plans plans = { 0 };
    size_t count = 0;
    int code = reproduce_list_tasks(self, tasks, &count);

    if (code == EXIT_OK) code = prepare(self, tasks, count, &plans);
    if (code == EXIT_OK) {
        code = reproduce_run(self, &plans);
        if (code >= EXIT_SIGNAL) fputs("Stopped. To go on: the same command again.\n", stderr);
        int shown = reproduce_tables(self);
        if (code == EXIT_OK) code = shown;
    }
    reproduce_release_plans(&plans);
    reproduce_release_data(tasks, count);
    return code;
}

static int run_reproduce(const cli_arguments *arguments)
{
    reproduction self;
    int lock = -1, code = read_request(arguments, &self);

    if (code != EXIT_OK) return code;
    if (option_is(self.options, "list", "true")) return reproduce_list(&self);
    code = find_program(&self);
    if (code == EXIT_OK) code = lock_root(&self, &lock);
    self.has_lock = code == EXIT_OK;
    if (code == EXIT_OK) code = run_and_show(&self);
    if (lock >= 0) close(lock);
    free(self.program);
    return code;
}

const cli_command reproduce_command = {
    .name = "reproduce",
    .operands = "EXPERIMENT...",
    .least = 0,
    .most = 16,
    .summary = "Do the experiments of the paper and print its tables with our figures.",
    .details =
        "EXPERIMENT is mnist-50k, mnist-60k, cifar10, cifar10-50k, stl10-4k, stl10-1k or stl10-32. For each, two "
        "networks are trained, one with objective lda and one with cce, and evaluated in four ways: the rows of "
        "the "
        "paper's tables. --rows all adds a third, with the objective that we recommend. "
        "Every training and every evaluation is a command of its own, which the table names.\n"
        "Interrupted, the same command goes on where it was; what is complete stays, or goes on if more epochs are "
        "asked for and the halving of the rate stays (--halve-every). The table tells in what it departs from the "
        "paper: shorter trainings (--epochs, --budget), another schedule (--schedule, --halve-every), other data "
        "(--data), another network (--net). --list, also beside a command that trains, tells how far each training "
        "is and when it will end. "
        "Rows are also compared with each other, image by image on the same test images. "
        "table.md, table.csv, pairs.csv and table.json in the folder of -o have all that was done there so far. "
        "docs/reproduce.md "
        "has the details.",
    .examples = "deeplda reproduce --list\n"
                "deeplda reproduce mnist-50k --budget 2h\n"
                "deeplda reproduce mnist-50k mnist-60k --seeds 3 -o runs/paper\n"
                "deeplda reproduce stl10-1k --data ~/stl10 --folds 10 --rows deeplda,cce",
    .run = run_reproduce,
};
