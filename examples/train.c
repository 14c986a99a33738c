/* SPDX-License-Identifier: MIT
 *
 * train.c - trains a model on any data, with options that are chosen from the data.
 *
 *     ./train MODEL DATA      DATA: a folder of pictures, a table, ... as for `deeplda train`
 *     ./train [MODEL]         for a quick try: 1,000 of the embedded digits, a small network, two epochs
 */
#include <deeplda.h>
#include <stdio.h>

static int failed(void)
{
    fprintf(stderr, "train: %s\n", dlda_last_error());
    return 1;
}

static void say(void *user, const char *option, const char *value, const char *reason)
{
    (void)user;
    printf("%s = %s: %s\n", option, value, reason);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "digits.safetensors", *data = argc > 2 ? argv[2] : "digits";
    dlda_options *options = NULL;
    dlda_dataset *all = NULL, *train = NULL, *validation = NULL;
    dlda_trainer *trainer = NULL;

    if (dlda_options_create(&options)) return failed();
    if (argc < 3 && (dlda_options_set(options, "subset", "1000") || dlda_options_set(options, "net", "mlp") ||
                     dlda_options_set(options, "epochs", "2")))
        return failed();
    if (dlda_dataset_read(data, DLDA_PART_TRAIN, &all)) return failed();
    if (dlda_dataset_divide(all, options, &train, &validation)) return failed();
    if (dlda_options_choose(options, train, say, NULL)) return failed();
    if (dlda_trainer_create(options, train, validation, &trainer)) return failed();
    if (dlda_trainer_run(trainer)) return failed();
    if (dlda_model_save(dlda_trainer_model(trainer), path)) return failed();

    size_t epochs = 0;
    const dlda_epoch *history = dlda_trainer_history(trainer, &epochs);
    printf("%s: %.2f %% of the validation samples are right after %zu epochs\n", path,
           100 * history[epochs - 1].validation_accuracy, epochs);

    dlda_trainer_destroy(trainer);
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(validation);
    dlda_dataset_destroy(all);
    dlda_options_destroy(options);
    return 0;
}
