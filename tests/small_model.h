/* SPDX-License-Identifier: MIT
 *
 * small_model.h - the model that several test programs use: trained on noise with a weak signal of three classes,
 * saved and loaded in a temporary folder.
 */
#ifndef DLDA_TESTS_SMALL_MODEL_H
#define DLDA_TESTS_SMALL_MODEL_H

#include "model_files.h"

#include <unistd.h>

enum { N = 60, HEIGHT = 6, WIDTH = 5, CHANNELS = 2, PIXELS = HEIGHT * WIDTH * CHANNELS, C = 3, D = 4 };

static const char network_text[] = "conv 4 3 pad 1\nmaxpool 2\nconv 5 1 linear\nbn\nrelu\ndropout 0.1\ndense 4\n";
static const char *const names[C] = { "cat", "d\xc3\xb6g", "\"third\"\\" };

static char folder[] = "/tmp/test_model-XXXXXX";
static char good[64], bad[64], net[64];
static float images[N][PIXELS];
static int labels[N];
static dlda_dataset *dataset;
static dlda_model *model; /* loaded from `good` */

static inline dlda_dataset *make_dataset(const dlda_dataset_spec *spec)
{
    dlda_dataset *made = NULL;

    CHECK_OK(dlda_dataset_create(spec, &made));
    return made;
}

static inline dlda_dataset_spec spec_of_images(void)
{
    return (dlda_dataset_spec){ .count = N,
                                .height = HEIGHT,
                                .width = WIDTH,
                                .channels = CHANNELS,
                                .classes = C,
                                .labels = labels,
                                .values = images[0],
                                .names = names };
}

static inline void make_images(void)
{
    uint64_t seed = 1;
    dlda_dataset_spec spec = spec_of_images();

    for (size_t i = 0; i < N; i++) {
        labels[i] = (int)(i % C);
        for (size_t j = 0; j < PIXELS; j++) images[i][j] = (float)(check_normal(&seed) + (j % C == i % C));
    }
    dataset = make_dataset(&spec);
}

static inline void train_and_save(void)
{
    dlda_options *options = NULL;
    dlda_trainer *trainer = NULL;

    CHECK_OK(dlda_file_write(net, network_text, strlen(network_text)));
    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "net", net));
    CHECK_OK(dlda_options_set(options, "batch", "30"));
    CHECK_OK(dlda_options_set(options, "epochs", "2"));
    CHECK_OK(dlda_options_set(options, "threads", "1"));
    CHECK_OK(dlda_trainer_create(options, dataset, NULL, &trainer));
    assert_null(dlda_trainer_model(trainer));
    CHECK_OK(dlda_trainer_run(trainer));
    CHECK_OK(dlda_model_save(dlda_trainer_model(trainer), good));
    CHECK_OK(dlda_model_save(dlda_trainer_model(trainer), bad)); /* for test_round_trip */
    CHECK_OK(dlda_model_load(good, &model));
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
}

static inline int make_all(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(good, sizeof good, "%s/good", folder);
    snprintf(bad, sizeof bad, "%s/bad", folder);
    snprintf(net, sizeof net, "%s/small.net", folder);
    make_images();
    train_and_save();
    return 0;
}

/* Fails if a test left a temporary file or leaked memory. */
static inline int remove_all(void **state)
{
    (void)state;
    dlda_model_destroy(model);
    dlda_dataset_destroy(dataset);
    unlink(good);
    unlink(bad);
    unlink(net);
    if (dlda_memory_count().live) print_error("%zu blocks were not released\n", dlda_memory_count().live);
    return rmdir(folder) != 0 || dlda_memory_count().live != 0;
}

static inline dlda_workspace *workspace_for(const dlda_model *any, size_t batch, size_t threads)
{
    dlda_workspace *workspace = NULL;

    CHECK_OK(dlda_workspace_create(any, batch, threads, &workspace));
    return workspace;
}

/* All outputs of a model for all images. */
typedef struct answers {
    float H[N][D], proba[N][C];
    int labels[N];
} answers;

static inline dlda_status ask(const dlda_model *any, dlda_workspace *workspace, answers *a)
{
    dlda_status status = DLDA_OK;

    memset(a, 0xA5, sizeof *a);
    DLDA_TRY(dlda_model_embed(any, workspace, images[0], N, a->H[0]));
    DLDA_TRY(dlda_model_predict(any, workspace, images[0], N, DLDA_PROBABILITY_PAPER, a->labels, a->proba[0]));
done:
    return status;
}

static inline answers answers_of(const dlda_model *any, size_t batch, size_t threads)
{
    answers a;
    dlda_workspace *workspace = workspace_for(any, batch, threads);

    CHECK_OK(ask(any, workspace, &a));
    dlda_workspace_destroy(workspace);
    return a;
}

#endif
