/* SPDX-License-Identifier: MIT
 *
 * fit.c - compares data with a model or with the training data, and reports both sides if they differ.
 */
#include "fit.h"

fit_size fit_of_model(const dlda_model *model)
{
    return (fit_size){ .height = dlda_model_height(model),
                       .width = dlda_model_width(model),
                       .channels = dlda_model_channels(model),
                       .classes = dlda_model_classes(model),
                       .images = "the model expects",
                       .counts = "the model has" };
}

fit_size fit_of_training(const dlda_dataset *train)
{
    return (fit_size){ .height = dlda_dataset_height(train),
                       .width = dlda_dataset_width(train),
                       .channels = dlda_dataset_channels(train),
                       .classes = dlda_dataset_classes(train),
                       .images = "training images are",
                       .counts = "training images have" };
}

/* "images of 28 x 28 x 1 (height, width, channels)" or "rows of 4 numbers". */
static void format_shape(size_t height, size_t width, size_t channels, char text[96])
{
    if (height * width == 1) snprintf(text, 96, "rows of %zu numbers", channels);
    else snprintf(text, 96, "images of %zu x %zu x %zu (height, width, channels)", height, width, channels);
}

/* One side is a table. */
static void complain_kind(const char *command, const char *path, const dlda_dataset *data, const fit_size *wanted)
{
    char found[96], expected[96];

    format_shape(dlda_dataset_height(data), dlda_dataset_width(data), dlda_dataset_channels(data), found);
    format_shape(wanted->height, wanted->width, wanted->channels, expected);
    complain(command, "%s: found %s, expected %s", path, found, expected);
}

int fit_images(const char *command, const char *path, const char *what, const dlda_dataset *data,
               const fit_size *wanted)
{
    size_t height = dlda_dataset_height(data), width = dlda_dataset_width(data);
    size_t channels = dlda_dataset_channels(data);

    if (height == wanted->height && width == wanted->width && channels == wanted->channels) return EXIT_OK;
    if (height * width == 1 && wanted->height * wanted->width == 1)
        complain(command,
                 "%s: rows have %zu features, expected %zu; all columns but that of the labels are features", path,
                 channels, wanted->channels);
    else if (height * width == 1 || wanted->height * wanted->width == 1) complain_kind(command, path, data, wanted);
    else
        complain(command, "%s: %s are %zu x %zu x %zu, %s %zu x %zu x %zu (height, width, channels)", path, what,
                 height, width, channels, wanted->images, wanted->height, wanted->width, wanted->channels);
    return EXIT_FAILED;
}

int fit_classes(const char *command, const char *path, const char *what, const dlda_dataset *data,
                const fit_size *wanted)
{
    size_t classes = dlda_dataset_classes(data);

    if (classes <= wanted->classes) return EXIT_OK;
    complain(command, "%s: %s have %zu classes, %s %zu", path, what, classes, wanted->counts, wanted->classes);
    return EXIT_FAILED;
}
