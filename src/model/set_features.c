/* SPDX-License-Identifier: MIT
 *
 * set_features.c - passes a whole data set through a model's network in portions, so that neither all images nor
 * all features are in memory.
 */
#include "base/memory.h"
#include "model/model.h"

dlda_status dlda_model_visit_features(const dlda_model *self, dlda_workspace *workspace,
                                      const dlda_dataset *dataset, dlda_feature_visit *visit, void *context)
{
    dlda_status status = DLDA_OK;
    size_t batch = dlda_workspace_batch(workspace), count = dlda_dataset_count(dataset), n_images = 0;
    float *images = NULL, *H = NULL;

    DLDA_TRY(dlda_multiply_sizes(batch, dlda_shape_size(self->network->input), "images", &n_images));
    DLDA_TRY(DLDA_TAKE(&images, n_images, "images"));
    DLDA_TRY(DLDA_TAKE(&H, batch * self->network->features, "features"));
    for (size_t first = 0; first < count; first += batch) {
        size_t n = count - first < batch ? count - first : batch;
        DLDA_TRY(dlda_dataset_images(dataset, first, n, images));
        DLDA_TRY(dlda_model_embed(self, workspace, images, n, H));
        DLDA_TRY(visit(context, H, first, n));
    }
done:
    dlda_release(images);
    dlda_release(H);
    return status;
}
