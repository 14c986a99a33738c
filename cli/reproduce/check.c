/* SPDX-License-Identifier: MIT
 *
 * check.c - checks whether existing trainings match the request.
 *
 * A training may be extended to more epochs, or end with fewer than planned, if its completed epochs would have
 * been the same: all other options are equal, and the rate of an epoch does not depend on the number of epochs,
 * as it does with a cosine.
 */
#include "reproduce/plan.h"
#include "terminal/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Differences between two trainings ---- */

static char *setting_text(const training_record *record, const char *name)
{
    const char *value = record_setting(record, name);

    return value ? text_format("--%s %s", name, value) : text_format("no --%s", name);
}

/* Epochs are compared by check_epochs; --no-presets has no effect if all options are given. */
static int may_differ(const char *name)
{
    return strcmp(name, "epochs") == 0 || strcmp(name, "no-presets") == 0;
}

static void add_difference(const training *self, const char *name, cli_words *differences)
{
    if (may_differ(name) || setting_is_same(record_setting(&self->found, name), record_setting(&self->asked, name)))
        return;
    char *there = setting_text(&self->found, name), *asked = setting_text(&self->asked, name);
    char *text = text_format("there: %s, asked: %s", there, asked);

    words_add_once(differences, text);
    free(text);
    free(asked);
    free(there);
}

static void find_differences(const training *self, cli_words *differences)
{
    const cli_words *there = &self->found.settings, *asked = &self->asked.settings;

    if (strcmp(self->found.source, self->asked.source) != 0)
        words_add(differences, "there: data %s, asked: data %s", self->found.source, self->asked.source);
    for (size_t i = 0; i + 1 < there->count; i += 2) add_difference(self, there->at[i], differences);
    for (size_t i = 0; i + 1 < asked->count; i += 2) add_difference(self, asked->at[i], differences);
}

/* ---- The check ---- */

/* Reports why a training does not match, with its `differences` if any are known, and what can be done. Releases `why`,
 * and `hint`, a line or NULL. */
static int refuse(const training *self, char *why, const cli_words *differences, char *hint)
{
    complain(reproduce_name, "%s: %s", self->folder, why);
    for (size_t i = 0; differences && i < differences->count; i++) print_to(stderr, "  %s\n", differences->at[i]);
    if (hint) print_to(stderr, "%s\n", hint);
    print_to(stderr, "Choose another folder with -o, or remove %s and %s.\n", self->folder, self->record_path);
    free(hint);
    free(why);
    return EXIT_FAILED;
}

/* The halving interval depends on --epochs, so this is the usual case: the hint says how to keep it. */
static char *halving_hint(const training *self)
{
    const char *there = record_setting(&self->found, "halve-every");

    if (!there || setting_is_same(there, record_setting(&self->asked, "halve-every"))) return NULL;
    return text_format("To continue it, keep its halving interval: --epochs %zu --halve-every %s",
                       self->asked.schedule.epochs, there);
}

static int check_options(const training *self)
{
    cli_words differences = { 0 };
    int code = EXIT_OK;

    find_differences(self, &differences);
    if (differences.count > 0) {
        char *why = text_format("holds another training, of %zu epochs", self->found.schedule.epochs);
        code = refuse(self, why, &differences, differences.count == 1 ? halving_hint(self) : NULL);
    }
    words_release(&differences);
    return code;
}

static int check_epochs(const training *self)
{
    const training_schedule *schedule = &self->asked.schedule;
    size_t asked = schedule->epochs, done = self->progress.done;

    if (schedule->is_cosine && asked != self->found.schedule.epochs)
        return refuse(self,
                      text_format("%zu epochs are asked for, and the training there is one of %zu with a cosine, "
                                  "whose rates follow from that number: it cannot go on to another",
                                  asked, self->found.schedule.epochs),
                      NULL, NULL);
    if (done > asked)
        return refuse(self, text_format("%zu epochs are done, more than the %zu that are asked for", done, asked),
                      NULL,
                      schedule->is_cosine ? NULL
                                          : text_format("Ask for at least as many: --epochs %zu --halve-every %zu",
                                                        done, schedule->halve_every));
    if (done < asked && !progress_has_checkpoint(self->folder))
        return refuse(self,
                      text_format("has no checkpoint, so it cannot go on from %zu epochs to %zu", done, asked),
                      NULL, NULL);
    return EXIT_OK;
}

static int complain_running(const training *self)
{
    complain(reproduce_name, "%s: in use by process %zu; wait for it, or stop it", self->folder,
             self->progress.process);
    return EXIT_FAILED;
}

static int check_training(const reproduce_request *request, training *self)
{
    int code = training_read(request, self);

    if (code != EXIT_OK || self->progress.state == TRAINING_MISSING) return code;
    if (self->progress.state == TRAINING_RUNNING) return complain_running(self);
    code = check_options(self);
    return code == EXIT_OK ? check_epochs(self) : code;
}

int training_is_recorded(const training *self)
{
    return self->found.complete && self->found.schedule.epochs == self->asked.schedule.epochs;
}

int plan_check(reproduce_plan *plan)
{
    int code = EXIT_OK;

    for (size_t i = 0; i < plan->n_trainings && code == EXIT_OK; i++)
        if (plan->trainings[i].task) code = check_training(plan->request, &plan->trainings[i]);
    return code;
}
