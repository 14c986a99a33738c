/* SPDX-License-Identifier: MIT
 *
 * classify.c - classifies a picture: the shortest way from a model and a PNG or JPEG file to a prediction.
 *
 *     ./classify MODEL PICTURE
 */
#include <deeplda.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    dlda_model *model = NULL;
    dlda_workspace *workspace = NULL;
    float *image = NULL, *proba = NULL;
    int label = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: classify MODEL PICTURE\n");
        return 2;
    }
    dlda_status status = dlda_model_load(argv[1], &model);
    if (status == DLDA_OK) status = dlda_workspace_create(model, 1, 1, &workspace);
    if (status == DLDA_OK) {
        image = calloc(dlda_model_image_size(model), sizeof *image);
        proba = calloc(dlda_model_classes(model), sizeof *proba);
        status = image && proba ? DLDA_OK : DLDA_E_MEMORY;
    }
    if (status == DLDA_OK) status = dlda_model_read_picture(model, &(dlda_read_spec){ .path = argv[2] }, image);
    if (status == DLDA_OK)
        status = dlda_model_predict(model, workspace, image, 1, DLDA_PROBABILITY_BAYES, &label, proba);
    if (status == DLDA_OK)
        printf("%s, %.2f %%\n", dlda_model_class_name(model, (size_t)label), 100 * (double)proba[label]);
    else fprintf(stderr, "classify: %s\n", dlda_last_error());

    free(image);
    free(proba);
    dlda_workspace_destroy(workspace);
    dlda_model_destroy(model);
    return status != DLDA_OK;
}
