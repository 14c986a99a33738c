/* SPDX-License-Identifier: MIT
 *
 * test_options.c - options by name and text: defaults, types, ranges, suggestions, and their record as JSON.
 */
#include "base/closest_word.h"
#include "check.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"

#include <jansson.h>
#include <locale.h>

static dlda_options *options;

static int create(void **state)
{
    (void)state;
    return dlda_options_create(&options) != DLDA_OK;
}

static int destroy(void **state)
{
    (void)state;
    dlda_options_destroy(options);
    options = NULL;
    return 0;
}

static const dlda_option_info *info_of(const char *name)
{
    const dlda_option_info *info = NULL;

    for (size_t i = 0; (info = dlda_option_at(i)); i++)
        if (strcmp(info->name, name) == 0) return info;
    fail_msg("no option %s", name);
    return NULL;
}

/* ---- The table and its defaults ---- */

static void test_defaults_are_the_paper_s(void **state)
{
    (void)state;
    assert_string_equal(options->net, "mnist");
    assert_int_equal(options->objective, DLDA_OBJECTIVE_LDA);
    assert_int_equal(options->epochs, 12);
    assert_int_equal(options->batch, 250);
    assert_int_equal(options->halve_every, 4);
    assert_int_equal(options->seed, 1);
    assert_true(options->rate == 0.1 && options->momentum == 0.9 && options->decay == 0.0001);
    assert_true(options->lambda == 0.001 && options->epsilon == 1 && options->validation == 0.1);
    assert_int_equal(options->kernels, DLDA_KERNELS_FAST);
    assert_int_equal(options->threads, 0);
    assert_false(options->flip);
    assert_string_equal(options->init, "");
}

/* Names are used once; each row can be shown in a help text, which names no flag of a program. */
static void test_table_is_sound(void **state)
{
    const dlda_option_info *a = NULL, *b = NULL;

    (void)state;
    for (size_t i = 0; (a = dlda_option_at(i)); i++) {
        assert_string_equal(dlda_options_get(options, a->name), a->initial);
        assert_true(strlen(a->name) > 1 && strlen(a->help) > 5);
        assert_null(strstr(a->help, "--"));
        assert_int_equal(a->type == DLDA_OPTION_FLAG, a->argument == NULL);
        assert_int_equal(a->type == DLDA_OPTION_CHOICE, a->choices != NULL);
        assert_int_equal(a->type == DLDA_OPTION_WHOLE || a->type == DLDA_OPTION_REAL, a->least < a->most);
        assert_true(a->help[strlen(a->help) - 1] == '.');
        assert_true(a->least <= a->most);
        for (size_t j = 0; j < i; j++) {
            b = dlda_option_at(j);
            assert_string_not_equal(a->name, b->name);
        }
    }
    assert_null(dlda_option_at(1000));
    assert_null(dlda_option_at(SIZE_MAX));
}

/* ---- Setting ---- */

static const char *text_of_field(const char *name)
{
    static char text[300];

    if (!strcmp(name, "net")) return options->net;
    if (!strcmp(name, "init")) return options->init;
    if (!strcmp(name, "rate")) snprintf(text, sizeof text, "%.17g", options->rate);
    if (!strcmp(name, "momentum")) snprintf(text, sizeof text, "%.17g", options->momentum);
    if (!strcmp(name, "validation")) snprintf(text, sizeof text, "%.17g", options->validation);
    if (!strcmp(name, "epochs")) snprintf(text, sizeof text, "%lld", (long long)options->epochs);
    if (!strcmp(name, "batch")) snprintf(text, sizeof text, "%lld", (long long)options->batch);
    if (!strcmp(name, "seed")) snprintf(text, sizeof text, "%lld", (long long)options->seed);
    if (!strcmp(name, "objective")) snprintf(text, sizeof text, "%lld", (long long)options->objective);
    if (!strcmp(name, "kernels")) snprintf(text, sizeof text, "%lld", (long long)options->kernels);
    if (!strcmp(name, "precision")) snprintf(text, sizeof text, "%lld", (long long)options->precision);
    if (!strcmp(name, "flip")) snprintf(text, sizeof text, "%lld", (long long)options->flip);
    return text;
}

static void test_set_and_get(void **state)
{
    static const char *const cases[][3] = {
        { "net", "my folder/x.net", "my folder/x.net" },
        { "init", "", "" },
        { "rate", "0.25", "0.25" },
        { "rate", "2.5e-1", "0.25" },
        { "rate", "1000000", "1000000" },
        { "rate", "0", "0" },
        { "momentum", "0.5", "0.5" },
        { "validation", "0.5", "0.5" },
        { "validation", "10000", "10000" },
        { "epochs", "1", "1" },
        { "epochs", "1000", "1000" },
        { "batch", "1000000000", "1000000000" },
        { "seed", "9007199254740992", "9007199254740992" },
        { "seed", "9007199254740991", "9007199254740991" },
        { "objective", "lda", "0" },
        { "objective", "lda-mean", "1" },
        { "objective", "lda-log", "2" },
        { "objective", "lda-soft", "3" },
        { "objective", "cce", "5" },
        { "kernels", "reference", "1" },
        { "precision", "bf16", "1" },
        { "flip", "true", "1" },
        { "flip", "false", "0" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_OK(dlda_options_set(options, cases[i][0], cases[i][1]));
        assert_string_equal(dlda_options_get(options, cases[i][0]), cases[i][1]);
        assert_string_equal(text_of_field(cases[i][0]), cases[i][2]);
    }
    assert_null(dlda_options_get(options, "no-such-option"));
}

static void check_same_values(const dlda_options *one, const dlda_options *two)
{
    for (size_t i = 0; dlda_option_at(i); i++) {
        const char *name = dlda_option_at(i)->name;
        assert_string_equal(dlda_options_get(one, name), dlda_options_get(two, name));
        assert_int_equal(dlda_options_is_given(one, name), dlda_options_is_given(two, name));
    }
}

/* A refused value leaves the one before it. */
static void check_refused(const char *name, const char *value, const char *words)
{
    unsigned char before[sizeof *options];
    dlda_options *copy = NULL;

    CHECK_OK(dlda_options_copy(options, &copy));
    memcpy(before, options, sizeof before);
    CHECK_STATUS(dlda_options_set(options, name, value), DLDA_E_OPTION);
    CHECK_ERROR_SAYS(words);
    assert_memory_equal(before, options, sizeof before);
    check_same_values(options, copy);
    dlda_options_destroy(copy);
}

static void test_refused_values(void **state)
{
    static const char *const cases[][3] = {
        { "rate", "", "option rate: found '', expected a number" },
        { "rate", "fast", "option rate: found 'fast', expected a number" },
        { "rate", "0.1x", "option rate: found '0.1x', expected a number" },
        { "rate", "0.1 ", "expected a number" },
        { "rate", "0,1", "option rate: found '0,1', expected a number" },
        { "rate", "nan", "option rate: found 'nan', expected a number" },
        { "rate", "inf", "option rate: found 'inf', expected a number" },
        { "rate", "-infinity", "expected a number" },
        { "rate", "1e999", "option rate: found '1e999', expected a number" },
        { "rate", "-1e-9", "option rate: found -1e-9, expected 0 to 1000000" },
        { "rate", "1000001", "option rate: found 1000001, expected 0 to 1000000" },
        { "momentum", "1", "option momentum: found 1, expected 0 to 0.9999" },
        { "decay", "1.0001", "option decay: found 1.0001, expected 0 to 1" },
        { "lambda", "-0.5", "option lambda: found -0.5, expected 0 to 1000000" },
        { "validation", "-1", "option validation: found -1, expected 0 to 9007199254740992" },
        { "epochs", "0", "option epochs: found 0, expected 1 to 1000000" },
        { "epochs", "1.5", "option epochs: found '1.5', expected a whole number" },
        { "epochs", "", "option epochs: found '', expected a whole number" },
        { "epochs", "1e3", "expected a whole number" },
        { "seed", "0x10", "expected a whole number" },
        { "seed", " 5", "expected a whole number" },
        { "seed", "9007199254740993", "option seed: found 9007199254740993, expected 0 to" },
        { "epochs", "12 epochs", "option epochs: found '12 epochs', expected a whole number" },
        { "batch", "1", "option batch: found 1, expected 2 to 1000000000" },
        { "batch", "99999999999999999999", "option batch: found 99999999999999999999, expected 2 to 1000000000" },
        { "seed", "-1", "option seed: found -1, expected 0 to 9007199254740992" },
        { "seed", "9007199254740994", "option seed: found 9007199254740994, expected 0 to" },
        { "threads", "1025", "option threads: found 1025, expected 0 to 1024" },
        { "flip", "yes", "option flip: found 'yes', expected true or false" },
        { "flip", "", "option flip: found '', expected true or false" },
        { "flip", "TRUE", "option flip: found 'TRUE', expected true or false" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_refused(cases[i][0], cases[i][1], cases[i][2]);
}

static void test_suggestions(void **state)
{
    (void)state;
    check_refused("objective", "lda-men",
                  "option objective: found 'lda-men', expected one of lda|lda-mean|lda-log|lda-soft|lda-bayes|cce|lda-trace|lda-cce; "
                  "did you mean "
                  "'lda-mean'?");
    check_refused("objective", "ccee", "did you mean 'cce'?");
    check_refused("objective", "", "option objective: found '', expected one of lda|");
    check_refused("objective", "lda|cce", "option objective: found 'lda|cce', expected one of");
    check_refused("kernels", "Fast", "did you mean 'fast'?");
    check_refused("schedule", "quantum-mechanics", "expected one of halve|cosine");
    assert_null(strstr(dlda_last_error(), "did you mean"));
    check_refused("epoch", "1", "unknown option 'epoch'; did you mean 'epochs'?");
    check_refused("Rate", "1", "unknown option 'Rate'; did you mean 'rate'?");
    check_refused("halve_every", "1", "did you mean 'halve-every'?");
    check_refused("--seed", "1", "did you mean 'seed'?");
    check_refused("colour-of-the-sky", "1", "unknown option 'colour-of-the-sky'");
    assert_null(strstr(dlda_last_error(), "did you mean"));
    check_refused("", "1", "unknown option ''");
}

/* Each bound of each number is allowed, what lies beyond is not. */
static void test_ranges(void **state)
{
    const dlda_option_info *info = NULL;
    size_t numbers = 0;
    char text[64];

    (void)state;
    for (size_t i = 0; (info = dlda_option_at(i)); i++) {
        if (!(info->least < info->most)) continue;
        snprintf(text, sizeof text, "%.17g", info->least);
        CHECK_OK(dlda_options_set(options, info->name, text));
        snprintf(text, sizeof text, "%.17g", info->most);
        CHECK_OK(dlda_options_set(options, info->name, text));
        snprintf(text, sizeof text, "%.17g", info->least - 1);
        check_refused(info->name, text, "expected");
        snprintf(text, sizeof text, "%.17g", info->most + 2);
        check_refused(info->name, text, "expected");
        numbers++;
    }
    assert_true(numbers >= 12);
}

/* A program in another locale has a decimal comma; options and networks have a point all the same. */
static void test_every_locale(void **state)
{
    static const char *const locales[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C.UTF-8", "C" };
    double value = 0;

    (void)state;
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        if (!setlocale(LC_NUMERIC, locales[i])) continue;
        CHECK_OK(dlda_options_set(options, "rate", "0.25"));
        assert_true(options->rate == 0.25);
        assert_true(dlda_parse_real("-1.5e-3", &value) && value == -1.5e-3);
    }
    setlocale(LC_NUMERIC, "C");
}

static void test_long_values(void **state)
{
    char longest[DLDA_OPTION_LENGTH], longer[DLDA_OPTION_LENGTH + 1], *huge = check_memory(1000001);

    (void)state;
    memset(longest, 'x', sizeof longest), longest[sizeof longest - 1] = 0;
    memset(longer, 'x', sizeof longer), longer[sizeof longer - 1] = 0;
    memset(huge, '1', 1000000), huge[1000000] = 0;
    CHECK_OK(dlda_options_set(options, "net", longest));
    assert_string_equal(options->net, longest);
    check_refused("net", longer, "option net: 4096 characters, expected at most 4095");
    check_refused("rate", huge, "option rate: 1000000 characters, expected at most 4095");
    check_refused("objective", longest, "option objective: found 'xxx");
    CHECK_STATUS(dlda_options_set(options, huge, "1"), DLDA_E_OPTION);
    free(huge);
}

/* ---- Words that are alike ---- */

static void test_closest_word(void **state)
{
    static const char *const words[] = { "conv", "dense", "maxpool", "dropout", "bn", "b" };
    static const struct {
        const char *word;
        int closest;
    } cases[] = { { "conv", 0 },     { "cov", 0 },   { "convv", 0 },  { "conb", 0 },
                  { "vonc", 0 },     { "vomc", -1 }, { "dens", 1 },   { "maxpol", 2 },
                  { "max_pool", 2 }, { "drop", -1 }, { "droput", 3 }, { "", -1 },
                  { "m", -1 },       { "-", -1 },    { "bm", 4 },     { "convolution", -1 } };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (dlda_closest_word(cases[i].word, words, 6) != cases[i].closest)
            fail_msg("'%s': %d, expected %d", cases[i].word, dlda_closest_word(cases[i].word, words, 6),
                     cases[i].closest);
    assert_int_equal(dlda_closest_word("conv", words, 0), -1);
    assert_int_equal(dlda_closest_word("ab", ((const char *const[]){ "aa", "ab" }), 2),
                     1); /* the nearest, not the first */
}

/* Longer than the table of distances. */
static void test_closest_long_word(void **state)
{
    char word[1000], other[1000];
    const char *const words[] = { other };

    (void)state;
    memset(word, 'a', sizeof word), word[sizeof word - 1] = 0;
    memset(other, 'b', sizeof other), other[sizeof other - 1] = 0;
    assert_int_equal(dlda_closest_word(word, words, 1), -1);
    assert_int_equal(dlda_closest_word(other, words, 1), 0);
}

/* ---- Sizes ---- */

static void test_sizes(void **state)
{
    static const char *const bad[] = { "0",
                                       "x",
                                       "32x",
                                       "x32",
                                       "0x4",
                                       "4x0",
                                       "-1",
                                       "4097",
                                       "32X32",
                                       "1e3",
                                       "32 ",
                                       "32x4x3",
                                       "32,4",
                                       " 32",
                                       "99999999999999999999",
                                       "4x99999999999" };

    (void)state;
    assert_true(options->resize.height == 0 && options->resize.width == 0);
    CHECK_OK(dlda_options_set(options, "resize", "32"));
    assert_true(options->resize.height == 32 && options->resize.width == 32);
    CHECK_OK(dlda_options_set(options, "resize", "4096x1"));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_STATUS(dlda_options_set(options, "resize", bad[i]), DLDA_E_OPTION);
        CHECK_ERROR_SAYS("expected a size as 32 or 32x48");
    }
    assert_true(options->resize.height == 4096 && options->resize.width == 1);
    assert_string_equal(dlda_options_get(options, "resize"), "4096x1");
    CHECK_OK(dlda_options_set(options, "resize", ""));
    assert_true(options->resize.height == 0 && options->resize.width == 0);
}

/* ---- Copies ---- */

/* Options are small, and a copy owns its texts. */
static void test_copy(void **state)
{
    dlda_options *copy = NULL;

    (void)state;
    assert_true(sizeof *options < 4096);
    CHECK_OK(dlda_options_set(options, "net", "a.net"));
    CHECK_OK(dlda_options_set(options, "rate", "0.5"));
    CHECK_OK(dlda_options_set(options, "resize", "3x4"));
    CHECK_OK(dlda_options_copy(options, &copy));
    check_same_values(options, copy);
    CHECK_OK(dlda_options_set(options, "net", "another.net"));
    CHECK_OK(dlda_options_set(options, "net", options->net)); /* its own text */
    assert_string_equal(options->net, "another.net");
    assert_string_equal(copy->net, "a.net");
    assert_ptr_equal(copy->net, dlda_options_get(copy, "net"));
    assert_true(copy->rate == 0.5 && copy->resize.height == 3 && copy->resize.width == 4);
    dlda_options_destroy(copy);
}

/* Wherever memory ends, nothing is lost and nothing stays taken. */
static void test_copy_without_memory(void **state)
{
    size_t live = dlda_memory_count().live;
    dlda_status status = DLDA_E_MEMORY;

    (void)state;
    for (size_t n = 1; status != DLDA_OK; n++) {
        dlda_options *copy = NULL;
        dlda_memory_fail_at(n);
        status = dlda_options_copy(options, &copy);
        dlda_memory_fail_at(0);
        assert_int_equal(copy != NULL, status == DLDA_OK);
        dlda_options_destroy(copy);
        assert_int_equal(dlda_memory_count().live, live);
    }
    dlda_memory_fail_at(1);
    CHECK_STATUS(dlda_options_set(options, "net", "other"), DLDA_E_MEMORY);
    assert_string_equal(options->net, "mnist");
}

/* ---- JSON ---- */

static json_t *recorded(void)
{
    char *text = NULL;

    CHECK_OK(dlda_options_to_json(options, &text));
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    dlda_release(text);
    assert_true(json_is_object(object));
    return object;
}

/* Exactly what decides results; numbers as numbers, flags as true or false. */
static void test_json_keys(void **state)
{
    static const char *const keys[] = { "net",      "objective", "epochs",   "batch",   "rate",       "halve-every",
                                        "momentum", "decay",     "lambda",   "epsilon", "validation", "resize",
                                        "measure",  "schedule",  "seed",     "kernels", "prepare",    "gcn-scale",
                                        "gcn-bias", "zca-bias",  "flip",     "shift",   "split-seed", "subset",
                                        "folds",    "fold",      "precision" };
    enum { N_KEYS = sizeof keys / sizeof keys[0] };
    json_t *object = recorded();
    size_t deciding = 0;

    (void)state;
    for (size_t i = 0; dlda_option_at(i); i++) deciding += dlda_option_at(i)->decides_result != 0;
    assert_int_equal(json_object_size(object), deciding);
    for (size_t i = 0; i < N_KEYS; i++) {
        const json_t *value = json_object_get(object, keys[i]);
        const dlda_option_info *info = info_of(keys[i]);
        if (info->least < info->most) assert_true(json_number_value(value) == atof(info->initial));
        else if (!info->argument) assert_int_equal(json_is_true(value), strcmp(info->initial, "true") == 0);
        else assert_string_equal(json_string_value(value), info->initial);
    }
    json_decref(object);
}

/* A record that is read again gives the same training: not a digit may be lost. */
static void test_json_is_exact(void **state)
{
    static const char *const cases[][2] = { { "seed", "9007199254740991" },
                                            { "seed", "1234567890123457" },
                                            { "rate", "0.12345678901234567" },
                                            { "lambda", "5e-324" },
                                            { "validation", "4503599627370497" } };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_OK(dlda_options_set(options, cases[i][0], cases[i][1]));
        json_t *object = recorded();
        double found = json_number_value(json_object_get(object, cases[i][0])), expected = atof(cases[i][1]);
        json_decref(object);
        if (found != expected) fail_msg("%s: recorded as %.17g, expected %.17g", cases[i][0], found, expected);
    }
}

static void test_json_texts(void **state)
{
    char *text = NULL;

    (void)state;
    CHECK_OK(dlda_options_set(options, "net", "a \"quoted\"\\ \n Schlüssel.net"));
    json_t *object = recorded();
    assert_string_equal(json_string_value(json_object_get(object, "net")), "a \"quoted\"\\ \n Schlüssel.net");
    json_decref(object);
    CHECK_OK(dlda_options_set(options, "net", "\xff.net"));
    CHECK_STATUS(dlda_options_to_json(options, &text), DLDA_E_OPTION);
    CHECK_ERROR_SAYS("is not valid UTF-8");
}

/* A file may say what decides a result; it has no say in anything else. */
static void test_json_sets_only_what_decides(void **state)
{
    static const char *const names[] = { "threads", "micro-batch", "checkpoint", "data", "format", "label" };
    char json[100];
    size_t others = 0;

    (void)state;
    for (size_t i = 0; dlda_option_at(i); i++) others += !dlda_option_at(i)->decides_result;
    assert_int_equal(others, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < others; i++) {
        const char *initial = info_of(names[i])->initial;
        snprintf(json, sizeof json, "{\"%s\": %s}", names[i],
                 info_of(names[i])->least < info_of(names[i])->most ? "1" : "\"x\"");
        CHECK_STATUS(dlda_options_from_json(options, json, "a file"), DLDA_E_FORMAT);
        snprintf(json, sizeof json, "a file: option %s decides no result", names[i]);
        CHECK_ERROR_SAYS(json);
        assert_string_equal(dlda_options_get(options, names[i]), initial);
    }
    CHECK_STATUS(dlda_options_from_json(options, "{\"priors\": \"uniform\"}", "a file"), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("a file: unknown option 'priors'");
    CHECK_OK(dlda_options_set(options, "rate", "0.5"));
    CHECK_OK(dlda_options_from_json(options, "{\"rate\": 0.25, \"decay\": 0.125}", "a file"));
    assert_true(options->rate == 0.5 && options->decay == 0.125);
    assert_false(dlda_options_is_given(options, "decay"));
}

static void test_without_memory(void **state)
{
    dlda_options *none = NULL;
    char *text = NULL;

    (void)state;
    dlda_memory_fail_at(1);
    CHECK_STATUS(dlda_options_create(&none), DLDA_E_MEMORY);
    assert_null(none);
    dlda_memory_fail_at(1);
    CHECK_STATUS(dlda_options_to_json(options, &text), DLDA_E_MEMORY);
    assert_null(text);
    dlda_options_destroy(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(test_defaults_are_the_paper_s),
        TEST(test_table_is_sound),
        TEST(test_set_and_get),
        TEST(test_refused_values),
        TEST(test_suggestions),
        TEST(test_ranges),
        TEST(test_every_locale),
        TEST(test_long_values),
        TEST(test_closest_word),
        TEST(test_closest_long_word),
        TEST(test_sizes),
        TEST(test_copy),
        TEST(test_copy_without_memory),
        TEST(test_json_keys),
        TEST(test_json_is_exact),
        TEST(test_json_texts),
        TEST(test_json_sets_only_what_decides),
        TEST(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
