/* SPDX-License-Identifier: MIT
 *
 * model.c - inference with a model: images in, features and classes out.
 */
#include "model/model.h"
#include "base/chi_square.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/options.h"
#include "classify/evaluate.h"
#include "classify/softmax.h"
#include "dataset/dataset.h"
#include "model/calibration.h"
#include "model/class_names.h"

#include <string.h>

/* Reads the options of the training that decide how the model is used. */
static dlda_status use_options(dlda_model *self)
{
    json_t *options = NULL;
    dlda_status status = dlda_json_parse_text(self->options, "model: options", &options);
    const char *objective = json_string_value(json_object_get(options, "objective"));
    const char *resize = json_string_value(json_object_get(options, "resize"));

    const dlda_objective_info *trained = objective ? dlda_objective_find(objective) : NULL;
    self->trained_softmax = trained && trained->softmax;
    self->softmax = self->classes == self->network->features && self->trained_softmax;
    self->resized = resize && resize[0];
    json_decref(options);
    return status;
}

dlda_status dlda_model_create(const dlda_model_spec *spec, dlda_model **model)
{
    dlda_status status = DLDA_OK;
    dlda_model *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "model"));
    DLDA_TRY(dlda_network_parse(spec->network_text, spec->where, spec->input, spec->classes, &self->network));
    DLDA_TRY(DLDA_TAKE(&self->weights, self->network->n_weights, "weights"));
    DLDA_TRY(DLDA_TAKE(&self->state, self->network->n_state, "batch norm statistics"));
    self->classes = spec->classes;
    DLDA_TRY(dlda_names_check(spec->class_names, spec->classes, "model", "classes", DLDA_E_ARGUMENT));
    DLDA_TRY(dlda_take_texts(spec->class_names, spec->classes, &self->class_names));
    if (spec->columns)
        DLDA_TRY(dlda_take_texts(spec->columns, dlda_shape_size(self->network->input), &self->columns));
    DLDA_TRY(dlda_take_text(spec->options, &self->options));
    DLDA_TRY(use_options(self));
    *model = self;
    self = NULL;
done:
    dlda_model_destroy(self);
    return status;
}

void dlda_model_destroy(dlda_model *self)
{
    if (!self) return;
    dlda_release_texts(self->class_names, self->classes);
    if (self->columns) dlda_release_texts(self->columns, dlda_shape_size(self->network->input));
    dlda_release(self->options);
    dlda_preparation_destroy(self->preparation);
    dlda_lda_destroy(self->lda);
    dlda_calibration_destroy(self->calibration);
    dlda_release(self->weights);
    dlda_release(self->state);
    dlda_network_destroy(self->network);
    dlda_release(self);
}

/* ---- Properties ---- */

size_t dlda_model_height(const dlda_model *self)
{
    return self ? self->network->input.height : 0;
}

size_t dlda_model_width(const dlda_model *self)
{
    return self ? self->network->input.width : 0;
}

size_t dlda_model_channels(const dlda_model *self)
{
    return self ? self->network->input.channels : 0;
}

size_t dlda_model_image_size(const dlda_model *self)
{
    return self ? dlda_shape_size(self->network->input) : 0;
}

size_t dlda_model_features(const dlda_model *self)
{
    return self ? self->network->features : 0;
}

size_t dlda_model_classes(const dlda_model *self)
{
    return self ? self->classes : 0;
}

static dlda_status add_count(void *context, const dlda_parameter *parameter, int in_state)
{
    if (!in_state) *(size_t *)context += parameter->count;
    return DLDA_OK;
}

size_t dlda_model_parameters(const dlda_model *self)
{
    size_t count = 0;
    if (self) dlda_network_visit(self->network, add_count, &count);
    return count;
}

const char *dlda_model_class_name(const dlda_model *self, size_t label)
{
    return self && label < self->classes ? self->class_names[label] : NULL;
}

const char *dlda_model_network_text(const dlda_model *self)
{
    return self ? self->network->text : NULL;
}

const char *dlda_model_options_json(const dlda_model *self)
{
    return self ? self->options : NULL;
}

void dlda_read_spec_use_model(dlda_read_spec *spec, const dlda_model *self)
{
    size_t channels = dlda_model_channels(self);

    if (!spec || !self) return;
    if (dlda_model_image_size(self) > channels && (channels == 1 || channels == 3)) spec->channels = channels;
    spec->names = (const char *const *)self->class_names;
    spec->classes = self->classes;
    spec->features = dlda_model_image_size(self);
    spec->columns = (const char *const *)self->columns;
    dlda_read_spec_use_size(spec, self->resized, dlda_model_height(self), dlda_model_width(self));
}

const char *dlda_model_preparation(const dlda_model *self)
{
    return self ? dlda_preparation_list(self->preparation) : NULL;
}

const dlda_lda *dlda_model_lda(const dlda_model *self)
{
    return self ? self->lda : NULL;
}

dlda_status dlda_model_require_softmax(const dlda_model *self)
{
    DLDA_NEED(self);
    if (self->softmax) return DLDA_OK;
    if (self->trained_softmax)
        return dlda_fail(DLDA_E_OPTION,
                         "the model's classes are not those its softmax was trained on; its LDA classifies "
                         "them");
    return dlda_fail(DLDA_E_OPTION,
                     "the model has no softmax, since it was not trained with objective cce or lda-cce; use its LDA, "
                     "or train with option objective cce or lda-cce");
}

void dlda_model_lose_softmax(dlda_model *self)
{
    self->softmax = 0;
    self->lost_softmax = self->trained_softmax;
}

dlda_status dlda_options_use_model(dlda_options *options, const dlda_model *model)
{
    DLDA_NEED(options, model);
    return dlda_options_from_json(options, model->options, "the model's options");
}

/* ---- Inference ---- */

struct dlda_workspace {
    const float *weights; /* of the model it was created for */
    size_t version;       /* of the weights                  */
    size_t batch;
    dlda_team *team;
    dlda_plan *plan;
    float *images;            /* [batch][input] prepared; NULL if no preparation is needed                    */
    float *scratch;           /* for the preparation                                                          */
    double *scores;           /* [2 classes]: scores and projections; there are fewer directions than classes */
    double *distances, *grey; /* [batch], [height][width]: for p-values                              */
};

static dlda_status take_images(dlda_workspace *self, const dlda_model *model)
{
    dlda_status status = DLDA_OK;
    size_t size = 0;

    if (!dlda_preparation_changes(model->preparation)) return DLDA_OK;
    DLDA_TRY(dlda_multiply_sizes(self->batch, dlda_shape_size(model->network->input), "images of a batch", &size));
    DLDA_TRY(DLDA_TAKE(&self->images, size, "images of a batch"));
    DLDA_TRY(DLDA_TAKE(&self->scratch, dlda_preparation_scratch(model->preparation, self->batch), "images"));
done:
    return status;
}

dlda_status dlda_workspace_create(const dlda_model *model, size_t batch, size_t threads, dlda_workspace **workspace)
{
    DLDA_NEED(model, workspace);
    dlda_status status = DLDA_OK;
    dlda_workspace *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "workspace"));
    self->weights = model->weights;
    self->version = model->version;
    self->batch = batch;
    DLDA_TRY(dlda_team_create(threads, &self->team));
    const dlda_plan_spec spec = { batch, self->team, 0, DLDA_KERNELS_FAST, DLDA_PRECISION_FLOAT };
    DLDA_TRY(dlda_plan_create(model->network, &spec, &self->plan));
    dlda_plan_prepare(self->plan, model->weights);
    DLDA_TRY(take_images(self, model));
    DLDA_TRY(DLDA_TAKE(&self->scores, 2 * model->classes, "class scores"));
    DLDA_TRY(DLDA_TAKE(&self->distances, batch, "distances"));
    DLDA_TRY(DLDA_TAKE(&self->grey, model->network->input.height * model->network->input.width, "an image"));
    *workspace = self;
    self = NULL;
done:
    dlda_workspace_destroy(self);
    return status;
}

dlda_team *dlda_workspace_team(const dlda_workspace *self)
{
    return self->team;
}

size_t dlda_workspace_batch(const dlda_workspace *self)
{
    return self->batch;
}

void dlda_workspace_destroy(dlda_workspace *self)
{
    if (!self) return;
    dlda_plan_destroy(self->plan);
    dlda_team_destroy(self->team);
    dlda_release(self->images);
    dlda_release(self->scratch);
    dlda_release(self->scores);
    dlda_release(self->distances);
    dlda_release(self->grey);
    dlda_release(self);
}

static dlda_status check_workspace(const dlda_model *model, const dlda_workspace *workspace)
{
    if (workspace->weights != model->weights)
        return dlda_fail(DLDA_E_ARGUMENT, "workspace: made for another model");
    if (workspace->version == model->version) return DLDA_OK;
    return dlda_fail(DLDA_E_ARGUMENT, "workspace: made before the training changed the model; expected a new one");
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

/* Features [n][features] of n images; n is at most the workspace's batch. */
static const float *features_of(const dlda_model *self, dlda_workspace *workspace, const float *images, size_t n)
{
    if (workspace->images) {
        memcpy(workspace->images, images, n * dlda_shape_size(self->network->input) * sizeof *images);
        dlda_preparation_run(self->preparation, workspace->team, n, workspace->images, workspace->scratch);
        images = workspace->images;
    }
    return dlda_plan_infer(workspace->plan, self->weights, self->state, images, n);
}

/* The output arrays, advanced to image number `first`. P-values need distances, wanted or not. */
static dlda_answers answers_from(const dlda_model *self, dlda_workspace *workspace, const dlda_answers *all,
                                 size_t first)
{
    size_t C = self->classes, D = self->network->features, K = self->lda ? self->lda->K : 0;

    return (dlda_answers){ .labels = all->labels ? all->labels + first : NULL,
                           .proba = all->proba ? all->proba + first * C : NULL,
                           .scores = all->scores ? all->scores + first * C : NULL,
                           .distances = all->distances  ? all->distances + first
                                        : all->p_values ? workspace->distances
                                                        : NULL,
                           .features = all->features ? all->features + first * D : NULL,
                           .projections = all->projections ? all->projections + first * K : NULL,
                           .p_values = all->p_values ? all->p_values + first : NULL };
}

/* Without outputs of the LDA, features need not be finite. */
static int wants_only_features(const dlda_answers *a)
{
    return a->features && !a->labels && !a->proba && !a->scores && !a->distances && !a->projections;
}

/* The features are the scores of the softmax. Projections and distances still come from the LDA. */
static dlda_status answer_by_softmax(const dlda_model *self, const float *H, size_t n, double *scratch,
                                     const dlda_answers *answers)
{
    dlda_answers place = { .distances = answers->distances, .projections = answers->projections };
    dlda_status status = dlda_softmax_predict(H, n, self->classes,
                                              dlda_model_temperature(self, DLDA_PROBABILITY_SOFTMAX),
                                              answers->labels, answers->proba);

    for (size_t i = 0; answers->scores && i < n * self->classes; i++) answers->scores[i] = H[i];
    if (status == DLDA_OK && !wants_only_features(&place))
        status = dlda_lda_answer(self->lda, H, n, DLDA_PROBABILITY_PAPER, scratch, &place);
    return status;
}

/* For n images at the distances of `answers`. */
static void find_p_values(const dlda_model *self, dlda_workspace *workspace, const float *images, size_t n,
                          const dlda_answers *answers)
{
    const dlda_calibration *known = self->calibration && self->calibration->tail.count ? self->calibration : NULL;
    dlda_shape in = self->network->input;

    for (size_t i = 0; answers->p_values && i < n; i++)
        answers->p_values[i] = known ? dlda_calibration_share(known, in, images + i * dlda_shape_size(in),
                                                              answers->distances[i], workspace->grey)
                                     : dlda_chi_square_tail(answers->distances[i], (double)self->lda->K);
}

dlda_status dlda_model_answer(const dlda_model *self, dlda_workspace *workspace, const float *images, size_t n,
                              dlda_probability kind, const dlda_answers *answers)
{
    DLDA_NEED(self, workspace, answers);
    if (n > 0) DLDA_NEED(images);
    dlda_status status = check_workspace(self, workspace);
    size_t in = dlda_shape_size(self->network->input), D = self->network->features;

    if (status == DLDA_OK && kind == DLDA_PROBABILITY_SOFTMAX) status = dlda_model_require_softmax(self);
    for (size_t first = 0; status == DLDA_OK && first < n; first += workspace->batch) {
        size_t rows = at_most(n - first, workspace->batch);
        const float *H = features_of(self, workspace, images + first * in, rows);
        dlda_answers portion = answers_from(self, workspace, answers, first);
        if (portion.features) memcpy(portion.features, H, rows * D * sizeof *H);
        if (wants_only_features(&portion)) continue;
        status = kind == DLDA_PROBABILITY_SOFTMAX
                     ? answer_by_softmax(self, H, rows, workspace->scores, &portion)
                     : dlda_lda_answer(self->lda, H, rows, kind, workspace->scores, &portion);
        if (status == DLDA_OK) find_p_values(self, workspace, images + first * in, rows, &portion);
    }
    return status;
}

dlda_status dlda_model_embed(const dlda_model *self, dlda_workspace *workspace, const float *images, size_t n,
                             float *H)
{
    DLDA_NEED(self, workspace);
    if (n > 0) DLDA_NEED(images, H);
    return dlda_model_answer(self, workspace, images, n, DLDA_PROBABILITY_PAPER, &(dlda_answers){ .features = H });
}

dlda_status dlda_model_predict(const dlda_model *self, dlda_workspace *workspace, const float *images, size_t n,
                               dlda_probability kind, int *labels, float *proba)
{
    DLDA_NEED(self, workspace);
    if (n > 0) DLDA_NEED(images);
    return dlda_model_answer(self, workspace, images, n, kind, &(dlda_answers){ .labels = labels, .proba = proba });
}

/* ---- Evaluation ---- */

dlda_status dlda_model_check_images(const dlda_model *self, const dlda_dataset *dataset, const char *what)
{
    dlda_shape in = self->network->input;

    if (dlda_dataset_count(dataset) == 0) return dlda_fail(DLDA_E_SHAPE, "%s: the data has no samples", what);
    if (dlda_dataset_height(dataset) == in.height && dlda_dataset_width(dataset) == in.width &&
        dlda_dataset_channels(dataset) == in.channels)
        return DLDA_OK;
    return dlda_fail(DLDA_E_SHAPE, "%s: images of %zux%zux%zu, the model takes %zux%zux%zu", what,
                     dlda_dataset_height(dataset), dlda_dataset_width(dataset), dlda_dataset_channels(dataset),
                     in.height, in.width, in.channels);
}

dlda_status dlda_model_check_labels(const dlda_model *self, const dlda_dataset *dataset, const char *what)
{
    if (!dlda_dataset_labels(dataset)) return dlda_fail(DLDA_E_SHAPE, "%s: the data has no labels", what);
    if (dlda_dataset_classes(dataset) > self->classes)
        return dlda_fail(DLDA_E_SHAPE, "%s: %zu classes in the data, the model has %zu", what,
                         dlda_dataset_classes(dataset), self->classes);
    return DLDA_OK;
}

/* Room for a batch of answers; over ranks also for those of all samples, which are 0 until the ranks have added theirs. */
typedef struct answer_room {
    float *images, *proba;
    int *predicted;
    size_t *positions;
    float *all; /* [count][1 + classes] class and probabilities; NULL: one rank */
} answer_room;

static dlda_status take_room(answer_room *self, size_t batch, const dlda_model *model, size_t all)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(DLDA_TAKE(&self->images, batch * dlda_shape_size(model->network->input), "images"));
    DLDA_TRY(DLDA_TAKE(&self->proba, batch * model->classes, "probabilities"));
    DLDA_TRY(DLDA_TAKE(&self->predicted, batch, "predictions"));
    DLDA_TRY(DLDA_TAKE(&self->positions, batch, "predictions"));
    if (all) DLDA_TRY(DLDA_TAKE(&self->all, all * (1 + model->classes), "predictions"));
done:
    return status;
}

static void release_room(answer_room *self)
{
    dlda_release(self->images);
    dlda_release(self->proba);
    dlda_release(self->predicted);
    dlda_release(self->positions);
    dlda_release(self->all);
}

static void keep_answers(answer_room *self, size_t n, size_t C)
{
    for (size_t i = 0; i < n; i++) {
        float *row = self->all + self->positions[i] * (1 + C);
        row[0] = (float)self->predicted[i]; /* exact: there are fewer than 2^24 classes */
        memcpy(row + 1, self->proba + i * C, C * sizeof *row);
    }
}

static dlda_status count_all(answer_room *self, const dlda_comm *comm, const int *labels, size_t count, size_t C,
                             dlda_evaluation *result)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_comm_begin_sum(comm, self->all, count * (1 + C)));
    DLDA_TRY(dlda_comm_end_sums(comm));
    for (size_t i = 0; i < count; i++) {
        const float *row = self->all + i * (1 + C);
        self->predicted[0] = (int)row[0];
        dlda_evaluation_count(result, 1, labels + i, self->predicted, row + 1);
    }
done:
    return status;
}

/* The weights are enough to tell models apart; the LDA follows from them and the training data. */
dlda_status dlda_model_agree(const dlda_model *self, const dlda_dataset *dataset, const dlda_comm *comm)
{
    dlda_status status = DLDA_OK;
    const dlda_network *network = self->network;

    DLDA_TRY(dlda_dataset_check_ranks(dataset, comm));
    if (dlda_comm_size(comm) == 1) return DLDA_OK;
    DLDA_TRY(dlda_comm_agree(comm, network->text, strlen(network->text), "the layers of the model"));
    DLDA_TRY(dlda_comm_agree(comm, self->weights, network->n_weights * sizeof *self->weights,
                             "the weights of the model"));
    DLDA_TRY(dlda_dataset_agree(dataset, comm, "the data"));
done:
    return status;
}

dlda_status dlda_model_evaluate_over(const dlda_comm *comm, const dlda_model *self, dlda_workspace *workspace,
                                     const dlda_dataset *dataset, dlda_probability kind,
                                     dlda_evaluation **evaluation)
{
    DLDA_NEED(self, workspace, dataset, evaluation);
    dlda_status status = DLDA_OK;
    dlda_evaluation *result = NULL;
    answer_room room = { 0 };
    size_t batch = workspace->batch;

    DLDA_TRY(dlda_model_check_images(self, dataset, "evaluate"));
    DLDA_TRY(dlda_model_check_labels(self, dataset, "evaluate"));
    DLDA_TRY(dlda_model_agree(self, dataset, comm));
    size_t count = dlda_dataset_count(dataset);
    const int *labels = dlda_dataset_labels(dataset);
    DLDA_TRY(take_room(&room, batch, self, dlda_comm_size(comm) > 1 ? count : 0));
    DLDA_TRY(dlda_evaluation_begin(self->classes, count, &result));
    for (size_t next = 0, n; (n = dlda_dataset_visit(dataset, comm, &next, batch, room.positions)) > 0;) {
        dlda_dataset_gather(dataset, room.positions, n, NULL, room.images);
        DLDA_TRY(dlda_model_predict(self, workspace, room.images, n, kind, room.predicted, room.proba));
        if (room.all) keep_answers(&room, n, self->classes);
        else dlda_evaluation_count(result, n, labels + room.positions[0], room.predicted, room.proba);
    }
    if (room.all) DLDA_TRY(count_all(&room, comm, labels, count, self->classes, result));
    dlda_evaluation_finish(result);
    *evaluation = result;
    result = NULL;
done:
    dlda_evaluation_destroy(result);
    release_room(&room);
    return status == DLDA_OK ? status : dlda_comm_fail(comm, status);
}

dlda_status dlda_model_evaluate(const dlda_model *self, dlda_workspace *workspace, const dlda_dataset *dataset,
                                dlda_probability kind, dlda_evaluation **evaluation)
{
    DLDA_NEED(self, workspace, dataset, evaluation);
    return dlda_model_evaluate_over(NULL, self, workspace, dataset, kind, evaluation);
}
