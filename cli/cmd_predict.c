/* SPDX-License-Identifier: MIT
 *
 * cmd_predict.c - `deeplda predict`: classes and probabilities of images, as CSV or JSON lines.
 *
 * A file that cannot be used is named on stderr, the others are still done, and the exit code is 1. If none can be
 * used there is no output at all, not even a header.
 */
#include "fit.h"
#include "json_out.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

static const char *const name = "predict";

typedef struct predictor {
    dlda_model *model;
    dlda_workspace *workspace;
    size_t most; /* images at once, as --batch has it                     */
    size_t threads;
    size_t batch; /* what there is room for now: no more than a file needed */
    size_t pixels, classes;
    float *images; /* [batch][pixels]  */
    float *proba;  /* [batch][classes] */
    int *labels;   /* [batch]          */
    dlda_probability kind;
    int json;
    int begun; /* the output has its first line */
    cli_output output;
} predictor;

/* ---- One line per image ---- */

/* Quoted if it must be, with quotes doubled (RFC 4180). */
static void write_csv_text(FILE *file, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")] && text[0] != ' ') {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void write_csv_head(const predictor *self)
{
    fputs("file,index,class,probability", self->output.file);
    for (size_t c = 0; c < self->classes; c++) {
        fputc(',', self->output.file);
        write_csv_text(self->output.file, dlda_model_class_name(self->model, c));
    }
    fputc('\n', self->output.file);
}

static void write_csv(const predictor *self, const char *path, size_t index, int label, const float *proba)
{
    FILE *file = self->output.file;
    char number[32];

    write_csv_text(file, path);
    fprintf(file, ",%zu,", index);
    write_csv_text(file, dlda_model_class_name(self->model, (size_t)label));
    shortest_float(proba[label], number);
    fprintf(file, ",%s", number);
    for (size_t c = 0; c < self->classes; c++) {
        shortest_float(proba[c], number);
        fprintf(file, ",%s", number);
    }
    fputc('\n', file);
}

static void write_json(const predictor *self, const char *path, size_t index, int label, const float *proba)
{
    json_out json = { .file = self->output.file };

    json_open(&json, '{');
    json_key(&json, "file");
    json_text(&json, path);
    json_key(&json, "index");
    json_count(&json, index);
    json_key(&json, "class");
    json_text(&json, dlda_model_class_name(self->model, (size_t)label));
    json_key(&json, "probability");
    json_float(&json, proba[label]);
    json_key(&json, "probabilities");
    json_open(&json, '{');
    for (size_t c = 0; c < self->classes; c++) {
        json_key(&json, dlda_model_class_name(self->model, c));
        json_float(&json, proba[c]);
    }
    json_close(&json, '}');
    json_close(&json, '}');
    fputc('\n', json.file);
}

static void write_lines(predictor *self, const char *path, size_t first, size_t n)
{
    if (!self->begun && !self->json) write_csv_head(self);
    self->begun = 1;
    for (size_t i = 0; i < n; i++) {
        const float *proba = self->proba + i * self->classes;
        if (self->json) write_json(self, path, first + i, self->labels[i], proba);
        else write_csv(self, path, first + i, self->labels[i], proba);
    }
}

/* ---- Memory ---- */

static void release_room(predictor *self)
{
    free(self->labels);
    free(self->proba);
    free(self->images);
    dlda_workspace_destroy(self->workspace);
    self->labels = NULL;
    self->proba = self->images = NULL;
    self->workspace = NULL;
    self->batch = 0;
}

static int take_room(predictor *self, const char *path, size_t batch)
{
    int code = exit_code_at(name, path, dlda_workspace_create(self->model, batch, self->threads, &self->workspace));

    if (code != EXIT_OK) return code;
    self->images = calloc(batch, self->pixels * sizeof *self->images);
    self->proba = calloc(batch, self->classes * sizeof *self->proba);
    self->labels = calloc(batch, sizeof *self->labels);
    if (!self->images || !self->proba || !self->labels) {
        complain(name, "%s: no memory for a batch of %zu images", path, batch);
        return EXIT_FAILED;
    }
    self->batch = batch;
    return EXIT_OK;
}

/* Makes room for a file's images, at most --batch of them at once; room that is large enough is used again. */
static int have_room(predictor *self, const char *path, size_t count)
{
    size_t batch = count < self->most ? count : self->most;

    if (batch <= self->batch) return EXIT_OK;
    release_room(self);
    int code = take_room(self, path, batch);
    if (code != EXIT_OK) release_room(self);
    return code;
}

/* ---- One file ---- */

static dlda_status predict_portion(predictor *self, const char *path, const dlda_dataset *images, size_t first,
                                   size_t n)
{
    dlda_status status = dlda_dataset_images(images, first, n, self->images);

    if (status == DLDA_OK)
        status = dlda_model_predict(self->model, self->workspace, self->images, n, self->kind, self->labels,
                                    self->proba);
    if (status == DLDA_OK) write_lines(self, path, first, n);
    return status;
}

static int predict_images(predictor *self, const char *path, const dlda_dataset *images)
{
    fit_size wanted = fit_of_model(self->model);
    size_t count = dlda_dataset_count(images);
    int code = fit_images(name, path, "images", images, &wanted);

    if (code == EXIT_OK) code = have_room(self, path, count);
    for (size_t first = 0; code == EXIT_OK && first < count; first += self->batch) {
        size_t n = count - first < self->batch ? count - first : self->batch;
        code = exit_code_at(name, path, predict_portion(self, path, images, first, n));
    }
    return code;
}

static int predict_file(predictor *self, const char *path)
{
    dlda_dataset *images = NULL;
    int code = exit_code_of(name, dlda_dataset_read_images(path, dlda_model_channels(self->model), &images));

    if (code == EXIT_OK) code = predict_images(self, path, images);
    dlda_dataset_destroy(images);
    return code;
}

/* ---- The command ---- */

static int prepare(predictor *self, const cli_arguments *arguments)
{
    self->most = (size_t)option_number(arguments->options, "batch");
    self->threads = (size_t)option_number(arguments->options, "threads");
    self->kind = option_probability(arguments->options);
    self->json = option_is(arguments->options, "json", "true");
    int code = exit_code_of(name, dlda_model_load(arguments->words[0], &self->model));
    if (code != EXIT_OK) return code;
    self->classes = dlda_model_classes(self->model);
    self->pixels = dlda_model_height(self->model) * dlda_model_width(self->model) *
                   dlda_model_channels(self->model);
    return EXIT_OK;
}

static int predict_all(predictor *self, const cli_arguments *arguments)
{
    int code = output_open(&self->output, name, dlda_options_get(arguments->options, "output"));

    if (code != EXIT_OK) return code;
    for (size_t i = 1; i < arguments->n_words; i++)
        if (predict_file(self, arguments->words[i]) != EXIT_OK) code = EXIT_FAILED;
    if (!self->begun) {
        output_discard(&self->output);
        return code;
    }
    int closed = output_close(&self->output);
    return closed != EXIT_OK ? closed : code;
}

static int run_predict(const cli_arguments *arguments)
{
    predictor self = { 0 };
    int code = prepare(&self, arguments);

    if (code == EXIT_OK) code = predict_all(&self, arguments);
    release_room(&self);
    dlda_model_destroy(self.model);
    return code;
}

const cli_command predict_command = {
    .name = "predict",
    .operands = "MODEL FILE...",
    .least = 2,
    .most = (size_t)-1,
    .summary = "Classify images: PNG, IDX or .npy files in, CSV or JSON lines out.",
    .details = "Each line has the file, the image's index in it, the class, its probability, and the probabilities "
               "of all classes. Images must have the size that the model was trained on; PNG files are brought to "
               "its number of channels. A file that cannot be used is reported, the others are still done, and the "
               "exit status is 1.",
    .examples = "deeplda predict run/model.safetensors seven.png\n"
                "deeplda predict run/model.safetensors ~/mnist/t10k-images-idx3-ubyte.gz -o answers.csv",
    .run = run_predict,
};
