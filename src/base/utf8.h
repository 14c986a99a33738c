/* SPDX-License-Identifier: MIT
 *
 * utf8.h - whether a text is valid UTF-8, as model files demand of class names.
 */
#ifndef DLDA_BASE_UTF8_H
#define DLDA_BASE_UTF8_H

int dlda_is_utf8(const char *text);

#endif
