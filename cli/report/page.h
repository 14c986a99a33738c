/* SPDX-License-Identifier: MIT
 *
 * page.h - the parts of the HTML page, which page.c combines.
 */
#ifndef DEEPLDA_CLI_PAGE_H
#define DEEPLDA_CLI_PAGE_H

#include "report/html.h"
#include "report/report.h"

/* page_style.c: the style sheet. */
dlda_status page_style(dlda_file_writer *page);

/* page_results.c: the main results of each run. */
dlda_status page_results(dlda_file_writer *page, const training_report *report);
/* The results of each class. */
dlda_status page_classes(dlda_file_writer *page, const test_answers *answers);

/* page_hardest.c: the hardest samples of a run. */
dlda_status page_hardest(dlda_file_writer *page, const training_report *report, size_t run);

/* page.c: links to the existing files of a figure. */
dlda_status page_files(dlda_file_writer *page, const training_report *report, const char *name);

/* page_tables.c: options and environment, a column for each run. */
dlda_status page_options(dlda_file_writer *page, const training_report *report);
dlda_status page_environment(dlda_file_writer *page, const training_report *report);
/* 1 if the runs have different values of an option. */
int page_option_differs(const training_report *report, const char *name);

#endif
