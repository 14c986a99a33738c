/* SPDX-License-Identifier: MIT
 *
 * presets.c - options that suit a known data set, as in the paper where it says.
 *
 * From the paper (section 4): Nesterov momentum 0.9, rate 0.1, halved every 10 epochs on MNIST and every 25 on the others;
 * batches of 1000 on MNIST and CIFAR-10 and of 200 on STL-10 with the LDA objective, of 128 with cross entropy.
 * From the authors' published code, not in the paper's text: flips on STL-10. In other things it differs from the paper's
 * text, which is followed here: STL-10 is trained for up to 1,000 epochs of 1,000 images with the rate halved every 100,
 * and the other 4,000 images choose the epoch; on MNIST the rate is halved every 5 epochs, for at most 100, with a patience
 * of 25.
 * Ours: the numbers of epochs, which the paper does not print. Each is seven times the interval of the halving, so that
 * the last rate is a 64th of the first. The embedded digits are few, and get what learns them within a minute.
 */
#include "base/options.h"
#include "objective/objective.h"

#include <string.h>

typedef struct preset_row {
    const char *data;
    int cce; /* 1: with cross entropy; 0: with an lda objective; -1: with both */
    const char *option, *value;
} preset_row;

static const preset_row presets[] = {
    { "digits", -1, "net", "mnist" },       { "digits", -1, "epochs", "6" },
    { "digits", -1, "batch", "125" },       { "digits", 0, "rate", "0.2" },
    { "digits", -1, "schedule", "cosine" },

    { "mnist", -1, "net", "mnist" },        { "mnist", 0, "batch", "1000" },
    { "mnist", 1, "batch", "128" },         { "mnist", -1, "epochs", "70" },
    { "mnist", -1, "halve-every", "10" },   { "mnist", -1, "validation", "10000" },

    { "cifar10", -1, "net", "cifar10" },    { "cifar10", 0, "batch", "1000" },
    { "cifar10", 1, "batch", "128" },       { "cifar10", -1, "epochs", "175" },
    { "cifar10", -1, "halve-every", "25" }, { "cifar10", -1, "prepare", "gcn,zca" },
    { "cifar10", -1, "flip", "true" },

    { "stl10", -1, "net", "stl10" },        { "stl10", 0, "batch", "200" },
    { "stl10", 1, "batch", "128" },         { "stl10", -1, "epochs", "175" },
    { "stl10", -1, "halve-every", "25" },   { "stl10", -1, "validation", "1000" },
    { "stl10", -1, "flip", "true" },
};

enum { N_PRESETS = sizeof presets / sizeof presets[0] };

dlda_status dlda_options_preset(dlda_options *options, const char *data)
{
    DLDA_NEED(options, data);
    dlda_status status = DLDA_OK;
    int cce = dlda_objective_row_of((dlda_objective_kind)options->objective)->info.softmax;

    for (size_t i = 0; i < N_PRESETS; i++)
        if (strcmp(presets[i].data, data) == 0 && (presets[i].cce < 0 || presets[i].cce == cce))
            DLDA_TRY(dlda_options_suggest(options, presets[i].option, presets[i].value));
done:
    return status;
}

int dlda_preset_at(size_t i, dlda_preset *preset)
{
    if (i >= N_PRESETS || !preset) return 0;
    *preset = (dlda_preset){ presets[i].data,
                             presets[i].cce < 0 ? ""
                             : presets[i].cce   ? "cce"
                                                : "lda",
                             presets[i].option, presets[i].value };
    return 1;
}
