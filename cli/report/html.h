/* SPDX-License-Identifier: MIT
 *
 * html.h - the pieces of an HTML page that need care: texts, pictures, drawings.
 */
#ifndef DEEPLDA_CLI_HTML_H
#define DEEPLDA_CLI_HTML_H

#include "base/file.h"
#include "base/png_file.h"

/* A text between tags or in a quoted attribute: cleaned as by display_clean, and < > & " ' escaped. */
dlda_status html_text(dlda_file_writer *page, const char *text);
/* The same between <tag> and </tag>; attributes may stand behind the tag's name. */
dlda_status html_element(dlda_file_writer *page, const char *tag, const char *text);

/* <img> with the picture in it; `description` is for readers who do not see it. */
dlda_status html_picture(dlda_file_writer *page, const dlda_pixels *picture, const char *description);

/* An SVG file of gnuplot as <svg>, which takes the width that there is. Its ids get `prefix`, since a page has many of
 * them; `description` is for readers who do not see it. */
dlda_status html_drawing(dlda_file_writer *page, const char *path, const char *prefix, const char *description);

#endif
