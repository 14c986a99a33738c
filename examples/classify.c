/* SPDX-License-Identifier: MIT
 *
 * classify.c - load a model and classify images.
 *
 *     ./classify MODEL FILE        FILE is a PNG or an IDX image file
 */
#include <deeplda.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct classifier {
    dlda_model *model;
    dlda_workspace *workspace;
    float *image; /* [height][width][channels] */
    float *proba; /* [classes]                 */
} classifier;

static dlda_status load(classifier *self, const char *path)
{
    dlda_status status = dlda_model_load(path, &self->model);

    if (status != DLDA_OK) return status;
    size_t pixels = dlda_model_height(self->model) * dlda_model_width(self->model);
    self->image = calloc(pixels * dlda_model_channels(self->model), sizeof *self->image);
    self->proba = calloc(dlda_model_classes(self->model), sizeof *self->proba);
    return self->image && self->proba ? dlda_workspace_create(self->model, 1, 1, &self->workspace) : DLDA_E_MEMORY;
}

/* The images must have the size that the model was trained on. */
static int fits(const classifier *self, const dlda_dataset *images)
{
    return dlda_dataset_height(images) == dlda_model_height(self->model) &&
           dlda_dataset_width(images) == dlda_model_width(self->model) &&
           dlda_dataset_channels(images) == dlda_model_channels(self->model);
}

static dlda_status classify(classifier *self, const dlda_dataset *images, size_t i)
{
    int label = 0;
    dlda_status status = dlda_dataset_images(images, i, 1, self->image);

    if (status == DLDA_OK)
        status = dlda_model_predict(self->model, self->workspace, self->image, 1, DLDA_BAYES, &label, self->proba);
    if (status == DLDA_OK)
        printf("image %zu: class %s, probability %.4f\n", i, dlda_model_class_name(self->model, (size_t)label),
               (double)self->proba[label]);
    return status;
}

int main(int argc, char **argv)
{
    classifier self = { 0 };
    dlda_dataset *images = NULL;

    if (argc != 3) {
        fprintf(stderr, "usage: classify MODEL FILE\n");
        return 2;
    }
    dlda_status status = load(&self, argv[1]);
    if (status == DLDA_OK) status = dlda_dataset_read_images(argv[2], dlda_model_channels(self.model), &images);
    if (status != DLDA_OK) fprintf(stderr, "classify: %s\n", dlda_last_error());
    if (status == DLDA_OK && !fits(&self, images)) {
        fprintf(stderr, "classify: %s: images do not have the model's size\n", argv[2]);
        status = DLDA_E_SHAPE;
    }
    for (size_t i = 0; status == DLDA_OK && i < dlda_dataset_count(images); i++) {
        status = classify(&self, images, i);
        if (status != DLDA_OK) fprintf(stderr, "classify: %s\n", dlda_last_error());
    }

    dlda_dataset_destroy(images);
    dlda_workspace_destroy(self.workspace);
    dlda_model_destroy(self.model);
    free(self.image);
    free(self.proba);
    return status != DLDA_OK;
}
