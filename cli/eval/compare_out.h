/* SPDX-License-Identifier: MIT
 *
 * compare_out.h - prints accuracies with their intervals, and pairs of classifiers, as text and as JSON.
 */
#ifndef DEEPLDA_CLI_COMPARE_OUT_H
#define DEEPLDA_CLI_COMPARE_OUT_H

#include "eval/eval_out.h"
#include "terminal/json_out.h"

/* Keys of an open JSON object: accuracy, accuracy_low, accuracy_high, error_percent, samples, correct. */
void compare_add_accuracy(json_out *json, size_t correct, size_t samples);
/* both_right, only_first, only_second, both_wrong, difference, difference_low, difference_high, p_value, better. */
void compare_add_pairs(json_out *json, const stat_pairs *pairs);
/* The key `compare` with an object that has all of these, and the second's file and head. */
void compare_add(json_out *json, const eval_comparison *comparison);

/* "< 0.0001" or "0.0471" */
enum { COMPARE_P_ROOM = 16 };
void compare_p_text(double p, char text[COMPARE_P_ROOM]);
/* Prints a line that says which of the two is better, or that the difference is not significant. */
void compare_print_verdict(FILE *file, const stat_pairs *pairs, const char *first, const char *second);
/* Prints the whole comparison. */
void compare_print(FILE *file, const eval_comparison *comparison);

#endif
