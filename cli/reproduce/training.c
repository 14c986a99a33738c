/* SPDX-License-Identifier: MIT
 *
 * training.c - one training: its names and paths, and the content of its files.
 */
#include "reproduce/training.h"

#include <stdlib.h>

char *training_place(const reproduce_request *request, const cli_experiment *experiment, size_t fold, size_t seed)
{
    if (experiment->folds) return text_format("%s/%s/fold%zu/seed%zu", request->root, experiment->name, fold, seed);
    return text_format("%s/%s/seed%zu", request->root, experiment->name, seed);
}

static char *make_title(const training *self)
{
    if (self->experiment->folds)
        return text_format("%s, fold %zu, seed %zu", self->experiment->name, self->fold, self->seed);
    return text_format("%s, seed %zu", self->experiment->name, self->seed);
}

static void list_evaluations(const reproduce_request *request, training *self)
{
    evaluation *next = self->evaluations;

    for (cli_row r = 0; r < N_ROWS; r++) {
        const row_kind *kind = &row_kinds[r];
        if (kind->model != self->kind) continue;
        *next++ = (evaluation){ .row = r,
                                .is_asked = request->rows[r],
                                .figures = text_format("%s/%s.json", self->place, kind->name),
                                .answers = text_format("%s/%s-answers.csv", self->place, kind->name) };
    }
}

training training_at(const reproduce_request *request, const cli_experiment *experiment, size_t fold, size_t seed,
                     cli_trained kind)
{
    training self = { .experiment = experiment, .fold = fold, .seed = seed, .kind = kind };

    self.title = make_title(&self);
    self.place = training_place(request, experiment, fold, seed);
    self.folder = text_format("%s/%s", self.place, trained_kinds[kind].name);
    self.model = text_format("%s/model.safetensors", self.folder);
    self.record_path = text_format("%s-training.json", self.folder);
    list_evaluations(request, &self);
    return self;
}

void training_release(training *self)
{
    for (int i = 0; i < N_EVALUATIONS; i++) {
        free(self->evaluations[i].figures);
        free(self->evaluations[i].answers);
    }
    free(self->title);
    free(self->place);
    free(self->folder);
    free(self->model);
    free(self->record_path);
    words_release(&self->words);
    record_release(&self->found);
    record_release(&self->asked);
}

int training_read_again(const reproduce_request *request, training *self)
{
    record_release(&self->found);
    int code = record_read(self->record_path, self->folder, &self->found);
    self->progress = progress_read(request, self->folder, &self->found);
    self->is_read = code == EXIT_OK;
    return code;
}

int training_read(const reproduce_request *request, training *self)
{
    return self->is_read ? EXIT_OK : training_read_again(request, self);
}

void evaluation_add_words(const training *self, const evaluation *row, const char *data, cli_words *words)
{
    const row_kind *kind = &row_kinds[row->row];

    words_add(words, "eval");
    words_add(words, "%s", self->model);
    words_add(words, "%s", data);
    words_add(words, "--proba=paper");
    for (size_t i = 0; kind->words[i]; i++) words_add(words, "%s", kind->words[i]);
}
