/* SPDX-License-Identifier: MIT
 *
 * test_print.c - texts are made safe when they are printed, numbers look as printf prints them, colours stay; and names
 * in commands to copy are both safe and correct.
 */
#define _GNU_SOURCE
#include "check.h"
#include "terminal/colour.h"
#include "terminal/print.h"
#include "words.h"

#include <stdint.h>
#include <stdlib.h>

static char *printed = NULL;
static size_t n_printed = 0;

/* What print_to prints, in `printed`. */
#define PRINT(...)                                                                                                 \
    do {                                                                                                           \
        free(printed);                                                                                             \
        FILE *memory = open_memstream(&printed, &n_printed);                                                       \
        assert_non_null(memory);                                                                                   \
        print_to(memory, __VA_ARGS__);                                                                             \
        assert_int_equal(fclose(memory), 0);                                                                       \
    } while (0)

/* The same as printf prints. */
#define CHECK_SAME(...)                                                                                            \
    do {                                                                                                           \
        char expected[400];                                                                                        \
        assert_true(snprintf(expected, sizeof expected, __VA_ARGS__) < 400);                                       \
        PRINT(__VA_ARGS__);                                                                                        \
        assert_string_equal(printed, expected);                                                                    \
    } while (0)

static void test_numbers(void **state)
{
    (void)state;
    CHECK_SAME("plain, 100 %%\n");
    CHECK_SAME("%d %i %5d|%-5d|%05d|%+d|% d|%.3d|%*d|%-*d|", -1, 2, 3, 4, 5, 6, 7, 8, 6, 9, 6, 10);
    CHECK_SAME("%zu %lu %llu %ju %u %x %08x %o", SIZE_MAX, 2UL, UINT64_C(1) << 60 | 1ULL, UINTMAX_MAX, 3000000000u,
               255u, 0xABCDu, 8u);
    CHECK_SAME("%ld %lld %jd %hd", -5L, (long long)INT64_MIN, INTMAX_MAX, (short)-3);
    CHECK_SAME("%f %.2f %8.3f|%-8.1f|%g %.0f %.3g %e %*.*f %+.2f", 1.5, 2.345, 3.0, 4.25, 1e-9, 2.5, 12345.678,
               1e100, 9, 2, 3.14159, 0.5);
    CHECK_SAME("%s %10s|%-10s|%.2s|%*s|%.*s|%-*.*s|%c%3c", "text", "right", "left", "cut", 6, "six", 3, "three", 8,
               2, "both", 'x', 'y');
}

static void test_texts(void **state)
{
    (void)state;
    PRINT("%s\n", "a\033[31m\a\r\n\x7f\xC2\x9B"
                  "31m\xE2\x80\xAE"
                  "b\xFF");
    assert_string_equal(printed, "a?[31m?????31m?b?\n");
    PRINT("%c|%5s|%-5s|", '\033', "\n", "\033");
    assert_string_equal(printed, "?|    ?|?    |");
    /* Columns are characters, and none is cut. */
    PRINT("%4s|%-4s|%.3s|%.1s|", "\xC3\xA4", "\xC3\xA4\xC3\xB6", "\xC3\xA4\xC3\xB6", "\xC3\xA4");
    assert_string_equal(printed, "   \xC3\xA4|\xC3\xA4\xC3\xB6  |\xC3\xA4||");
    PRINT("\033[1m%s\033[0m\r", "x"); /* the format is the program's own */
    assert_string_equal(printed, "\033[1mx\033[0m\r");
}

/* Marks of direction, ends of lines, and marks that hide text. */
static void test_unsafe_characters(void **state)
{
    static const char *const unsafe[] = { "\xD8\x9C",         "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xAA",
                                          "\xE2\x80\xAE",     "\xE2\x81\xA6", "\xE2\x81\xA9", "\xE2\x80\xA8",
                                          "\xE2\x80\xA9",     "\xEF\xBF\xB9", "\xEF\xBF\xBB", "\xF3\xA0\x80\x80",
                                          "\xF3\xA0\x81\xBF", "\xC2\x80",     "\xC2\x9F" };
    static const char *const safe[] = { "\xD8\x9B",         "\xD8\x9D",     "\xE2\x80\x90",
                                        "\xE2\x80\xAF",     "\xE2\x81\xAA", "\xEF\xBF\xBC",
                                        "\xF3\xA0\x82\x80", "\xC2\xA0",     "\xF0\x9F\x98\x80" };

    (void)state;
    for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++) {
        PRINT("%s", unsafe[i]);
        assert_string_equal(printed, "?");
    }
    for (size_t i = 0; i < sizeof safe / sizeof safe[0]; i++) {
        PRINT("%s", safe[i]);
        assert_string_equal(printed, safe[i]);
    }
}

/* A colour stays; a text with the same characters does not. There is no terminal here, so colour() gives none. */
static void test_colours(void **state)
{
    char copy[] = "\033[1;31m";

    (void)state;
    assert_true(!is_colour(copy) && !is_colour(""));
    PRINT("%s%s", copy, colour(stderr, COLOUR_END));
    assert_int_equal(printed[0], '?');
}

static void check_quoted(const char *word, const char *expected)
{
    char *quoted = text_quoted(word);

    assert_string_equal(quoted, expected);
    free(quoted);
}

static void test_commands(void **state)
{
    (void)state;
    check_quoted("runs/a", "runs/a");
    check_quoted("two words", "'two words'");
    check_quoted("it's", "'it'\\''s'");
    check_quoted("\xC3\xA4?", "'\xC3\xA4?'");
    check_quoted("a\033[1m", "$'a\\033[1m'");
    check_quoted("it's\n\\\xC2\x9B"
                 "31\xC3\xA4",
                 "$'it\\'s\\012\\\\\\302\\23331\xC3\xA4'");
    check_quoted("\xFF", "$'\\377'");
}

static int release_printed(void **state)
{
    (void)state;
    free(printed);
    printed = NULL;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_texts),    cmocka_unit_test(test_unsafe_characters),
        cmocka_unit_test(test_colours), cmocka_unit_test(test_commands),
    };

    return cmocka_run_group_tests(tests, NULL, release_printed);
}
