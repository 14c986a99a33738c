/* SPDX-License-Identifier: MIT
 *
 * test_onnx.c - exported files as `deeplda info` sees them: what they say of themselves, files that are cut or damaged, memory
 * that is short. tests/onnx/ compares their answers with those of the models.
 */
#define _GNU_SOURCE
#include "model_files.h"
#include "small_problem.h"

#include "info/file_kind.h"
#include "info/onnx_file.h"
#include "training/trainer.h"

static dlda_model *model;

static int make_model(void **state)
{
    dlda_dataset *set = NULL;
    dlda_trainer *trainer = NULL;

    if (set_up(state) != 0) return -1;
    set = new_problem(1);
    dlda_options *options = new_options("lda");
    CHECK_OK(dlda_options_set(options, "prepare", "standardise,gcn,zca"));
    CHECK_OK(dlda_options_set(options, "epochs", "1"));
    CHECK_OK(dlda_trainer_create(options, set, NULL, &trainer));
    CHECK_OK(dlda_trainer_record(trainer, in_folder("run"), 0));
    CHECK_OK(dlda_trainer_run(trainer));
    CHECK_OK(dlda_model_load(in_folder("run/model.safetensors"), &model));
    CHECK_OK(dlda_model_export_onnx(model, DLDA_PROBABILITY_PAPER, in_folder("good.onnx")));
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(set);
    return 0;
}

static int remove_model(void **state)
{
    dlda_model_destroy(model);
    if (dlda_memory_count().live) print_error("%zu blocks were not released\n", dlda_memory_count().live);
    return dlda_memory_count().live ? -1 : tear_down(state);
}

/* ---- What a file says ---- */

static const char *text_of(const onnx_info *info, const char *key)
{
    for (size_t i = 0; i < info->n_texts; i++)
        if (strcmp(info->texts[i].key, key) == 0) return info->texts[i].value;
    return "(none)";
}

static void check_value(const onnx_value *value, const char *name, const char *type, const char *shape)
{
    char found[128] = "";

    for (size_t i = 0; i < value->rank; i++) {
        if (i) strcat(found, " ");
        strcat(found, value->dims[i]);
    }
    assert_string_equal(value->name, name);
    assert_string_equal(value->type, type);
    assert_string_equal(found, shape);
}

static void test_info_says_what_was_exported(void **state)
{
    onnx_info *info = NULL;
    char *bytes = NULL;
    size_t size = 0;

    (void)state;
    CHECK_OK(onnx_info_read(in_folder("good.onnx"), &info));
    assert_int_equal(info->opset, 13);
    assert_int_equal(info->ir_version, 7);
    assert_string_equal(info->producer, "deeplda");
    assert_string_equal(info->producer_version, dlda_version());
    assert_int_equal(info->n_inputs, 1);
    assert_int_equal(info->n_outputs, 3);
    check_value(&info->inputs[0], "images", "float32", "N 1 6 6");
    check_value(&info->outputs[0], "probabilities", "float32", "N 4");
    check_value(&info->outputs[1], "label", "int64", "N");
    check_value(&info->outputs[2], "projection", "float32", "N 3");
    assert_string_equal(text_of(info, "classes"), "[\"0\",\"1\",\"2\",\"3\"]");
    assert_string_equal(text_of(info, "preparation"), "scale,standardise,gcn,zca");
    assert_string_equal(text_of(info, "proba"), "paper");
    assert_string_equal(text_of(info, "network"), dlda_model_network_text(model));
    assert_string_equal(text_of(info, "options"), dlda_model_options_json(model));
    CHECK_OK(dlda_file_read(in_folder("good.onnx"), 1 << 24, &bytes, &size));
    assert_int_equal(info->bytes, size);
    dlda_release(bytes);
    onnx_info_destroy(info);
}

static void test_same_model_same_bytes(void **state)
{
    (void)state;
    CHECK_OK(dlda_model_export_onnx(model, DLDA_PROBABILITY_PAPER, in_folder("again.onnx")));
    assert_true(same_files(in_folder("good.onnx"), in_folder("again.onnx")));
    CHECK_OK(dlda_model_export_onnx(model, DLDA_PROBABILITY_BAYES, in_folder("again.onnx")));
    assert_false(same_files(in_folder("good.onnx"), in_folder("again.onnx")));
}

static file_kind kind_of_bytes(const char *name, const char *bytes, size_t size)
{
    CHECK_OK(dlda_file_write(in_folder(name), bytes, size));
    return file_kind_of(in_folder(name));
}

static void test_kinds_of_files(void **state)
{
    (void)state;
    CHECK_OK(dlda_model_export_onnx(model, DLDA_PROBABILITY_PAPER, in_folder("without-its-ending")));
    assert_int_equal(file_kind_of(in_folder("without-its-ending")), FILE_KIND_ONNX);
    assert_int_equal(file_kind_of(in_folder("good.onnx")), FILE_KIND_ONNX);
    assert_int_equal(file_kind_of(in_folder("run/model.safetensors")), FILE_KIND_MODEL);
    assert_int_equal(file_kind_of(in_folder("run/checkpoint.safetensors")), FILE_KIND_CHECKPOINT);
    assert_int_equal(file_kind_of(net_path), FILE_KIND_NETWORK);
    assert_int_equal(kind_of_bytes("picture", "\x89PNG\r\n\x1a\n", 8), FILE_KIND_PICTURE);
    assert_int_equal(kind_of_bytes("picture", "\xff\xd8\xff\xe0", 4), FILE_KIND_PICTURE);
    assert_int_equal(kind_of_bytes("array", "\x93NUMPY\1\0", 8), FILE_KIND_ARRAY);
    assert_int_equal(kind_of_bytes("array", "\0\0\x08\x03\0\0", 6), FILE_KIND_ARRAY);
    assert_int_equal(kind_of_bytes("table.csv", "a,b\n", 4), FILE_KIND_TABLE);
    assert_int_equal(kind_of_bytes("short", "\xff", 1), FILE_KIND_OTHER);
    assert_int_equal(kind_of_bytes("none", "", 0), FILE_KIND_OTHER);
    assert_int_equal(file_kind_of(in_folder("missing.onnx")), FILE_KIND_OTHER);
    assert_int_equal(file_kind_of(folder), FILE_KIND_OTHER);
}

/* ---- What cannot be done ---- */

static void test_bad_arguments(void **state)
{
    onnx_info *info = NULL;

    (void)state;
    CHECK_STATUS(dlda_model_export_onnx(model, (dlda_probability)7, in_folder("bad.onnx")), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("kind of probability 7");
    CHECK_STATUS(dlda_model_export_onnx(model, DLDA_PROBABILITY_PAPER, in_folder("no/such/bad.onnx")), DLDA_E_IO);
    CHECK_ERROR_SAYS("bad.onnx: cannot write");
    CHECK_STATUS(dlda_model_export_onnx(model, DLDA_PROBABILITY_PAPER, folder), DLDA_E_IO);
    assert_false(dlda_path_exists(in_folder("bad.onnx")));
    CHECK_STATUS(onnx_info_read(in_folder("bad.onnx"), &info), DLDA_E_IO);
    CHECK_STATUS(onnx_info_read(in_folder("run/model.safetensors"), &info), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("not an ONNX file");
    CHECK_STATUS(onnx_info_read(net_path, &info), DLDA_E_FORMAT);
    CHECK_OK(dlda_file_write(in_folder("empty.onnx"), "", 0));
    CHECK_STATUS(onnx_info_read(in_folder("empty.onnx"), &info), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("no version");
    assert_null(info);
}

/* A file that is written over is on disk before it is closed, on some systems; one that is new need not be. */
static void put_new(const char *path, const char *bytes, size_t size)
{
    unlink(path);
    put_bytes(path, bytes, size);
}

/* Cut anywhere before the operator sets, a file is refused; behind them only texts are missing. */
static void test_every_truncation(void **state)
{
    static const char last[] = "task"; /* the first of the texts */
    char *bytes = NULL;
    size_t size = 0;

    (void)state;
    CHECK_OK(dlda_file_read(in_folder("good.onnx"), 1 << 24, &bytes, &size));
    const char *texts = memmem(bytes, size, last, sizeof last - 1);
    assert_non_null(texts);
    size_t whole = (size_t)(texts - bytes), step = size / 2000 + 1;
    for (size_t n = 0; n < size; n += n + 600 < whole ? step : 1) {
        onnx_info *info = NULL;
        size_t live = dlda_memory_count().live;
        put_new(in_folder("cut.onnx"), bytes, n);
        dlda_status status = onnx_info_read(in_folder("cut.onnx"), &info);
        if (status != DLDA_OK && status != DLDA_E_FORMAT) fail_msg("%zu bytes: status %d", n, status);
        if (n + 16 < whole && status == DLDA_OK) fail_msg("%zu of %zu bytes were accepted", n, size);
        onnx_info_destroy(info);
        assert_int_equal(dlda_memory_count().live, live);
    }
    dlda_release(bytes);
}

/* 0 to below n. */
static size_t any_below(size_t n, uint64_t *seed)
{
    return (size_t)((1 + check_uniform(seed)) / 2 * (double)n) % n;
}

/* Nothing is expected of damaged files but that reading ends, without a leak. */
static void test_damaged_bytes(void **state)
{
    char *bytes = NULL;
    size_t size = 0;
    uint64_t seed = 5;

    (void)state;
    CHECK_OK(dlda_file_read(in_folder("good.onnx"), 1 << 24, &bytes, &size));
    for (int i = 0; i < 2000; i++) {
        onnx_info *info = NULL;
        size_t place = any_below(i % 2 ? size : 600, &seed), live = dlda_memory_count().live;
        char before = bytes[place];
        bytes[place] = (char)any_below(256, &seed);
        put_new(in_folder("damaged.onnx"), bytes, size);
        if (onnx_info_read(in_folder("damaged.onnx"), &info) != DLDA_OK) assert_null(info);
        bytes[place] = before;
        onnx_info_destroy(info);
        assert_int_equal(dlda_memory_count().live, live);
    }
    dlda_release(bytes);
}

static void test_memory_runs_out(void **state)
{
    dlda_status status = DLDA_E_MEMORY;
    onnx_info *info = NULL;
    size_t live = dlda_memory_count().live, n = 0;

    (void)state;
    for (n = 1; status != DLDA_OK; n++) {
        assert_true(n < 2000);
        dlda_memory_fail_at(n);
        status = dlda_model_export_onnx(model, DLDA_PROBABILITY_PAPER, in_folder("short.onnx"));
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) {
            assert_int_equal(status, DLDA_E_MEMORY);
            assert_false(dlda_path_exists(in_folder("short.onnx")));
        }
        assert_int_equal(dlda_memory_count().live, live);
    }
    assert_true(n > 100);
    assert_true(same_files(in_folder("good.onnx"), in_folder("short.onnx")));
    status = DLDA_E_MEMORY;
    for (n = 1; status != DLDA_OK; n++) {
        dlda_memory_fail_at(n);
        status = onnx_info_read(in_folder("good.onnx"), &info);
        dlda_memory_fail_at(0);
        assert_true(status == DLDA_OK || (status == DLDA_E_MEMORY && !info));
        if (status != DLDA_OK) assert_int_equal(dlda_memory_count().live, live);
    }
    onnx_info_destroy(info);
    assert_int_equal(dlda_memory_count().live, live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_info_says_what_was_exported),
        cmocka_unit_test(test_same_model_same_bytes),
        cmocka_unit_test(test_kinds_of_files),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, make_model, remove_model);
}
