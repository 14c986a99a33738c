/* SPDX-License-Identifier: MIT
 *
 * report.h - internals of a report: its runs, its figures, and the functions that create them.
 *
 * The command calls report.c; figure_*.c describe figures and write their data and scripts;
 * page*.c write the HTML page.
 */
#ifndef DEEPLDA_CLI_REPORT_H
#define DEEPLDA_CLI_REPORT_H

#include "report/answers.h"
#include "report/hardest.h"
#include "report/plot.h"
#include "report/run_folder.h"

/* A report on trainings: report.html, a page that needs no other file, and figures/ with the data (.dat), the
 * script (.gp) and the drawings of each figure. The caller runs gnuplot (docs/report.md):
 *
 *     report_create(&spec, &report);
 *     report_add(report, &run);                  once for each run; several are compared
 *     report_write_figures(report);              data and scripts
 *     for each report_figure_name(report, i):    gnuplot NAME.gp, in the folder figures/
 *     report_write_page(report);                 with all existing drawings */
typedef struct training_report training_report;

typedef struct report_spec {
    const char *folder; /* for report.html and figures/; created if needed                                  */
    const char *title;  /* NULL: made from the names of the runs                                            */
    size_t directions;  /* maximum number in figures of samples; 0: 5                                       */
    size_t threads;     /* for running models; 0: one per core                                              */
    size_t refresh;     /* seconds after which the page reloads itself while a run is in progress; 0: never */
    void *user;         /* argument of:                                                                     */
    void (*problem)(void *user,
                    const char *message); /* called for each file that is missing or damaged; may be NULL */
} report_spec;

typedef struct report_run {
    const char *folder;          /* run folder; any of its files may be missing                         */
    const char *name;            /* NULL: that of the folder                                            */
    const dlda_model *model;     /* of the run; NULL if not available                                   */
    const dlda_dataset *samples; /* test samples; NULL: figures of samples are replaced by `no_samples` */
    const char *no_samples;      /* why there are none; may be NULL                                     */
    const char *part;            /* name of the part: "validation"; NULL: "test"                        */
} report_run;

dlda_status report_create(const report_spec *spec, training_report **report);
/* Reads the folder and runs the model; *run is not needed afterwards. Fails if it is not a run folder. */
dlda_status report_add(training_report *report, const report_run *run);
/* 1 if one of the runs is in progress. */
int report_is_running(const training_report *report);
dlda_status report_write_figures(training_report *report);
/* The name of figure i, from 0, of those that can be drawn; NULL after the last. */
const char *report_figure_name(const training_report *report, size_t i);
dlda_status report_write_page(const training_report *report);
void report_destroy(training_report *report);

enum {
    NAME_LETTERS = 24, /* maximum letters of the name of a run or class in figures */
    CLASS_LETTERS = 14
};

/* One run of a report. */
typedef struct report_item {
    run_folder folder;
    display_text name;
    display_text no_answers; /* why there are no answers */
    test_answers *answers;   /* NULL: none               */
    hardest_samples hardest;
    size_t n_eigenvalues; /* of the model's LDA, or of the selected epoch; 0: unknown */
    double *eigenvalues;
} report_item;

struct training_report {
    char *folder, *figures_folder;
    display_text title;
    size_t directions, threads, refresh;
    size_t n_runs, room;
    report_item *runs;
    size_t n_figures;
    report_figure *figures;
    void *user;
    void (*problem)(void *user, const char *message);
};

/* report_files.c: the folder figures/ with nothing in it that would be followed, and without what killed reports left. */
dlda_status report_prepare_folder(const char *folder);
/* Removes the page and the figures of a report; files of other names stay. */
dlda_status report_remove(const char *folder);

/* Describes a figure, whose run is set, and writes its data and script; or sets the reason why there is none. */
typedef dlda_status figure_maker(const training_report *report, report_figure *figure);

/* figure_training.c, figure_spectrum.c */
figure_maker figure_learning_curves, figure_structure; /* of all runs */
figure_maker figure_mean_eigenvalue, figure_eigenvalues;
/* figure_projection.c, figure_histograms.c */
figure_maker figure_projection, figure_histograms;
/* figure_answers.c */
figure_maker figure_confusion, figure_reliability;

/* Sets the subject and the name of a figure: "name", or "run2-name" if there are several runs. */
void figure_begin(const training_report *report, report_figure *figure, const char *name, const char *subject);

/* The row of history.csv with that epoch; the number of rows if there is none. */
size_t history_row(const run_folder *run, double epoch);

/* page.c */
dlda_status report_write_html(const training_report *report, const char *path);

#endif
