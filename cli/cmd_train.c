/* SPDX-License-Identifier: MIT
 *
 * cmd_train.c - `deeplda train`: data in, a trained model and its test figures out.
 *
 * All data are read and all options are checked before the first step, and the folder of the run is made then,
 * so nothing is found out after hours that could have been known at once.
 */
#include "fit.h"
#include "interrupt.h"
#include "progress.h"
#include "split.h"
#include "table.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const name = "train";

typedef struct training {
    const dlda_options *options;
    const char *data, *folder;
    int quiet;
    dlda_dataset *all, *train_part;  /* train_part is NULL if it is all of it */
    dlda_dataset *validation, *test; /* NULL if there is none                    */
    dlda_trainer *trainer;
} training;

/* ---- Data ---- */

static int read_training_data(training *self)
{
    int code = exit_code_of(name, dlda_dataset_read(self->data, DLDA_TRAIN, &self->all));

    if (code != EXIT_OK) return code;
    return split_training_data(name, self->data, self->options, self->all, &self->train_part, &self->validation);
}

/* No test part is no failure; one that cannot be read or does not fit is. */
static int read_test_data(training *self)
{
    fit_size wanted = fit_of_training(self->all);

    if (!dlda_dataset_has_part(&(dlda_read_spec){ .path = self->data, .part = DLDA_TEST })) {
        if (!self->quiet) fprintf(stderr, "%s has no test part\n", self->data);
        return EXIT_OK;
    }
    int code = exit_code_of(name, dlda_dataset_read(self->data, DLDA_TEST, &self->test));
    if (code == EXIT_OK) code = fit_images(name, self->data, "test images", self->test, &wanted);
    if (code == EXIT_OK) code = fit_classes(name, self->data, "test images", self->test, &wanted);
    return code;
}

static const dlda_dataset *training_set(const training *self)
{
    return self->train_part ? self->train_part : self->all;
}

static void say_what_is_trained(const training *self)
{
    if (self->quiet) return;
    fprintf(stderr, "%s: %zu training", self->data, dlda_dataset_count(training_set(self)));
    if (self->validation) fprintf(stderr, ", %zu validation", dlda_dataset_count(self->validation));
    if (self->test) fprintf(stderr, ", %zu test", dlda_dataset_count(self->test));
    fprintf(stderr, " images of %zu x %zu x %zu, %zu classes\n", dlda_dataset_height(self->all),
            dlda_dataset_width(self->all), dlda_dataset_channels(self->all), dlda_dataset_classes(self->all));
    fprintf(stderr, "network %s, objective %s, batch %s, run folder %s\n", dlda_options_get(self->options, "net"),
            dlda_options_get(self->options, "objective"), dlda_options_get(self->options, "batch"), self->folder);
}

/* ---- Training ---- */

/* Makes the folders that lead to the run's own; what fails here fails again, with a message, when that is made. */
static void make_parents(const char *folder)
{
    char path[4096];

    if (strlen(folder) >= sizeof path) return;
    memcpy(path, folder, strlen(folder) + 1);
    for (char *slash = strchr(path + 1, '/'); slash && slash[1]; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

static int prepare(training *self)
{
    const char *steps = dlda_options_get(self->options, "prepare");

    if (!self->quiet && strstr(steps, "zca")) fprintf(stderr, "preparing the images: %s\n", steps);
    dlda_status status = dlda_trainer_create(self->options, training_set(self), self->validation, &self->trainer);

    /* What is wrong with the classes is wrong with the data, which the library cannot name. */
    if (status == DLDA_E_CLASS) return exit_code_at(name, self->data, status);
    if (status != DLDA_OK) return exit_code_of(name, status);
    make_parents(self->folder);
    return exit_code_of(
        name, dlda_trainer_record(self->trainer, self->folder, option_is(self->options, "force", "true")));
}

static int train(training *self)
{
    cli_progress progress;
    dlda_watch watch = { .user = &progress,
                         .log = progress_log,
                         .batch = progress_batch,
                         .epoch = progress_epoch,
                         .stop = interrupt_asks_to_stop };

    progress_begin(&progress, self->options);
    dlda_trainer_watch(self->trainer, &watch);
    dlda_status status = dlda_trainer_run(self->trainer);
    progress_end(&progress);
    dlda_trainer_watch(self->trainer, &(dlda_watch){ 0 });
    return status == DLDA_E_STOPPED ? EXIT_SIGNAL + interrupt_signal() : exit_code_of(name, status);
}

/* ---- Results ---- */

static int evaluate(const training *self, const dlda_model *model, const dlda_dataset *dataset, const char *what)
{
    dlda_workspace *workspace = NULL;
    dlda_evaluation *evaluation = NULL;
    dlda_status status = dlda_workspace_create(model, option_batch(self->options, dlda_dataset_count(dataset)),
                                               (size_t)option_number(self->options, "threads"), &workspace);

    if (status == DLDA_OK) status = dlda_model_evaluate(model, workspace, dataset, DLDA_PAPER, &evaluation);
    int code = exit_code_at(name, self->data, status);
    if (code == EXIT_OK) table_evaluation(stdout, model, evaluation, what);
    dlda_evaluation_destroy(evaluation);
    dlda_workspace_destroy(workspace);
    return code;
}

static void name_files(const training *self)
{
    static const char *const files[] = { "model.safetensors", "history.csv", "eigenvalues.csv", "options.json" };
    char path[4096];
    struct stat info;

    printf("\nwritten:\n");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", self->folder, files[i]);
        if (stat(path, &info) == 0) printf("  %s\n", path);
    }
}

static int show_results(const training *self)
{
    const dlda_model *model = dlda_trainer_model(self->trainer);
    int code = EXIT_OK;

    if (!model) return EXIT_OK;
    if (self->test) code = evaluate(self, model, self->test, "test");
    else if (self->validation) code = evaluate(self, model, self->validation, "validation");
    else printf("no test part and no validation set: the accuracy is unknown\n");
    if (code != EXIT_OK) return code;
    putchar('\n');
    table_eigenvalues(stdout, dlda_model_lda(model));
    name_files(self);
    return EXIT_OK;
}

/* A second Ctrl-C may come while the figures are computed; by then the files are complete. */
static void say_stopped(const training *self)
{
    size_t epochs = 0;

    dlda_trainer_history(self->trainer, &epochs);
    if (epochs == 0) fputs("Stopped before the first epoch was complete: no model was saved.\n", stderr);
    else fprintf(stderr, "Stopped after %zu complete epochs; the best model of these is kept.\n", epochs);
}

/* ---- The command ---- */

static void release(training *self)
{
    dlda_trainer_destroy(self->trainer);
    dlda_dataset_destroy(self->test);
    dlda_dataset_destroy(self->validation);
    dlda_dataset_destroy(self->train_part);
    dlda_dataset_destroy(self->all);
}

static int run_train(const cli_arguments *arguments)
{
    const char *folder = dlda_options_get(arguments->options, "output");
    training self = { .options = arguments->options,
                      .data = arguments->n_words > 0 ? arguments->words[0] : "digits",
                      .folder = folder[0] ? folder : "run",
                      .quiet = option_is(arguments->options, "quiet", "true") };

    int code = read_training_data(&self);
    if (code == EXIT_OK) code = read_test_data(&self);
    interrupt_begin(); /* before the folder is made, so that it is also removed again */
    if (code == EXIT_OK) code = prepare(&self);
    if (code == EXIT_OK) {
        say_what_is_trained(&self);
        code = train(&self);
    }
    interrupt_end();
    if (code >= EXIT_SIGNAL) say_stopped(&self);
    if (code == EXIT_OK || code >= EXIT_SIGNAL) {
        int shown = show_results(&self);
        if (shown != EXIT_OK) code = shown;
    }
    release(&self);
    return code;
}

const cli_command train_command = {
    .name = "train",
    .operands = "[DATA]",
    .least = 0,
    .most = 1,
    .summary = "Train a network, test it, and keep the model.",
    .details =
        "DATA is digits (the default: 5,000 training and 1,000 test digits that are part of the program), a "
        "folder with IDX files under their usual names, as MNIST comes, or one IDX image file with its labels "
        "beside it.\n"
        "The folder of the run gets model.safetensors (the best epoch), history.csv, eigenvalues.csv and "
        "options.json. docs/preparation.md explains --prepare, --flip, --shift, --subset and --folds. Ctrl-C once stops after the current batch and keeps the model of the complete epochs; "
        "twice quits at once.",
    .examples = "deeplda train digits -o run\n"
                "deeplda train ~/mnist --batch 1000 --epochs 50 --halve-every 10 -o runs/mnist\n"
                "deeplda train digits --objective cce --batch 128 -o runs/cce",
    .run = run_train,
};
