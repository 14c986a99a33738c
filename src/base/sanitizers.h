/* SPDX-License-Identifier: MIT
 *
 * sanitizers.h - which sanitizers a file is compiled with; gcc and clang have different ways to say it.
 */
#ifndef DLDA_BASE_SANITIZERS_H
#define DLDA_BASE_SANITIZERS_H

#if defined(__has_feature)
#define DLDA_HAS_FEATURE(name) __has_feature(name)
#else
#define DLDA_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || DLDA_HAS_FEATURE(address_sanitizer)
#define DLDA_ADDRESS_SANITIZER 1
#else
#define DLDA_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || DLDA_HAS_FEATURE(thread_sanitizer)
#define DLDA_THREAD_SANITIZER 1
#else
#define DLDA_THREAD_SANITIZER 0
#endif

#endif
