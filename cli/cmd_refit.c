/* SPDX-License-Identifier: MIT
 *
 * cmd_refit.c - `deeplda refit`: fits the LDA head of a trained network in closed form: on other data, with one
 * more class, with other priors or another calibration.
 */
#include "find_model.h"
#include "fit.h"
#include "priors.h"
#include "read_data.h"
#include "run_data.h"
#include "terminal/json_out.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <stdio.h>
#include <string.h>

static const char *const name = "refit";

typedef struct refitter {
    cli_options *options;
    const char *path, *data; /* of the model; of the data, NULL: none */
    run_data run;            /* the data are its own; zero if given   */
    const char *output, *priors, *add_class;
    const char *calibrate; /* data to calibrate on; "": none */
    dlda_model *model, *refitted;
    size_t samples; /* used for the fit */
} refitter;

/* ---- Fitting ---- */

/* The result of the latest step replaces the previous model. */
static void replace(refitter *self, dlda_model *made)
{
    dlda_model_destroy(self->refitted);
    self->refitted = made;
}

static int fit(refitter *self, const dlda_dataset *data)
{
    double lambda = option_number(self->options, "lambda");
    dlda_workspace *workspace = NULL;
    dlda_model *made = NULL;
    dlda_status status = dlda_workspace_create(self->model, option_batch(self->options, dlda_dataset_count(data)),
                                               (size_t)option_number(self->options, "threads"), &workspace);

    if (status == DLDA_OK && self->add_class[0])
        status = dlda_model_add_class(self->model, workspace, data, self->add_class, lambda, &made);
    else if (status == DLDA_OK) status = dlda_model_refit(self->model, workspace, data, lambda, &made);
    dlda_workspace_destroy(workspace);
    if (made) replace(self, made);
    self->samples = dlda_dataset_count(data);
    return exit_code_at(name, self->data, status);
}

/* ---- Calibration ---- */

static int calibrate(refitter *self, const dlda_dataset *held_out, const char *data)
{
    const dlda_model *model = self->refitted ? self->refitted : self->model;
    dlda_workspace *workspace = NULL;
    dlda_model *made = NULL;
    dlda_status status = dlda_workspace_create(model, option_batch(self->options, dlda_dataset_count(held_out)),
                                               (size_t)option_number(self->options, "threads"), &workspace);

    if (status == DLDA_OK) status = dlda_model_calibrate(model, workspace, held_out, &made);
    dlda_workspace_destroy(workspace);
    if (made) replace(self, made);
    return exit_code_at(name, data, status);
}

/* On the test part of the data, or all of it. */
static int calibrate_on_set(refitter *self)
{
    const dlda_model *model = self->refitted ? self->refitted : self->model;
    fit_size wanted = fit_of_model(model);
    dlda_read_spec spec = data_spec(name, self->options, self->calibrate, DLDA_PART_TEST);
    dlda_dataset *held_out = NULL;

    dlda_read_spec_use_model(&spec, model);
    int code = exit_code_of(name, data_open(&spec, &held_out));
    if (code == EXIT_OK) code = fit_images(name, self->calibrate, "images", held_out, &wanted);
    if (code == EXIT_OK) code = fit_classes(name, self->calibrate, "images", held_out, &wanted);
    if (code == EXIT_OK) code = calibrate(self, held_out, self->calibrate);
    dlda_dataset_destroy(held_out);
    return code;
}

/* 1 if a set has the classes of the model in the same order, so that its labels are those of the model. */
static int has_classes_of(const dlda_dataset *data, const dlda_model *model)
{
    if (dlda_dataset_classes(data) != dlda_model_classes(model)) return 0;
    for (size_t c = 0; c < dlda_model_classes(model); c++)
        if (strcmp(dlda_dataset_class_name(data, c), dlda_model_class_name(model, c)) != 0) return 0;
    return 1;
}

/* ---- Data ---- */

/* Images in the model's size and channels, with their own classes. */
static dlda_read_spec spec_of(const refitter *self, dlda_part part)
{
    dlda_read_spec spec = data_spec(name, self->run.reading ? self->run.reading : self->options, self->data, part);

    dlda_read_spec_use_model(&spec, self->model);
    spec.names = NULL;
    spec.classes = 0;
    return spec;
}

static int fit_on_set(refitter *self)
{
    fit_size wanted = fit_of_model(self->model);
    dlda_read_spec spec = spec_of(self, DLDA_PART_TRAIN);
    dlda_dataset *all = NULL, *part = NULL, *held_out = NULL;
    int code = exit_code_of(name, data_open(&spec, &all));

    if (code == EXIT_OK) code = fit_images(name, self->data, "images", all, &wanted);
    if (code == EXIT_OK && option_is(self->options, "as-trained", "true"))
        code = data_divide(name, self->data, self->options, all, &part, &held_out);
    if (code == EXIT_OK) code = fit(self, part ? part : all);
    if (code == EXIT_OK && held_out && has_classes_of(held_out, self->refitted))
        code = calibrate(self, held_out, self->data);
    dlda_dataset_destroy(held_out);
    dlda_dataset_destroy(part);
    dlda_dataset_destroy(all);
    return code;
}

static int fit_new_class(refitter *self)
{
    fit_size wanted = fit_of_model(self->model);
    dlda_read_spec spec = spec_of(self, DLDA_PART_TRAIN);
    dlda_dataset *images = NULL;
    int code = exit_code_of(name, data_open_images(&spec, &images));

    if (code == EXIT_OK) code = fit_images(name, self->data, "images", images, &wanted);
    if (code == EXIT_OK) code = fit(self, images);
    dlda_dataset_destroy(images);
    return code;
}

static int make_priors(refitter *self)
{
    dlda_model *made = NULL;
    int code = priors_apply(name, self->priors, self->refitted ? self->refitted : self->model, &made);

    if (code == EXIT_OK) replace(self, made);
    return code;
}

/* ---- Results ---- */

static void write_json(const refitter *self)
{
    const dlda_model *model = self->refitted;
    const dlda_lda *lda = dlda_model_lda(model);
    json_out json = { .file = stdout };
    size_t count = 0;
    const double *values = dlda_lda_eigenvalues(lda, &count);

    json_open(&json, '{');
    json_key(&json, "output");
    json_text(&json, self->output);
    json_key(&json, "samples");
    json_count(&json, self->samples);
    json_add_number(&json, "temperature", dlda_model_temperature(model, DLDA_PROBABILITY_BAYES));
    json_add_count(&json, "calibration_samples", dlda_model_calibration_samples(model));
    json_key(&json, "calibration_kept");
    json_raw(&json, dlda_model_calibration_is_kept(model) ? "true" : "false");
    json_key(&json, "classes");
    json_open(&json, '[');
    for (size_t c = 0; c < dlda_model_classes(model); c++) {
        json_open(&json, '{');
        json_key(&json, "name");
        json_text(&json, dlda_model_class_name(model, c));
        json_key(&json, "prior");
        json_number(&json, dlda_lda_prior(lda, c));
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_key(&json, "eigenvalues");
    json_open(&json, '[');
    for (size_t i = 0; i < count; i++) json_number(&json, values[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', stdout);
}

static void write_text(const refitter *self)
{
    const dlda_model *model = self->refitted;

    if (self->add_class[0]) {
        fputs("class ", stdout);
        table_name(stdout, self->add_class);
        print(" added from %zu samples\n", self->samples);
    } else if (self->data) {
        print("head fitted on %zu samples of %s\n", self->samples, self->data);
    }
    print("%zu classes, prior of each:", dlda_model_classes(model));
    for (size_t c = 0; c < dlda_model_classes(model); c++) {
        print("%s", c ? ", " : " ");
        table_name(stdout, dlda_model_class_name(model, c));
        print(" %.4g", dlda_lda_prior(dlda_model_lda(model), c));
    }
    fputs("\nprobabilities: ", stdout);
    table_calibration(stdout, model, DLDA_PROBABILITY_BAYES);
    fputs("\n\n", stdout);
    table_eigenvalues(stdout, dlda_model_lda(model));
    print("\nwritten:\n  %s\n", self->output);
}

/* ---- The command ---- */

static int check_usage(const refitter *self)
{
    if (!self->output[0]) return complain_usage(name, "expected -o FILE, the file of the new model");
    if (!self->data && self->add_class[0])
        return complain_usage(name, "--add-class %s needs pictures of that class: --add-class NAME FOLDER",
                              self->add_class);
    if (self->add_class[0] && option_is(self->options, "as-trained", "true"))
        return complain_usage(name, "--as-trained cannot be combined with --add-class, which uses all pictures");
    return EXIT_OK;
}

/* Without data, new priors and calibration, the head is fitted on the data of the run. */
static int find_data(refitter *self)
{
    if (self->data || self->priors[0] || self->calibrate[0]) return EXIT_OK;
    int code = run_data_find_for(name, self->path, self->model, self->options, &self->run);
    self->data = self->run.path;
    if (code == EXIT_OK) print_to(stderr, "fitting on the run's own data, %s\n", self->data);
    return code;
}

static int run_refit(const cli_arguments *arguments)
{
    refitter self = { .options = arguments->options,
                      .path = arguments->words[0],
                      .data = arguments->n_words > 1 ? arguments->words[1] : NULL,
                      .output = option_text(arguments->options, "output"),
                      .priors = option_text(arguments->options, "priors"),
                      .add_class = option_text(arguments->options, "add-class"),
                      .calibrate = option_text(arguments->options, "calibrate") };

    int code = check_usage(&self);
    if (code == EXIT_OK) code = model_open(name, self.path, &self.model);
    if (code == EXIT_OK) code = find_data(&self);
    /* lambda, split and batch size default to those of the training */
    if (code == EXIT_OK)
        code = exit_code_at(name, self.path, dlda_options_use_model(self.options->training, self.model));
    if (code == EXIT_OK && self.data) code = self.add_class[0] ? fit_new_class(&self) : fit_on_set(&self);
    if (code == EXIT_OK && self.priors[0]) code = make_priors(&self);
    if (code == EXIT_OK && self.calibrate[0]) code = calibrate_on_set(&self);
    if (code == EXIT_OK) code = exit_code_of(name, dlda_model_save(self.refitted, self.output));
    if (code == EXIT_OK && option_is(self.options, "json", "true")) write_json(&self);
    else if (code == EXIT_OK) write_text(&self);
    dlda_model_destroy(self.refitted);
    dlda_model_destroy(self.model);
    run_data_release(&self.run);
    return code;
}

const cli_command refit_command = {
    .name = "refit",
    .operands = "MODEL [DATA]",
    .least = 1,
    .most = 2,
    .replaces = 1,
    .summary = "Refit a model's LDA: on other data, with one more class, other priors or calibration.",
    .details =
        "Fits the LDA on the network's features again, in closed form: one pass over the images. The "
        "network is unchanged. Writes the resulting model to -o.\n"
        "MODEL is a model file or a run folder. With DATA, which is anything that train takes, the LDA is "
        "fitted on all samples of the training part, whose classes become those of the model; without DATA, "
        "on the data of the model's run. With --add-class NAME and at least two pictures "
        "of that class (a folder, an IDX file or an .npy file), the model gets one more class; no data of "
        "the other classes is needed. With --priors alone, only the class priors for --proba bayes "
        "change. --calibrate DATA fits the calibration to DATA, which the network was not trained on; without "
        "it, the model keeps its calibration. Formulas: docs/evaluation.md.",
    .examples = "deeplda refit run ~/newdata -o new.safetensors\n"
                "deeplda refit run --lambda 0.1 -o smooth.safetensors\n"
                "deeplda refit run --add-class seven ~/sevens -o more.safetensors\n"
                "deeplda refit run --priors uniform -o fair.safetensors",
    .run = run_refit,
};
