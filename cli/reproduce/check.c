/* SPDX-License-Identifier: MIT
 *
 * reproduce_check.c - whether what was trained before is what is asked for.
 *
 * A training may go on to more epochs, or end with fewer than it was begun for, if the epochs that are done would have
 * been the same: all other options agree, and the rate of an epoch does not depend on the number of epochs, as it does
 * with a cosine.
 */
#include "reproduce/reproduce.h"

#include <stdlib.h>
#include <string.h>

/* ---- In what two trainings differ ---- */

static char *setting_text(const cli_words *settings, const char *name)
{
    const char *value = reproduce_setting(settings, name);

    return value ? text_format("--%s %s", name, value) : text_format("no --%s", name);
}

static int is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void add_difference(const char *name, const cli_words *there, const cli_words *asked, cli_words *differences)
{
    if (strcmp(name, "epochs") == 0) return;
    if (is_same(reproduce_setting(there, name), reproduce_setting(asked, name))) return;
    char *a = setting_text(there, name), *b = setting_text(asked, name);
    char *text = text_format("there: %s, asked: %s", a, b);

    words_add_once(differences, text);
    free(text);
    free(b);
    free(a);
}

/* All options that differ, but for epochs. */
static void find_differences(const training_record *there, const training_record *asked, cli_words *differences)
{
    for (size_t i = 0; i + 1 < there->settings.count; i += 2)
        add_difference(there->settings.at[i], &there->settings, &asked->settings, differences);
    for (size_t i = 0; i + 1 < asked->settings.count; i += 2)
        add_difference(asked->settings.at[i], &there->settings, &asked->settings, differences);
}

/* ---- What is wrong ---- */

static void say_ways_out(const training_plan *plan)
{
    fprintf(stderr, "Choose another folder with -o, or remove %s and %s.\n", plan->folder, plan->record_path);
}

static int complain_other(const training_plan *plan, const training_record *found)
{
    complain(reproduce_name, "%s: holds another training\n  there: %s, data %s\n  asked: %s, data %s", plan->folder,
             found->options, found->source, plan->record.options, plan->record.source);
    say_ways_out(plan);
    return EXIT_FAILED;
}

/* The halving moves with --epochs, so this is the usual case: it is said how to keep it. */
static void suggest_halving(const training_plan *plan, const training_record *found)
{
    const char *there = reproduce_setting(&found->settings, "halve-every");

    if (there && !is_same(there, reproduce_setting(&plan->record.settings, "halve-every")))
        fprintf(stderr, "To go on with it, keep its halving: --epochs %zu --halve-every %s\n",
                plan->record.schedule.epochs, there);
}

static int complain_differences(const training_plan *plan, const training_record *found,
                                const cli_words *differences)
{
    complain(reproduce_name, "%s: holds another training, of %zu epochs", plan->folder, found->schedule.epochs);
    for (size_t i = 0; i < differences->count; i++) fprintf(stderr, "  %s\n", differences->at[i]);
    if (differences->count == 1) suggest_halving(plan, found);
    say_ways_out(plan);
    return EXIT_FAILED;
}

static int complain_cosine(const training_plan *plan, const training_record *found)
{
    complain(reproduce_name,
             "%s: %zu epochs are asked for, and the training there is one of %zu with a cosine, whose rates follow "
             "from that number: it cannot go on to another",
             plan->folder, plan->record.schedule.epochs, found->schedule.epochs);
    say_ways_out(plan);
    return EXIT_FAILED;
}

static int complain_fewer(const training_plan *plan)
{
    const training_schedule *schedule = &plan->record.schedule;

    complain(reproduce_name, "%s: %zu epochs are done, more than the %zu that are asked for", plan->folder,
             plan->progress.done, schedule->epochs);
    if (!schedule->is_cosine)
        fprintf(stderr, "Ask for at least as many: --epochs %zu --halve-every %zu\n", plan->progress.done,
                schedule->halve_every);
    say_ways_out(plan);
    return EXIT_FAILED;
}

static int complain_running(const training_plan *plan)
{
    complain(reproduce_name, "%s: process %zu trains there; wait for it, or stop it", plan->folder,
             plan->progress.process);
    return EXIT_FAILED;
}

static int complain_lost(const training_plan *plan)
{
    complain(reproduce_name, "%s: has no checkpoint, so it cannot go on from %zu epochs to %zu", plan->folder,
             plan->progress.done, plan->record.schedule.epochs);
    say_ways_out(plan);
    return EXIT_FAILED;
}

/* ---- The check ---- */

static int check_options(const training_plan *plan, const training_record *found)
{
    cli_words differences = { 0 };
    int code = EXIT_OK;

    /* An old record has no settings to compare one by one. */
    if (strcmp(found->source, plan->record.source) != 0 ||
        (found->settings.count == 0 && strcmp(found->options, plan->record.options) != 0))
        return complain_other(plan, found);
    if (found->settings.count > 0) find_differences(found, &plan->record, &differences);
    if (differences.count > 0) code = complain_differences(plan, found, &differences);
    words_release(&differences);
    return code;
}

static int check_epochs(const training_plan *plan, const training_record *found)
{
    size_t asked = plan->record.schedule.epochs;

    if (plan->record.schedule.is_cosine && asked != found->schedule.epochs) return complain_cosine(plan, found);
    if (plan->progress.done > asked) return complain_fewer(plan);
    if (plan->progress.done < asked && !reproduce_has_checkpoint(plan->folder)) return complain_lost(plan);
    return EXIT_OK;
}

/* A training that has not saved anything yet does not count. */
static int check_plan(const reproduction *self, training_plan *plan)
{
    training_record found;
    int code = reproduce_read_record(plan->record_path, &found);

    if (code == EXIT_OK) plan->progress = reproduce_progress(self, plan->place, plan->model, &found);
    if (code == EXIT_OK && plan->progress.state == TRAINING_RUNNING) code = complain_running(plan);
    if (code == EXIT_OK && plan->progress.state != TRAINING_MISSING) {
        code = check_options(plan, &found);
        if (code == EXIT_OK) code = check_epochs(plan, &found);
    }
    plan->is_recorded = found.complete && found.schedule.epochs == plan->record.schedule.epochs;
    reproduce_release_record(&found);
    return code;
}

int reproduce_check(const reproduction *self, training_plans *plans)
{
    int code = EXIT_OK;

    for (size_t i = 0; i < plans->count && code == EXIT_OK; i++) code = check_plan(self, &plans->at[i]);
    return code;
}
