/* SPDX-License-Identifier: MIT
 *
 * cmd_report.c - `deeplda report`: figures and an HTML page of one run, or of several side by side.
 *
 * report.c writes data, scripts and the page; gnuplot draws the figures in between.
 */
#define _GNU_SOURCE
#include "report/gnuplot.h"
#include "report/report.h"
#include "report/run_samples.h"
#include "terminal/interrupt.h"
#include "terminal/json_out.h"
#include "terminal/print.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const char *const name = "report";

enum { RELOAD_SECONDS = 3 };

typedef struct reporting {
    const cli_arguments *arguments;
    char folder[4096], figures[4200];
    int live;   /* repeat until the runs end      */
    int draws;  /* gnuplot is available           */
    int silent; /* problems were already reported */
    size_t n_figures;
} reporting;

/* ---- One report ---- */

static void tell_problem(void *user, const char *message)
{
    const reporting *self = user;

    if (!self->silent) complain(name, "%s", message);
}

static report_spec make_spec(reporting *self)
{
    const cli_options *options = self->arguments->options;

    return (report_spec){ .folder = self->folder,
                          .directions = (size_t)option_number(options, "directions"),
                          .threads = (size_t)option_number(options, "threads"),
                          .refresh = self->live ? RELOAD_SECONDS : 0,
                          .user = self,
                          .problem = tell_problem };
}

/* Testing would compete with a running training for the processors, so figures of samples
 * are omitted until it ends. */
static dlda_status add_run(reporting *self, training_report *report, const char *folder, int is_watched)
{
    run_samples tested = { 0 };
    dlda_status status = DLDA_OK;

    if (!is_watched) DLDA_TRY(run_samples_read(name, folder, self->arguments->options, &tested));
    status = report_add(report,
                        &(report_run){ .folder = folder,
                                       .model = tested.model,
                                       .samples = tested.samples,
                                       .no_samples = is_watched ? "Drawn when the run has ended." : tested.problem,
                                       .part = tested.part });
    if (status == DLDA_OK && tested.problem[0]) tell_problem(self, tested.problem);
done:
    run_samples_release(&tested);
    return status;
}

static int draw_figures(reporting *self, const training_report *report)
{
    int code = EXIT_OK;

    self->n_figures = 0;
    for (size_t i = 0; self->draws && report_figure_name(report, i); i++) {
        int drawn = gnuplot_draw(name, self->figures, report_figure_name(report, i));
        if (drawn == EXIT_OK) self->n_figures++;
        else code = drawn;
    }
    return code;
}

static int write_report(reporting *self, int is_watched)
{
    report_spec spec = make_spec(self);
    training_report *report = NULL;
    dlda_status status = report_create(&spec, &report);

    for (size_t i = 0; status == DLDA_OK && i < self->arguments->n_words; i++)
        status = add_run(self, report, self->arguments->words[i], is_watched);
    if (status == DLDA_OK) status = report_write_figures(report);
    int drawn = status == DLDA_OK ? draw_figures(self, report) : EXIT_OK;
    if (status == DLDA_OK) status = report_write_page(report);
    int code = exit_code_of(name, status);
    report_destroy(report);
    self->silent = 1;
    return code == EXIT_OK ? drawn : code;
}

/* ---- Watching a run ---- */

static void wait_a_moment(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
}

/* 1 for files that a training writes before its first complete file. */
static int is_unfinished(const char *file)
{
    return strstr(file, ".tmp-") != NULL || strncmp(file, "checkpoint-next", strlen("checkpoint-next")) == 0;
}

/* 1 if the folder has no complete file, as before the end of the first epoch. */
static int is_empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry = NULL;
    int empty = folder != NULL;

    while (empty && (entry = readdir(folder)))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || is_unfinished(entry->d_name);
    if (folder) closedir(folder);
    return empty;
}

/* Reads the runs without testing anything; *goes_on is 1 if one of them is running.
 * Fails like the report itself. */
static dlda_status look(const reporting *self, int *goes_on)
{
    training_report *report = NULL;
    dlda_status status = report_create(&(report_spec){ .folder = self->folder }, &report);

    *goes_on = 0;
    for (size_t i = 0; status == DLDA_OK && i < self->arguments->n_words; i++) {
        const char *folder = self->arguments->words[i];
        status = report_add(report, &(report_run){ .folder = folder });
        if (status != DLDA_E_FORMAT || !is_empty_folder(folder)) continue;
        *goes_on = 1; /* a run may start there */
        status = DLDA_OK;
    }
    if (status == DLDA_OK && report_is_running(report)) *goes_on = 1;
    report_destroy(report);
    return status;
}

/* Time of the last change of the histories; -1 if there is none yet. */
static double last_change(const cli_arguments *arguments)
{
    double last = -1;
    char path[4400];
    struct stat info;

    for (size_t i = 0; i < arguments->n_words; i++) {
        snprintf(path, sizeof path, "%s/history.csv", arguments->words[i]);
        if (stat(path, &info) != 0) return -1;
        double changed = (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec;
        last = changed > last ? changed : last;
    }
    return last;
}

/* Writes the report after each change until all runs have ended or a signal arrives. */
static int watch(reporting *self)
{
    double written = -1;
    int goes_on = 1, code = EXIT_OK;

    self->live = 1;
    interrupt_begin();
    while (code == EXIT_OK && interrupt_signal() == 0) {
        code = exit_code_of(name, look(self, &goes_on));
        if (code != EXIT_OK || !goes_on) break;
        double changed = last_change(self->arguments);
        if (changed < 0 && written != -2) print_to(stderr, "waiting for the first epoch to complete\n");
        if (changed > 0 && changed != written) {
            code = write_report(self, 1);
            if (interrupt_signal())
                code = EXIT_OK; /* the signal may have ended gnuplot too; the last report follows */
            if (written < 0)
                print_to(stderr, "%s/report.html: updated after each epoch; Ctrl-C stops\n", self->folder);
        }
        written = changed < 0 ? -2 : changed;
        wait_a_moment();
    }
    interrupt_end();
    self->live = self->silent = 0;
    return code;
}

/* ---- The command ---- */

static int name_folders(reporting *self)
{
    const char *given = option_text(self->arguments->options, "output");
    const char *folder = given[0] ? given : self->arguments->n_words == 1 ? self->arguments->words[0] : "report";

    if (strlen(folder) >= sizeof self->folder)
        return complain_usage(name, "the folder's name has %zu characters, expected less than %zu", strlen(folder),
                              sizeof self->folder);
    snprintf(self->folder, sizeof self->folder, "%s", folder);
    snprintf(self->figures, sizeof self->figures, "%s/figures", folder);
    return EXIT_OK;
}

static void print_result(const reporting *self)
{
    print("written:\n  %s/report.html\n  %s/: data and scripts", self->folder, self->figures);
    if (self->draws) print(", %zu figures as SVG and PNG", self->n_figures);
    putchar('\n');
}

static void write_result(const reporting *self)
{
    json_out json = { .file = stdout };
    char page[4200];

    snprintf(page, sizeof page, "%s/report.html", self->folder);
    json_open(&json, '{');
    json_add_text(&json, "page", page);
    json_add_text(&json, "figures", self->figures);
    json_add_count(&json, "drawn", self->n_figures);
    json_key(&json, "runs");
    json_open(&json, '[');
    for (size_t i = 0; i < self->arguments->n_words; i++) json_text(&json, self->arguments->words[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    putchar('\n');
}

static int run_report(const cli_arguments *arguments)
{
    reporting self = { .arguments = arguments };
    int code = name_folders(&self), goes_on = 0;

    /* Fails before anything is written if there is no run. */
    if (code == EXIT_OK) code = exit_code_of(name, look(&self, &goes_on));
    if (code != EXIT_OK) return code;
    self.draws = gnuplot_is_there(name);
    if (option_is(arguments->options, "live", "true")) code = watch(&self);
    if (code == EXIT_OK) code = write_report(&self, 0);
    if (code != EXIT_OK) return code;
    if (option_is(arguments->options, "json", "true")) write_result(&self);
    else print_result(&self);
    return interrupt_signal() ? EXIT_SIGNAL + interrupt_signal() : EXIT_OK;
}

const cli_command report_command = {
    .name = "report",
    .operands = "RUN...",
    .least = 1,
    .most = 64,
    .summary = "Write figures and an HTML page of a run, or compare several runs.",
    .details = "RUN is a run folder of train; the training may be in progress, and files may be missing. The "
               "page, report.html, needs no other file. It shows learning curves, eigenvalues, samples on the "
               "discriminant directions, confusion matrix, reliability diagram, hardest samples and options. "
               "figures/ beside it has each figure as SVG and PNG, with its data and gnuplot script for editing. "
               "Models are tested on the test part of their run's data, else on the samples that the run held "
               "out. Details: docs/report.md.",
    .examples = "deeplda report runs/mnist\n"
                "deeplda report runs/lda runs/cce -o comparison\n"
                "deeplda report runs/mnist --live",
    .run = run_report,
};
