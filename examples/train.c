/* SPDX-License-Identifier: MIT
 *
 * train.c - trains a model in 20 lines.
 *
 *     ./train [MODEL]        writes MODEL, by default digits.safetensors
 *
 * For speed it uses 1,000 of the embedded digits, a small network and two epochs.
 */
#include <deeplda.h>
#include <stdio.h>

static int failed(void)
{
    fprintf(stderr, "train: %s\n", dlda_last_error());
    return 1;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "digits.safetensors";
    dlda_options *options = NULL;
    dlda_dataset *digits = NULL, *others = NULL, *train = NULL;
    dlda_trainer *trainer = NULL;

    if (dlda_options_create(&options) || dlda_options_set(options, "net", "mlp") ||
        dlda_options_set(options, "epochs", "2"))
        return failed();
    if (dlda_dataset_read("digits", DLDA_PART_TRAIN, &digits)) return failed();
    if (dlda_dataset_split(digits, 1000, 1, &others, &train)) return failed();
    if (dlda_trainer_create(options, train, NULL, &trainer)) return failed();
    if (dlda_trainer_run(trainer)) return failed();
    if (dlda_model_save(dlda_trainer_model(trainer), path)) return failed();

    size_t epochs = 0;
    const dlda_epoch *history = dlda_trainer_history(trainer, &epochs);
    printf("%s: %.2f %% of the training digits are right after %zu epochs\n", path,
           100 * history[epochs - 1].train_accuracy, epochs);

    dlda_trainer_destroy(trainer);
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(others);
    dlda_dataset_destroy(digits);
    dlda_options_destroy(options);
    return 0;
}
