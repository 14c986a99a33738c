/* SPDX-License-Identifier: MIT
 *
 * compare_out.c - prints accuracies with their intervals, and the comparison of two
 * classifiers on the same samples.
 */
#include "eval/compare_out.h"
#include "terminal/print.h"

/* 1 or 2: the better classifier; 0 if the difference is not significant. */
static int better_of(const stat_pairs *pairs)
{
    if (stat_mcnemar(pairs) >= stat_level) return 0;
    return pairs->only_first > pairs->only_second ? 1 : 2;
}

/* ---- JSON ---- */

void compare_add_accuracy(json_out *json, size_t correct, size_t samples)
{
    stat_interval interval = stat_share_interval(correct, samples);

    json_add_number(json, "accuracy", (double)correct / (double)samples);
    json_add_number(json, "accuracy_low", interval.low);
    json_add_number(json, "accuracy_high", interval.high);
    json_add_number(json, "error_percent", 100.0 * (double)(samples - correct) / (double)samples);
    json_add_count(json, "samples", samples);
    json_add_count(json, "correct", correct);
}

void compare_add_pairs(json_out *json, const stat_pairs *pairs)
{
    static const char *const better[] = { NULL, "first", "second" };
    stat_interval interval = stat_pairs_interval(pairs);

    json_add_count(json, "both_right", pairs->both);
    json_add_count(json, "only_first", pairs->only_first);
    json_add_count(json, "only_second", pairs->only_second);
    json_add_count(json, "both_wrong", pairs->neither);
    json_add_number(json, "difference", stat_pairs_difference(pairs));
    json_add_number(json, "difference_low", interval.low);
    json_add_number(json, "difference_high", interval.high);
    json_add_number(json, "p_value", stat_mcnemar(pairs));
    json_add_text(json, "better", better[better_of(pairs)]);
}

static size_t correct_of(const stat_pairs *pairs, int side)
{
    return pairs->both + (side == 0 ? pairs->only_first : pairs->only_second);
}

void compare_add(json_out *json, const eval_comparison *comparison)
{
    static const char *const sides[] = { "first", "second" };

    json_key(json, "compare");
    json_open(json, '{');
    for (int side = 0; side < 2; side++) {
        json_key(json, sides[side]);
        json_open(json, '{');
        json_add_text(json, "file", comparison->names[side]);
        json_add_text(json, "head", comparison->heads[side]);
        compare_add_accuracy(json, correct_of(&comparison->pairs, side), stat_pairs_count(&comparison->pairs));
        json_close(json, '}');
    }
    compare_add_pairs(json, &comparison->pairs);
    json_close(json, '}');
}

/* ---- Text ---- */

void compare_p_text(double p, char text[COMPARE_P_ROOM])
{
    snprintf(text, COMPARE_P_ROOM, p < 0.0001 ? "< 0.0001" : "%.4f", p);
}

void compare_print_verdict(FILE *file, const stat_pairs *pairs, const char *first, const char *second)
{
    char p[COMPARE_P_ROOM];
    int better = better_of(pairs);

    compare_p_text(stat_mcnemar(pairs), p);
    fputs("McNemar's exact test: ", file);
    if (better) print_to(file, "%s is better", better == 1 ? first : second);
    else fputs("the difference is not significant", file);
    print_to(file, " (p %s%s)\n", p[0] == '<' ? "" : "= ", p);
}

static void print_side(FILE *file, const eval_comparison *comparison, int side)
{
    const stat_pairs *pairs = &comparison->pairs;
    size_t correct = correct_of(pairs, side), samples = stat_pairs_count(pairs);
    stat_interval interval = stat_share_interval(correct, samples);

    print_to(file, "  %-6s  %6.2f %%  (%.2f to %.2f %%)  %s%s%s\n", side == 0 ? "first" : "second",
             100 * (double)correct / (double)samples, 100 * interval.low, 100 * interval.high,
             comparison->names[side], comparison->heads[side] ? ", head " : "",
             comparison->heads[side] ? comparison->heads[side] : "");
}

void compare_print(FILE *file, const eval_comparison *comparison)
{
    const stat_pairs *pairs = &comparison->pairs;
    stat_interval interval = stat_pairs_interval(pairs);

    print_to(file, "two classifiers on the same %zu samples: accuracy with 95 %% interval\n",
             stat_pairs_count(pairs));
    for (int side = 0; side < 2; side++) print_side(file, comparison, side);
    print_to(file, "  both right %zu, only the first %zu, only the second %zu, both wrong %zu\n", pairs->both,
             pairs->only_first, pairs->only_second, pairs->neither);
    print_to(file, "  difference %+.2f points, 95 %% interval %+.2f to %+.2f (paired)\n",
             100 * stat_pairs_difference(pairs), 100 * interval.low, 100 * interval.high);
    fputs("  ", file);
    compare_print_verdict(file, pairs, "the first", "the second");
}
