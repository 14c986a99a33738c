/* SPDX-License-Identifier: MIT
 *
 * predictor.c - collects pictures into batches, which all cores decode and then classify.
 */
#include "predict/predictor.h"
#include "find_model.h"
#include "fit.h"
#include "read_data.h"

#include <stdlib.h>
#include <string.h>

/* ---- Setup ---- */

static int read_format(predictor *self, const cli_options *options)
{
    double alpha = option_number(options, "reject");

    self->format = (answer_format){ .model = self->model,
                                    .json = option_is(options, "json", "true"),
                                    .top = (size_t)option_number(options, "top"),
                                    .truths = option_is(options, "truth", "true"),
                                    .rejects = alpha > 0 };
    if (!self->format.rejects) return EXIT_OK;
    return exit_code_of(self->command,
                        dlda_lda_distance_limit(dlda_model_lda(self->model), alpha, &self->format.limit));
}

int predictor_open(predictor *self, const char *command, const char *model, const cli_options *options)
{
    *self = (predictor){ .command = command, .options = options };
    self->most = (size_t)option_number(options, "batch");
    self->threads = (size_t)option_number(options, "threads");
    self->kind = option_probability(options, "head");
    int code = model_open(command, model, &self->model);
    if (code == EXIT_OK && self->kind == DLDA_PROBABILITY_SOFTMAX)
        code = exit_code_at(command, model, dlda_model_require_softmax(self->model));
    if (code != EXIT_OK) return code;
    self->classes = dlda_model_classes(self->model);
    self->pixels = dlda_model_image_size(self->model);
    return read_format(self, options);
}

static void release_room(predictor *self)
{
    free(self->images);
    free(self->good);
    free(self->labels);
    free(self->proba);
    free(self->scores);
    free(self->distances);
    dlda_workspace_destroy(self->workspace);
    self->images = self->proba = NULL;
    self->good = NULL;
    self->labels = NULL;
    self->scores = self->distances = NULL;
    self->workspace = NULL;
    self->batch = 0;
}

void predictor_release(predictor *self)
{
    release_room(self);
    paths_release(&self->pictures);
    dlda_model_destroy(self->model);
    self->model = NULL;
}

static int take_room(predictor *self, const char *path, size_t batch)
{
    int code = exit_code_at(self->command, path,
                            dlda_workspace_create(self->model, batch, self->threads, &self->workspace));

    if (code != EXIT_OK) return code;
    self->images = calloc(batch, self->pixels * sizeof *self->images);
    self->good = calloc(batch, sizeof *self->good);
    self->labels = calloc(batch, sizeof *self->labels);
    self->proba = calloc(batch, self->classes * sizeof *self->proba);
    self->scores = calloc(batch, self->classes * sizeof *self->scores);
    self->distances = calloc(batch, sizeof *self->distances);
    if (self->images && self->good && self->labels && self->proba && self->scores && self->distances) {
        self->batch = batch;
        return EXIT_OK;
    }
    complain(self->command, "%s: no memory for a batch of %zu images", path, batch);
    return EXIT_FAILED;
}

/* Provides room for `count` images, at most --batch. Existing memory is reused; otherwise it at least doubles, so
 * that a stream of pictures rarely reallocates. */
static int have_room(predictor *self, const char *path, size_t count)
{
    size_t batch = count < 2 * self->batch ? 2 * self->batch : count;

    if (batch > self->most) batch = self->most;
    if (count <= self->batch || self->batch == self->most) return EXIT_OK;
    release_room(self);
    int code = take_room(self, path, batch);
    if (code != EXIT_OK) release_room(self);
    return code;
}

/* ---- Predictions ---- */

static dlda_status classify(predictor *self, const float *images, size_t n)
{
    const dlda_answers wanted = { .labels = self->labels,
                                  .proba = self->proba,
                                  .scores = self->format.top ? self->scores : NULL,
                                  .distances = self->format.rejects ? self->distances : NULL };

    return dlda_model_answer(self->model, self->workspace, images, n, self->kind, &wanted);
}

/* The class with a name; NULL if there is none. */
static const char *class_named(const predictor *self, const char *name, size_t length)
{
    for (size_t c = 0; c < self->classes; c++) {
        const char *found = dlda_model_class_name(self->model, c);
        if (strncmp(found, name, length) == 0 && found[length] == '\0') return found;
    }
    return NULL;
}

/* The true class of a picture: the folder that contains it, if that is the name of a class. */
static const char *class_of_folder(const predictor *self, const char *path)
{
    const char *end = strrchr(path, '/');

    if (!end) return NULL;
    while (end > path && end[-1] == '/') end--;
    const char *start = end;
    while (start > path && start[-1] != '/') start--;
    return class_named(self, start, (size_t)(end - start));
}

static void count_truth(predictor *self, const char *truth, int label)
{
    if (!truth) self->unknown++;
    else self->known++;
    self->right += truth && strcmp(truth, dlda_model_class_name(self->model, (size_t)label)) == 0;
}

/* `truth` is the name of the true class, or NULL. */
static void write_answer(predictor *self, const char *file, size_t index, const char *truth, size_t i)
{
    const answer one = { .file = file,
                         .index = index,
                         .label = self->labels[i],
                         .truth = truth,
                         .proba = self->proba + i * self->classes,
                         .scores = self->scores + i * self->classes,
                         .distance = self->distances[i] };

    if (!self->begun) answer_write_head(&self->format, self->output.file);
    self->begun = 1;
    answer_write(&self->format, &one, self->output.file);
    count_truth(self, truth, one.label);
}

static void note(predictor *self, int code)
{
    if (code != EXIT_OK) self->failed = 1;
}

/* ---- Pictures ---- */

static void note_bad(void *user, const char *message)
{
    predictor *self = user;

    complain(self->command, "%s", message);
    self->failed = 1;
}

static dlda_read_spec picture_spec(predictor *self, const char *path)
{
    dlda_read_spec spec = data_spec(self->command, self->options, path, DLDA_PART_TEST);

    spec.user = self;
    spec.problem = note_bad;
    return spec;
}

/* If a picture makes the network fail, its batch is classified one by one, so that the others are not affected. */
static void answer_one_by_one(predictor *self, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *path = self->pictures.paths[i];
        if (!self->good[i]) continue;
        int code = exit_code_at(self->command, path, classify(self, self->images + i * self->pixels, 1));
        if (code == EXIT_OK) write_answer(self, path, 0, class_of_folder(self, path), 0);
        note(self, code);
    }
}

static void answer_pictures(predictor *self)
{
    size_t n = self->pictures.count;
    char **paths = self->pictures.paths;
    dlda_read_spec spec = picture_spec(self, "");
    int code = have_room(self, paths[0], n);

    if (code == EXIT_OK)
        code = exit_code_of(self->command,
                            dlda_model_read_pictures(self->model, self->workspace, &spec,
                                                     (const char *const *)paths, n, self->images, self->good));
    note(self, code);
    if (code != EXIT_OK) return;
    if (classify(self, self->images, n) != DLDA_OK) {
        answer_one_by_one(self, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (self->good[i]) write_answer(self, paths[i], 0, class_of_folder(self, paths[i]), i);
}

void predictor_flush(predictor *self)
{
    if (self->pictures.count == 0) return;
    answer_pictures(self);
    paths_clear(&self->pictures);
    if (fflush(self->output.file) != 0) self->lost = 1;
}

void predictor_add_picture(predictor *self, const char *path)
{
    note(self, paths_add(&self->pictures, self->command, path));
    if (self->pictures.count >= self->most) predictor_flush(self);
}

void predictor_add_bytes(predictor *self, const char *name, const char *shown, const void *bytes, size_t size)
{
    dlda_read_spec spec = picture_spec(self, name);

    predictor_flush(self);
    int code = have_room(self, name, 1);
    if (code == EXIT_OK)
        code = exit_code_of(self->command,
                            dlda_model_decode_picture(self->model, &spec, bytes, size, self->images));
    if (code == EXIT_OK) code = exit_code_at(self->command, name, classify(self, self->images, 1));
    if (code == EXIT_OK) write_answer(self, shown, 0, NULL, 0);
    note(self, code);
}

/* ---- Data sets ---- */

static int answer_portion(predictor *self, const char *path, const dlda_dataset *images, size_t first, size_t n)
{
    int code = exit_code_at(self->command, path, dlda_dataset_images(images, first, n, self->images));

    if (code == EXIT_OK) code = exit_code_at(self->command, path, classify(self, self->images, n));
    for (size_t i = 0; code == EXIT_OK && i < n; i++) {
        int label = dlda_dataset_label(images, first + i);
        const char *truth = label < 0 ? NULL : dlda_model_class_name(self->model, (size_t)label);
        write_answer(self, path, first + i, truth, i);
    }
    return code;
}

void predictor_add_dataset(predictor *self, const char *path, const dlda_dataset *images)
{
    fit_size wanted = fit_of_model(self->model);
    size_t count = dlda_dataset_count(images);

    predictor_flush(self);
    int code = fit_images(self->command, path, "images", images, &wanted);
    if (code == EXIT_OK) code = have_room(self, path, count);
    for (size_t first = 0; code == EXIT_OK && first < count; first += self->batch) {
        size_t n = count - first < self->batch ? count - first : self->batch;
        code = answer_portion(self, path, images, first, n);
    }
    note(self, code);
    if (fflush(self->output.file) != 0) self->lost = 1;
}
