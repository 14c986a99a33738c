/* SPDX-License-Identifier: MIT
 *
 * embedded.c - embeds the files of data/digits in the library's read-only data.
 */
#include "dataset/embedded.h"
#include "base/embed.h"

DLDA_EMBED(dlda_digits_train_images, "data/digits/train-images-idx3-ubyte.gz");
DLDA_EMBED(dlda_digits_train_labels, "data/digits/train-labels-idx1-ubyte.gz");
DLDA_EMBED(dlda_digits_test_images, "data/digits/t10k-images-idx3-ubyte.gz");
DLDA_EMBED(dlda_digits_test_labels, "data/digits/t10k-labels-idx1-ubyte.gz");

#define INPUT(name, symbol)                                                                                        \
    (dlda_input)                                                                                                   \
    {                                                                                                              \
        name, symbol, (size_t)(symbol##_end - symbol), NULL                                                        \
    }

dlda_input dlda_embedded_images(dlda_part part)
{
    return part == DLDA_PART_TRAIN ? INPUT("digits: training images", dlda_digits_train_images)
                                   : INPUT("digits: test images", dlda_digits_test_images);
}

dlda_input dlda_embedded_labels(dlda_part part)
{
    return part == DLDA_PART_TRAIN ? INPUT("digits: training labels", dlda_digits_train_labels)
                                   : INPUT("digits: test labels", dlda_digits_test_labels);
}
