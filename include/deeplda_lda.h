/* SPDX-License-Identifier: MIT
 *
 * deeplda_lda.h - what works without a network: classic LDA on any table of features, linear support vector machines,
 * and the objectives of DeepLDA for training loops of one's own. The rules of deeplda.h apply.
 */
#ifndef DEEPLDA_LDA_H
#define DEEPLDA_LDA_H

#include "deeplda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sums over labelled rows -------------------------------------------------------------------------------- */

/* Counts, means and centred second moments of each class: all that LDA needs to know of the data. Rows may come in any
 * number of portions, and scatters of different rows can be merged. */
typedef struct dlda_scatter dlda_scatter;

/* Sw averages the covariances of the classes, as in the paper; */
DLDA_API dlda_status dlda_scatter_create(size_t classes, size_t features, dlda_scatter **scatter);
/* or, in classic LDA, pools all rows, which needs less memory and time. */
DLDA_API dlda_status dlda_scatter_create_pooled(size_t classes, size_t features, dlda_scatter **scatter);
DLDA_API void dlda_scatter_destroy(dlda_scatter *scatter);

/* Adds rows H [n][features] with labels [n] in 0 .. classes-1. */
DLDA_API dlda_status dlda_scatter_add(dlda_scatter *scatter, const float *H, const int *labels, size_t n);
DLDA_API dlda_status dlda_scatter_add_double(dlda_scatter *scatter, const double *H, const int *labels, size_t n);
/* The same for many rows by several threads. The sums depend on the rows and their number, not on the threads. */
typedef struct dlda_row_block {
    const float *floats;   /* [n][features], or else: */
    const double *doubles; /* [n][features]           */
    const int *labels;     /* [n]                     */
    size_t n;
    size_t threads; /* 0: one per core         */
} dlda_row_block;
DLDA_API dlda_status dlda_scatter_add_rows(dlda_scatter *scatter, const dlda_row_block *rows);
/* Adds the rows of `other`, which must have the same classes, features and kind. */
DLDA_API dlda_status dlda_scatter_merge(dlda_scatter *scatter, const dlda_scatter *other);

/* A scatter as one array of `size` doubles, for files and other processes: counts [classes], means [classes][features],
 * moments [classes][features][features] (pooled: [features][features], upper triangle). Merging the array is merging the
 * scatter; merging it into an empty one copies it. Values must be finite and counts whole. */
DLDA_API size_t dlda_scatter_sums_size(const dlda_scatter *scatter);
DLDA_API void dlda_scatter_export_sums(const dlda_scatter *scatter, double *sums);
DLDA_API dlda_status dlda_scatter_merge_sums(dlda_scatter *scatter, const double *sums, size_t size);

/* ---- Linear discriminant analysis --------------------------------------------------------------------------- */

/* K = min(usable classes - 1, features) directions and a classifier on them. Classes with fewer than two rows are not
 * usable: they are never predicted. */
typedef struct dlda_lda dlda_lda;

/* The LDA of DeepLDA: solves Sb e = v (Sw + lambda I) e with Sb = St - Sw, as in the paper. */
DLDA_API dlda_status dlda_lda_fit(const dlda_scatter *scatter, double lambda, dlda_lda **lda);
DLDA_API void dlda_lda_destroy(dlda_lda *lda);

/* The LDA of textbooks (docs/method.md, step 10), of a scatter of either kind: Sw = W / (N - C) and Sb = B / (N - C), where
 * W and B are the sums of squares and products within and between the classes. So the eigenvalues are those of W^-1 B. */
typedef struct dlda_classic_spec {
    double lambda;    /* added to the diagonal of Sw                                                           */
    int regularise;   /* 1: if lambda is 0 and Sw is singular or nearly so, lambda = 0.001 tr(Sw) / features is
                             used, and the view has it; 0: this is DLDA_E_NUMERIC                                  */
    double shrinkage; /* S, 0 to 1: Sw becomes (1 - S) Sw + S tr(Sw) / features I                              */
    const double *class_shrinkage; /* [classes] from dlda_shrinkage_estimate: instead of `shrinkage`, each class's
                             covariance is shrunk towards its diagonal; the scatter must not be pooled             */
    int standardise; /* 1: lambda and shrinkage apply to features divided by their standard deviation         */
    const double
        *priors; /* [classes], of Bayes' rule and as the classes' weights in Sb; NULL: their shares of rows */
    int biased;  /* 1: Sw and Sb are divided by N, as in scikit-learn                                     */
} dlda_classic_spec;

DLDA_API dlda_status dlda_lda_fit_classic(const dlda_scatter *scatter, const dlda_classic_spec *spec,
                                          dlda_lda **lda);

/* The shrinkage of each class's covariance by Ledoit and Wolf (2004), on features that are standardised within the class,
 * as in scikit-learn's shrinkage="auto". It needs the rows a second time: create it from the scatter of all rows (not
 * pooled), add the same rows, estimate values [classes], each 0 to 1. */
typedef struct dlda_shrinkage dlda_shrinkage;
DLDA_API dlda_status dlda_shrinkage_create(const dlda_scatter *scatter, dlda_shrinkage **shrinkage);
DLDA_API void dlda_shrinkage_destroy(dlda_shrinkage *shrinkage);
DLDA_API dlda_status dlda_shrinkage_add(dlda_shrinkage *shrinkage, const float *H, const int *labels, size_t n);
DLDA_API dlda_status dlda_shrinkage_add_double(dlda_shrinkage *shrinkage, const double *H, const int *labels,
                                               size_t n);
DLDA_API dlda_status dlda_shrinkage_estimate(const dlda_shrinkage *shrinkage, double *values);

/* The parts of an LDA, which owns the arrays. A class that is not usable has prior 0 and intercept -infinity; its mean is
 * its only row, or 0. */
typedef struct dlda_lda_view {
    size_t classes, features, n_directions;
    double lambda;              /* NaN in an LDA that was read from a model                                   */
    const double *counts;       /* [classes]                 rows                                             */
    const double *priors;       /* [classes]                 of DLDA_PROBABILITY_BAYES; their sum is 1        */
    const double *means;        /* [classes][features]                                                        */
    const double *mean;         /* [features]                of all rows                                      */
    const double *directions;   /* [n_directions][features]  e with e'(Sw + lambda I)e = 1                    */
    const double *eigenvalues;  /* [n_directions]            largest first                                    */
    const double *coefficients; /* [classes][features]       of the scores of DLDA_PROBABILITY_BAYES:         */
    const double *intercepts;   /* [classes]                 x . coefficients[c] + intercepts[c]              */
    const double *within;       /* [features][features]      Sw, shrunk, without lambda; NULL in early models */
    const double *total;        /* [features][features]      St; likewise                                     */
    double temperature;         /* of DLDA_PROBABILITY_BAYES; 1 unless a model was calibrated                 */
    /* Of dlda_lda_fit_classic; NULL in other LDAs. The scores above leave out what all classes have in common. With
     * `common` added to the coefficients of each class and `common_intercept` to its intercept, they are the classification
     * functions of textbooks, x'(Sw + lambda I)^-1 m - m'(Sw + lambda I)^-1 m / 2 + log prior. */
    const double *common; /* [features] */
    double common_intercept;
} dlda_lda_view;
DLDA_API const dlda_lda_view *dlda_lda_view_of(const dlda_lda *lda);

DLDA_API size_t dlda_lda_classes(const dlda_lda *lda);
DLDA_API size_t dlda_lda_features(const dlda_lda *lda);
DLDA_API double dlda_lda_prior(const dlda_lda *lda, size_t c);
/* The eigenvalues, largest first: how well each direction separates the classes; and their mean. */
DLDA_API const double *dlda_lda_eigenvalues(const dlda_lda *lda, size_t *count);
DLDA_API double dlda_lda_mean_separation(const dlda_lda *lda);
/* The two usable classes whose means are nearest, and their Mahalanobis distance in the discriminant space. */
DLDA_API double dlda_lda_nearest_classes(const dlda_lda *lda, size_t *first, size_t *second);
/* Names of the classes; NULL if they have none. An LDA of a table has the table's. An LDA whose
 * `names` [classes] are not all different cannot be saved. */
DLDA_API const char *dlda_lda_class_name(const dlda_lda *lda, size_t label);
DLDA_API dlda_status dlda_lda_name_classes(dlda_lda *lda, const char *const *names);

/* What a feature is: the number in a column of a table; or, of a column of categories, 1 where the cell is `level` and
 * else 0. Of a column's levels, the reference has no feature: all the others are 0. An LDA of a table with column
 * names has them, and finds its features in other tables by these names. */
typedef struct dlda_feature {
    const char *column;    /* NULL: a table without column names */
    const char *level;     /* NULL: a column of numbers          */
    const char *reference; /* NULL: likewise                     */
} dlda_feature;
/* Feature j; NULL if the features have no names. */
DLDA_API const dlda_feature *dlda_lda_feature(const dlda_lda *lda, size_t j);
/* `list` [features]; each has a column. */
DLDA_API dlda_status dlda_lda_name_features(dlda_lda *lda, const dlda_feature *list);

/* Projects X [n][features] on the directions: Z [n][K]. */
DLDA_API dlda_status dlda_lda_transform(const dlda_lda *lda, const float *X, size_t n, float *Z);
/* Classifies X [n][features]; labels [n] and proba [n][classes] may be NULL. */
DLDA_API dlda_status dlda_lda_predict(const dlda_lda *lda, const float *X, size_t n, dlda_probability kind,
                                      int *labels, float *proba);
/* Squared Mahalanobis distance [n] to the nearest class mean, in the discriminant space. */
DLDA_API dlda_status dlda_lda_distances(const dlda_lda *lda, const float *X, size_t n, double *distances);
/* The distance that a share alpha (0 to 1) of a Gaussian class exceeds: the upper quantile of chi-square with K degrees of
 * freedom. */
DLDA_API dlda_status dlda_lda_distance_limit(const dlda_lda *lda, double alpha, double *limit);

/* A file, or its bytes, of an LDA without a network; as dlda_model_save and the like. */
DLDA_API dlda_status dlda_lda_save(const dlda_lda *lda, const char *path);
DLDA_API dlda_status dlda_lda_load(const char *path, dlda_lda **lda);
DLDA_API dlda_status dlda_lda_to_bytes(const dlda_lda *lda, void **bytes, size_t *size);
DLDA_API dlda_status dlda_lda_from_bytes(const void *bytes, size_t size, dlda_lda **lda);

/* ---- Tables in files, which may be larger than memory ------------------------------------------------------- */

/* Labelled rows of .npy, .npz or CSV files (docs/data_formats.md), read in blocks. */
typedef struct dlda_table dlda_table;

/* What happens to a row with a missing number: an empty cell, NA, N/A, NaN, null or ? in CSV, NaN in an array. */
typedef enum dlda_missing {
    DLDA_MISSING_REFUSE, /* the table is refused, with the place                     */
    DLDA_MISSING_DROP,   /* the row is left out                                      */
    DLDA_MISSING_MEAN    /* the mean of the column takes its place                   */
} dlda_missing;

typedef struct dlda_table_spec {
    const char *path;
    const char *labels; /* of an .npy: the .npy file of its labels; NULL: looked for beside it             */
    const char *label;  /* of CSV: the column of the labels, by name or number from 1; NULL: by convention */
    size_t features;    /* 0: labels are required. Otherwise a table of that many columns, or an array without
                           labels beside it, may have none                                                 */
    const char *name;   /* of the file, in messages; NULL: its path. A file with a name is CSV             */
    /* Lists of columns of CSV by name or number from 1, separated by commas; NULL: none */
    const char *drop;       /* not used                                                                    */
    const char *categories; /* text: every level but the first in order becomes a feature                  */
    const char *keep;       /* used even if they look like row numbers, which are refused                  */
    dlda_missing missing;
    const dlda_lda *lda; /* the rows are for this LDA: its features are found by their names, if both have names;
                            its means take the place of missing numbers                                    */
    /* Further files [n_more] of the same table, of the same kind and with the same columns: their rows follow. A CSV file
     * may lack the header. Labels of .npy files are beside each; files that have the labels of others are no part. But an
     * .npy file of one column that is the only further file is `labels`. */
    const char *const *more;
    size_t n_more;
} dlda_table_spec;

DLDA_API dlda_status dlda_table_open(const dlda_table_spec *spec, dlda_table **table);
DLDA_API void dlda_table_destroy(dlda_table *table);
DLDA_API size_t dlda_table_rows(const dlda_table *table);
DLDA_API size_t dlda_table_features(const dlda_table *table);
DLDA_API size_t dlda_table_classes(const dlda_table *table); /* 0 if there are no labels */
DLDA_API const char *dlda_table_class_name(const dlda_table *table, size_t label);
DLDA_API const dlda_feature *dlda_table_feature(const dlda_table *table, size_t j); /* NULL: of an array */
/* Of CSV: the name of column i from 0 (NULL: none, or no such column), the column of the labels from 1 (0: none), and
 * whether a column is used. */
DLDA_API size_t dlda_table_columns(const dlda_table *table);
DLDA_API const char *dlda_table_column_name(const dlda_table *table, size_t i);
DLDA_API size_t dlda_table_label_column(const dlda_table *table);
DLDA_API int dlda_table_uses_column(const dlda_table *table, size_t i);
/* The files that the table was read from, in order, and how many rows each has, including those that are left out. */
DLDA_API size_t dlda_table_files(const dlda_table *table);
DLDA_API const char *dlda_table_file(const dlda_table *table, size_t i); /* NULL: no such file */
DLDA_API size_t dlda_table_file_rows(const dlda_table *table, size_t i);
/* Rows that had a missing number: left out, or completed with means. */
DLDA_API size_t dlda_table_incomplete_rows(const dlda_table *table);
DLDA_API int dlda_table_completes(const dlda_table *table); /* 1: completed */
/* The next rows, at most `most`: X [n][features], labels [n] (may be NULL; -1 if there are none). n is 0 behind the last
 * row, where functions that use a whole table leave it; rewind goes back to the first. */
DLDA_API dlda_status dlda_table_read(dlda_table *table, size_t most, float *X, int *labels, size_t *n);
DLDA_API dlda_status dlda_table_rewind(dlda_table *table);

typedef struct dlda_table_fit_spec {
    double lambda;  /* as in dlda_classic_spec                                       */
    size_t folds;   /* of the cross-validation: 2 to the number of rows, which is
                       leave-one-out; 0: none                                        */
    uint64_t seed;  /* assigns rows to folds                                         */
    size_t threads; /* 0: one per core; results do not depend on it                  */
    /* as in dlda_classic_spec */
    int regularise, standardise;
    double shrinkage; /* or DLDA_SHRINKAGE_AUTO: Ledoit and Wolf's, of all rows, also in the cross-validation.
                         It keeps a matrix for each class and reads the table once more                        */
    const double *priors;
} dlda_table_fit_spec;
#define DLDA_SHRINKAGE_AUTO (-1.0)

/* The classic LDA of a table and its accuracy. */
typedef struct dlda_table_fit {
    const dlda_lda *lda; /* of all rows                                                    */
    size_t rows, classes;
    const size_t *class_rows; /* [classes]                                                      */
    size_t correct;           /* rows that it classifies correctly, though fitted on them       */
    size_t folds;
    const size_t *fold_rows;    /* [folds]                                                        */
    const size_t *fold_correct; /* [folds]: classified correctly by the LDA of all other folds    */
    double fit_seconds;         /* reading the table once and fitting                             */
    double test_seconds;        /* reading it again and classifying                               */
    /* [classes][classes]: rows by true and predicted class, on the same rows and in cross-validation (NULL without
     * folds); both NULL with more than 1000 classes */
    const size_t *confusion, *fold_confusion;
    const double *class_shrinkage; /* [classes]; NULL unless DLDA_SHRINKAGE_AUTO                  */
    double fold_lambda;            /* the largest lambda of a fold, if `regularise` chose one                 */
} dlda_table_fit;

/* Reads the table twice: for the sums of all folds, and to classify its rows. Holds a block of rows and about folds + 9
 * per thread matrices of features x features doubles. Sets the names of classes and features. */
DLDA_API dlda_status dlda_table_fit_lda(dlda_table *table, const dlda_table_fit_spec *spec, dlda_table_fit **fit);
DLDA_API void dlda_table_fit_destroy(dlda_table_fit *fit);
/* Writes the projected rows to a file: .npy (f4, [rows][K]), or .csv with a header and, if there are labels, a last column
 * `class`. Any other name is DLDA_E_ARGUMENT. */
DLDA_API dlda_status dlda_table_transform(dlda_table *table, const dlda_lda *lda, size_t threads, const char *path);

/* ---- Linear support vector machines ------------------------------------------------------------------------- */

/* One class against all others, squared hinge loss, by liblinear. */
typedef struct dlda_svm dlda_svm;

typedef struct dlda_svm_spec {
    const double *costs; /* [n_costs] to choose from; NULL: 2^-8, 2^-6, ... 2^8      */
    size_t n_costs;
    size_t folds;   /* of the cross-validation that chooses; 0: 5               */
    uint64_t seed;  /* assigns rows to folds                                    */
    size_t threads; /* 0: one per core; results do not depend on it             */
} dlda_svm_spec;

/* Fits rows Z [n][features] with labels [n] in 0 .. classes-1, with the cost that is best in a cross-validation on them;
 * of equal ones the smallest. */
DLDA_API dlda_status dlda_svm_fit(const float *Z, const int *labels, size_t n, size_t features, size_t classes,
                                  const dlda_svm_spec *spec, dlda_svm **svm);
DLDA_API dlda_status dlda_svm_predict(const dlda_svm *svm, const float *Z, size_t n, int *labels);
DLDA_API void dlda_svm_destroy(dlda_svm *svm);
DLDA_API size_t dlda_svm_features(const dlda_svm *svm);
DLDA_API size_t dlda_svm_classes(const dlda_svm *svm);
DLDA_API double dlda_svm_cost(const dlda_svm *svm);
DLDA_API double dlda_svm_accuracy(const dlda_svm *svm); /* of that cross-validation, a fraction */
/* weights [classes][features], intercepts [classes]: the class with the largest z . weights[c] + intercepts[c] is
 * predicted. A class without rows has weights 0 and intercept -infinity. */
DLDA_API const double *dlda_svm_weights(const dlda_svm *svm);
DLDA_API const double *dlda_svm_intercepts(const dlda_svm *svm);

/* On the features of a model, projected on the directions of its LDA. The evaluation has no probabilities. */
DLDA_API dlda_status dlda_model_fit_svm(const dlda_model *model, dlda_workspace *workspace,
                                        const dlda_dataset *train, const dlda_svm_spec *spec, dlda_svm **svm);
DLDA_API dlda_status dlda_model_evaluate_svm(const dlda_model *model, dlda_workspace *workspace,
                                             const dlda_svm *svm, const dlda_dataset *dataset,
                                             dlda_evaluation **evaluation);

/* ---- Objectives --------------------------------------------------------------------------------------------- */

/* A function of features and labels that SGD minimises; docs/method.md, step 4. */
typedef struct dlda_objective dlda_objective;

typedef enum dlda_objective_kind {
    DLDA_OBJECTIVE_LDA,       /* mean of the eigenvalues below (smallest + epsilon): the paper's  */
    DLDA_OBJECTIVE_LDA_MEAN,  /* mean of all eigenvalues                                          */
    DLDA_OBJECTIVE_LDA_LOG,   /* mean of log(v + 0.1)                                             */
    DLDA_OBJECTIVE_LDA_SOFT,  /* eigenvalues weighted by softmax(-v)                              */
    DLDA_OBJECTIVE_LDA_BAYES, /* log loss of the batch's own LDA classifier                       */
    DLDA_OBJECTIVE_CCE,       /* categorical cross entropy of a softmax                           */
    DLDA_OBJECTIVE_LDA_TRACE, /* mean of v / (1 + v): Pillai's trace                              */
    DLDA_OBJECTIVE_LDA_CCE    /* cross entropy plus half of 1 minus that mean                     */
} dlda_objective_kind;

typedef struct dlda_objective_info {
    const char *name; /* value of option objective: "lda", "cce"                          */
    dlda_objective_kind kind;
    const char *value; /* name of its value: "separation"                                  */
    int separates;     /* 1: the value is maximised; the loss is minus it                  */
    int softmax;       /* 1: the features are the scores of a softmax                      */
} dlda_objective_info;

/* NULL if no objective has that name. */
DLDA_API const dlda_objective_info *dlda_objective_find(const char *name);

typedef struct dlda_objective_spec {
    dlda_objective_kind kind;
    size_t classes, features; /* equal for DLDA_OBJECTIVE_CCE and DLDA_OBJECTIVE_LDA_CCE          */
    size_t batch;             /* largest number of rows                                           */
    double lambda, epsilon;   /* of the eigenproblem (0.001), of DLDA_OBJECTIVE_LDA (1)           */
} dlda_objective_spec;

DLDA_API dlda_status dlda_objective_create(const dlda_objective_spec *spec, dlda_objective **objective);
DLDA_API void dlda_objective_destroy(dlda_objective *objective);

/* Loss of features H [n][features] with labels [n], and its gradient dH of the same shape (may be NULL). Takes no memory. */
DLDA_API dlda_status dlda_objective_evaluate(dlda_objective *objective, const float *H, const int *labels, size_t n,
                                             double *loss, float *dH);
DLDA_API dlda_status dlda_objective_evaluate_double(dlda_objective *objective, const double *H, const int *labels,
                                                    size_t n, double *loss, double *dH);

/* The same in stages, for rows in portions or on several machines. In each of `rounds` rounds: reset; add portions of
 * rows; merge the exported sums of other machines; solve. The last solve gives the loss. Then gradient, for any of these
 * rows. Another order is DLDA_E_ARGUMENT. */
DLDA_API size_t dlda_objective_rounds(const dlda_objective *objective);
DLDA_API void dlda_objective_reset(dlda_objective *objective, size_t round);
DLDA_API dlda_status dlda_objective_add(dlda_objective *objective, const float *H, const int *labels, size_t n);
/* The sums of the current round as one array of `size` doubles. */
DLDA_API size_t dlda_objective_sums_size(const dlda_objective *objective);
DLDA_API void dlda_objective_export_sums(const dlda_objective *objective, double *sums);
DLDA_API dlda_status dlda_objective_merge_sums(dlda_objective *objective, const double *sums, size_t size);
DLDA_API dlda_status dlda_objective_solve(dlda_objective *objective, double *loss);
DLDA_API dlda_status dlda_objective_gradient(dlda_objective *objective, const float *H, const int *labels, size_t n,
                                             float *dH);
DLDA_API dlda_status dlda_objective_add_double(dlda_objective *objective, const double *H, const int *labels,
                                               size_t n);
DLDA_API dlda_status dlda_objective_gradient_double(dlda_objective *objective, const double *H, const int *labels,
                                                    size_t n, double *dH);

/* The eigenvalues of the last evaluation, largest first (none for DLDA_OBJECTIVE_CCE), and how many it maximised. */
DLDA_API const double *dlda_objective_eigenvalues(const dlda_objective *objective, size_t *count);
DLDA_API size_t dlda_objective_selected(const dlda_objective *objective);

#ifdef __cplusplus
}
#endif
#endif
