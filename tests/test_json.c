/* SPDX-License-Identifier: MIT
 *
 * test_json.c - whichever allocation of jansson fails, a JSON text is read and written exactly, or not at all.
 *
 * jansson 2.14 alone drops characters: of a token that could not grow, and of a key that could not be appended.
 */
#include "base/json.h"
#include "base/memory.h"
#include "base/options.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static size_t countdown; /* the allocation that fails; 0: none */

static void *allocate(size_t size)
{
    return countdown > 0 && --countdown == 0 ? NULL : malloc(size);
}

static int set_up(void **state)
{
    (void)state;
    json_set_alloc_funcs(allocate, free);
    return 0;
}

/* Calls `attempt` with every allocation failing, one after the other, until it needs no more of them. It returns a status, and
 * checks its result itself if that is DLDA_OK. */
static void try_all(dlda_status (*attempt)(void))
{
    size_t failures = 0;

    for (size_t n = 1; n < 100000; n++) {
        countdown = n;
        dlda_status status = attempt();
        int reached = countdown == 0;
        countdown = 0;
        if (!reached) {
            assert_int_equal(status, DLDA_OK);
            assert_true(failures > 0);
            return;
        }
        assert_true(status == DLDA_OK || status == DLDA_E_MEMORY);
        failures += status != DLDA_OK;
    }
    fail_msg("it never succeeds");
}

/* ---- Reading ---- */

static const char long_text[] =
    "{\"a key of more than sixteen characters, so that its token grows\": \"and a value that grows more than once, since "
    "it is longer than sixty-four characters\", \"numbers\": [1, 2.5, -30000000000, 1e100, true, null]}";

/* The same value, made without a parser. */
static json_t *expected(void)
{
    return json_pack("{s: s, s: [i, f, I, f, b, n]}",
                     "a key of more than sixteen characters, so that its token grows",
                     "and a value that grows more than once, since it is longer than sixty-four characters", "numbers",
                     1, 2.5, (json_int_t)-30000000000, 1e100, 1);
}

static dlda_status parse(void)
{
    json_t *value = NULL;
    dlda_status status = dlda_json_parse(long_text, strlen(long_text), "a text", &value, NULL);

    if (status != DLDA_OK) {
        assert_null(value);
        CHECK_ERROR_SAYS("a text: no memory for JSON");
        return status;
    }
    size_t left = countdown;
    countdown = 0;
    json_t *wanted = expected();
    assert_true(json_equal(value, wanted));
    json_decref(wanted);
    json_decref(value);
    countdown = left;
    return status;
}

static void test_parse(void **state)
{
    (void)state;
    try_all(parse);
}

/* ---- Writing ---- */

/* An object that is made under failures, and what is printed of it. */
static dlda_status print(void)
{
    char *text = NULL;
    json_t *object = json_object();
    dlda_status status = object ? DLDA_OK : DLDA_E_MEMORY;

    for (int i = 0; status == DLDA_OK && i < 20; i++) {
        char key[64];
        snprintf(key, sizeof key, "a key of more than sixteen characters, number %d", i);
        status = dlda_json_set(object, key, json_integer(i), "an object");
    }
    if (status == DLDA_OK) status = dlda_json_print(object, JSON_INDENT(2), "an object", &text);
    size_t left = countdown;
    countdown = 0;
    if (status == DLDA_OK) {
        json_t *read = json_loads(text, 0, NULL);
        assert_int_equal(json_object_size(read), 20);
        assert_true(json_equal(read, object));
        json_decref(read);
    }
    json_decref(object);
    dlda_release(text);
    countdown = left;
    return status;
}

static void test_print(void **state)
{
    (void)state;
    try_all(print);
}

/* ---- Options ---- */

static dlda_options *options;
static char *wanted_options;

static dlda_status write_options(void)
{
    char *text = NULL;
    dlda_status status = dlda_options_to_json(options, &text);

    if (status == DLDA_OK) assert_string_equal(text, wanted_options);
    dlda_release(text);
    return status;
}

static dlda_status read_options(void)
{
    dlda_options *found = NULL;
    char *text = NULL;

    CHECK_OK(dlda_options_create(&found));
    dlda_status status = dlda_options_from_json(found, wanted_options, "a file");
    size_t left = countdown;
    countdown = 0;
    if (status == DLDA_OK) {
        CHECK_OK(dlda_options_to_json(found, &text));
        assert_string_equal(text, wanted_options);
    }
    dlda_release(text);
    dlda_options_destroy(found);
    countdown = left;
    return status;
}

static void test_options(void **state)
{
    (void)state;
    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "net", "a network whose name is longer than sixteen characters.net"));
    CHECK_OK(dlda_options_to_json(options, &wanted_options));
    try_all(write_options);
    try_all(read_options);
    dlda_release(wanted_options);
    dlda_options_destroy(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
