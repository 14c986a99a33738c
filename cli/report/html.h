/* SPDX-License-Identifier: MIT
 *
 * html.h - parts of an HTML page that need escaping or embedding: texts, pictures, drawings.
 */
#ifndef DEEPLDA_CLI_HTML_H
#define DEEPLDA_CLI_HTML_H

#include "base/file.h"
#include "base/png_file.h"

/* Writes text between tags or in a quoted attribute: cleaned by display_clean, with < > & " ' escaped. */
dlda_status html_text(dlda_file_writer *page, const char *text);
/* The same between <tag> and </tag>; `tag` may include attributes. */
dlda_status html_element(dlda_file_writer *page, const char *tag, const char *text);

/* Writes <img> with an embedded picture; `description` is the alternative text. */
dlda_status html_picture(dlda_file_writer *page, const dlda_pixels *picture, const char *description);

/* Embeds a gnuplot SVG file as <svg> that fits the available width. Its ids get `prefix` to keep them unique in the
 * page, and its colours become the variables of palette_write_variables; `description` is the alternative text. */
dlda_status html_drawing(dlda_file_writer *page, const char *path, const char *prefix, const char *description);

#endif
