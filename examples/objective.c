/* SPDX-License-Identifier: MIT
 *
 * objective.c - uses the objective in a custom training loop: a linear layer h = x W.
 *
 * Three classes lie on a line in 8 dimensions, hidden in noise; W projects them to 2 features. The
 * objective returns the loss and its gradient with respect to the features; the chain rule gives the
 * gradient with respect to W.
 */
#include <deeplda_lda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 300, IN = 8, OUT = 2, CLASSES = 3, STEPS = 200 };

static float noise(void)
{
    float sum = 0;
    for (int i = 0; i < 12; i++) sum += (float)rand() / (float)RAND_MAX;
    return sum - 6;
}

static void forward(const float *X, const float *W, float *H)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < OUT; k++) {
            H[i * OUT + k] = 0;
            for (int j = 0; j < IN; j++) H[i * OUT + k] += X[i * IN + j] * W[j * OUT + k];
        }
}

/* W -= rate X' dH */
static void descend(const float *X, const float *dH, float rate, float *W)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < IN; j++)
            for (int k = 0; k < OUT; k++) W[j * OUT + k] -= rate * X[i * IN + j] * dH[i * OUT + k];
}

int main(void)
{
    static float X[N * IN], W[IN * OUT], H[N * OUT], dH[N * OUT];
    static int labels[N];
    dlda_objective_spec spec = { DLDA_OBJECTIVE_LDA_BAYES, CLASSES, OUT, N, 0.001, 1 };
    dlda_objective *objective = NULL;
    double loss = 0;

    for (int i = 0; i < N; i++) {
        labels[i] = i % CLASSES;
        for (int j = 0; j < IN; j++) X[i * IN + j] = 3 * noise() + (float)(j % 2 ? labels[i] : -labels[i]) * 2;
    }
    for (int i = 0; i < IN * OUT; i++) W[i] = noise();
    if (dlda_objective_create(&spec, &objective)) return 1;
    for (int step = 0; step <= STEPS; step++) {
        forward(X, W, H);
        if (dlda_objective_evaluate(objective, H, labels, N, &loss, dH)) {
            fprintf(stderr, "objective: %s\n", dlda_last_error());
            return 1;
        }
        if (step % 50 == 0) printf("step %3d: log loss %.4f\n", step, loss);
        descend(X, dH, 1, W);
    }
    dlda_objective_destroy(objective);
    return 0;
}
