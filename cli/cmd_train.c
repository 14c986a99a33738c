/* SPDX-License-Identifier: MIT
 *
 * cmd_train.c - `deeplda train`: trains on data, tests the model and prints its accuracy.
 *
 * All data is read, all options are checked and the run folder is created before the first step, so that errors do
 * not show up after hours of training.
 */
#include "base/file.h"
#include "base/memory.h"
#include "find_model.h"
#include "fit.h"
#include "folders.h"
#include "inputs.h"
#include "ranks.h"
#include "read_data.h"
#include "report/report.h"
#include "run_files.h"
#include "terminal/events.h"
#include "terminal/interrupt.h"
#include "terminal/print.h"
#include "terminal/progress.h"
#include "terminal/table.h"
#include "words.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const name = "train";

typedef struct training {
    const cli_options *options;
    const char *data, *folder;
    int quiet, json, resumes;
    int chooses;      /* options that are not given are chosen from the data */
    size_t n_choices; /* that were told                                      */
    dlda_dataset *all, *train_part;
    dlda_dataset *validation, *test; /* NULL if there is none */
    dlda_trainer *trainer;
    cli_progress progress;
} training;

/* ---- Data ---- */

static int read_training_data(training *self)
{
    dlda_read_spec spec = data_spec(name, self->options, self->data, DLDA_PART_TRAIN);
    int code = exit_code_of(name, data_open(&spec, &self->all));

    if (code != EXIT_OK) return code;
    return data_divide(name, self->data, self->options, self->all, &self->train_part, &self->validation);
}

/* A missing test part is not an error; an unreadable or incompatible one is. */
static int read_test_data(training *self)
{
    fit_size wanted = fit_of_training(self->all);
    dlda_read_spec spec = data_spec(name, self->options, self->data, DLDA_PART_TEST);

    if (!dlda_dataset_has_part(&spec)) {
        if (!self->quiet) print_to(stderr, "%s has no test part\n", self->data);
        return EXIT_OK;
    }
    dlda_read_spec_use_dataset(&spec, self->all);
    int code = exit_code_of(name, data_open(&spec, &self->test));
    if (code == EXIT_OK) code = fit_images(name, self->data, "test images", self->test, &wanted);
    if (code == EXIT_OK) code = fit_classes(name, self->data, "test images", self->test, &wanted);
    return code;
}

static void say_data(const training *self)
{
    size_t height = dlda_dataset_height(self->all), width = dlda_dataset_width(self->all);
    size_t channels = dlda_dataset_channels(self->all);

    if (self->quiet) return;
    print_to(stderr, "%s: %zu training", self->data, dlda_dataset_count(self->train_part));
    if (self->validation) print_to(stderr, ", %zu validation", dlda_dataset_count(self->validation));
    if (self->test) print_to(stderr, ", %zu test", dlda_dataset_count(self->test));
    if (height == 1 && width == 1) print_to(stderr, " rows of %zu numbers", channels);
    else print_to(stderr, " images of %zu x %zu x %zu", height, width, channels);
    print_to(stderr, ", %zu classes\n", dlda_dataset_classes(self->all));
}

static void say_choice(void *user, const char *option, const char *value, const char *reason)
{
    training *self = user;

    if (self->json) event_choice(option, value, reason);
    if (self->json || self->quiet) return;
    if (!self->n_choices++) fputs("chosen for these data; an option on the command line overrides:\n", stderr);
    print_to(stderr, "  --%-13s %-12s ", option, value);
    print_with_dashes(stderr, reason);
    fputc('\n', stderr);
}

/* Options that are not given are chosen from the data, unless the data have presets. */
static int choose_options(training *self)
{
    if (!self->chooses) return EXIT_OK;
    dlda_status status = dlda_options_choose(self->options->training, self->train_part, say_choice, self);

    return exit_code_at(name, status == DLDA_E_CLASS ? self->data : NULL, status);
}

static void say_what_is_trained(const training *self)
{
    if (self->quiet) return;
    print_to(stderr, "network %s, objective %s, batch %s, run folder %s\n", option_text(self->options, "net"),
             option_text(self->options, "objective"), option_text(self->options, "batch"), self->folder);
    if (ranks_comm())
        print_to(stderr, "%zu ranks, %s thread%s each\n", ranks_comm()->size, option_text(self->options, "threads"),
                 option_is(self->options, "threads", "1") ? "" : "s");
    if (self->resumes && dlda_trainer_is_complete(self->trainer))
        print_to(stderr, "the training in %s is complete; more epochs: --epochs N\n", self->folder);
}

/* ---- Training ---- */

/* With several ranks, each keeps a part of the images. */
static int share_data(const training *self)
{
    int code = exit_code_at(name, self->data, dlda_dataset_keep_share(self->all, ranks_comm()));

    if (code == EXIT_OK && self->test)
        code = exit_code_at(name, self->data, dlda_dataset_keep_share(self->test, ranks_comm()));
    return code;
}

static int prepare(training *self)
{
    const char *steps = option_text(self->options, "prepare");

    if (!self->quiet && strstr(steps, "zca")) print_to(stderr, "preparing the images: %s\n", steps);
    dlda_status status = dlda_trainer_create_over(ranks_comm(), self->options->training, self->train_part,
                                                  self->validation, &self->trainer);

    /* Errors about classes concern the data, which the library cannot name. */
    if (status == DLDA_E_CLASS) return exit_code_at(name, self->data, status);
    if (status != DLDA_OK) return exit_code_of(name, status);
    return EXIT_OK;
}

/* Creates the run folder, or opens that of the training to be resumed. */
static int open_folder(training *self)
{
    if (self->resumes) return exit_code_of(name, dlda_trainer_resume(self->trainer, self->folder));
    if (ranks_writes()) folders_make_parents(self->folder);
    dlda_status status = dlda_trainer_record(self->trainer, self->folder,
                                             option_is(self->options, "force", "true"));
    struct stat info;
    if (status != DLDA_E_EXISTS || stat(self->folder, &info) != 0 || !S_ISDIR(info.st_mode))
        return exit_code_of(name, status);
    complain(name,
             "%s; choose another with -o, continue its training with --resume, or use --force to write into it",
             dlda_last_error());
    return EXIT_FAILED;
}

/* A page and figures in the folder show an earlier training. They can be made again, so they go before this one begins. */
static int remove_report(const training *self)
{
    if (self->resumes || !ranks_writes()) return EXIT_OK;
    return exit_code_of(name, report_remove(self->folder));
}

static void watch_training(training *self)
{
    dlda_watch watch = { .user = &self->progress,
                         .log = progress_log,
                         .batch = progress_batch,
                         .epoch = progress_epoch,
                         .stop = interrupt_asks_to_stop };

    progress_begin(&self->progress, self->options);
    dlda_trainer_watch(self->trainer, &watch);
}

static int train(training *self)
{
    size_t epochs = 0;
    const dlda_epoch *history = dlda_trainer_history(self->trainer, &epochs);

    progress_continue(&self->progress, history, epochs);
    dlda_status status = dlda_trainer_run(self->trainer);
    progress_end(&self->progress);
    dlda_trainer_watch(self->trainer, &(dlda_watch){ 0 });
    if (status != DLDA_E_STOPPED) return exit_code_of(name, status);
    return EXIT_SIGNAL + (interrupt_signal() ? interrupt_signal() : SIGTERM); /* another rank may have got it */
}

/* ---- Results ---- */

/* Images at once: as many as in a step. */
static size_t test_batch(const training *self, const dlda_dataset *dataset)
{
    size_t batch = option_batch(self->options, dlda_dataset_count(dataset));
    size_t micro = (size_t)option_number(self->options, "micro-batch");

    return micro > 0 && micro < batch ? micro : batch;
}

static int evaluate(const training *self, const dlda_model *model, const dlda_dataset *dataset, const char *what)
{
    dlda_workspace *workspace = NULL;
    dlda_evaluation *evaluation = NULL;
    dlda_status status = dlda_workspace_create(model, test_batch(self, dataset),
                                               (size_t)option_number(self->options, "threads"), &workspace);

    if (status == DLDA_OK)
        status = dlda_model_evaluate_over(ranks_comm(), model, workspace, dataset, DLDA_PROBABILITY_BAYES,
                                          &evaluation);
    int code = exit_code_at(name, self->data, status);
    if (code == EXIT_OK && self->json) event_result(what, evaluation, dlda_model_lda(model), self->folder);
    else if (code == EXIT_OK) table_evaluation(stdout, model, evaluation, what);
    dlda_evaluation_destroy(evaluation);
    dlda_workspace_destroy(workspace);
    return code;
}

static void name_files(const training *self)
{
    static const char *const files[] = { "model.safetensors", "history.csv", "eigenvalues.csv",
                                         "options.json",      "run.json",    "checkpoint.safetensors" };
    char path[4096];
    struct stat info;

    print("\nwritten:\n");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", self->folder, files[i]);
        if (stat(path, &info) == 0) print("  %s\n", path);
    }
}

/* The last epoch is better on the validation set than all before it: the training may have been too short. */
static int ends_best(const training *self)
{
    size_t count = 0;
    const dlda_epoch *epochs = dlda_trainer_history(self->trainer, &count);

    for (size_t i = 0; i + 1 < count; i++)
        if (!(epochs[i].validation_accuracy < epochs[count - 1].validation_accuracy) &&
            !isnan(epochs[i].validation_accuracy))
            return 0;
    return count > 1 && !isnan(epochs[count - 1].validation_accuracy);
}

static void advise(const training *self)
{
    if (self->quiet || !dlda_trainer_is_complete(self->trainer) || !ends_best(self)) return;
    char *folder = text_quoted(self->folder);
    print("\nThe last epoch is the best one, so more epochs may help: deeplda train --resume %s --epochs %.0f\n",
          folder, 2 * option_number(self->options, "epochs"));
    free(folder);
}

static int show_results(const training *self)
{
    const dlda_model *model = dlda_trainer_model(self->trainer);
    int code = EXIT_OK;

    if (!model) return EXIT_OK;
    if (self->test) code = evaluate(self, model, self->test, "test");
    else if (self->validation) code = evaluate(self, model, self->validation, "validation");
    else if (self->json) event_result(NULL, NULL, dlda_model_lda(model), self->folder);
    else print("no test part and no validation set: the accuracy is unknown\n");
    if (code != EXIT_OK || self->json) return code;
    putchar('\n');
    table_eigenvalues(stdout, dlda_model_lda(model));
    name_files(self);
    advise(self);
    return EXIT_OK;
}

/* A second Ctrl-C may come while the test is running; by then the files are complete. */
static void say_stopped(const training *self)
{
    size_t epochs = 0;
    char *folder = text_quoted(self->folder);

    dlda_trainer_history(self->trainer, &epochs);
    if (epochs == 0) fputs("Stopped before the first epoch was complete: there is no model yet.\n", stderr);
    else print_to(stderr, "Stopped after %zu complete epochs; the best model so far is saved.\n", epochs);
    print_to(stderr, "To continue: deeplda train --resume %s\n", folder);
    free(folder);
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

/* Sets the data explicitly, so that the run records it. */
static int settle_data(cli_options *options)
{
    return exit_code_of(name, option_set(options, "data", option_text(options, "data")));
}

static int has_presets(const char *data)
{
    for (size_t i = 0; dlda_preset_at(i); i++)
        if (strcmp(dlda_preset_at(i)->data, data) == 0) return 1;
    return 0;
}

/* The weights to start from may be those of a run: the library is given the file. */
static int settle_init(cli_options *options)
{
    const char *given = option_text(options, "init");
    char *path = NULL;

    if (!given[0]) return EXIT_OK;
    int code = model_find(name, given, &path);
    if (code == EXIT_OK && strcmp(path, given) != 0) code = exit_code_of(name, option_set(options, "init", path));
    dlda_release(path);
    return code;
}

/* A resumed training reads the files of its folder, and goes on writing them. */
static int allow_run_files(const char *run)
{
    dlda_status status = DLDA_OK;

    for (size_t i = 0; run_file_at(i) && status == DLDA_OK; i++) {
        char *path = NULL;
        status = dlda_path_join(run, run_file_at(i), &path);
        if (status == DLDA_OK) status = inputs_allow(path);
        dlda_release(path);
    }
    return exit_code_of(name, status);
}

/* Options not given are taken from the run to be resumed, or from the presets of the data. */
static int complete_options(const cli_arguments *arguments)
{
    cli_options *options = arguments->options;
    const char *run = option_text(options, "resume");
    int code = EXIT_OK;

    if (run[0] && option_text(options, "output")[0])
        return complain_usage(name, "--resume continues in the folder of the run; -o is not allowed with it");
    if (arguments->n_words > 0) code = exit_code_of(name, option_set(options, "data", arguments->words[0]));
    if (code == EXIT_OK) code = settle_init(options);
    if (code == EXIT_OK && run[0]) code = allow_run_files(run);
    if (code == EXIT_OK && run[0]) code = exit_code_of(name, dlda_options_use_run(options->training, run));
    else if (code == EXIT_OK && !option_is(options, "no-presets", "true"))
        code = exit_code_of(name, dlda_options_preset(options->training, option_text(options, "data")));
    if (code == EXIT_OK && run[0] && !option_text(options, "data")[0])
        return complain_usage(name, "%s does not record its data; name them: deeplda train DATA --resume %s", run,
                              run);
    return code == EXIT_OK ? settle_data(options) : code;
}

static training new_training(const cli_options *options)
{
    const char *run = option_text(options, "resume"), *folder = option_text(options, "output");

    return (training){ .options = options,
                       .data = option_text(options, "data"),
                       .folder = run[0]      ? run
                                 : folder[0] ? folder
                                             : "run",
                       .resumes = run[0] != '\0',
                       .chooses = !run[0] && !option_is(options, "no-presets", "true") &&
                                  !has_presets(option_text(options, "data")),
                       .json = option_is(options, "json", "true"),
                       .quiet = option_is(options, "quiet", "true") };
}

static int run_train(const cli_arguments *arguments)
{
    int code = complete_options(arguments);

    if (code != EXIT_OK) return code;
    training self = new_training(arguments->options);
    code = read_training_data(&self);
    if (code == EXIT_OK) code = read_test_data(&self);
    if (code == EXIT_OK) {
        say_data(&self);
        code = choose_options(&self);
    }
    interrupt_begin(); /* before the folder is created, so that it is removed again */
    if (code == EXIT_OK) code = share_data(&self);
    if (code == EXIT_OK) code = prepare(&self);
    if (code == EXIT_OK) {
        watch_training(&self);
        code = open_folder(&self);
    }
    if (code == EXIT_OK) code = remove_report(&self);
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
    .trains = 1,
    .least = 0,
    .most = 1,
    .summary = "Train a network, test it, and save the model.",
    .details = "DATA is digits (the default: 5,000 training and 1,000 test digits that are part of the program); "
               "a folder with IDX files under their usual names, such as MNIST; one IDX image file with its "
               "labels beside it; a folder with binary CIFAR-10, CIFAR-100 or STL-10; a folder with a sub-folder "
               "of PNG or JPEG pictures of any size for each class, optionally below train/ and test/; an .npy "
               "file with its "
               "labels beside it, or a folder of them; an .npz file; or a CSV table with a label column. "
               "Details: docs/data_formats.md.\n"
               "Options that are not given follow the data: known sets have presets, which are listed below; for "
               "other data, network, objective, batch, epochs and more are chosen from size and number of the "
               "samples, and printed with the reason.\n"
               "The run folder gets model.safetensors (the best epoch), history.csv, eigenvalues.csv and "
               "options.json, and a checkpoint at the beginning, after each epoch and every ten minutes. Ctrl-C "
               "stops after the "
               "current batch, saves, and tests the best model so far; a second Ctrl-C quits at once. --resume "
               "continues a training, also after a crash.",
    .examples = "deeplda train digits -o run\n"
                "deeplda train ~/mnist --batch 1000 --epochs 70 --halve-every 10 -o runs/mnist\n"
                "deeplda train ~/stl10 --resize 32 --net cifar10 --batch 200 -o runs/stl10\n"
                "deeplda train --resume runs/mnist\n"
                "deeplda train digits --objective cce --batch 128 -o runs/cce",
    .takes_presets = 1,
    .run = run_train,
};
