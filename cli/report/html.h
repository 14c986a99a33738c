/* SPDX-License-Identifier: MIT
 *
 * html.h - the pieces of an HTML page that need care: texts, pictures, drawings.
 */
#ifndef DLDA_REPORT_HTML_H
#define DLDA_REPORT_HTML_H

#include "base/file.h"
#include "dataset/writers.h"

/* A text between tags or in a quoted attribute: cleaned as by dlda_clean_words, and < > & " ' escaped. */
dlda_status dlda_html_text(dlda_file_writer *page, const char *text);
/* The same between <tag> and </tag>; attributes may stand behind the tag's name. */
dlda_status dlda_html_element(dlda_file_writer *page, const char *tag, const char *text);

/* <img> with the picture in it. */
dlda_status dlda_html_picture(dlda_file_writer *page, const dlda_raw_images *picture, const char *words);

/* An SVG file of gnuplot as <svg>, which takes the width that there is. Its ids get `prefix`, since a page has many of
 * them; `words` say what it shows to those who do not see it. */
dlda_status dlda_html_drawing(dlda_file_writer *page, const char *path, const char *prefix, const char *words);

#endif
