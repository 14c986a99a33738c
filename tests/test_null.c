/* SPDX-License-Identifier: MIT
 *
 * test_null.c - NULL for every pointer of every public function (deeplda.h, rule "NULL"): none crashes, and those that
 * return a status say which argument it was. null_calls.py makes the calls from the header.
 */
#include "check.h"

#include "base/memory.h"
#include "null_calls.h"

/* Something that is not NULL, and that nobody may look at before all arguments are known to be there. */
static void *some;

/* The status and the message of a function that got a NULL: "dlda_x_y: argument is NULL". */
static void check_refused(dlda_status status, const char *name, const char *call)
{
    size_t length = strlen(name);
    const char *message = dlda_last_error();

    if (status != DLDA_E_ARGUMENT || strncmp(message, name, length) != 0 || message[length] != ':' ||
        !strstr(message, " is NULL"))
        fail_msg("%s: status %d, message '%s', expected one that says what is NULL", call, status, message);
}

static void check_zero(int is_zero, const char *call)
{
    if (!is_zero) fail_msg("%s: found a result, expected none", call);
}

#define REFUSED(name, ...)  check_refused(name(__VA_ARGS__), #name, #name "(" #__VA_ARGS__ ")");
#define POINTER(name, ...)  check_zero(name(__VA_ARGS__) == NULL, #name);
#define NUMBER(name, ...)   check_zero((double)name(__VA_ARGS__) <= 0, #name); /* -1: no label */
#define FRACTION(name, ...) check_zero(!(name(__VA_ARGS__) != 0 && !isnan(name(__VA_ARGS__))), #name);
#define NOTHING(name, ...)  name(__VA_ARGS__);

static void test_calls(void **state)
{
    (void)state;
    size_t live = dlda_memory_count().live;
    some = check_memory(1);
    CALLS
    free(some);
    assert_int_equal(dlda_memory_count().live, live);
    assert_true(N_FUNCTIONS > 100);
}

/* What null_calls.py cannot make: second arguments of functions without a status, and fields of structs. */
static void test_others(void **state)
{
    const float X[] = { 0, 1, 2, 4 };
    const int labels[] = { 0, 0, 1, 1 };
    dlda_scatter *scatter = NULL;
    dlda_lda *lda = NULL;
    dlda_options *options = NULL;
    dlda_dataset *dataset = NULL;
    size_t first = 0;

    (void)state;
    CHECK_OK(dlda_scatter_create(2, 1, &scatter));
    CHECK_OK(dlda_scatter_add(scatter, NULL, NULL, 0)); /* arrays of 0 elements */
    CHECK_OK(dlda_scatter_add(scatter, X, labels, 4));
    dlda_scatter_export_sums(scatter, NULL);
    CHECK_OK(dlda_lda_fit(scatter, 0, &lda));
    assert_non_null(dlda_lda_eigenvalues(lda, NULL));
    assert_true(isnan(dlda_lda_nearest_classes(lda, &first, NULL)));
    CHECK_OK(dlda_lda_predict(lda, X, 4, DLDA_PROBABILITY_BAYES, NULL, NULL));
    CHECK_STATUS(dlda_lda_name_classes(lda, (const char *const[]){ "a", NULL }), DLDA_E_ARGUMENT);
    CHECK_OK(dlda_options_create(&options));
    assert_null(dlda_options_get(options, NULL));
    CHECK_STATUS(dlda_dataset_open(&(dlda_read_spec){ 0 }, &dataset), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("spec->path is NULL");
    assert_int_equal(dlda_dataset_has_part(&(dlda_read_spec){ 0 }), 0);
    dlda_options_destroy(options);
    dlda_lda_destroy(lda);
    dlda_scatter_destroy(scatter);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_calls), cmocka_unit_test(test_others) };

    return cmocka_run_group_tests_name("null", tests, NULL, NULL);
}
