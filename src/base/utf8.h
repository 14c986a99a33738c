/* SPDX-License-Identifier: MIT
 *
 * utf8.h - validates UTF-8, which model files require for class names.
 */
#ifndef DLDA_BASE_UTF8_H
#define DLDA_BASE_UTF8_H

int dlda_is_utf8(const char *text);

#endif
