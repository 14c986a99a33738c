/* SPDX-License-Identifier: MIT
 *
 * page.h - the parts of the HTML page, which page.c combines.
 */
#ifndef DEEPLDA_CLI_PAGE_H
#define DEEPLDA_CLI_PAGE_H

#include "report/html.h"
#include "report/report.h"

/* page_style.c: the style sheet. */
extern const char page_style[];

/* page_results.c: the main results of each run. */
dlda_status page_results(dlda_file_writer *page, const training_report *report);
/* The results of each class. */
dlda_status page_classes(dlda_file_writer *page, const test_answers *answers);

/* page_tables.c: options and environment, a column for each run. */
dlda_status page_options(dlda_file_writer *page, const training_report *report);
dlda_status page_environment(dlda_file_writer *page, const training_report *report);

#endif
