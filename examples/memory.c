/* SPDX-License-Identifier: MIT
 *
 * memory.c - works without files: trains on arrays, saves the model to memory, loads it from there, and predicts.
 *
 * The data consists of three noisy patterns of 4 x 4 pixels: a row, a column, a diagonal.
 */
#include <deeplda.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 600, SIDE = 4, PIXELS = SIDE * SIDE, CLASSES = 3 };

static void draw(float image[PIXELS], int label)
{
    for (int i = 0; i < PIXELS; i++) {
        int row = i / SIDE, column = i % SIDE;
        int on = label == 0 ? row == 1 : label == 1 ? column == 2 : row == column;
        image[i] = (float)on + (float)rand() / (float)RAND_MAX;
    }
}

/* Trains a model and returns it as bytes. */
static dlda_status train(const dlda_dataset *data, void **bytes, size_t *size)
{
    dlda_options *options = NULL;
    dlda_trainer *trainer = NULL;
    dlda_status status = dlda_options_create(&options);

    if (!status) status = dlda_options_set(options, "net", "dense 32\nbn\nrelu\ndense 3\n");
    if (!status) status = dlda_options_set(options, "batch", "100");
    if (!status) status = dlda_trainer_create(options, data, NULL, &trainer);
    if (!status) status = dlda_trainer_run(trainer);
    if (!status) status = dlda_model_to_bytes(dlda_trainer_model(trainer), bytes, size);
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    return status;
}

int main(void)
{
    static const char *const names[CLASSES] = { "row", "column", "diagonal" };
    static float images[COUNT * PIXELS];
    static int labels[COUNT], predicted[COUNT];
    dlda_dataset *data = NULL;
    dlda_model *model = NULL;
    dlda_workspace *workspace = NULL;
    void *bytes = NULL;
    size_t size = 0;
    int right = 0;

    for (int i = 0; i < COUNT; i++) draw(images + i * PIXELS, labels[i] = i % CLASSES);
    dlda_dataset_spec spec = { .count = COUNT, .height = SIDE, .width = SIDE, .channels = 1 };
    spec.classes = CLASSES;
    spec.labels = labels;
    spec.values = images;
    spec.names = names;
    if (dlda_dataset_create(&spec, &data) || train(data, &bytes, &size) ||
        dlda_model_from_bytes(bytes, size, &model) || dlda_workspace_create(model, COUNT, 1, &workspace)) {
        fprintf(stderr, "memory: %s\n", dlda_last_error());
        return 1;
    }
    for (int i = 0; i < COUNT; i++)
        draw(images + i * PIXELS, labels[i]); /* test images, different from the training images */
    if (dlda_model_predict(model, workspace, images, COUNT, DLDA_PROBABILITY_BAYES, predicted, NULL)) return 1;
    for (int i = 0; i < COUNT; i++) right += predicted[i] == labels[i];
    printf("%d of %d new images are right; the first is a %s; the model has %zu bytes\n", right, COUNT,
           dlda_model_class_name(model, (size_t)predicted[0]), size);

    dlda_workspace_destroy(workspace);
    dlda_model_destroy(model);
    dlda_bytes_destroy(bytes);
    dlda_dataset_destroy(data);
    return 0;
}
