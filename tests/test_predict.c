/* SPDX-License-Identifier: MIT
 *
 * test_predict.c - a model at work in a program: eight threads with one model, pictures from files and from memory,
 * features as NumPy files, and no memory taken on the way.
 */
#define _GNU_SOURCE
#include "picture_files.h"

#include "base/file.h"
#include "check.h"

#include <pthread.h>

enum { N = 90, HEIGHT = 7, WIDTH = 6, PIXELS = HEIGHT * WIDTH, C = 3, D = 5, K = C - 1 };

static uint8_t bytes[N][PIXELS];
static float images[N][PIXELS];
static int labels[N];
static dlda_dataset *dataset;
static dlda_model *model, *resized; /* the latter was trained with the option resize */

/* ---- The models ---- */

static void make_images(void)
{
    uint64_t seed = 7;

    for (size_t i = 0; i < N; i++) {
        labels[i] = (int)(i % C);
        for (size_t p = 0; p < PIXELS; p++) {
            bytes[i][p] = (uint8_t)(90 + 60 * check_uniform(&seed) + (p / WIDTH % C == i % C ? 70 : 0));
            images[i][p] = (float)bytes[i][p] / 255.0f;
        }
    }
    CHECK_OK(dlda_dataset_create(&(dlda_dataset_spec){ .count = N,
                                                       .height = HEIGHT,
                                                       .width = WIDTH,
                                                       .channels = 1,
                                                       .classes = C,
                                                       .labels = labels,
                                                       .bytes = bytes[0] },
                                 &dataset));
}

static dlda_model *trained(const char *resize)
{
    dlda_options *options = NULL;
    dlda_trainer *trainer = NULL;
    dlda_model *made = NULL;

    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "net", in_folder("small.net")));
    CHECK_OK(dlda_options_set(options, "batch", "30"));
    CHECK_OK(dlda_options_set(options, "epochs", "3"));
    CHECK_OK(dlda_options_set(options, "resize", resize));
    CHECK_OK(dlda_options_set(options, "prepare", "standardise,zca"));
    CHECK_OK(dlda_trainer_create(options, dataset, NULL, &trainer));
    CHECK_OK(dlda_trainer_run(trainer));
    CHECK_OK(dlda_model_save(dlda_trainer_model(trainer), in_folder("model")));
    CHECK_OK(dlda_model_load(in_folder("model"), &made));
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    return made;
}

static int make_all(void **state)
{
    static const char net[] = "conv 6 3 pad 1\nmaxpool 2\nconv 8 3 pad 1\ndropout 0.2\ndense 5\n";

    if (make_folder(state) != 0) return -1;
    CHECK_OK(dlda_file_write(in_folder("small.net"), net, strlen(net)));
    make_images();
    model = trained("");
    resized = trained("7x6");
    return 0;
}

static int remove_all(void **state)
{
    dlda_model_destroy(model);
    dlda_model_destroy(resized);
    dlda_dataset_destroy(dataset);
    if (dlda_memory_count().live) print_error("%zu blocks were not released\n", dlda_memory_count().live);
    return remove_folder(state) != 0 || dlda_memory_count().live != 0;
}

static dlda_workspace *new_workspace(size_t batch, size_t threads)
{
    dlda_workspace *workspace = NULL;

    CHECK_OK(dlda_workspace_create(model, batch, threads, &workspace));
    return workspace;
}

/* ---- All answers ---- */

typedef struct all_answers {
    int labels[N];
    float proba[N][C], H[N][D], Z[N][K];
    double scores[N][C], distances[N];
} all_answers;

static dlda_status ask(dlda_workspace *workspace, all_answers *a)
{
    memset(a, 0xA5, sizeof *a);
    const dlda_answers wanted = { .labels = a->labels,
                                  .proba = a->proba[0],
                                  .scores = a->scores[0],
                                  .distances = a->distances,
                                  .features = a->H[0],
                                  .projections = a->Z[0] };
    return dlda_model_answer(model, workspace, images[0], N, DLDA_PROBABILITY_BAYES, &wanted);
}

/* One pass must say what the functions for each alone say. */
static void test_one_pass(void **state)
{
    static all_answers a;
    static float proba[N][C], H[N][D], Z[N][K];
    static double distances[N];
    int found[N];
    size_t correct = 0;
    dlda_workspace *workspace = new_workspace(16, 2);

    (void)state;
    CHECK_OK(ask(workspace, &a));
    CHECK_OK(dlda_model_predict(model, workspace, images[0], N, DLDA_PROBABILITY_BAYES, found, proba[0]));
    CHECK_OK(dlda_model_embed(model, workspace, images[0], N, H[0]));
    CHECK_OK(dlda_lda_transform(dlda_model_lda(model), H[0], N, Z[0]));
    CHECK_OK(dlda_lda_distances(dlda_model_lda(model), H[0], N, distances));
    assert_memory_equal(a.labels, found, sizeof found);
    assert_memory_equal(a.proba, proba, sizeof proba);
    assert_memory_equal(a.H, H, sizeof H);
    assert_memory_equal(a.Z, Z, sizeof Z);
    assert_memory_equal(a.distances, distances, sizeof distances);
    for (size_t i = 0; i < N; i++) correct += found[i] == labels[i];
    assert_true(correct > N * 8 / 10);
    dlda_workspace_destroy(workspace);
}

/* Features that are not finite are an error for all that comes behind them, also if nobody wants to know it. */
static void test_not_finite(void **state)
{
    float image[PIXELS] = { NAN }, H[D];
    dlda_workspace *workspace = new_workspace(1, 1);

    (void)state;
    CHECK_STATUS(dlda_model_predict(model, workspace, image, 1, DLDA_PROBABILITY_BAYES, NULL, NULL),
                 DLDA_E_NUMERIC);
    CHECK_STATUS(
        dlda_model_answer(model, workspace, image, 1, DLDA_PROBABILITY_BAYES, &(dlda_answers){ .projections = H }),
        DLDA_E_NUMERIC);
    CHECK_OK(dlda_model_embed(model, workspace, image, 1, H));
    dlda_workspace_destroy(workspace);
}

static void test_class_names_differ(void **state)
{
    static const char *const twins[C] = { "a", "b", "a" };
    dlda_dataset *set = NULL;
    dlda_options *options = NULL;
    dlda_trainer *trainer = NULL;

    (void)state;
    CHECK_OK(dlda_dataset_create(&(dlda_dataset_spec){ .count = N,
                                                       .height = HEIGHT,
                                                       .width = WIDTH,
                                                       .channels = 1,
                                                       .classes = C,
                                                       .labels = labels,
                                                       .bytes = bytes[0],
                                                       .names = twins },
                                 &set));
    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "net", "mlp"));
    CHECK_OK(dlda_options_set(options, "batch", "30"));
    CHECK_STATUS(dlda_trainer_create(options, set, NULL, &trainer), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("classes: numbers 0 and 2 are both 'a', expected different names");
    dlda_options_destroy(options);
    dlda_dataset_destroy(set);
}

static void test_takes_no_memory(void **state)
{
    static all_answers a;
    dlda_workspace *workspace = new_workspace(16, 2);

    (void)state;
    CHECK_OK(ask(workspace, &a));
    size_t taken = dlda_memory_count().taken;
    for (int i = 0; i < 3; i++) CHECK_OK(ask(workspace, &a));
    assert_int_equal(dlda_memory_count().taken, taken);
    dlda_workspace_destroy(workspace);
}

/* ---- Eight threads, one model ---- */

static void *ask_often(void *result)
{
    all_answers *mine = result, *again = malloc(sizeof *again);
    dlda_workspace *workspace = NULL;
    int bad = !again || dlda_workspace_create(model, 16, 1, &workspace) != DLDA_OK ||
              ask(workspace, mine) != DLDA_OK;

    for (int i = 0; i < 30 && !bad; i++)
        bad = ask(workspace, again) != DLDA_OK || memcmp(again, mine, sizeof *again) != 0;
    dlda_workspace_destroy(workspace);
    free(again);
    return bad ? result : NULL;
}

static void test_eight_threads(void **state)
{
    enum { THREADS = 8 };
    static all_answers expected, found[THREADS];
    pthread_t threads[THREADS];
    dlda_workspace *workspace = new_workspace(16, 1);

    (void)state;
    CHECK_OK(ask(workspace, &expected));
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &found[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
        assert_memory_equal(&found[i], &expected, sizeof expected);
    }
    dlda_workspace_destroy(workspace);
}

/* ---- Pictures ---- */

static void test_read_picture(void **state)
{
    float image[PIXELS];

    (void)state;
    const dlda_read_spec spec = { .path = write_png("a.png", PNG_FORMAT_GRAY, WIDTH, HEIGHT, bytes[0]) };
    for (size_t p = 0; p < PIXELS; p++) image[p] = NAN;
    CHECK_OK(dlda_model_read_picture(model, &spec, image));
    assert_memory_equal(image, images[0], sizeof image);
    CHECK_OK(dlda_model_read_picture(resized, &spec, image));
    assert_memory_equal(image, images[0], sizeof image);
}

static void test_decode_picture(void **state)
{
    uint8_t file[4096];
    float image[PIXELS];
    size_t size = slurp(write_png("a.png", PNG_FORMAT_GRAY, WIDTH, HEIGHT, bytes[1]), file, sizeof file);
    const dlda_read_spec spec = { .path = "a request" };

    (void)state;
    CHECK_OK(dlda_model_decode_picture(model, &spec, file, size, image));
    assert_memory_equal(image, images[1], sizeof image);
    size_t live = dlda_memory_count().live;
    for (size_t n = 0; n < size - 12; n++) { /* libpng does without the last chunk, which is empty */
        CHECK_STATUS(dlda_model_decode_picture(model, &spec, file, n, image), DLDA_E_FORMAT);
        CHECK_ERROR_SAYS("a request: ");
    }
    assert_int_equal(dlda_memory_count().live, live);
    CHECK_STATUS(dlda_model_decode_picture(model, &spec, "words", 5, image), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("a request: neither a PNG nor a JPEG picture");
    size = slurp(write_jpeg("a.jpg", (jpeg_kind){ 1, 95, 0 }, WIDTH, HEIGHT, bytes[1]), file, sizeof file);
    CHECK_OK(dlda_model_decode_picture(model, &spec, file, size, image));
    for (size_t p = 0; p < PIXELS; p++) assert_true(fabsf(image[p] - images[1][p]) < 0.15f);
}

/* Pictures of other sizes: refused, or brought to the model's size by the same means as data sets are. */
static void test_sizes(void **state)
{
    enum { LARGE = 4 * PIXELS };
    uint8_t large[LARGE], colours[PIXELS * 3];
    float image[PIXELS], *read = check_nan_floats(PIXELS);
    dlda_dataset *set = NULL;
    dlda_read_spec spec = { 0 };

    (void)state;
    for (size_t i = 0; i < LARGE; i++) large[i] = (uint8_t)(i * 37);
    for (size_t i = 0; i < sizeof colours; i++) colours[i] = (uint8_t)(i * 91);
    spec.path = write_png("large.png", PNG_FORMAT_GRAY, 2 * WIDTH, 2 * HEIGHT, large);
    CHECK_STATUS(dlda_model_read_picture(model, &spec, image), DLDA_E_SHAPE);
    CHECK_ERROR_SAYS("large.png: 14 x 12 pixels (height, width), expected 7 x 6");
    CHECK_OK(dlda_model_read_picture(resized, &spec, image));
    spec.height = HEIGHT, spec.width = WIDTH, spec.channels = 1;
    CHECK_OK(dlda_dataset_open_images(&spec, &set));
    CHECK_OK(dlda_dataset_images(set, 0, 1, read));
    assert_memory_equal(image, read, sizeof image);
    CHECK_OK(dlda_model_read_picture(model, &spec, image));
    assert_memory_equal(image, read, sizeof image);
    spec.width = 3;
    CHECK_STATUS(dlda_model_read_picture(model, &spec, image), DLDA_E_SHAPE);
    CHECK_ERROR_SAYS("large.png: pictures are to become 7 x 3, the model expects 7 x 6");
    dlda_dataset_destroy(set);
    set = NULL;

    spec = (dlda_read_spec){ .path = write_png("colours.png", PNG_FORMAT_RGB, WIDTH, HEIGHT, colours),
                             .channels = 1 };
    CHECK_OK(dlda_model_read_picture(model, &spec, image));
    CHECK_OK(dlda_dataset_open_images(&spec, &set));
    CHECK_OK(dlda_dataset_images(set, 0, 1, read));
    assert_memory_equal(image, read, sizeof image);
    dlda_dataset_destroy(set);
    free(read);
}

typedef struct notes {
    size_t count;
    char text[8][512];
} notes;

static void take_note(void *user, const char *message)
{
    notes *self = user;
    snprintf(self->text[self->count++ % 8], sizeof self->text[0], "%s", message);
}

/* Good and bad ones in any order, with any number of threads. */
static void test_many_pictures(void **state)
{
    enum { MANY = 40 };
    static char paths[MANY][128];
    const char *list[MANY];
    float *found = check_nan_floats(MANY * PIXELS);
    unsigned char good[MANY];

    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "%02zu.png", i);
        list[i] = paths[i];
        if (i % 13 == 5) snprintf(paths[i], sizeof paths[i], "%s/missing", folder);
        else snprintf(paths[i], sizeof paths[i], "%s", write_png(name, PNG_FORMAT_GRAY, WIDTH, HEIGHT, bytes[i]));
    }
    for (size_t threads = 1; threads <= 4; threads++) {
        notes seen = { 0 };
        const dlda_read_spec spec = { .user = &seen, .problem = take_note };
        dlda_workspace *workspace = new_workspace(8, threads);
        memset(good, 0xA5, sizeof good);
        CHECK_OK(dlda_model_read_pictures(model, workspace, &spec, list, MANY, found, good));
        for (size_t i = 0; i < MANY; i++) {
            assert_int_equal(good[i], i % 13 != 5);
            for (size_t p = 0; p < PIXELS; p++) assert_true(found[i * PIXELS + p] == (good[i] ? images[i][p] : 0));
        }
        assert_int_equal(seen.count, 3);
        for (size_t i = 0; i < 3; i++) assert_non_null(strstr(seen.text[i], "missing: cannot open"));
        CHECK_OK(dlda_model_read_pictures(model, workspace, &(dlda_read_spec){ 0 }, list, MANY, found, good));
        dlda_workspace_destroy(workspace);
    }
    free(found);
}

static void test_pictures_without_memory(void **state)
{
    const char *list[2] = { write_png("a.png", PNG_FORMAT_GRAY, WIDTH, HEIGHT, bytes[0]), in_folder("missing") };
    dlda_workspace *workspace = new_workspace(2, 1);
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live, n = 1;

    (void)state;
    for (; status != DLDA_OK; n++) {
        float found[2 * PIXELS];
        unsigned char good[2];
        assert_true(n < 50);
        dlda_memory_fail_at(n);
        status = dlda_model_read_pictures(model, workspace, &(dlda_read_spec){ 0 }, list, 2, found, good);
        dlda_memory_fail_at(0);
        assert_true(status == DLDA_OK || status == DLDA_E_MEMORY);
        assert_int_equal(dlda_memory_count().live, live);
    }
    assert_true(n > 3);
    dlda_workspace_destroy(workspace);
}

/* ---- Features as files ---- */

/* The values of an .npy file, which follow its header of 128 bytes. */
static void check_npy(const char *path, const char *type, const char *shape, const void *values, size_t size)
{
    static uint8_t file[1 << 16];
    size_t n = slurp(path, file, sizeof file);

    assert_true(n > size && (n - size) % 64 == 0 && memcmp(file, "\x93NUMPY\1\0", 8) == 0);
    assert_non_null(memmem(file, n - size, type, strlen(type)));
    assert_non_null(memmem(file, n - size, shape, strlen(shape)));
    assert_memory_equal(file + n - size, values, size);
}

static void test_write_features(void **state)
{
    static all_answers a;
    int32_t numbers[N];
    dlda_workspace *workspace = new_workspace(16, 2);
    char *path = strdup(in_folder("F.npy"));

    (void)state;
    CHECK_OK(ask(workspace, &a));
    for (size_t i = 0; i < N; i++) numbers[i] = labels[i];
    CHECK_OK(dlda_model_write_features(model, workspace, dataset, 0, path));
    check_npy(path, "'<f4'", "(90, 2)", a.Z, sizeof a.Z);
    check_npy(in_folder("F_labels.npy"), "'<i4'", "(90,)", numbers, sizeof numbers);
    CHECK_OK(dlda_model_write_features(model, workspace, dataset, 1, path));
    check_npy(path, "'<f4'", "(90, 5)", a.H, sizeof a.H);
    dlda_workspace_destroy(workspace);
    free(path);
}

/* Labels of other data must not stay beside features that have none. */
static void test_stale_labels(void **state)
{
    dlda_dataset *bare = NULL;
    dlda_workspace *workspace = new_workspace(16, 1);
    char *path = strdup(in_folder("G.npy")), *labels_path = strdup(in_folder("G_labels.npy"));

    (void)state;
    CHECK_OK(dlda_dataset_create(
        &(dlda_dataset_spec){ .count = 3, .height = HEIGHT, .width = WIDTH, .channels = 1, .bytes = bytes[0] },
        &bare));
    CHECK_OK(dlda_model_write_features(model, workspace, dataset, 0, path));
    assert_true(dlda_path_exists(labels_path));
    CHECK_OK(dlda_model_write_features(model, workspace, bare, 0, path));
    assert_false(dlda_path_exists(labels_path));
    dlda_dataset_destroy(bare);
    dlda_workspace_destroy(workspace);
    free(path);
    free(labels_path);
}

static void test_features_refused(void **state)
{
    dlda_dataset *other = NULL;
    dlda_workspace *workspace = new_workspace(16, 1);

    (void)state;
    CHECK_OK(dlda_dataset_create(
        &(dlda_dataset_spec){ .count = 3, .height = WIDTH, .width = HEIGHT, .channels = 1, .bytes = bytes[0] },
        &other));
    CHECK_STATUS(dlda_model_write_features(model, workspace, other, 0, in_folder("none.npy")), DLDA_E_SHAPE);
    CHECK_ERROR_SAYS("images of 6 x 7 x 1, the model takes 7 x 6 x 1");
    assert_false(dlda_path_exists(in_folder("none.npy")));
    CHECK_STATUS(dlda_model_write_features(model, workspace, dataset, 0, "/nonexistent/none.npy"), DLDA_E_IO);
    CHECK_ERROR_SAYS("/nonexistent/none.npy");
    CHECK_STATUS(dlda_model_write_features(resized, workspace, dataset, 0, in_folder("none.npy")), DLDA_E_ARGUMENT);
    assert_false(dlda_path_exists(in_folder("none.npy")));
    dlda_dataset_destroy(other);
    dlda_workspace_destroy(workspace);
}

/* ---- What a path stands for ---- */

static void test_formats_and_labels(void **state)
{
    const char *format = NULL;
    dlda_read_spec spec = { .path = write_png("a.png", PNG_FORMAT_GRAY, WIDTH, HEIGHT, bytes[0]) };

    (void)state;
    CHECK_OK(dlda_dataset_format(&spec, &format));
    assert_string_equal(format, "picture");
    assert_false(dlda_dataset_has_labels(&spec));
    spec.path = "digits";
    CHECK_OK(dlda_dataset_format(&spec, &format));
    assert_string_equal(format, "digits");
    assert_true(dlda_dataset_has_labels(&spec));
    spec.path = in_folder("nothing");
    CHECK_STATUS(dlda_dataset_format(&spec, &format), DLDA_E_IO);
    assert_false(dlda_dataset_has_labels(&spec));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_finite),       cmocka_unit_test(test_class_names_differ),
        cmocka_unit_test(test_one_pass),         cmocka_unit_test(test_takes_no_memory),
        cmocka_unit_test(test_eight_threads),    cmocka_unit_test(test_read_picture),
        cmocka_unit_test(test_decode_picture),   cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_many_pictures),    cmocka_unit_test(test_pictures_without_memory),
        cmocka_unit_test(test_write_features),   cmocka_unit_test(test_stale_labels),
        cmocka_unit_test(test_features_refused), cmocka_unit_test(test_formats_and_labels),
    };

    return cmocka_run_group_tests_name("predict", tests, make_all, remove_all);
}
