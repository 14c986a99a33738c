/* SPDX-License-Identifier: MIT
 *
 * test_choose.c - options chosen from the data: pictures and tables, few and many samples, few and many classes.
 */
#include "check.h"

#include "base/options.h"

#include <stdlib.h>

/* What was chosen, as "net=cnn batch=200 ...". */
typedef struct heard {
    char text[1000];
    size_t used;
    char epochs[200]; /* the reason of their number */
} heard;

static void hear(void *user, const char *option, const char *value, const char *reason)
{
    heard *self = user;

    assert_true(strlen(reason) > 3);
    if (strcmp(option, "epochs") == 0) snprintf(self->epochs, sizeof self->epochs, "%s", reason);
    self->used += (size_t)snprintf(self->text + self->used, sizeof self->text - self->used, "%s%s=%s",
                                   self->used ? " " : "", option, value);
}

static dlda_dataset *make_set(size_t count, size_t classes, size_t height, size_t width, size_t channels)
{
    dlda_dataset *set = NULL;
    uint8_t *pixels = calloc(count, height * width * channels);
    int *labels = calloc(count, sizeof *labels);

    for (size_t i = 0; i < count; i++) labels[i] = (int)(i % classes);
    dlda_dataset_spec spec = { .bytes = pixels,
                               .labels = labels,
                               .count = count,
                               .height = height,
                               .width = width,
                               .channels = channels,
                               .classes = classes };
    CHECK_OK(dlda_dataset_create(&spec, &set));
    free(pixels);
    free(labels);
    return set;
}

static const struct {
    size_t count, classes, height, width, channels;
    const char *given; /* "objective=cce", or NULL */
    const char *chosen;
} cases[] = {
    /* 2,000 digits less a tenth for validation */
    { 1800, 10, 28, 28, 1, NULL,
      "net=cnn objective=lda-bayes batch=200 epochs=78 schedule=cosine patience=39 tolerance=1 measure=0 "
      "measure-every=2 shift=1" },
    { 1800, 10, 32, 48, 3, NULL,
      "net=cnn objective=lda-bayes batch=200 epochs=78 schedule=cosine patience=39 tolerance=1 measure=0 "
      "measure-every=2 shift=2 "
      "flip=true" },
    /* a table; fewer samples than a batch should have */
    { 45, 3, 1, 1, 4, NULL,
      "net=mlp prepare=standardise objective=lda-bayes batch=45 epochs=200 schedule=cosine patience=100 "
      "tolerance=1 "
      "measure=0 measure-every=6" },
    /* more samples than the steps need */
    { 30000, 2, 1, 1, 4, NULL,
      "net=mlp prepare=standardise objective=lda-bayes batch=50 epochs=10 schedule=cosine patience=5 tolerance=1" },
    /* too many classes for an LDA objective; a size too small to be shifted */
    { 3030, 101, 8, 9, 3, NULL,
      "net=cnn objective=cce batch=128 epochs=31 schedule=cosine patience=16 tolerance=1 measure=2000 flip=true" },
    /* what is given stays, and later choices follow from it */
    { 1800, 10, 28, 28, 1, "objective=cce",
      "net=cnn batch=128 epochs=50 schedule=cosine patience=25 tolerance=1 measure=0 shift=1" },
    { 1800, 10, 28, 28, 1, "objective=lda-cce",
      "net=cnn batch=128 epochs=50 schedule=cosine patience=25 tolerance=1 measure=0 shift=1" },
    { 3030, 101, 8, 9, 3, "objective=lda-cce",
      "net=cnn batch=505 epochs=117 schedule=cosine patience=59 tolerance=1 measure=2000 measure-every=3 flip=true" },
    { 1800, 10, 28, 28, 1, "batch=100",
      "net=cnn objective=lda-bayes epochs=39 schedule=cosine patience=20 tolerance=1 measure=0 shift=1" },
    { 1800, 10, 28, 28, 1, "validation=0",
      "net=cnn objective=lda-bayes batch=200 epochs=78 schedule=cosine measure=0 measure-every=2 shift=1" },
    { 1800, 10, 28, 28, 1, "schedule=halve",
      "net=cnn objective=lda-bayes batch=200 epochs=78 patience=39 measure=0 measure-every=2 shift=1" },
};

static void set_given(dlda_options *options, const char *given)
{
    char name[40];

    snprintf(name, sizeof name, "%s", given);
    char *value = strchr(name, '=');
    *value = 0;
    CHECK_OK(dlda_options_set(options, name, value + 1));
}

static void test_choices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dlda_options *options = NULL;
        heard choices = { 0 };
        dlda_dataset *set = make_set(cases[i].count, cases[i].classes, cases[i].height, cases[i].width,
                                     cases[i].channels);
        CHECK_OK(dlda_options_create(&options));
        if (cases[i].given) set_given(options, cases[i].given);
        CHECK_OK(dlda_options_choose(options, set, hear, &choices));
        assert_string_equal(choices.text, cases[i].chosen);
        dlda_options_destroy(options);
        dlda_dataset_destroy(set);
    }
}

/* The chosen options can be trained with as they are. */
static void test_choices_train(void **state)
{
    static const size_t shapes[][3] = { { 1, 1, 4 }, { 9, 5, 3 }, { 16, 16, 1 } };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        dlda_options *options = NULL;
        dlda_trainer *trainer = NULL;
        dlda_dataset *set = make_set(70, 3, shapes[i][0], shapes[i][1], shapes[i][2]);
        CHECK_OK(dlda_options_create(&options));
        CHECK_OK(dlda_options_choose(options, set, NULL, NULL));
        CHECK_OK(dlda_trainer_create(options, set, NULL, &trainer));
        CHECK_OK(dlda_trainer_run_step(trainer));
        dlda_trainer_destroy(trainer);
        dlda_options_destroy(options);
        dlda_dataset_destroy(set);
    }
}

static void check_reason(size_t count, const char *wanted)
{
    heard choices = { 0 };
    dlda_options *options = NULL;
    dlda_dataset *set = make_set(count, 2, 1, 1, 4);

    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_choose(options, set, hear, &choices));
    assert_string_equal(choices.epochs, wanted);
    dlda_options_destroy(options);
    dlda_dataset_destroy(set);
}

/* A limit that replaced the usual steps is named. */
static void test_reasons_of_epochs(void **state)
{
    (void)state;
    check_reason(45, "200 steps of 45 samples, fewer than the usual 800: at most 200 epochs are chosen");
    check_reason(1000, "800 steps of 50 samples");
    check_reason(30000, "6000 steps of 50 samples, more than the usual 800: at least 10 epochs are chosen");
}

/* Nothing is told about data that cannot be trained on. */
static void test_too_few_classes(void **state)
{
    heard choices = { 0 };
    dlda_options *options = NULL;
    dlda_dataset *one = make_set(9, 1, 1, 1, 4), *few = make_set(3, 2, 1, 1, 4);

    (void)state;
    CHECK_OK(dlda_options_create(&options));
    CHECK_STATUS(dlda_options_choose(options, one, hear, &choices), DLDA_E_CLASS);
    CHECK_ERROR_SAYS("the data has 1 class, expected at least 2");
    CHECK_STATUS(dlda_options_choose(options, few, hear, &choices), DLDA_E_CLASS);
    CHECK_ERROR_SAYS("found 1 of 2 (class '0' has 2 samples, class '1' has 1 sample)");
    assert_string_equal(choices.text, "");
    dlda_options_destroy(options);
    dlda_dataset_destroy(one);
    dlda_dataset_destroy(few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_choices_train),
        cmocka_unit_test(test_reasons_of_epochs),
        cmocka_unit_test(test_too_few_classes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
