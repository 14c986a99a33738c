/* SPDX-License-Identifier: MIT
 *
 * test_json.c - whichever allocation of jansson fails, a JSON text is read and written exactly, or not at all.
 *
 * jansson 2.14 alone drops characters, of a token that could not grow and of a key that could not be appended, or crashes. Texts
 * are parsed as jansson does if memory is not short.
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
    "{\"a key of more than sixteen characters, so that its token grows\": \"and a value that grows more than once, "
    "since "
    "it is longer than sixty-four characters\", \"numbers\": [1, 2.5, -30000000000, 1e100, true, null]}";

/* The same value, made without a parser. */
static json_t *expected(void)
{
    return json_pack("{s: s, s: [i, f, I, f, b, n]}",
                     "a key of more than sixteen characters, so that its token grows",
                     "and a value that grows more than once, since it is longer than sixty-four characters",
                     "numbers", 1, 2.5, (json_int_t)-30000000000, 1e100, 1);
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

/* Texts that are or are not JSON: the same value as jansson's, or both refuse. */
static void test_agrees(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "{",
        "}",
        "[",
        "]",
        "[]",
        "{}",
        " [ ] ",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1,2",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{\"a\":1,\"b\":[{}]}",
        "{\"a\":1,\"a\":2}",
        "1",
        "-1",
        "-",
        "+1",
        "01",
        "-0",
        "0.0",
        "1.",
        ".5",
        "1.5",
        "1e5",
        "1E+5",
        "1e-5",
        "1e",
        "1e+",
        "1e400",
        "-1e400",
        "1e-400",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "123456789012345678901234567890",
        "0.1000000000000000055511151231",
        "true",
        "false",
        "null",
        "tru",
        "truex",
        "nul",
        "True",
        "NaN",
        "Infinity",
        "\"\"",
        "\"a",
        "a\"",
        "\"\\\"\"",
        "\"\\\\\"",
        "\"\\\"",
        "\"\\/\\b\\f\\n\\r\\t\"",
        "\"\\x\"",
        "\"\\u0041\"",
        "\"\\u00e9\\u20AC\"",
        "\"\\u004\"",
        "\"\\u004g\"",
        "\"\\u0000\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\ude00\"",
        "\"\\ud83d\\u0041\"",
        "\"\\ud83dx\"",
        "\"\\ud83d\\",
        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
        "\"\xff\"",
        "\"\xc3\"",
        "\"\xc0\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"",
        "\"\t\"",
        "\"\n\"",
        "\"\x1f\"",
        "\"\x7f\"",
        "1 2",
        "{} {}",
        "[] x",
        "\xef\xbb\xbf[]",
        "[[[[1]]],{\"a\":{\"b\":null}}]",
        "{\"\":0}",
        "{\"\\u0061\":1,\"a\":2}",
        "\f1",
        "[\"a\" , \"b\"\n]\n",
        "'a'",
        "// x\n1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t n = 0; n <= strlen(texts[i]); n++) { /* every start of it, too */
            json_t *ours = NULL, *theirs = json_loadb(texts[i], n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
            dlda_status status = dlda_json_parse(texts[i], n, "a text", &ours, NULL);
            if ((status == DLDA_OK) != (theirs != NULL) || (theirs && !json_equal(ours, theirs)))
                fail_msg("'%.*s': %s", (int)n, texts[i], dlda_last_error());
            json_decref(ours);
            json_decref(theirs);
        }
}

static void test_messages(void **state)
{
    static const char *const cases[][2] = {
        { "{\"a\": 1,\n \"a\": 2}", "a text: line 2: duplicate object key near '\"a\"'; expected JSON" },
        { "[1, x]", "line 1: unexpected token near 'x'" },
        { "[1", "']' expected near end of file" },
        { "\"abc", "premature end of input near end of file" },
        { "{1}", "string or '}' expected near '1'" },
        { "\"\\q\"", "invalid escape near" },
    };
    char deep[3000];
    json_t *value = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_STATUS(dlda_json_parse(cases[i][0], strlen(cases[i][0]), "a text", &value, NULL), DLDA_E_FORMAT);
        CHECK_ERROR_SAYS(cases[i][1]);
    }
    memset(deep, '[', sizeof deep);
    CHECK_STATUS(dlda_json_parse(deep, sizeof deep, "a text", &value, NULL), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("too many levels");
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
        cmocka_unit_test(test_parse), cmocka_unit_test(test_agrees),  cmocka_unit_test(test_messages),
        cmocka_unit_test(test_print), cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
