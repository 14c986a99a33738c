/* SPDX-License-Identifier: MIT
 *
 * table_lda.c - classic LDA on a table of features, without a network.
 *
 * The table is synthetic, modelled on Fisher's irises: three species, four measurements, 50 plants each. Half of
 * each species is used for fitting, the other half for testing.
 */
#include <deeplda_lda.h>
#include <stdio.h>

enum { SPECIES = 3, FEATURES = 4, PLANTS = 50, ROWS = SPECIES * PLANTS / 2 };

static const float means[SPECIES][FEATURES] = {
    { 5.0f, 3.4f, 1.5f, 0.2f },
    { 5.9f, 2.8f, 4.3f, 1.3f },
    { 6.6f, 3.0f, 5.6f, 2.0f },
};

/* Uniform in -1 .. 1, from a small linear congruential generator, so that the results are the same everywhere. */
static float noise(void)
{
    static uint32_t state = 1;

    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (float)(1 << 23) - 1.0f;
}

/* X [ROWS][FEATURES]; each plant's noise has a common part, so that its measurements are correlated. */
static void measure(float *X, int *labels)
{
    for (int i = 0; i < ROWS; i++) {
        float size = 0.4f * noise();
        labels[i] = i % SPECIES;
        for (int j = 0; j < FEATURES; j++) X[i * FEATURES + j] = means[labels[i]][j] + size + 0.4f * noise();
    }
}

/* The LDA in its usual form: the score of a species is a linear function of the measurements. */
static void print_scores(const dlda_lda *lda)
{
    const dlda_lda_view *view = dlda_lda_view_of(lda);

    for (size_t c = 0; c < view->classes; c++) {
        printf("score of species %zu = %.2f", c, view->intercepts[c]);
        for (size_t j = 0; j < view->features; j++)
            printf(" %+.2f x%zu", view->coefficients[c * view->features + j], j);
        putchar('\n');
    }
}

static void print_results(const dlda_lda *lda, const int *labels, const int *predicted)
{
    size_t count = 0;
    int correct = 0;
    const double *values = dlda_lda_eigenvalues(lda, &count);

    for (size_t k = 0; k < count; k++) printf("direction %zu separates by %.2f\n", k + 1, values[k]);
    for (int i = 0; i < ROWS; i++) correct += predicted[i] == labels[i];
    printf("%d of %d test plants are right\n", correct, ROWS);
    print_scores(lda);
}

int main(void)
{
    float X[ROWS * FEATURES];
    int labels[ROWS], predicted[ROWS];
    dlda_scatter *scatter = NULL;
    dlda_lda *lda = NULL, *kept = NULL;
    void *bytes = NULL;
    size_t size = 0;

    measure(X, labels);
    dlda_status status = dlda_scatter_create(SPECIES, FEATURES, &scatter);
    if (status == DLDA_OK) status = dlda_scatter_add(scatter, X, labels, ROWS);
    if (status == DLDA_OK) status = dlda_lda_fit(scatter, 1e-6, &lda);

    /* The bytes can be stored, e.g. in a database, and used later. dlda_lda_save and dlda_lda_load
     * do the same with a file. */
    if (status == DLDA_OK) status = dlda_lda_to_bytes(lda, &bytes, &size);
    if (status == DLDA_OK) status = dlda_lda_from_bytes(bytes, size, &kept);

    measure(X, labels);
    if (status == DLDA_OK) status = dlda_lda_predict(kept, X, ROWS, DLDA_PROBABILITY_BAYES, predicted, NULL);
    if (status == DLDA_OK) print_results(kept, labels, predicted);
    else fprintf(stderr, "table_lda: %s\n", dlda_last_error());

    dlda_bytes_destroy(bytes);
    dlda_lda_destroy(kept);
    dlda_lda_destroy(lda);
    dlda_scatter_destroy(scatter);
    return status != DLDA_OK;
}
