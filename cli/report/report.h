/* SPDX-License-Identifier: MIT
 *
 * report.h - the inside of a report: its runs, its figures, and the functions that make them.
 *
 * report.c is what users call; figure_*.c describe figures and write their data and scripts; page*.c write the HTML page.
 */
#ifndef DLDA_REPORT_REPORT_H
#define DLDA_REPORT_REPORT_H

#include "report/answers.h"
#include "report/hardest.h"
#include "report/plot.h"
#include "report/run_folder.h"

/* What became of trainings, for people: report.html, a page that needs no other file, and figures/ with the data (.dat),
 * the script (.gp) and the drawings of each figure. Drawing is left to gnuplot, which the caller runs (docs/report.md):
 *
 *     dlda_report_create(&spec, &report);
 *     dlda_report_add(report, &run);               once for each run; several are compared
 *     dlda_report_write_figures(report);           data and scripts
 *     for each dlda_report_figure(report, i):      gnuplot NAME.gp, in the folder figures/
 *     dlda_report_write_page(report);              with all drawings that are there by then
 */
typedef struct dlda_report dlda_report;

typedef struct dlda_report_spec {
    const char *folder; /* for report.html and figures/; made if it is not there   */
    const char *title;  /* NULL: made of the names of the runs                     */
    size_t directions;  /* that figures of samples show, at most; 0: 5             */
    size_t threads;     /* that run models; 0: one per core                        */
    size_t refresh;     /* while a run goes on, the page reloads itself after so many seconds; 0: never */
    void *user;         /* passed on to:                                           */
    void (*problem)(void *user, const char *message); /* is told what is missing or damaged; may be NULL */
} dlda_report_spec;

typedef struct dlda_report_run {
    const char *folder;          /* of the run; any of its files may be missing                             */
    const char *name;            /* NULL: that of the folder                                                */
    const dlda_model *model;     /* of the run; NULL if it cannot be had                                    */
    const dlda_dataset *samples; /* to test it on; NULL: figures of samples are replaced by `no_samples`    */
    const char *no_samples;      /* why there are none; may be NULL                                         */
    const char *part;            /* what the samples are called: "validation"; NULL: "test"                 */
} dlda_report_run;

dlda_status dlda_report_create(const dlda_report_spec *spec, dlda_report **report);
/* Reads the folder and runs the model; nothing of *run is needed afterwards. Fails if the folder is not that of a run. */
dlda_status dlda_report_add(dlda_report *report, const dlda_report_run *run);
/* 1 if one of the runs still goes on. */
int dlda_report_is_running(const dlda_report *report);
dlda_status dlda_report_write_figures(dlda_report *report);
/* The name of figure i, from 0, of those that can be drawn; NULL behind the last one. */
const char *dlda_report_figure(const dlda_report *report, size_t i);
dlda_status dlda_report_write_page(const dlda_report *report);
void dlda_report_destroy(dlda_report *report);

enum {
    DLDA_NAME_LETTERS = 24, /* most of the name of a run or a class that figures show      */
    DLDA_CLASS_LETTERS = 14
};

/* One run of a report. */
typedef struct dlda_report_item {
    dlda_run_folder folder;
    dlda_words name;
    dlda_words no_answers;      /* why there are none               */
    dlda_test_answers *answers; /* NULL: there are none             */
    dlda_hardest hardest;
    size_t n_eigenvalues; /* of the model's LDA, or of the kept epoch; 0: unknown */
    double *eigenvalues;
} dlda_report_item;

struct dlda_report {
    char *folder, *figures_folder;
    dlda_words title;
    size_t directions, threads, refresh;
    size_t n_runs, room;
    dlda_report_item *runs;
    size_t n_figures;
    dlda_figure *figures;
    void *user;
    void (*problem)(void *user, const char *message);
};

/* Each describes a figure, whose run is set, and writes its data and script; or says why there is none. */
typedef dlda_status dlda_figure_maker(const dlda_report *report, dlda_figure *figure);

/* figure_training.c, figure_spectrum.c */
dlda_figure_maker dlda_figure_learning_curves, dlda_figure_structure; /* of all runs */
dlda_figure_maker dlda_figure_mean_eigenvalue, dlda_figure_eigenvalues;
/* figure_projection.c, figure_histograms.c */
dlda_figure_maker dlda_figure_projection, dlda_figure_histograms;
/* figure_answers.c */
dlda_figure_maker dlda_figure_confusion, dlda_figure_reliability;

/* What most of them need: names the figure "name", or "run2-name" if there are several runs, and its subject. */
void dlda_figure_begin(const dlda_report *report, dlda_figure *figure, const char *name, const char *subject);

/* The row of history.csv that has an epoch; its number of rows if none has. */
size_t dlda_history_row(const dlda_run_folder *run, double epoch);

/* page.c */
dlda_status dlda_report_write_html(const dlda_report *report, const char *path);

#endif
