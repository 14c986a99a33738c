/* SPDX-License-Identifier: MIT
 *
 * model_svm.c - a linear SVM on a model's features, projected on the directions of its LDA.
 */
#include "base/memory.h"
#include "classify/evaluate.h"
#include "dataset/dataset.h"
#include "model/model.h"

typedef struct projection {
    const dlda_lda *lda;
    float *Z; /* [count][K] */
} projection;

static dlda_status project_portion(void *context, const float *H, size_t first, size_t n)
{
    projection *self = context;

    return dlda_lda_transform(self->lda, H, n, self->Z + first * self->lda->K);
}

/* Projects a whole set to Z [count][K], in new memory. */
static dlda_status project(const dlda_model *self, dlda_workspace *workspace, const dlda_dataset *dataset,
                           float **Z)
{
    dlda_status status = DLDA_OK;
    projection projected = { .lda = self->lda };
    size_t size = 0;

    DLDA_TRY(dlda_model_check_images(self, dataset, "SVM"));
    DLDA_TRY(dlda_model_check_labels(self, dataset, "SVM"));
    DLDA_TRY(dlda_multiply_sizes(dlda_dataset_count(dataset), self->lda->K, "projected features", &size));
    DLDA_TRY(DLDA_TAKE(&projected.Z, size, "projected features"));
    DLDA_TRY(dlda_model_visit_features(self, workspace, dataset, project_portion, &projected));
    *Z = projected.Z;
    projected.Z = NULL;
done:
    dlda_release(projected.Z);
    return status;
}

dlda_status dlda_model_fit_svm(const dlda_model *self, dlda_workspace *workspace, const dlda_dataset *train,
                               const dlda_svm_spec *spec, dlda_svm **svm)
{
    DLDA_NEED(self, workspace, train, spec, svm);
    dlda_status status = DLDA_OK;
    float *Z = NULL;

    DLDA_TRY(project(self, workspace, train, &Z));
    DLDA_TRY(dlda_svm_fit(Z, dlda_dataset_labels(train), dlda_dataset_count(train), self->lda->K, self->classes,
                          spec, svm));
done:
    dlda_release(Z);
    return status;
}

dlda_status dlda_model_evaluate_svm(const dlda_model *self, dlda_workspace *workspace, const dlda_svm *svm,
                                    const dlda_dataset *dataset, dlda_evaluation **evaluation)
{
    DLDA_NEED(self, workspace, svm, dataset, evaluation);
    dlda_status status = DLDA_OK;
    float *Z = NULL;
    int *predicted = NULL;
    size_t count = dlda_dataset_count(dataset);

    if (dlda_svm_features(svm) != self->lda->K || dlda_svm_classes(svm) != self->classes)
        DLDA_FAIL(DLDA_E_SHAPE, "SVM: %zu features and %zu classes, the model has %zu and %zu",
                  dlda_svm_features(svm), dlda_svm_classes(svm), self->lda->K, self->classes);
    DLDA_TRY(project(self, workspace, dataset, &Z));
    DLDA_TRY(DLDA_TAKE(&predicted, count, "predictions"));
    DLDA_TRY(dlda_svm_predict(svm, Z, count, predicted));
    DLDA_TRY(
        dlda_evaluation_create(dlda_dataset_labels(dataset), predicted, NULL, count, self->classes, evaluation));
done:
    dlda_release(predicted);
    dlda_release(Z);
    return status;
}
