/* SPDX-License-Identifier: MIT
 *
 * page.h - the parts of the HTML page: page.c puts them in order.
 */
#ifndef DLDA_REPORT_PAGE_H
#define DLDA_REPORT_PAGE_H

#include "report/html.h"
#include "report/report.h"

/* page_style.c: all looks of the page. */
extern const char dlda_page_style[];

/* page_results.c: the figures that count, and what each run has come to. */
dlda_status dlda_page_results(dlda_file_writer *page, const dlda_report *report);
/* How each class fares. */
dlda_status dlda_page_classes(dlda_file_writer *page, const dlda_test_answers *answers);

/* page_tables.c: options and environment, a column for each run. */
dlda_status dlda_page_options(dlda_file_writer *page, const dlda_report *report);
dlda_status dlda_page_environment(dlda_file_writer *page, const dlda_report *report);

#endif
