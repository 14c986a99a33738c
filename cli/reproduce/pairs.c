/* SPDX-License-Identifier: MIT
 *
 * pairs.c - compares rows. All rows classify the same test images, so the images that only one
 * of two gets right decide.
 *
 * A single run is tested over its images, by McNemar's test. The test images are the same in every run, so counts
 * of several runs are not independent and must not be added. Several runs are tested over the runs, by Student's t
 * on the differences between rows of the same seed and fold.
 */
#include "eval/compare_out.h"
#include "eval/sample_answers.h"
#include "reproduce/results.h"

#include <math.h>
#include <stdlib.h>

/* ---- Counting ---- */

static void add_run(result_pair *pair, const pair_run *run)
{
    pair->runs = list_grow(pair->runs, pair->n_runs, sizeof *pair->runs);
    pair->runs[pair->n_runs++] = *run;
}

static int compare_rows(result_pair *pair, const char *const paths[N_ROWS], const sample_answers answers[N_ROWS],
                        pair_run run)
{
    cli_row first = pair->rows->first, second = pair->rows->second;
    const answers_pair two = { &answers[first], &answers[second], paths[first], paths[second] };

    if (answers[first].count == 0 || answers[second].count == 0) return EXIT_OK;
    int code = answers_compare(reproduce_name, &two, &run.counts);
    if (code == EXIT_OK) add_run(pair, &run);
    return code;
}

static int read_answers(const char *path, const row_kind *kind, sample_answers *answers)
{
    int code = answers_read(answers, reproduce_name, path, kind->figures ? kind->figures : ANSWERS_PREDICTED);

    if (code != EXIT_OK) complain(reproduce_name, "%s: remove the file to recreate it", path);
    return code;
}

int pairs_add(result_pair *pairs, const training *place, const char *const paths[N_ROWS])
{
    const pair_run run = { .fold = place->fold, .seed = place->seed };
    sample_answers answers[N_ROWS] = { 0 };
    int code = EXIT_OK;

    for (cli_row r = 0; r < N_ROWS; r++) {
        int read = paths[r] ? read_answers(paths[r], &row_kinds[r], &answers[r]) : EXIT_OK;
        if (code == EXIT_OK) code = read;
    }
    for (int i = 0; i < N_PAIRS; i++) {
        int compared = compare_rows(&pairs[i], paths, answers, run);
        if (code == EXIT_OK) code = compared;
    }
    for (cli_row r = 0; r < N_ROWS; r++) answers_release(&answers[r]);
    return code;
}

static void judge_one(result_pair *pair)
{
    stat_interval share = stat_pairs_interval(&pair->runs[0].counts);

    pair->interval = (stat_interval){ 100 * share.low, 100 * share.high };
    pair->p = stat_mcnemar(&pair->runs[0].counts);
}

void pair_finish(result_pair *pair)
{
    double *differences = NULL;

    for (size_t i = 0; i < pair->n_runs; i++) {
        const stat_pairs *counts = &pair->runs[i].counts;
        int is_clear = stat_mcnemar(counts) < stat_level;
        differences = list_grow(differences, i, sizeof *differences);
        differences[i] = 100 * stat_pairs_difference(counts);
        pair->first_better += is_clear && differences[i] > 0;
        pair->second_better += is_clear && differences[i] < 0;
    }
    pair->differences = stat_summarise(differences, pair->n_runs);
    pair->interval = stat_mean_interval(&pair->differences);
    pair->p = stat_mean_test(&pair->differences);
    if (pair->n_runs == 1) judge_one(pair);
    free(differences);
}

void pair_release(result_pair *pair)
{
    free(pair->runs);
    *pair = (result_pair){ 0 };
}

const char *pair_test(const result_pair *pair)
{
    return pair->n_runs == 1 ? "mcnemar" : "t";
}

/* ---- Text ---- */

enum { N_FIELDS = 5 };
static const char *const heads[N_FIELDS] = { "pair", "difference", "95 % interval", "wins / losses", "p" };

static char *difference_text(const result_pair *pair)
{
    if (pair->n_runs == 1) return text_format("%+.2f", pair->differences.mean);
    return text_format("%+.2f \u00b1 %.2f", pair->differences.mean, pair->differences.deviation);
}

static char *wins_text(const result_pair *pair)
{
    const stat_pairs *counts = &pair->runs[0].counts;

    if (pair->n_runs == 1) return text_format("%zu / %zu images", counts->only_first, counts->only_second);
    return text_format("%zu / %zu of %zu runs", pair->first_better, pair->second_better, pair->n_runs);
}

static void make_fields(const result_pair *pair, char *fields[N_FIELDS])
{
    char p[COMPARE_P_ROOM];

    compare_p_text(pair->p, p);
    fields[0] = text_format("%s - %s", row_kinds[pair->rows->first].title, row_kinds[pair->rows->second].title);
    fields[1] = difference_text(pair);
    fields[2] = text_format("%+.2f to %+.2f", pair->interval.low, pair->interval.high);
    fields[3] = wins_text(pair);
    fields[4] = text_format("%s", p);
}

static void write_pairs(FILE *file, const result_pair *pairs, const int *widths)
{
    const text_table text = { file, widths, N_FIELDS };

    text_table_head(&text, heads);
    for (int i = 0; i < N_PAIRS; i++) {
        char *fields[N_FIELDS];
        if (pairs[i].n_runs == 0) continue;
        make_fields(&pairs[i], fields);
        text_table_row(&text, fields);
    }
}

/* The largest number of runs of a pair. */
static size_t most_runs(const result_pair *pairs)
{
    size_t most = 0;

    for (int i = 0; i < N_PAIRS; i++)
        if (pairs[i].n_runs > most) most = pairs[i].n_runs;
    return most;
}

void pairs_print(FILE *file, const result_pair *pairs)
{
    static const int widths[N_FIELDS] = { 37, 16, 18, 19, 0 };

    if (most_runs(pairs) == 0) return;
    fputs("  on the same test images: accuracy of the first minus that of the second, in points\n", file);
    write_pairs(file, pairs, widths);
}

void pairs_write_markdown(FILE *file, const result_pair *pairs)
{
    size_t most = most_runs(pairs);

    if (most == 0) return;
    fputs("\nOn the same test images: accuracy of the first minus that of the second, in points.\n", file);
    if (most > 1)
        fputs("Over several runs: mean and standard deviation of the difference, its interval and p by a paired "
              "t-test;\n"
              "wins and losses are runs that McNemar's test decides (p < 0.05).\n",
              file);
    fputc('\n', file);
    write_pairs(file, pairs, NULL);
}
