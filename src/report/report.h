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
