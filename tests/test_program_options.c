/* SPDX-License-Identifier: MIT
 *
 * test_program_options.c - the options of the program: the library's and its own as one set, and the dashes in messages.
 */
#include "check.h"
#include "options.h"

#include "base/memory.h"
#include "cli.h"

static cli_options *options;

static int create(void **state)
{
    (void)state;
    return options_create(&options) != DLDA_OK;
}

static int destroy(void **state)
{
    (void)state;
    options_destroy(options);
    options = NULL;
    return 0;
}

/* ---- The tables ---- */

/* Each option of the library is offered by a command, and what is offered exists. */
static void test_library_options_are_offered(void **state)
{
    cli_option option;
    size_t of_library = 0;

    (void)state;
    for (; dlda_option_at(of_library); of_library++) {
        const dlda_option_info *info = dlda_option_at(of_library);
        if (!option_at(of_library, &option) || option.info != info)
            fail_msg("option %s of the library: no row, or another order, in cli/options.c", info->name);
    }
    for (size_t i = of_library; option_at(i, &option); i++) {
        assert_non_null(option.info);
        assert_null(dlda_options_get(options->training, option.info->name));
        assert_false(option.info->decides_result);
    }
}

static int option_is_for(const char *name, const char *command)
{
    cli_option option;

    return option_find(name, &option) && option_belongs(&option, command);
}

/* Each word of a list is a command: `help` is for all of them. */
static void check_commands(const char *commands)
{
    char copy[200], *rest = NULL;

    snprintf(copy, sizeof copy, "%s", commands);
    assert_true(copy[0] != '\0');
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        assert_true(option_is_for("help", word));
}

/* Names are used once, letters once by each command; each row can be shown in a help text. */
static void test_tables_are_sound(void **state)
{
    cli_option a, b;

    (void)state;
    for (size_t i = 0; option_at(i, &a); i++) {
        assert_string_equal(option_text(options, a.info->name), a.info->initial);
        assert_false(option_is_given(options, a.info->name));
        assert_true(a.info->help[strlen(a.info->help) - 1] == '.');
        assert_true(!a.remark || a.remark[strlen(a.remark) - 1] == '.');
        assert_int_equal(a.info->type == DLDA_OPTION_FLAG, a.info->argument == NULL);
        assert_int_equal(a.info->type == DLDA_OPTION_CHOICE, a.info->choices != NULL);
        check_commands(a.commands);
        for (size_t j = 0; j < i; j++) {
            assert_true(option_at(j, &b));
            assert_string_not_equal(a.info->name, b.info->name);
            assert_true(a.letter == 0 || a.letter != b.letter);
        }
    }
    assert_false(option_at(1000, &a));
    assert_false(option_find("no-such-option", &a));
    assert_true(option_is_for("fold", "train") && !option_is_for("fold", "eval") && !option_is_for("fold", "tra"));
}

/* ---- Values ---- */

static void test_both_kinds_by_name(void **state)
{
    (void)state;
    CHECK_OK(option_set(options, "rate", "0.25"));
    CHECK_OK(option_set(options, "top", "3"));
    assert_string_equal(dlda_options_get(options->training, "rate"), "0.25");
    assert_true(option_number(options, "rate") == 0.25 && option_number(options, "top") == 3);
    assert_true(option_is_given(options, "top") && !option_is_given(options, "json"));
    CHECK_STATUS(option_set(options, "top", "-1"), DLDA_E_OPTION);
    CHECK_ERROR_SAYS("option top: found -1, expected 0 to 1000000");
    CHECK_STATUS(option_set(options, "proba", "base"), DLDA_E_OPTION);
    CHECK_STATUS(option_set(options, "json", "yes"), DLDA_E_OPTION);
    assert_true(option_is(options, "top", "3") && option_is(options, "json", "false"));
    CHECK_STATUS(option_set(options, "no-such-option", "1"), DLDA_E_OPTION);
    assert_int_equal(option_batch(options, 20), 20);
    assert_int_equal(option_batch(options, 1000), 250);
}

static void test_copies(void **state)
{
    size_t live = dlda_memory_count().live;
    dlda_status status = DLDA_E_MEMORY;

    (void)state;
    for (size_t n = 1; status != DLDA_OK; n++) {
        cli_options *copy = NULL;
        CHECK_OK(option_set(options, "output", "first"));
        dlda_memory_fail_at(n);
        status = options_copy(options, &copy);
        dlda_memory_fail_at(0);
        CHECK_OK(option_set(options, "output", "second"));
        if (copy) assert_string_equal(option_text(copy, "output"), "first");
        if (copy) assert_true(option_is_given(copy, "output"));
        options_destroy(copy);
        assert_int_equal(dlda_memory_count().live, live);
    }
}

/* ---- Messages ---- */

static void test_dashes(void **state)
{
    static const char *const cases[][2] = {
        { "option rate: found 'x', expected a number", "option --rate: found 'x', expected a number" },
        { "a.json: option warm-up is high; option rate, too",
          "a.json: option --warm-up is high; option --rate, too" },
        { "option top: found -1", "option --top: found -1" },
        { "(option folds)", "(option --folds)" },
        { "option --rate needs a value", "option --rate needs a value" },
        { "unknown option 'rat'; did you mean 'rate'?", "unknown option 'rat'; did you mean 'rate'?" },
        { "an option of note, an adoption rate, option rates",
          "an option of note, an adoption rate, option rates" },
        { "the last option ", "the last option " },
        { "option", "option" },
        { "", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        assert_non_null(file);
        print_with_dashes(file, cases[i][0]);
        fclose(file);
        assert_string_equal(text, cases[i][1]);
        free(text);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(test_library_options_are_offered),
        TEST(test_tables_are_sound),
        TEST(test_both_kinds_by_name),
        TEST(test_copies),
        TEST(test_dashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
