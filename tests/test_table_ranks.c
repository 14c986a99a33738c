/* SPDX-License-Identifier: MIT
 *
 * test_table_ranks.c - tables in several files, read by ranks that are threads: every row once and in order, the folds, fits
 * and files of one process, classes and levels that some ranks lack, ranks without rows, and failures of one rank.
 */
#define _GNU_SOURCE
#include "check.h"
#include "idx_files.h"
#include "thread_comm.h"

#include "classify/table_folds.h"
#include "dataset/feature_table.h"
#include "dataset/table_share.h"

#include <math.h>

enum { MOST_FILES = 6, N = 331, D = 3 };

/* ---- Files ---- */

/* Rows first .. end-1 of a table of three numbers, a category and a class. The first half has two of the four classes and
 * two of the three levels; some numbers are missing. */
static const char *write_part(const char *name, size_t first, size_t end, int has_header)
{
    static const char *const classes[] = { "ant", "bee", "cat", "dog" }, *const levels[] = { "red", "green",
                                                                                             "blue" };
    static char paths[MOST_FILES + 1][256];
    static size_t next;
    char *path = paths[next++ % (MOST_FILES + 1)];

    snprintf(path, sizeof paths[0], "%s", in_folder(name));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    if (has_header) fputs("a,b,colour,c,kind\n", file);
    for (size_t i = first; i < end; i++) {
        uint64_t seed = 1000 + i;
        size_t half = i < N / 2 ? 2 : 4, class = i * i % 7 % half, level = i % (i < N / 2 ? 2 : 3);
        double a = check_normal(&seed) + (double)class, b = check_normal(&seed),
               c = check_normal(&seed) - (double)class;
        if (i % 41 == 7) fprintf(file, "%.6f,NA,%s,%.6f,%s\n", a, levels[level], c, classes[class]);
        else fprintf(file, "%.6f,%.6f,%s,%.6f,%s\n", a, b, levels[level], c, classes[class]);
    }
    fclose(file);
    return path;
}

/* The table in `n` files of unequal length; the third, if there is one, is empty but for its header. */
static void write_files(size_t n, const char **files)
{
    size_t begin = 0;
    char name[32];

    for (size_t k = 0; k < n; k++) {
        size_t end = k + 1 == n ? N : k == 2 ? begin : begin + N / n - 20 + 11 * k;
        snprintf(name, sizeof name, "part-%zu-%zu.csv", n, k);
        files[k] = write_part(name, begin, end, k != 1);
        begin = end;
    }
}

/* ---- One job of a rank ---- */

typedef struct table_job {
    const char *files[MOST_FILES];
    size_t n_files;
    dlda_missing missing;
    double shrinkage;
    size_t folds;
    const char *output; /* NULL: none */
    /* results */
    dlda_status status;
    char message[512];
    dlda_table_fit *fit;
    size_t rows;     /* that this rank has read */
    float firsts[N]; /* the first feature of each */
    int fold[N];
    dlda_table *table;
} table_job;

static dlda_status read_rows(table_job *job)
{
    dlda_status status = DLDA_OK;
    dlda_folds folds = { 0 };

    DLDA_TRY(dlda_folds_open(job->table, job->folds, 5, &folds));
    DLDA_TRY(dlda_folds_rewind(&folds));
    DLDA_TRY(dlda_folds_next(&folds, NULL));
    while (folds.n > 0 && job->rows + folds.n <= N) {
        for (size_t i = 0; i < folds.n; i++) {
            job->firsts[job->rows + i] = folds.X[i * folds.D];
            job->fold[job->rows + i] = folds.fold[i];
        }
        job->rows += folds.n;
        DLDA_TRY(dlda_folds_next(&folds, NULL));
    }
done:
    dlda_folds_close(&folds);
    return status == DLDA_OK ? status : dlda_comm_fail(dlda_table_comm(job->table), status);
}

static void work(const dlda_comm *comm, void *context)
{
    table_job *job = context;
    dlda_status status = DLDA_OK;
    const dlda_table_spec spec = { .path = job->files[0],
                                   .more = job->files + 1,
                                   .n_more = job->n_files - 1,
                                   .categories = "colour",
                                   .missing = job->missing };
    const dlda_table_fit_spec fit = {
        .folds = job->folds, .seed = 5, .threads = 1, .shrinkage = job->shrinkage, .regularise = 1
    };

    DLDA_TRY(dlda_table_open_over(comm, &spec, &job->table));
    DLDA_TRY(read_rows(job));
    DLDA_TRY(dlda_table_fit_lda(job->table, &fit, &job->fit));
    if (job->output) DLDA_TRY(dlda_table_transform(job->table, job->fit->lda, 1, job->output));
done:
    if (status != DLDA_OK) snprintf(job->message, sizeof job->message, "%s", dlda_last_error());
    job->status = status;
}

static void release_jobs(table_job *jobs, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        dlda_table_fit_destroy(jobs[r].fit);
        dlda_table_destroy(jobs[r].table);
    }
}

static void work_over(size_t ranks, const table_job *job, table_job *jobs)
{
    run_copies(ranks, work, job, jobs, sizeof *job);
}

/* ---- Comparison with one process ---- */

static void check_close(const double *found, const double *wanted, size_t n)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(wanted[i]));
    for (size_t i = 0; i < n; i++) assert_true(fabs(found[i] - wanted[i]) <= 1e-12 * largest);
}

static void check_fit(const dlda_table_fit *found, const dlda_table_fit *wanted)
{
    const dlda_lda_view *a = dlda_lda_view_of(found->lda), *b = dlda_lda_view_of(wanted->lda);
    size_t cells = wanted->classes * wanted->classes;

    assert_int_equal(found->rows, wanted->rows);
    assert_int_equal(found->classes, wanted->classes);
    assert_int_equal(found->correct, wanted->correct);
    assert_memory_equal(found->class_rows, wanted->class_rows, wanted->classes * sizeof(size_t));
    assert_memory_equal(found->fold_rows, wanted->fold_rows, wanted->folds * sizeof(size_t));
    assert_memory_equal(found->fold_correct, wanted->fold_correct, wanted->folds * sizeof(size_t));
    assert_memory_equal(found->confusion, wanted->confusion, cells * sizeof(size_t));
    if (wanted->folds) assert_memory_equal(found->fold_confusion, wanted->fold_confusion, cells * sizeof(size_t));
    assert_int_equal(a->n_directions, b->n_directions);
    check_close(a->eigenvalues, b->eigenvalues, b->n_directions);
    check_close(a->means, b->means, b->classes * b->features);
    check_close(a->coefficients, b->coefficients, b->classes * b->features);
    check_close(a->intercepts, b->intercepts, b->classes);
    if (wanted->class_shrinkage) check_close(found->class_shrinkage, wanted->class_shrinkage, wanted->classes);
    for (size_t c = 0; c < wanted->classes; c++)
        assert_string_equal(dlda_lda_class_name(found->lda, c), dlda_lda_class_name(wanted->lda, c));
}

static void check_ranks(const table_job *alone, const table_job *jobs, size_t ranks)
{
    size_t rows = 0;

    for (size_t r = 0; r < ranks; r++) {
        assert_string_equal(jobs[r].message, "");
        assert_int_equal(dlda_table_rows(jobs[r].table), alone->rows);
        assert_int_equal(dlda_table_incomplete_rows(jobs[r].table), dlda_table_incomplete_rows(alone->table));
        assert_true(rows + jobs[r].rows <= alone->rows);
        assert_memory_equal(jobs[r].firsts, alone->firsts + rows, jobs[r].rows * sizeof(float));
        assert_memory_equal(jobs[r].fold, alone->fold + rows, jobs[r].rows * sizeof(int));
        rows += jobs[r].rows;
        check_fit(jobs[r].fit, alone->fit);
    }
    assert_int_equal(rows, alone->rows);
}

static void compare(table_job *job)
{
    const char *const all[] = { write_part("all.csv", 0, N, 1) };
    table_job alone = *job, jobs[MOST_RANKS];

    alone.files[0] = all[0];
    alone.n_files = 1;
    work(NULL, &alone);
    assert_string_equal(alone.message, "");
    for (size_t n = 1; n <= 5; n += 2) {
        job->n_files = n;
        write_files(n, job->files);
        for (size_t ranks = 1; ranks <= 4; ranks++) {
            work_over(ranks, job, jobs);
            check_ranks(&alone, jobs, ranks);
            release_jobs(jobs, ranks);
        }
    }
    release_jobs(&alone, 1);
}

static void test_fits_agree_with_one_process(void **state)
{
    (void)state;
    compare(&(table_job){ .missing = DLDA_MISSING_DROP, .folds = 5 });
    compare(&(table_job){ .missing = DLDA_MISSING_MEAN, .folds = 0 });
    compare(&(table_job){ .missing = DLDA_MISSING_DROP, .folds = 3, .shrinkage = DLDA_SHRINKAGE_AUTO });
    compare(&(table_job){ .missing = DLDA_MISSING_MEAN, .folds = N });
}

static void test_projected_rows_are_in_order(void **state)
{
    char kept[256];
    table_job job = { .missing = DLDA_MISSING_DROP, .output = kept }, jobs[MOST_RANKS];
    char *wanted = NULL, *found = NULL;
    size_t size = 0;

    (void)state;
    snprintf(kept, sizeof kept, "%s", in_folder("z.csv"));
    job.n_files = 5;
    write_files(5, job.files);
    for (size_t ranks = 1; ranks <= 4; ranks++) {
        work_over(ranks, &job, jobs);
        assert_string_equal(jobs[0].message, "");
        FILE *file = fopen(job.output, "r");
        assert_non_null(file);
        assert_true(getdelim(&found, &size, '\0', file) > 0);
        fclose(file);
        if (!wanted) wanted = strdup(found);
        assert_string_equal(found, wanted); /* 7 digits hide rounding */
        release_jobs(jobs, ranks);
    }
    free(wanted);
    free(found);
}

/* More ranks than rows: some have none. */
static void test_ranks_without_rows(void **state)
{
    table_job job = { .n_files = 1, .missing = DLDA_MISSING_DROP }, alone, jobs[MOST_RANKS];

    (void)state;
    job.files[0] = write_part("few.csv", N - 7, N, 1);
    alone = job;
    work(NULL, &alone);
    assert_string_equal(alone.message, "");
    work_over(8, &job, jobs);
    check_ranks(&alone, jobs, 8);
    release_jobs(jobs, 8);
    release_jobs(&alone, 1);
}

static void test_shares(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 8; size++)
        for (size_t files = 1; files <= 20; files++) {
            size_t next = 0, part = 0;
            for (size_t rank = 0; rank < size; rank++) {
                dlda_file_share share = dlda_share_of_files(files, &(dlda_comm){ .rank = rank, .size = size });
                assert_int_equal(share.first, next);
                assert_int_equal(share.part, part);
                assert_true(share.parts == 1 || share.end == share.first + 1);
                part = (part + 1) % share.parts;
                if (part == 0) next = share.end;
            }
            assert_int_equal(next, files);
            assert_int_equal(part, 0);
        }
}

static void expect_rank_failure(size_t ranks, const table_job *job, size_t culprit, const char *words)
{
    table_job jobs[MOST_RANKS];
    char prefix[32];

    work_over(ranks, job, jobs);
    snprintf(prefix, sizeof prefix, "rank %zu: ", culprit);
    for (size_t r = 0; r < ranks; r++) {
        assert_int_not_equal(jobs[r].status, DLDA_OK);
        assert_non_null(strstr(jobs[r].message, words));
        if (r != culprit) assert_int_equal(jobs[r].status, DLDA_E_RANK);
        if (r != culprit) assert_memory_equal(jobs[r].message, prefix, strlen(prefix));
    }
    release_jobs(jobs, ranks);
}

static void test_failure_of_one_rank(void **state)
{
    table_job job = { .n_files = 3, .missing = DLDA_MISSING_DROP };

    (void)state;
    write_files(3, job.files);
    job.files[2] = in_folder("gone.csv");
    expect_rank_failure(3, &job, 2, "gone.csv: cannot open");
    job.files[2] = write_part("damaged.csv", 0, 30, 1);
    FILE *file = fopen(job.files[2], "a");
    fputs("1,2,red,3\n", file);
    fclose(file);
    expect_rank_failure(3, &job, 2, "damaged.csv: line 32 has 4 columns, expected 5");
}

/* Each rank has other files: rank 0's are the table. */
static void test_ranks_with_other_files(void **state)
{
    table_job jobs[MOST_RANKS];
    void *contexts[] = { &jobs[0], &jobs[1] };

    (void)state;
    for (size_t r = 0; r < 2; r++) {
        jobs[r] = (table_job){ .n_files = 3, .missing = DLDA_MISSING_DROP };
        write_files(3, jobs[r].files);
    }
    jobs[1].n_files = 2;
    run_ranks(2, work, contexts);
    for (size_t r = 0; r < 2; r++) assert_non_null(strstr(jobs[r].message, "the files of the table: not the same"));
    release_jobs(jobs, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_fits_agree_with_one_process),
        cmocka_unit_test(test_projected_rows_are_in_order),
        cmocka_unit_test(test_ranks_without_rows),
        cmocka_unit_test(test_failure_of_one_rank),
        cmocka_unit_test(test_ranks_with_other_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
