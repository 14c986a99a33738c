/* SPDX-License-Identifier: MIT
 *
 * watch.c - observes a training: callbacks for each batch and epoch, and a custom stopping rule.
 *
 *     ./watch [FOLDER]       records the run in FOLDER, by default watched; run it again to continue
 *
 * It trains a small network on the embedded digits until the validation accuracy is 90 %.
 */
#include <deeplda.h>
#include <stdio.h>

typedef struct goal {
    double wanted, reached; /* validation accuracy */
} goal;

static void on_log(void *user, const char *message)
{
    (void)user;
    printf("note: %s\n", message);
}

static void on_batch(void *user, const dlda_progress *now)
{
    (void)user;
    if (now->batch == now->batches)
        printf("separation %.3f, eigenvalues %.2f to %.2f, %.0f images/s\n", now->value, now->smallest,
               now->largest, now->images_per_second);
}

static void on_epoch(void *user, const dlda_epoch *epoch)
{
    goal *self = user;
    self->reached = epoch->validation_accuracy;
    printf("epoch %zu: %.2f %% of the validation set are right\n", epoch->epoch, 100 * self->reached);
}

/* Called after each batch. */
static int is_good_enough(void *user)
{
    const goal *self = user;
    return self->reached >= self->wanted;
}

static int failed(void)
{
    fprintf(stderr, "watch: %s\n", dlda_last_error());
    return 1;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "watched";
    goal aim = { .wanted = 0.9 };
    const dlda_watch watch = {
        .user = &aim, .log = on_log, .batch = on_batch, .epoch = on_epoch, .stop = is_good_enough
    };
    dlda_options *options = NULL;
    dlda_dataset *digits = NULL, *train = NULL, *validation = NULL;
    dlda_trainer *trainer = NULL;

    if (dlda_options_create(&options) || dlda_options_set(options, "net", "mlp") ||
        dlda_options_set(options, "epochs", "50"))
        return failed();
    if (dlda_dataset_read("digits", DLDA_PART_TRAIN, &digits)) return failed();
    if (dlda_dataset_split(digits, 500, 1, &train, &validation)) return failed();
    if (dlda_trainer_create(options, train, validation, &trainer)) return failed();
    dlda_trainer_watch(trainer, &watch);
    /* Continues the run in the folder; if there is none, creates it. */
    if (dlda_trainer_resume(trainer, folder) == DLDA_E_IO && dlda_trainer_record(trainer, folder, 0))
        return failed();
    dlda_status status = dlda_trainer_run(trainer);
    if (status != DLDA_OK && status != DLDA_E_STOPPED) return failed();
    printf("%s: %s/model.safetensors is the best model\n", status == DLDA_OK ? "done" : "good enough", folder);

    dlda_trainer_destroy(trainer);
    dlda_dataset_destroy(validation);
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(digits);
    dlda_options_destroy(options);
    return 0;
}
