/* SPDX-License-Identifier: MIT
 *
 * test_read_csv.c - CSV tables: columns of labels, headers, quotes, numbers in every notation, and what is wrong with
 * them, by line and column.
 */
#define _GNU_SOURCE
#include "check.h"
#include "idx_files.h"

#include "base/number.h"
#include "dataset/dataset_internal.h"

#include <locale.h>

static const char *write_text(const char *name, const char *text)
{
    return write_bytes(name, text, strlen(text));
}

static dlda_dataset *open_text(const char *text, const char *label)
{
    dlda_dataset *dataset = NULL;
    const dlda_read_spec spec = { .path = write_text("t.csv", text), .label = label };

    if (dlda_dataset_open(&spec, &dataset) != DLDA_OK) fail_msg("%s\nof:\n%s", dlda_last_error(), text);
    return dataset;
}

/* ---- What can be read ---- */

/* 3 rows of the numbers 1, 2; 3, 4; 5, 6, with the classes a, b, a. */
static void check_table(const dlda_dataset *dataset, const char *what)
{
    const float expected[6] = { 1, 2, 3, 4, 5, 6 };
    float values[6];

    if (dlda_dataset_count(dataset) != 3 || dlda_dataset_channels(dataset) != 2) fail_msg("%s", what);
    assert_int_equal(dlda_dataset_height(dataset), 1);
    assert_int_equal(dlda_dataset_classes(dataset), 2);
    assert_string_equal(dlda_dataset_class_name(dataset, 0), "a");
    assert_string_equal(dlda_dataset_class_name(dataset, 1), "b");
    for (size_t i = 0; i < 3; i++) assert_int_equal(dlda_dataset_label(dataset, i), i == 1);
    assert_int_equal(dlda_dataset_images(dataset, 0, 3, values), DLDA_OK);
    assert_memory_equal(values, expected, sizeof values);
}

static void test_same_table_in_many_ways(void **state)
{
    static const struct {
        const char *text, *label;
    } ways[] = {
        { "1,2,a\n3,4,b\n5,6,a\n", NULL },
        { "1,2,a\n3,4,b\n5,6,a", NULL },
        { "1,2,a\r\n3,4,b\r\n5,6,a\r\n", "" },
        { "1,2,a\n\n3,4,b\n  \r\n5,6,a\n\n\n", NULL },
        { "x1,x2,which\n1,2,a\n3,4,b\n5,6,a\n", NULL },
        { "x1,x2,which\n1,2,a\n3,4,b\n5,6,a\n", "3" },
        { "x1,which,x2\n1,a,2\n3,b,4\n5,a,6\n", "which" },
        { "x1,Class,x2\n1,a,2\n3,b,4\n5,a,6\n", NULL },
        { "LABEL,x1,x2\na,1,2\nb,3,4\na,5,6\n", NULL },
        { "0,1,target\n1,2,a\n3,4,b\n5,6,a\n", NULL },
        { "y,p,q\na,1,2\nb,3,4\na,5,6\n", NULL },
        { "a,1,2\nb,3,4\na,5,6\n", "1" },
        { "\xEF\xBB\xBF"
          "1,2,a\n3,4,b\n5,6,a\n",
          NULL },
        { "\xEF\xBB\xBF"
          "class,x,z\na,1,2\nb,3,4\na,5,6\n",
          NULL },
        { "1;2;a\n3;4;b\n5;6;a\n", NULL },
        { "1\t2\ta\n3\t4\tb\n5\t6\ta\n", NULL },
        { "1,0;2,0;a\n3,0;4,0;b\n5;6,;a\n", NULL },
        { "x1;x2;which\n1,0;2,0;a\n3;4;b\n5;60e-1;a\n", NULL },
        { "1,0\t\"2,0\"\ta\n3,0\t4,0\tb\n5\t6\ta\n", NULL },
        { "x1,a;b,which\n1,2,a\n3,4,b\n5,6,a\n", NULL },
        { " 1 , 2.0 , a \n3,  4 ,b\n  5,6 ,a\n", NULL },
        { "\"1\",\"2\",\"a\"\n\"3\",4,b\n5 ,\"6\" ,a\n", NULL },
        { "1e0,20e-1,a\n+3,.4e1,b\n5.,0.6E+1,a\n", NULL },
        { "x1,x2,\"my, label\"\n1,2,a\n3,4,b\n5,6,a\n", "my, label" },
        { "x1,\"two\nlines\",c\n1,2,a\n3,4,b\n5,6,a\n", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        dlda_dataset *dataset = open_text(ways[i].text, ways[i].label);
        check_table(dataset, ways[i].text);
        dlda_dataset_destroy(dataset);
    }
}

static void test_gzip_and_content(void **state)
{
    blob plain = { 0 }, packed_text;

    (void)state;
    plain.size = (size_t)sprintf((char *)plain.bytes, "1,2,a\n3,4,b\n5,6,a\n");
    packed_text = packed(&plain);
    dlda_dataset *dataset = read_ok(write_blob("t.csv.gz", &packed_text), DLDA_PART_TRAIN);
    check_table(dataset, "gzip");
    dlda_dataset_destroy(dataset);
    dataset = read_ok(write_blob("t.csv", &packed_text), DLDA_PART_TRAIN); /* lying names */
    check_table(dataset, "gzip called .csv");
    dlda_dataset_destroy(dataset);
    dataset = read_ok(write_blob("t.csv.gz", &plain), DLDA_PART_TRAIN);
    check_table(dataset, "plain called .gz");
    dlda_dataset_destroy(dataset);
    dataset = read_ok(write_blob("table", &plain), DLDA_PART_TRAIN);
    check_table(dataset, "without a name");
    dlda_dataset_destroy(dataset);
    for (size_t size = 2; size < packed_text.size; size++) { /* cut at every length behind its magic number */
        write_bytes("cut.csv.gz", packed_text.bytes, size);
        expect_failure(in_folder("cut.csv.gz"), DLDA_E_FORMAT, "cut.csv.gz");
    }
}

static void test_label_names(void **state)
{
    dlda_dataset *dataset = open_text("1,2,\"new york, \"\"NY\"\"\"\n1,2, gr\xC3\xBC\xC3\x9F \n1,2,\" b \"\n",
                                      NULL);

    (void)state;
    assert_int_equal(dlda_dataset_classes(dataset), 3);
    assert_string_equal(dlda_dataset_class_name(dataset, 0), " b ");
    assert_string_equal(dlda_dataset_class_name(dataset, 1), "gr\xC3\xBC\xC3\x9F");
    assert_string_equal(dlda_dataset_class_name(dataset, 2), "new york, \"NY\"");
    assert_int_equal(dlda_dataset_label(dataset, 0), 2);
    dlda_dataset_destroy(dataset);
    dataset = open_text("1,10\n1,9\n1,-1\n1,9\n", NULL); /* whole numbers by value */
    assert_int_equal(dlda_dataset_classes(dataset), 3);
    assert_string_equal(dlda_dataset_class_name(dataset, 0), "-1");
    assert_string_equal(dlda_dataset_class_name(dataset, 1), "9");
    assert_string_equal(dlda_dataset_class_name(dataset, 2), "10");
    dlda_dataset_destroy(dataset);
    dataset = open_text("1,10\n1,9\n1,x\n", NULL); /* else by their bytes */
    assert_string_equal(dlda_dataset_class_name(dataset, 0), "10");
    dlda_dataset_destroy(dataset);
}

/* Decimal points whatever the locale, and every notation of printf gives back the same float. */
static void test_numbers(void **state)
{
    static const char *const formats[] = { "%.9g", "%.9e", "%.17g", "%.18e", "%.40f" };
    uint64_t seed = 7;
    float found = 0;

    (void)state;
    setlocale(LC_ALL, "de_DE.UTF-8"); /* if it is there */
    for (size_t i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t bits = (uint32_t)(seed >> 32);
        float value;
        char text[128];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value) || (i % 5 == 4 && fabsf(value) > 1e18f)) continue;
        snprintf(text, sizeof text, formats[i % 5], (double)value);
        if (strchr(text, ',')) *strchr(text, ',') = '.';
        if (i % 5 == 4 && fabsf(value) < 1e-20f) continue; /* its digits are cut off */
        assert_true(dlda_parse_float(text, strlen(text), &found));
        if (memcmp(&found, &value, sizeof value) != 0 && value != 0)
            fail_msg("%s became %.9g", text, (double)found);
    }
    setlocale(LC_ALL, "C");
    static const char *const wrong[] = { "",    "-",   "+",   ".",     "e1",  "1e",   "1e+", "1x",    "0x10", "1,5",
                                         "nan", "inf", "1 2", "1.2.3", "--1", "1e99", "a",   "1e1.0", "-e5" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (dlda_parse_float(wrong[i], strlen(wrong[i]), &found))
            fail_msg("'%s' became %g", wrong[i], (double)found);
    assert_true(dlda_parse_float(" -1e-99999999999 ", 17, &found) && found == 0);
    static const char small[] = "0.0000000000000000000000000000000000000001e40";
    assert_true(dlda_parse_float(small, strlen(small), &found));
    assert_true(fabsf(found - 1) < 1e-6f);
}

/* ---- Columns by name ---- */

static void test_columns_by_name(void **state)
{
    static const char *const others[] = { "p,q,r\n1,2,a\n3,4,b\n5,6,a\n", "q,r,p\n2,a,1\n4,b,3\n6,a,5\n",
                                          "id,q,p,s\n7,2,1,a\n8,4,3,b\n9,6,5,a\n",
                                          "label,q,p,s\na,2,1,x\nb,4,3,x\na,6,5,x\n", "1,2,a\n3,4,b\n5,6,a\n" };
    static const char *const nameless[] = { "1,2,a\n3,4,b\n", "p,p,r\n1,2,a\n3,4,b\n", "p,,r\n1,2,a\n3,4,b\n",
                                            "p,\xfc,r\n1,2,a\n3,4,b\n" };
    dlda_dataset *first = open_text("p,q,r\n1,2,a\n3,4,b\n", NULL), *half = NULL, *other = NULL;
    dlda_read_spec spec = { 0 };

    (void)state;
    CHECK_OK(dlda_dataset_select(first, (const size_t[]){ 1 }, 1, &half));
    dlda_read_spec_use_dataset(&spec, half);
    assert_int_equal(spec.features, 2);
    assert_string_equal(spec.columns[0], "p");
    assert_string_equal(spec.columns[1], "q");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        spec.path = write_text("other.csv", others[i]);
        assert_true(dlda_dataset_has_labels(&spec));
        CHECK_OK(dlda_dataset_open(&spec, &other));
        check_table(other, others[i]);
        dlda_dataset_destroy(other);
    }
    spec.path = write_text("other.csv", "q,p\n2,1\n");
    assert_false(dlda_dataset_has_labels(&spec));
    CHECK_STATUS(dlda_dataset_open(&spec, &other), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("no column beside the 2 features of the model, expected one of labels");
    spec.path = write_text("other.csv", "p,r\n1,a\n");
    CHECK_STATUS(dlda_dataset_open(&spec, &other), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("no column 'q', expected all 2 features of the model");
    dlda_dataset_destroy(first);
    dlda_dataset_destroy(half);
    for (size_t i = 0; i < sizeof nameless / sizeof nameless[0]; i++) {
        first = open_text(nameless[i], NULL);
        assert_null(dlda_dataset_columns(first));
        dlda_dataset_destroy(first);
    }
}

static void test_rows_as_images(void **state)
{
    const char *path = write_text("i.csv", "1,2,3,4,5,6,a\n1,2,3,4,5,6,b\n");
    dlda_read_spec spec = { .path = path, .height = 1, .width = 2 };
    dlda_dataset *dataset = NULL;

    (void)state;
    assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_OK);
    assert_int_equal(dlda_dataset_width(dataset), 2);
    assert_int_equal(dlda_dataset_channels(dataset), 3);
    dlda_dataset_destroy(dataset);
    spec.height = 4;
    dataset = NULL;
    assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_E_SHAPE);
    assert_non_null(strstr(dlda_last_error(), "rows of 6 numbers, expected a multiple of 4 x 2"));
}

/* More rows than fit in the first buffer, and one row that does not. */
static void test_large_tables(void **state)
{
    enum { ROWS = 60000, LONG_ROW = 250000 };
    FILE *file = fopen(in_folder("large.csv"), "wb");
    float values[3];

    (void)state;
    for (int i = 0; i < ROWS; i++) fprintf(file, "%d.25,%d.5,-%d,c%d\n", i, i, i, i % 7);
    fclose(file);
    dlda_dataset *dataset = read_ok(in_folder("large.csv"), DLDA_PART_TRAIN);
    assert_int_equal(dlda_dataset_count(dataset), ROWS);
    assert_int_equal(dlda_dataset_classes(dataset), 7);
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(dlda_dataset_images(dataset, i, 1, values), DLDA_OK);
        assert_true(values[0] == (float)i + 0.25f && values[1] == (float)i + 0.5f && values[2] == -(float)i);
        assert_int_equal(dlda_dataset_label(dataset, i), i % 7);
    }
    dlda_dataset_destroy(dataset);
    file = fopen(in_folder("wide.csv"), "wb");
    for (int row = 0; row < 3; row++) {
        for (int i = 0; i < LONG_ROW; i++) fprintf(file, "%d.000000000000,", i % 1000);
        fprintf(file, "%d\n", row);
    }
    fclose(file);
    dataset = read_ok(in_folder("wide.csv"), DLDA_PART_TRAIN);
    assert_int_equal(dlda_dataset_channels(dataset), LONG_ROW);
    assert_int_equal(dlda_dataset_count(dataset), 3);
    dlda_dataset_destroy(dataset);
}

/* ---- What cannot ---- */

static void test_bad_tables(void **state)
{
    static const struct {
        const char *text, *label, *words;
        dlda_status status;
    } cases[] = {
        { "", NULL, "no lines, expected a table", DLDA_E_FORMAT },
        { "\n\n", NULL, "no lines, expected a table", DLDA_E_FORMAT },
        { "a,b,c\n", NULL, "a header and no rows", DLDA_E_FORMAT },
        { "abc\n", NULL, "line 1 has 1 column", DLDA_E_FORMAT },
        { "1,2,a\n3,x,b\n", NULL, "line 2, column 2: found 'x', expected a number", DLDA_E_FORMAT },
        { "p,q,r\n1,2,a\n3,4,b\n5,,c\n", NULL, "line 4, column 2 (q): found '', expected a number", DLDA_E_FORMAT },
        { "p,q,r\n1,2,a\n\n3,nan,b\n", NULL, "line 4, column 2 (q): found 'nan'", DLDA_E_FORMAT },
        { "p,q,r\n1,2,a\n3,inf,b\n", NULL, "found 'inf'", DLDA_E_FORMAT },
        { "p,q,r\n1,2,a\n3,1e40,b\n", NULL, "found '1e40'", DLDA_E_FORMAT },
        { "p,q,r\n1,2,a\n3,\"4,5\",b\n", NULL, "line 3, column 2 (q): found '4,5'", DLDA_E_FORMAT },
        { "p;q;r\n1;2;a\n3;4,5,6;b\n", NULL, "line 3, column 2 (q): found '4,5,6'", DLDA_E_FORMAT },
        { "p;q;r\n1;2;a\n3;1.234,5;b\n", NULL, "line 3, column 2 (q): found '1.234,5'", DLDA_E_FORMAT },
        { "p;q;r\n1;1.234;a\n3;4,5;b\n", NULL, "numbers with a decimal comma and numbers with a point",
          DLDA_E_FORMAT },
        { "setosa,1,2\nsetosa,3,4\n", NULL,
          "line 2, column 1 (setosa): found 'setosa', expected a number; use option label", DLDA_E_FORMAT },
        { "1,2,a\n3,4\n", NULL, "line 2 has 2 columns, expected 3", DLDA_E_FORMAT },
        { "p,label,q\n1\n2\n", NULL, "line 2 has 1 columns, expected 3", DLDA_E_FORMAT },
        { "1,2,a\n3,4,b,5\n", NULL, "line 2 has 4 columns, expected 3", DLDA_E_FORMAT },
        { "1,2,a\n3,4,\n", NULL, "line 2, column 3: labels: an empty label", DLDA_E_FORMAT },
        { "1,2,a\n3,4,\xFF\n", NULL, "line 2, column 3: labels: a label is not valid UTF-8", DLDA_E_FORMAT },
        { "1,2,a\n\"3,4,b\n5,6,c\n", NULL, "line 2, column 1: found a quote that is never closed", DLDA_E_FORMAT },
        { "1,2,a\n\"3\"x,4,b\n", NULL, "line 2, column 1: found text behind a quote", DLDA_E_FORMAT },
        { "1,2,a\n3,4\x1b[31m,b\n", NULL, "found '4?[31m'", DLDA_E_FORMAT },
        { "p,q,r\n1,2,a\n", "z", "has no column 'z'", DLDA_E_OPTION },
        { "width,height,kind\n1,2,a\n", "knd", "did you mean 'kind'?", DLDA_E_OPTION },
        { "p,q,r\n1,2,a\n", "4", "has no column '4', expected a name of its first line or 1 to 3", DLDA_E_OPTION },
        { "p,q,r\n1,2,a\n", "0", "has no column '0'", DLDA_E_OPTION },
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        dlda_dataset *dataset = NULL;
        size_t live = dlda_memory_count().live;
        const dlda_read_spec spec = { .path = write_text("bad.csv", cases[k].text), .label = cases[k].label };
        dlda_status status = dlda_dataset_open(&spec, &dataset);
        if (status != cases[k].status || !strstr(dlda_last_error(), cases[k].words))
            fail_msg("case %zu: expected '%s' in: %s", k, cases[k].words, dlda_last_error());
        assert_null(dataset);
        assert_int_equal(dlda_memory_count().live, live);
    }
}

/* Cut anywhere, a table is smaller or refused; never a crash, never memory that stays. */
static void test_truncated_at_every_length(void **state)
{
    static const char text[] = "p,q,\"the label\"\r\n1,2.5e1,\"a \"\"x\"\"\"\r\n-3,4,b\r\n\"5\",6,\"a\nb\"\r\n";
    size_t live = dlda_memory_count().live;

    (void)state;
    for (size_t size = 0; size < sizeof text - 1; size++) {
        dlda_dataset *dataset = NULL;
        write_bytes("cut.csv", text, size);
        dlda_status status = dlda_dataset_read(in_folder("cut.csv"), DLDA_PART_TRAIN, &dataset);
        if (status == DLDA_OK) assert_in_range(dlda_dataset_count(dataset), 1, 3);
        else if (!strstr(dlda_last_error(), "cut.csv: ")) fail_msg("%s", dlda_last_error());
        dlda_dataset_destroy(dataset);
        assert_int_equal(dlda_memory_count().live, live);
    }
}

static void test_too_many_classes(void **state)
{
    FILE *file = fopen(in_folder("quantity.csv"), "wb");

    (void)state;
    for (int i = 0; i < 70000; i++) fprintf(file, "1,%d.5\n", i);
    fclose(file);
    expect_failure(in_folder("quantity.csv"), DLDA_E_FORMAT,
                   "line 65537, column 2: labels: more than 65536 different");
}

/* A line of `count` copies of `text`, then `end`. */
static const char *write_line(const char *text, size_t count, const char *end)
{
    FILE *file = fopen(in_folder("long.csv"), "wb");

    for (size_t i = 0; i < count; i++) fputs(text, file);
    fputs(end, file);
    fclose(file);
    return in_folder("long.csv");
}

static void test_long_lines(void **state)
{
    enum { COLUMNS = 1 << 18, BYTES = 1 << 25 };
    dlda_dataset *dataset = NULL;

    (void)state;
    expect_failure(write_line("1,", COLUMNS, "a\n"), DLDA_E_FORMAT,
                   "line 1 has 262145 columns, expected at most 262144");
    dataset = read_ok(write_line("1,", COLUMNS - 1, "a\n"), DLDA_PART_TRAIN);
    assert_int_equal(dlda_dataset_channels(dataset), COLUMNS - 1);
    dlda_dataset_destroy(dataset);
    /* The limit of a record does not depend on where it ends in the buffer. */
    expect_failure(write_line("        ", BYTES / 8, ",\n"), DLDA_E_FORMAT,
                   "line 1 has more than 33554432 bytes; is there a quote");
    expect_failure(write_line("\"       ", BYTES / 4 + 1, ",\n"), DLDA_E_FORMAT,
                   "line 1 has more than 33554432 bytes");
    dataset = read_ok(write_line("        ", BYTES / 8 - 1, "1,a\n2,b\n"), DLDA_PART_TRAIN);
    assert_int_equal(dlda_dataset_count(dataset), 2);
    dlda_dataset_destroy(dataset);
}

static void test_expanding_table(void **state)
{
    gzFile gz = gzopen(in_folder("rows.csv.gz"), "wb1");
    dlda_dataset *dataset = NULL;
    dlda_read_spec spec = { .path = in_folder("rows.csv.gz"), .most_bytes = 79999 };

    (void)state;
    for (int i = 0; i < 10000; i++) gzputs(gz, "7,a\n8,b\n");
    assert_int_equal(gzclose(gz), Z_OK);
    assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("rows.csv.gz: compressed data that takes more than 79999 bytes");
    spec.most_bytes++; /* of text; a row takes 20 in memory */
    assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_E_FORMAT);
    spec.most_bytes = 400000;
    CHECK_OK(dlda_dataset_open(&spec, &dataset));
    dlda_dataset_destroy(dataset);
}

static void test_no_memory(void **state)
{
    (void)state;
    check_reading_without_memory(write_text("m.csv", "p,q,r\n1,2,\"a\"\"b\"\n3,4,b\n5,6,a\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_table_in_many_ways),
        cmocka_unit_test(test_gzip_and_content),
        cmocka_unit_test(test_label_names),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_columns_by_name),
        cmocka_unit_test(test_rows_as_images),
        cmocka_unit_test(test_large_tables),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_truncated_at_every_length),
        cmocka_unit_test(test_too_many_classes),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_expanding_table),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
