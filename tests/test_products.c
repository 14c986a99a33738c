/* SPDX-License-Identifier: MIT
 *
 * test_products.c - matrix products of floats of all kinds, and X'X of doubles, in every instruction set that this machine has,
 * against plain loops in double.
 *
 * Operands lie in rows that are longer than needed, or in panels with room for more rows than there are, with NaN in between:
 * whoever reads there shows it. The gaps between the rows of C must stay as they were.
 */
#include "check.h"

#include "kernel_sets.h"

/* How a matrix is stored: rows `step` apart or, with a step of 0, panels of so many columns with room for some rows. */
typedef struct layout {
    size_t rows, columns, step, panel, room;
} layout;

static size_t place(const layout *l, size_t i, size_t j)
{
    size_t first = j / l->panel * l->panel, width = l->columns - first < l->panel ? l->columns - first : l->panel;
    return l->step ? i * l->step + j : first * l->room + i * width + (j - first);
}

static size_t size_of(const layout *l)
{
    return l->step ? l->rows * l->step : l->room * l->columns;
}

static float *random_matrix(const layout *l, uint64_t *seed)
{
    float *values = check_nan_floats(size_of(l));

    for (size_t i = 0; i < l->rows; i++)
        for (size_t j = 0; j < l->columns; j++) values[place(l, i, j)] = (float)check_uniform(seed);
    return values;
}

typedef struct operands {
    dlda_product product;
    layout a, b, c;
    float *A, *B, *C, *before;
} operands;

enum { A_TRANSPOSED = 1, ACCUMULATES = 2, A_PANELS = 4, B_PANELS = 8, ALL_FLAGS = 16 };

/* `extra` floats between the end of a row and the next one, or rows of room. */
static operands make(const dlda_kernel_set *set, size_t m, size_t n, size_t k, int flags, size_t extra,
                     uint64_t *seed)
{
    int transposed = flags & A_TRANSPOSED, a_panels = transposed && flags & A_PANELS, b_panels = flags & B_PANELS;
    size_t room = k + extra, a_columns = transposed ? m : k;
    operands o = { .a = { transposed ? k : m, a_columns, a_panels ? 0 : a_columns + extra, set->panel, room },
                   .b = { k, n, b_panels ? 0 : n + 2 * extra, set->panel, room },
                   .c = { m, n, n + 3 * extra, set->panel, 0 } };

    o.product = (dlda_product){ .m = m,
                                .n = n,
                                .k = k,
                                .a_transposed = transposed,
                                .accumulate = (flags & ACCUMULATES) != 0,
                                .lda = o.a.step,
                                .ldb = o.b.step,
                                .ldc = o.c.step,
                                .room = room };
    o.A = random_matrix(&o.a, seed);
    o.B = random_matrix(&o.b, seed);
    o.C = o.product.accumulate ? random_matrix(&o.c, seed) : check_nan_floats(size_of(&o.c));
    o.before = check_memory(size_of(&o.c) * sizeof *o.before);
    memcpy(o.before, o.C, size_of(&o.c) * sizeof *o.before);
    return o;
}

static void release(operands *o)
{
    free(o->A);
    free(o->B);
    free(o->C);
    free(o->before);
}

static double entry(const operands *o, size_t i, size_t j)
{
    const dlda_product *g = &o->product;
    double sum = g->accumulate ? o->before[place(&o->c, i, j)] : 0;

    for (size_t l = 0; l < g->k; l++) {
        double a = g->a_transposed ? o->A[place(&o->a, l, i)] : o->A[place(&o->a, i, l)];
        sum += a * o->B[place(&o->b, l, j)];
    }
    return sum;
}

/* Rounding grows like the root of k, at worst like k; |entries| stay below 1. */
static void check_product(const dlda_kernel_set *set, const operands *o)
{
    const dlda_product *g = &o->product;
    double most = 1e-7 * (double)(g->k + 10);

    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->ldc; j++) {
            double found = o->C[i * g->ldc + j], expected = j < g->n ? entry(o, i, j) : NAN;
            if (j < g->n ? !(fabs(found - expected) <= most) : !isnan(found))
                fail_msg("%s: %zu x %zu x %zu, A'=%d, accumulates=%d, steps %zu %zu %zu, room %zu: (%zu, %zu) is "
                         "%.9g, expected %.9g",
                         set->name, g->m, g->n, g->k, g->a_transposed, g->accumulate, g->lda, g->ldb, g->ldc,
                         g->room, i, j, found, expected);
        }
}

static void run_and_check(size_t m, size_t n, size_t k, int flags, size_t extra, uint64_t *seed)
{
    const dlda_kernel_set *sets[MOST_SETS];

    for (size_t s = usable_sets(sets); s-- > 0;) {
        operands o = make(sets[s], m, n, k, flags, extra, seed);
        sets[s]->multiply(&o.product, o.A, o.B, o.C);
        check_product(sets[s], &o);
        release(&o);
    }
}

static size_t pick(const size_t *values, size_t count, uint64_t *seed)
{
    return values[(size_t)((check_uniform(seed) + 1) / 2 * (double)count) % count];
}

static void test_odd_shapes(void **state)
{
    static const size_t sizes[] = { 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 64, 100, 129 }, extras[] = { 0, 0, 1, 5, 16 };
    uint64_t seed = 1;

    (void)state;
    for (int trial = 0; trial < 30; trial++)
        for (int flags = 0; flags < ALL_FLAGS; flags++) {
            size_t m = pick(sizes, 13, &seed), n = pick(sizes, 13, &seed), k = pick(sizes, 13, &seed);
            run_and_check(m, n, k, flags, pick(extras, 5, &seed), &seed);
        }
}

/* All small ones: where blocks have their edges. */
static void test_small_shapes(void **state)
{
    uint64_t seed = 2;

    (void)state;
    for (size_t m = 1; m <= 13; m++)
        for (size_t n = 1; n <= 35; n++)
            for (int flags = 0; flags < ALL_FLAGS; flags++)
                run_and_check(m, n, 1 + (m + n) % 3, flags, (size_t)flags % 3, &seed);
}

/* Several panels, and sums in several pieces. */
static void test_large(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (int flags = 0; flags < ALL_FLAGS; flags++) {
        run_and_check(61, 157, 301, flags, 3, &seed);
        run_and_check(15, 301, 768, flags, 0, &seed);
    }
}

/* No rows or columns: nothing is touched. Nothing to sum up: zero, or what was there. */
static void test_empty(void **state)
{
    uint64_t seed = 4;
    float C = 5;

    (void)state;
    dlda_kernels_fast()->multiply(&(dlda_product){ .m = 0, .n = 3, .k = 2, .lda = 2, .ldb = 3, .ldc = 3 }, NULL,
                                  NULL, &C);
    dlda_kernels_fast()->multiply(&(dlda_product){ .m = 3, .n = 0, .k = 2, .lda = 2, .ldb = 3, .ldc = 3 }, NULL,
                                  NULL, &C);
    assert_true(C == 5);
    run_and_check(3, 4, 0, 0, 1, &seed);
    run_and_check(3, 4, 0, ACCUMULATES, 1, &seed);
}

/* The bits of an element depend on its row of A and its column of B only: not on how many there are, nor on where it is. "Same seed,
 * same model" rests on it, and that a prediction does not depend on the images beside it. */
static void test_same_bits_in_other_shapes(void **state)
{
    enum { M = 40, N = 150, K = 300 };
    const dlda_kernel_set *sets[MOST_SETS];
    uint64_t seed = 5;

    (void)state;
    for (size_t s = usable_sets(sets); s-- > 0;) {
        operands whole = make(sets[s], M, N, K, 0, 0, &seed);
        float *part = check_nan_floats(M * N);
        sets[s]->multiply(&whole.product, whole.A, whole.B, whole.C);
        for (size_t first = 0; first < M; first += 7) {
            dlda_product few = whole.product;
            few.m = first % 5 + 1;
            sets[s]->multiply(&few, whole.A + first * K, whole.B, part);
            assert_memory_equal(part, whole.C + first * N, few.m * N * sizeof *part);
        }
        for (size_t first = 0; first < N; first += 13) {
            dlda_product narrow = whole.product;
            narrow.n = first % 11 + 1;
            sets[s]->multiply(&narrow, whole.A, whole.B + first, part);
            for (size_t i = 0; i < M; i++)
                assert_memory_equal(part + i * N, whole.C + i * N + first, narrow.n * sizeof *part);
        }
        free(part);
        release(&whole);
    }
}

/* The upper triangle of S + X'X, S having been 1. */
static void check_upper_products(const dlda_kernel_set *set, size_t n, size_t d, const double *X)
{
    double *S = malloc(d * d * sizeof *S);

    assert_non_null(S);
    for (size_t i = 0; i < d * d; i++) S[i] = 1;
    set->add_upper_products(n, d, X, S);
    for (size_t i = 0; i < d; i++)
        for (size_t j = i; j < d; j++) {
            double expected = 1;
            for (size_t k = 0; k < n; k++) expected += X[k * d + i] * X[k * d + j];
            if (!(fabs(S[i * d + j] - expected) <= 1e-14 * (double)(n + 1)))
                fail_msg("%s: %zu x %zu: (%zu, %zu) is %.17g, expected %.17g", set->name, n, d, i, j, S[i * d + j],
                         expected);
        }
    free(S);
}

static void test_upper_products(void **state)
{
    static const size_t columns[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 23, 31, 33, 40, 61, 100, 256, 257 };
    static const size_t rows[] = { 0, 1, 3, 64, 65, 130 };
    const dlda_kernel_set *sets[MOST_SETS];
    uint64_t seed = 6;

    (void)state;
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            size_t count = rows[r] * columns[c];
            double *X = malloc((count + 1) * sizeof *X);
            assert_non_null(X);
            for (size_t i = 0; i < count; i++) X[i] = check_uniform(&seed);
            for (size_t s = usable_sets(sets); s-- > 0;) check_upper_products(sets[s], rows[r], columns[c], X);
            free(X);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_shapes),
        cmocka_unit_test(test_small_shapes),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_same_bits_in_other_shapes),
        cmocka_unit_test(test_upper_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
