/* SPDX-License-Identifier: MIT
 *
 * page.h - the parts of the HTML page: page.c puts them in order.
 */
#ifndef DEEPLDA_CLI_PAGE_H
#define DEEPLDA_CLI_PAGE_H

#include "report/html.h"
#include "report/report.h"

/* page_style.c: all looks of the page. */
extern const char page_style[];

/* page_results.c: the figures that count, and what each run has come to. */
dlda_status page_results(dlda_file_writer *page, const training_report *report);
/* How each class fares. */
dlda_status page_classes(dlda_file_writer *page, const test_answers *answers);

/* page_tables.c: options and environment, a column for each run. */
dlda_status page_options(dlda_file_writer *page, const training_report *report);
dlda_status page_environment(dlda_file_writer *page, const training_report *report);

#endif
