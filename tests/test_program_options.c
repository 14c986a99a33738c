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

/* Each name of a list is a command, and `data` is none that is executed: `help` is for all of them. */
static void check_commands(const cli_option *option)
{
    char copy[400], *rest = NULL;

    assert_true(snprintf(copy, sizeof copy, "%s", option->commands) < (int)sizeof copy);
    assert_true(copy[0] != '\0');
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        name += name[0] == ' ';
        assert_true(option_is_for("help", name));
        assert_true(strcmp(option->info->name, "help") == 0 || strcmp(name, "data") != 0);
    }
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
        assert_int_equal(a.info->type == DLDA_OPTION_FLAG, a.info->argument == NULL);
        assert_int_equal(a.info->type == DLDA_OPTION_CHOICE, a.info->choices != NULL);
        check_commands(&a);
        for (size_t j = 0; j < i; j++) {
            assert_true(option_at(j, &b));
            assert_string_not_equal(a.info->name, b.info->name);
            assert_true(a.letter == 0 || a.letter != b.letter);
        }
    }
    assert_false(option_at(1000, &a));
    assert_false(option_find("no-such-option", &a));
    assert_true(option_is_for("fold", "train") && !option_is_for("fold", "eval") && !option_is_for("fold", "tra"));
    assert_true(option_is_for("count", "data show") && option_is_for("count", "data") &&
                !option_is_for("count", "data list") && !option_is_for("count", "dat"));
}

/* 1 if a sentence of a text begins with the name of a command, as in "train: run folder". */
static int addresses_a_command(const char *text)
{
    for (const char *at = text; at; at = strstr(at, ". ") ? strstr(at, ". ") + 2 : NULL) {
        char word[32] = "";
        size_t length = strcspn(at, ":.; ");
        if (length >= sizeof word || at[length] != ':') continue;
        memcpy(word, at, length);
        if (option_is_for("help", word)) return 1;
    }
    return 0;
}

static void check_words(const option_words *row, const char *command)
{
    const option_words *other = NULL;
    cli_option option;
    size_t rows = 0;

    if (!option_is_for(row->option, command)) fail_msg("--%s is not for %s", row->option, command);
    assert_true(option_find(row->option, &option));
    assert_string_equal(option_help(&option, command), row->help ? row->help : option.info->help);
    if (row->initial) assert_string_equal(option_initial(&option, command), row->initial);
    for (size_t i = 0; (other = option_words_at(i)) != NULL; i++)
        rows += strcmp(other->option, row->option) == 0 && is_in_list(command, other->commands);
    assert_int_equal(rows, 1);
}

/* Each row of option_help.c is for commands that take the option, once, and says something. */
static void test_words_are_sound(void **state)
{
    const option_words *row = NULL;

    (void)state;
    for (size_t i = 0; (row = option_words_at(i)) != NULL; i++) {
        char copy[400], *rest = NULL;
        assert_true(snprintf(copy, sizeof copy, "%s", row->commands) < (int)sizeof copy);
        for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
            check_words(row, name + (name[0] == ' '));
        assert_true(row->help || row->initial);
        assert_true(!row->help || row->help[strlen(row->help) - 1] == '.');
    }
}

/* The help of a command speaks of no other command. */
static void test_help_is_of_one_command(void **state)
{
    cli_option option;

    (void)state;
    assert_true(addresses_a_command("train: run folder.") && addresses_a_command("A file. lda: a table."));
    for (size_t i = 0; option_at(i, &option); i++)
        if (addresses_a_command(option.info->help)) fail_msg("--%s: %s", option.info->name, option.info->help);
    for (size_t i = 0; option_words_at(i); i++)
        if (option_words_at(i)->help) assert_false(addresses_a_command(option_words_at(i)->help));
    assert_true(option_find("output", &option));
    assert_string_equal(option_help(&option, "train"), "Run folder.");
    assert_string_equal(option_initial(&option, "train"), "run");
    assert_string_equal(option_initial(&option, "refit"), "");
    assert_true(option_find("batch", &option));
    assert_string_equal(option_initial(&option, "eval"), "250");
    assert_true(option_find("flip", &option) && option_can_be_negated(&option));
    assert_string_equal(option_initial(&option, "train"), "");
    assert_true(option_find("json", &option) && !option_can_be_negated(&option));
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
        TEST(test_words_are_sound),
        TEST(test_help_is_of_one_command),
        TEST(test_both_kinds_by_name),
        TEST(test_copies),
        TEST(test_dashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
