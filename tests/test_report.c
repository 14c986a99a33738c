/* SPDX-License-Identifier: MIT
 *
 * test_report.c - the parts of a report: texts that files bring, tables that are cut, what follows from answers; and the
 * report of a small run without the command.
 */
#include "base/memory.h"
#include "eval/mistakes.h"
#include "report/html.h"
#include "report/page.h"
#include "report/report.h"
#include "small_problem.h"

#include <locale.h>

/* ---- Texts ---- */

static void test_display_clean(void **state)
{
    (void)state;
    assert_string_equal(display_clean("plain", 10).text, "plain");
    assert_string_equal(display_clean("plain", 5).text, "plain");
    assert_string_equal(display_clean("plainer", 5).text, "plai\xE2\x80\xA6");
    assert_string_equal(display_clean("a\tb\nc\x7F", 10).text, "a b c ");
    assert_string_equal(display_clean("\xC2\x85x", 10).text, " x"); /* a control character of two bytes */
    assert_string_equal(display_clean("\xC3\xA4\xE6\xBC\xA2", 2).text, "\xC3\xA4\xE6\xBC\xA2");
    assert_string_equal(display_clean("\xFF\xC3(", 10).text, "?"
                                                             "?(");
    assert_string_equal(display_clean("cut\xE6\xBC", 10).text, "cut??");
    assert_string_equal(display_clean("", 10).text, "");
}

static void test_long_texts_fit(void **state)
{
    char text[2000];

    (void)state;
    for (int i = 0; i + 3 < (int)sizeof text; i += 3) memcpy(text + i, "\xE6\xBC\xA2", 4);
    size_t n = strlen(display_clean(text, 5000).text);
    assert_true(n < sizeof((display_text *)0)->text && n > 400);
    assert_true(strlen(plot_quote(text, 90).text) < sizeof((display_text *)0)->text);
}

static void test_quotes(void **state)
{
    (void)state;
    assert_string_equal(plot_quote("it's `date`", 20).text, "'it\xE2\x80\x99s `date`'");
    assert_string_equal(plot_quote("50 %", 20).text, "'50 %'");
    assert_string_equal(plot_quote_tick("50 %", 20).text, "'50 %%'");
    assert_string_equal(plot_quote("\xE6\xBC\xA2x", 20).text, "(kind eq 'svg' ? '\xE6\xBC\xA2x' : '?x')");
    for (int c = 1; c < 256; c++) { /* whatever comes, the only quotes are the outer ones */
        char text[2] = { (char)c, '\0' };
        display_text quoted = plot_quote(text, 20);
        assert_ptr_equal(strchr(quoted.text + 1, '\''), quoted.text + strlen(quoted.text) - 1);
    }
}

static void test_numbers_have_points(void **state)
{
    (void)state;
    setlocale(LC_ALL, "de_DE.UTF-8"); /* may not be there; then this tests little */
    assert_string_equal(display_format("%.1f", 0.5).text, "0.5");
    setlocale(LC_ALL, "C");
}

static char *page_text(dlda_status (*put)(dlda_file_writer *page))
{
    dlda_file_writer *page = NULL;
    char *text = NULL;
    size_t size = 0;

    CHECK_OK(dlda_file_writer_open(in_folder("page.html"), &page));
    CHECK_OK(put(page));
    CHECK_OK(dlda_file_writer_finish(page));
    dlda_file_writer_destroy(page);
    CHECK_OK(dlda_file_read(in_folder("page.html"), 1 << 20, &text, &size));
    return text;
}

static dlda_status put_texts(dlda_file_writer *page)
{
    dlda_status status = html_text(page, "<a href=\"x\" b='y'> & \x01");
    return status == DLDA_OK ? html_element(page, "td class=\"n\"", "<>") : status;
}

static dlda_status put_drawing(dlda_file_writer *page)
{
    return html_drawing(page, in_folder("drawing.svg"), "p-", "\"words\"");
}

static void test_html(void **state)
{
    static const char drawing[] =
        "<?xml version=\"1.0\"?>\n<svg \n viewBox=\"0 0 4 3\" xmlns=\"x\">\n<title>Gnuplot</title>"
        "<g id=\"a\"><use href='#b' fill='url(#c)'/><path id='b'/></g></svg>\n";

    (void)state;
    char *text = page_text(put_texts);
    assert_string_equal(text, "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt; &amp;  <td class=\"n\">&lt;&gt;</td>");
    dlda_release(text);
    CHECK_OK(dlda_file_write(in_folder("drawing.svg"), drawing, strlen(drawing)));
    text = page_text(put_drawing);
    assert_string_equal(
        text, "<svg viewBox=\"0 0 4 3\" role=\"img\" aria-label=\"&quot;words&quot;\">\n<g id=\"p-a\"><use "
              "href='#p-b' fill='url(#p-c)'/><path id='p-b'/></g></svg>\n");
    dlda_release(text);
}

/* ---- Tables ---- */

/* A table that is cut anywhere gives the rows before the cut, and says so unless the cut is between two lines. */
static void test_cut_tables(void **state)
{
    static const char whole[] = "epoch,a,b\n1,0.5,\n2,,-3e2\n3,7,8\n";
    char *path = in_folder("table.csv");

    (void)state;
    for (size_t n = 0; n < sizeof whole; n++) {
        number_table table = { 0 };
        size_t lines = 0;
        for (size_t i = 0; i < n; i++) lines += whole[i] == '\n';
        CHECK_OK(dlda_file_write(path, whole, n));
        if (n == 0) CHECK_STATUS(number_table_read(path, &table), DLDA_E_FORMAT);
        else {
            CHECK_OK(number_table_read(path, &table));
            assert_int_equal(table.rows, lines > 0 ? lines - 1 : 0);
            assert_true((whole[n - 1] == '\n' || lines == 0) == (table.damage[0] == '\0'));
            if (table.rows > 1) assert_true(number_table_at(&table, 1, 2) == -300);
            if (table.rows > 0) assert_true(isnan(number_table_at(&table, 0, 2)));
            if (lines > 0) assert_int_equal(number_table_column(&table, "b"), 2);
        }
        number_table_release(&table);
    }
}

/* ---- Answers ---- */

static void test_hardest(void **state)
{
    float p_truth[] = { 0.5f, 0.1f, 0.9f, 0.1f, 0.0f, 0.1f }, predicted[] = { 0.5f, 0.6f, 0.9f, 0.8f, 1, 0.6f };
    const int labels[] = { 0, 1, 1, 1, 1, 0 }, truth[] = { 0, 0, 1, 0, 0, 1 };
    const dlda_evaluation answers = {
        .samples = 6, .predicted = labels, .confidence = predicted, .p_truth = p_truth
    };
    size_t *order = NULL, count = 0, expected[] = { 4, 3, 1, 5, 0, 2 };

    (void)state;
    for (size_t n = 0; n <= 7; n++) {
        CHECK_OK(hardest_first(&answers, NULL, n, &order, &count));
        assert_int_equal(count, n < 6 ? n : 6);
        if (n > 0) assert_memory_equal(order, expected, count * sizeof *order);
        dlda_release(order);
        CHECK_OK(hardest_first(&answers, truth, n, &order, &count)); /* without those that are right: 0 and 2 */
        assert_int_equal(count, n < 4 ? n : 4);
        if (n > 0) assert_memory_equal(order, expected, count * sizeof *order);
        dlda_release(order);
    }
}

/* ---- A report ---- */

static dlda_trainer *trained(const dlda_dataset *train, const dlda_dataset *validation, const char *run)
{
    dlda_options *options = new_options("lda");
    dlda_trainer *trainer = NULL;

    CHECK_OK(dlda_trainer_create(options, train, validation, &trainer));
    CHECK_OK(dlda_trainer_record(trainer, run, 1));
    CHECK_OK(dlda_trainer_run(trainer));
    dlda_options_destroy(options);
    return trainer;
}

static dlda_status write_report(const report_spec *spec, const report_run *run, size_t *figures)
{
    training_report *report = NULL;
    dlda_status status = DLDA_OK;

    DLDA_TRY(report_create(spec, &report));
    DLDA_TRY(report_add(report, run));
    DLDA_TRY(report_add(report, run));
    DLDA_TRY(report_write_figures(report));
    for (*figures = 0; report_figure_name(report, *figures);) (*figures)++;
    DLDA_TRY(report_write_page(report));
done:
    report_destroy(report);
    return status;
}

/* Also with each of its allocations failing in turn: an error, and nothing is lost. */
static void test_report(void **state)
{
    dlda_dataset *train = new_problem(1), *test = new_problem(2);
    char run[256], target[256], *text = NULL;
    size_t figures = 0, size = 0;

    (void)state;
    snprintf(run, sizeof run, "%s", in_folder("run"));
    snprintf(target, sizeof target, "%s", in_folder("a/report"));
    dlda_trainer *trainer = trained(train, test, run);
    report_spec spec = { .folder = target, .title = "<T>", .threads = 1 };
    report_run part = { .folder = run, .name = "n&m", .model = dlda_trainer_model(trainer), .samples = test };
    CHECK_OK(write_report(&spec, &part, &figures));
    assert_int_equal(figures, 14);
    CHECK_OK(dlda_file_read(in_folder("a/report/report.html"), 1 << 24, &text, &size));
    assert_non_null(strstr(text, "<title>&lt;T&gt;</title>"));
    assert_non_null(strstr(text, "n&amp;m"));
    assert_non_null(strstr(text, "160 test"));
    dlda_release(text);

    size_t live = dlda_memory_count().live, before = dlda_memory_count().taken;
    CHECK_OK(write_report(&spec, &part, &figures));
    size_t taken = dlda_memory_count().taken - before;
    for (size_t n = 1; n <= taken; n += 1 + n / 8) {
        dlda_memory_fail_at(n);
        dlda_status status = write_report(&spec, &part, &figures);
        dlda_memory_fail_at(0);
        assert_true(status == DLDA_OK || status == DLDA_E_MEMORY);
        assert_int_equal(dlda_memory_count().live, live);
    }
    dlda_trainer_destroy(trainer);
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(test);
}

static void test_report_refuses(void **state)
{
    training_report *report = NULL;
    report_spec spec = { .folder = in_folder("never") };

    (void)state;
    CHECK_OK(report_create(&spec, &report));
    CHECK_STATUS(report_write_figures(report), DLDA_E_ARGUMENT);
    CHECK_STATUS(report_write_page(report), DLDA_E_ARGUMENT);
    CHECK_STATUS(report_add(report, &(report_run){ .folder = folder }), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("is not a run folder");
    assert_false(report_is_running(report));
    assert_null(report_figure_name(report, 0));
    report_destroy(report);
    assert_false(dlda_path_exists(in_folder("never")));
}

/* What a run says of itself, and reads again. */
static void test_run_options(void **state)
{
    dlda_dataset *train = new_problem(1);
    dlda_options *options = NULL;
    char run[256];

    (void)state;
    snprintf(run, sizeof run, "%s", in_folder("run"));
    dlda_trainer_destroy(trained(train, NULL, run));
    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "epochs", "7"));
    CHECK_OK(dlda_options_use_run(options, run));
    assert_string_equal(dlda_options_get(options, "data"), ""); /* nobody said where the data came from */
    assert_string_equal(dlda_options_get(options, "batch"), "40");
    assert_string_equal(dlda_options_get(options, "epochs"), "7");
    assert_true(dlda_options_is_given(options, "epochs") && !dlda_options_is_given(options, "batch"));
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_display_clean),  cmocka_unit_test(test_long_texts_fit),
        cmocka_unit_test(test_quotes),         cmocka_unit_test(test_numbers_have_points),
        cmocka_unit_test(test_html),           cmocka_unit_test(test_cut_tables),
        cmocka_unit_test(test_hardest),        cmocka_unit_test(test_report),
        cmocka_unit_test(test_report_refuses), cmocka_unit_test(test_run_options),
    };
    return cmocka_run_group_tests_name("report", tests, set_up, tear_down);
}
