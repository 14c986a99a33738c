/* SPDX-License-Identifier: MIT
 *
 * test_safetensors.c - the container of models: round trips, and every kind of broken file.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "model/safetensors.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_BYTES = 4096 };

static char folder[] = "/tmp/test_safetensors-XXXXXX";
static char path[64]; /* the one file that all tests write */

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/file.safetensors", folder);
    return 0;
}

/* Fails if a test left anything but the file, such as a temporary one. */
static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void check_ok(dlda_status status)
{
    if (status != DLDA_OK) fail_msg("%s", dlda_last_error());
}

/* ---- A sample ---- */

static const float kernel[] = { 1.5f, -2, 0.25f, 3, 1e-40f, 6 };
static const double means[] = { 0.1, 0.2, -1e300 };
static const int64_t steps[] = { INT64_MIN + 7 };

static const dlda_tensor sample[] = {
    { "layers.0.conv.weight", DLDA_F32, 4, { 1, 1, 2, 3 }, kernel },
    { "head.means", DLDA_F64, 2, { 3, 1 }, means },
    { "nothing", DLDA_F32, 2, { 0, 4 }, NULL },
    { "Schrittzähler", DLDA_I64, 0, { 0 }, steps },
};
static const dlda_metadata_entry texts[] = {
    { "network", "input 28 28 1\nconv \"64\" 3\n" },
    { "deeplda_format", "1" },
    { "empty", "" },
};
enum { N_SAMPLE = 4, N_TEXTS = 3 };

static dlda_status write_sample(void)
{
    return dlda_safetensors_write(path, sample, N_SAMPLE, texts, N_TEXTS);
}

static void check_sample(const dlda_safetensors *file)
{
    assert_int_equal(dlda_safetensors_count(file), N_SAMPLE);
    assert_null(dlda_safetensors_at(file, N_SAMPLE));
    for (size_t i = 0; i < N_SAMPLE; i++) {
        const dlda_tensor *tensor = NULL;
        size_t elements = dlda_tensor_elements(&sample[i]), size = sample[i].dtype == DLDA_F32 ? 4 : 8;
        check_ok(dlda_safetensors_require(file, sample[i].name, sample[i].dtype, sample[i].rank, sample[i].shape,
                                          &tensor));
        assert_ptr_equal(tensor, dlda_safetensors_find(file, sample[i].name));
        assert_int_equal((uintptr_t)tensor->data % size, 0);
        if (elements > 0) assert_memory_equal(tensor->data, sample[i].data, elements * size);
    }
    for (size_t i = 0; i < N_TEXTS; i++)
        assert_string_equal(dlda_safetensors_metadata(file, texts[i].key), texts[i].value);
}

/* ---- Files made by hand ---- */

/* Length, header and `size` zero bytes of data into `bytes` [MOST_BYTES]; returns how many there are. */
static size_t compose(const char *header, size_t size, char *bytes)
{
    uint64_t length = strlen(header);

    assert_true(8 + length + size <= MOST_BYTES);
    memset(bytes, 0, 8 + length + size);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, length);
    return 8 + length + size;
}

static void put(const void *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb"); /* not dlda_file_write: it would sync each of thousands of files */
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static dlda_status read_composed(const char *header, size_t size, dlda_safetensors **file)
{
    char bytes[MOST_BYTES];

    put(bytes, compose(header, size, bytes));
    return dlda_safetensors_read(path, file);
}

/* The file is refused with this status, with a message that names it and says `words`; nothing is leaked. */
static void check_refused(dlda_status expected, const char *words)
{
    dlda_safetensors *file = NULL;
    size_t live = dlda_memory_count().live;
    dlda_status status = dlda_safetensors_read(path, &file);

    if (status != expected || file || !strstr(dlda_last_error(), words) || !strstr(dlda_last_error(), path))
        fail_msg("status %d, expected %d; message '%s', expected '%s'", status, expected,
                 status ? dlda_last_error() : "", words);
    assert_int_equal(dlda_memory_count().live, live);
}

static void read_sample_bytes(char **bytes, size_t *size)
{
    check_ok(write_sample());
    check_ok(dlda_file_read(path, SIZE_MAX / 4, bytes, size));
}

/* ---- What works ---- */

static void test_round_trip(void **state)
{
    dlda_safetensors *file = NULL;

    (void)state;
    check_ok(write_sample());
    check_ok(dlda_safetensors_read(path, &file));
    check_sample(file);
    assert_null(dlda_safetensors_find(file, "head"));
    assert_null(dlda_safetensors_find(file, "__metadata__"));
    assert_null(dlda_safetensors_metadata(file, "networks"));
    assert_string_equal(dlda_safetensors_at(file, 0)->name, "head.means"); /* wide types lie first */
    dlda_safetensors_destroy(file);
    dlda_safetensors_destroy(NULL);
}

static void test_no_tensors(void **state)
{
    dlda_safetensors *file = NULL;

    (void)state;
    check_ok(dlda_safetensors_write(path, NULL, 0, NULL, 0));
    check_ok(dlda_safetensors_read(path, &file));
    assert_int_equal(dlda_safetensors_count(file), 0);
    assert_null(dlda_safetensors_metadata(file, "network"));
    dlda_safetensors_destroy(file);
}

static void test_same_bytes(void **state)
{
    static const char header[] =
        "{\"__metadata__\":{\"network\":\"input 28 28 1\\nconv \\\"64\\\" 3\\n\","
        "\"deeplda_format\":\"1\",\"empty\":\"\"},\"layers.0.conv.weight\":{\"dtype\":\"F32\","
        "\"shape\":[1,1,2,3],\"data_offsets\":[32,56]},";
    char *first = NULL, *second = NULL;
    size_t n_first = 0, n_second = 0;
    uint64_t length = 0;

    (void)state;
    read_sample_bytes(&first, &n_first);
    read_sample_bytes(&second, &n_second);
    assert_int_equal(n_first, n_second);
    assert_memory_equal(first, second, n_first);
    memcpy(&length, first, 8);
    assert_int_equal((8 + length) % 64, 0);
    assert_int_equal(8 + length + 56, n_first);
    assert_memory_equal(first + 8, header, sizeof header - 1);
    assert_memory_equal(first + 8 + length, means, sizeof means);
    assert_memory_equal(first + 8 + length + 24, steps, sizeof steps);
    assert_memory_equal(first + 8 + length + 32, kernel, sizeof kernel);
    dlda_release(first);
    dlda_release(second);
}

/* Others may write a header of any length, and a double behind a byte. */
static void test_foreign_file(void **state)
{
    static const char header[] = "{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                                 "\"c\":{\"shape\":[],\"dtype\":\"F64\",\"data_offsets\":[7,15]},"
                                 "\"d\":{\"shape\":[4],\"dtype\":\"F6_E2M3\",\"data_offsets\":[15,18]},"
                                 "\"b\":{\"shape\":[1],\"data_offsets\":[3,7],\"dtype\":\"F32\"}}   ";
    const float b = 1.25f;
    const double c = -7.5;

    (void)state;
    for (size_t odd = 0; odd < 4; odd++) { /* spaces of the header that are left out */
        char text[sizeof header], bytes[MOST_BYTES];
        dlda_safetensors *file = NULL;
        memcpy(text, header, sizeof header);
        text[strlen(header) - odd] = '\0';
        size_t size = compose(text, 18, bytes);
        memcpy(bytes + size - 15, &b, 4);
        memcpy(bytes + size - 11, &c, 8);
        put(bytes, size);
        check_ok(dlda_safetensors_read(path, &file));
        for (size_t i = 0; i < 4; i++) assert_int_equal(dlda_safetensors_at(file, i)->name[0], "abcd"[i]);
        assert_string_equal(dlda_dtype_name(dlda_safetensors_at(file, 3)->dtype), "F6_E2M3");
        const dlda_tensor *found = dlda_safetensors_find(file, "b");
        assert_int_equal((uintptr_t)found->data % 4, 0);
        assert_true(*(const float *)found->data == b);
        found = dlda_safetensors_find(file, "c");
        assert_int_equal((uintptr_t)found->data % 8, 0);
        assert_true(*(const double *)found->data == c);
        dlda_safetensors_destroy(file);
    }
}

static void test_require(void **state)
{
    dlda_safetensors *file = NULL;
    const dlda_tensor *tensor = NULL;
    const size_t shape[] = { 3, 3, 64, 96 }, other[] = { 1, 1, 3, 2 };

    (void)state;
    check_ok(write_sample());
    check_ok(dlda_safetensors_read(path, &file));
    assert_int_equal(dlda_safetensors_require(file, "layers.9", DLDA_F32, 4, shape, &tensor), DLDA_E_FORMAT);
    assert_non_null(strstr(dlda_last_error(), "tensor 'layers.9' is missing, expected F32 [3, 3, 64, 96]"));
    assert_int_equal(dlda_safetensors_require(file, sample[0].name, DLDA_F32, 4, other, &tensor), DLDA_E_FORMAT);
    assert_non_null(strstr(dlda_last_error(), "found F32 [1, 1, 2, 3], expected F32 [1, 1, 3, 2]"));
    assert_int_equal(dlda_safetensors_require(file, sample[1].name, DLDA_F32, 0, NULL, &tensor), DLDA_E_FORMAT);
    assert_non_null(strstr(dlda_last_error(), "found F64 [3, 1], expected F32 []"));
    assert_null(tensor);
    dlda_safetensors_destroy(file);
}

/* ---- Files that lie ---- */

static void test_truncated(void **state)
{
    char *bytes = NULL;
    size_t size = 0;

    (void)state;
    read_sample_bytes(&bytes, &size);
    for (size_t n = 0; n < size; n++) {
        put(bytes, n);
        check_refused(DLDA_E_FORMAT, "expected");
    }
    dlda_release(bytes);
}

static void test_trailing_byte(void **state)
{
    char *bytes = NULL;
    size_t size = 0;

    (void)state;
    read_sample_bytes(&bytes, &size);
    put(bytes, size + 1); /* dlda_file_read left a zero behind the file */
    check_refused(DLDA_E_FORMAT, "57 bytes of data, expected 56, where the last tensor ends");
    dlda_release(bytes);
}

static void test_length_field(void **state)
{
    static const struct {
        uint64_t length;
        const char *words;
    } lengths[] = {
        { 0, "header: 0 bytes of JSON, expected at least 2" },
        { 1, "header: 1 bytes of JSON, expected at least 2" },
        { UINT64_MAX, "header length 18446744073709551615, expected at most 32000000" },
        { (uint64_t)INT64_MAX + 1, "header length 9223372036854775808, expected at most 32000000" },
        { 100000001, "header length 100000001, expected at most 32000000" },
        { 32000000, "header length 32000000, expected at most the 320 bytes that follow" },
        { 321, "header length 321, expected at most the 320 bytes that follow" },
    };
    char bytes[MOST_BYTES] = "";

    (void)state;
    memset(bytes, ' ', 328);
    bytes[8] = '{';
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        memcpy(bytes, &lengths[i].length, 8);
        put(bytes, 328);
        check_refused(DLDA_E_FORMAT, lengths[i].words);
    }
}

/* A tensor's description, and a whole header with one. */
#define T(dtype, shape, offsets)   "{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define ONE(dtype, shape, offsets) "{\"w\":" T(dtype, shape, offsets) "}"

static const struct {
    const char *header;
    size_t size; /* of the data */
    const char *words;
} lies[] = {
    /* The JSON itself */
    { "", 0, "header: 0 bytes of JSON, expected at least 2" },
    { "      ", 0, "header: 0 bytes of JSON" },
    { "[]", 0, "first byte 0x5b and last 0x5d, expected '{' and '}'" },
    { " {}", 0, "first byte 0x20 and last 0x7d, expected '{'" },
    { "{}\n", 0, "last 0x0a, expected" },
    { "{}x", 0, "last 0x78, expected" },
    { "{} {}", 0, "header: end of file expected near '{'" },
    { "{\"w\":}", 0, "header: unexpected token near '}', at byte 14; expected a JSON object" },
    { "{\"w\xff\":{}}", 0, "header: invalid UTF-8 near" },
    { "{\"w\\u0000\":{}}", 0, "header: invalid escape near" },
    { "{\"w\":{},\"w\":{}}", 0, "header: duplicate object key near '\"w\"'" },
    { "{\"w\":{},\"\\u0077\":{}}", 0, "header: duplicate object key" },
    { "{\"__metadata__\":{},\"__metadata__\":{}}", 0, "header: duplicate object key" },
    { "{\"w\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4,
      "duplicate object key" },
    /* The metadata */
    { "{\"__metadata__\":[]}", 0, "__metadata__: found [], expected an object" },
    { "{\"__metadata__\":null}", 0, "__metadata__: found null, expected an object" },
    { "{\"__metadata__\":{\"a\":\"b\",\"epoch\":3}}", 0, "__metadata__: 'epoch': found 3, expected a string" },
    /* The keys of a tensor */
    { "{\"w\":3}", 0, "tensor 'w': found 3, expected an object" },
    { "{\"w\":{}}", 0, "tensor 'w': dtype is missing, expected dtype, shape and data_offsets" },
    { "{\"w\":{\"dtype\":\"F32\",\"shape\":[]}}", 4, "tensor 'w': data_offsets is missing" },
    { "{\"w\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4],\"x\":1}}", 4,
      "tensor 'w': key 'x', expected" },
    { "{\"\\u001b[31m\":3}", 0, "tensor '?[31m': found 3" },
    { "{\"0123456789012345678901234567890123456789012345678901234567890123456789\":3}", 0,
      "tensor '0123456789012345678901234567890123456789012345678901234567890123...': found 3" },
    { "{\"01234567890123456789012345678901234567890123456789012345678901\u20ac\":3}", 0,
      "tensor '01234567890123456789012345678901234567890123456789012345678901...': found 3" },
    /* Its type */
    { ONE("\"F31\"", "[]", "[0,4]"), 4, "tensor 'w': dtype \"F31\", expected F32" },
    { ONE("\"f32\"", "[]", "[0,4]"), 4, "tensor 'w': dtype \"f32\", expected F32" },
    { ONE("32", "[]", "[0,4]"), 4, "tensor 'w': dtype 32, expected F32" },
    { ONE("\"F64\"", "[1]", "[0,4]"), 4, "[0, 4] hold 4 bytes, expected 8 for F64 [1]" },
    { ONE("\"F4\"", "[3]", "[0,2]"), 2, "F4 [3], expected a size that fits in whole bytes" },
    /* Its shape */
    { ONE("\"F32\"", "3", "[0,12]"), 12, "tensor 'w': shape 3, expected an array of at most 8 sizes" },
    { ONE("\"F32\"", "{}", "[0,4]"), 4, "tensor 'w': shape {}, expected an array" },
    { ONE("\"F32\"", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4,
      "shape [1,1,1,1,1,1,1,1,1], expected an array of at most 8" },
    { ONE("\"F32\"", "[-1]", "[0,4]"), 4, "tensor 'w': shape [-1], expected whole numbers from 0" },
    { ONE("\"F32\"", "[-1,-1]", "[0,4]"), 4, "tensor 'w': shape [-1,-1], expected whole numbers" },
    { ONE("\"F32\"", "[1.0]", "[0,4]"), 4, "tensor 'w': shape [1.0], expected whole numbers" },
    { ONE("\"F32\"", "[\"1\"]", "[0,4]"), 4, "tensor 'w': shape [\"1\"], expected whole numbers" },
    { ONE("\"F32\"", "[true]", "[0,4]"), 4, "tensor 'w': shape [true], expected whole numbers" },
    { ONE("\"F32\"", "[99999999999999999999]", "[0,4]"), 4, "header: too big integer" },
    { ONE("\"F32\"", "[2,3]", "[0,20]"), 20, "[0, 20] hold 20 bytes, expected 24 for F32 [2, 3]" },
    { ONE("\"F32\"", "[0]", "[0,4]"), 4, "hold 4 bytes, expected 0 for F32 [0]" },
    { ONE("\"F32\"", "[]", "[0,0]"), 0, "hold 0 bytes, expected 4 for F32 []" },
    { ONE("\"F32\"", "[4611686018427387905]", "[0,4]"), 4, "F32 [4611686018427387905], expected a size that fits" },
    { ONE("\"F32\"", "[4294967296,4294967296]", "[0,0]"), 0, "F32 [4294967296, 4294967296], expected a size" },
    { ONE("\"F32\"", "[4294967296,4294967296,0]", "[0,0]"), 0, "[4294967296, 4294967296, 0], expected a size" },
    { ONE("\"U8\"", "[2305843009213693953,8]", "[0,8]"), 8, "U8 [2305843009213693953, 8], expected a size" },
    /* Its place */
    { ONE("\"F32\"", "[]", "[0]"), 4, "tensor 'w': data_offsets [0], expected [begin, end]" },
    { ONE("\"F32\"", "[]", "[0,4,8]"), 4, "tensor 'w': data_offsets [0,4,8], expected [begin, end]" },
    { ONE("\"F32\"", "[]", "\"0,4\""), 4, "tensor 'w': data_offsets \"0,4\", expected [begin, end]" },
    { ONE("\"F32\"", "[]", "[0,4.0]"), 4, "tensor 'w': data_offsets [0,4.0], expected [begin, end]" },
    { ONE("\"F32\"", "[]", "[-4,0]"), 4, "tensor 'w': data_offsets [-4,0], expected [begin, end]" },
    { ONE("\"F32\"", "[]", "[4,0]"), 4, "tensor 'w': data_offsets [4,0], expected [begin, end]" },
    { ONE("\"F32\"", "[]", "[0,4]"), 3, "tensor 'w': ends at byte 4 of the data, expected at most 3" },
    { ONE("\"F32\"", "[]", "[9223372036854775803,9223372036854775807]"), 4, "ends at byte 9223372036854775807" },
    /* All places together */
    { "{}", 1, "1 bytes of data, expected 0, where the last tensor ends" },
    { ONE("\"F32\"", "[]", "[0,4]"), 5, "5 bytes of data, expected 4, where the last tensor ends" },
    { ONE("\"F32\"", "[]", "[1,5]"), 5, "tensor 'w': begins at byte 1 of the data, expected 0: a gap" },
    { "{\"a\":" T("\"F32\"", "[]", "[0,4]") ",\"b\":" T("\"F32\"", "[]", "[8,12]") "}", 12,
      "tensor 'b': begins at byte 8 of the data, expected 4: a gap" },
    { "{\"a\":" T("\"F32\"", "[]", "[0,4]") ",\"b\":" T("\"F32\"", "[]", "[2,6]") "}", 6,
      "tensor 'b': begins at byte 2 of the data, expected 4: an overlap" },
    { "{\"a\":" T("\"F32\"", "[]", "[0,4]") ",\"b\":" T("\"F32\"", "[]", "[0,4]") "}", 4,
      "tensor 'b': begins at byte 0 of the data, expected 4: an overlap" },
    { "{\"a\":" T("\"F32\"", "[2]", "[0,8]") ",\"b\":" T("\"F32\"", "[0]", "[4,4]") "}", 8,
      "tensor 'b': begins at byte 4 of the data, expected 8: an overlap" },
};

static void test_lies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        char bytes[MOST_BYTES];
        put(bytes, compose(lies[i].header, lies[i].size, bytes));
        check_refused(DLDA_E_FORMAT, lies[i].words);
    }
}

/* What stands beside the lies and is true: empty tensors between others, in any order of the header. */
static void test_truths(void **state)
{
    static const char *const truths[] = {
        ONE("\"F32\"", "[2]", "[0,8]"),
        ONE("\"F32\"", "[1,1,1,1,1,1,1,2]", "[0,8]") "    ",
        ONE("\"I64\"", "[]", "[0,8]"),
        "{\"a\":" T("\"F32\"", "[]", "[4,8]") ",\"b\":" T("\"F32\"", "[]", "[0,4]") "}",
        "{\"a\":" T("\"F32\"", "[]", "[4,8]") ",\"b\":" T("\"F32\"", "[0]", "[4,4]") ",\"c\":" T(
            "\"F32\"", "[0,7]", "[8,8]") ",\"d\":" T("\"F32\"", "[]", "[0,4]") "}",
        "{ \"__metadata__\" : {} ,\n\t\"\" :" T("\"BF16\"", "[4]", "[0,8]") "\n}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof truths / sizeof truths[0]; i++) {
        dlda_safetensors *file = NULL;
        check_ok(read_composed(truths[i], 8, &file));
        dlda_safetensors_destroy(file);
    }
}

static void test_not_finite(void **state)
{
    static const char header[] = "{\"a\":" T("\"F64\"", "[2]", "[0,16]") ",\"b\":" T("\"F32\"", "[3]",
                                                                                     "[16,28]") "}";
    const float inf = INFINITY;
    const double nan = NAN;
    char bytes[MOST_BYTES];
    size_t size = compose(header, 28, bytes);

    (void)state;
    memcpy(bytes + size - 4, &inf, 4);
    put(bytes, size);
    check_refused(DLDA_E_FORMAT, "tensor 'b': value inf at index 2 of [3], expected finite values");
    memcpy(bytes + size - 20, &nan, 8);
    put(bytes, size);
    check_refused(DLDA_E_FORMAT, "tensor 'a': value nan at index 1 of [2], expected finite values");
}

static void test_no_file(void **state)
{
    dlda_safetensors *file = NULL;

    (void)state;
    unlink(path);
    check_refused(DLDA_E_IO, "cannot open");
    assert_int_equal(dlda_safetensors_read(folder, &file), DLDA_E_IO);
}

/* Whatever stands in a byte of length and header: a file or a message, never a crash, never a leak. */
static void test_changed_bytes(void **state)
{
    char *bytes = NULL;
    size_t size = 0, live = 0, refused = 0;
    uint64_t length = 0;

    (void)state;
    read_sample_bytes(&bytes, &size);
    memcpy(&length, bytes, 8);
    live = dlda_memory_count().live;
    for (size_t i = 0; i < 8 + length; i++) {
        static const unsigned char masks[] = { 1, 2, 4, 8, 16, 32, 64, 128, 255 };
        for (size_t j = 0; j < sizeof masks; j++) {
            dlda_safetensors *file = NULL;
            bytes[i] = (char)(bytes[i] ^ masks[j]);
            put(bytes, size);
            dlda_status status = dlda_safetensors_read(path, &file);
            assert_true(status == DLDA_OK || status == DLDA_E_FORMAT);
            refused += status != DLDA_OK;
            dlda_safetensors_destroy(file);
            assert_int_equal(dlda_memory_count().live, live);
            bytes[i] = (char)(bytes[i] ^ masks[j]);
        }
    }
    assert_true(refused > length);
    dlda_release(bytes);
}

/* ---- Writing what cannot be written ---- */

static void check_not_written(const dlda_tensor *tensors, size_t count, dlda_status expected, const char *words)
{
    size_t live = dlda_memory_count().live;
    dlda_status status = dlda_safetensors_write(path, tensors, count, NULL, 0);

    if (status != expected || !strstr(dlda_last_error(), words) || !strstr(dlda_last_error(), path))
        fail_msg("status %d, expected %d; message '%s', expected '%s'", status, expected, dlda_last_error(), words);
    assert_int_equal(dlda_memory_count().live, live);
    assert_false(dlda_path_exists(path));
}

static void test_write_refused(void **state)
{
    const double values[] = { 0, NAN };
    const dlda_tensor twice[] = { sample[0], sample[1], sample[0] };
    const dlda_tensor reserved = { "__metadata__", DLDA_F32, 0, { 0 }, kernel };
    const dlda_tensor not_utf8 = { "\xff", DLDA_F32, 0, { 0 }, kernel };
    const dlda_tensor foreign = { "w", DLDA_DTYPE_FOREIGN, 0, { 0 }, kernel };
    const dlda_tensor deep = { "w", DLDA_F32, 9, { 0 }, kernel };
    const dlda_tensor huge = { "w", DLDA_F32, 2, { SIZE_MAX / 2, 3 }, kernel };
    const dlda_tensor no_data = { "w", DLDA_F32, 0, { 0 }, NULL };
    const dlda_tensor not_finite = { "w", DLDA_F64, 1, { 2 }, values };

    (void)state;
    unlink(path);
    check_not_written(twice, 3, DLDA_E_ARGUMENT, "tensor 'layers.0.conv.weight': the name is used twice");
    check_not_written(&reserved, 1, DLDA_E_ARGUMENT, "the name is reserved");
    check_not_written(&not_utf8, 1, DLDA_E_ARGUMENT, "the name is not valid UTF-8");
    check_not_written(&foreign, 1, DLDA_E_ARGUMENT, "type BOOL, expected F32, F64 or I64");
    check_not_written(&deep, 1, DLDA_E_ARGUMENT, "rank 9, expected at most 8");
    check_not_written(&huge, 1, DLDA_E_ARGUMENT, "F32 [9223372036854775807, 3], expected at most");
    check_not_written(&no_data, 1, DLDA_E_ARGUMENT, "tensor 'w': no data");
    check_not_written(&not_finite, 1, DLDA_E_NUMERIC, "tensor 'w': value nan at index 1 of [2]");
}

static void test_write_bad_metadata(void **state)
{
    const dlda_metadata_entry twice[] = { { "a", "1" }, { "a", "1" } }, not_utf8 = { "a", "\xc3" };

    (void)state;
    assert_int_equal(dlda_safetensors_write(path, NULL, 0, twice, 2), DLDA_E_ARGUMENT);
    assert_non_null(strstr(dlda_last_error(), "metadata 'a': used twice"));
    assert_int_equal(dlda_safetensors_write(path, NULL, 0, &not_utf8, 1), DLDA_E_ARGUMENT);
    assert_non_null(strstr(dlda_last_error(), "metadata 'a': not valid UTF-8"));
}

static void check_file_is_sample(void)
{
    dlda_safetensors *file = NULL;

    check_ok(dlda_safetensors_read(path, &file));
    check_sample(file);
    dlda_safetensors_destroy(file);
}

/* Runs in a process of its own, where files cannot grow beyond 4 kB; returns what it found as a bit mask. */
static int write_beyond_limit(void)
{
    const struct rlimit limit = { 4096, 4096 };
    char temporary[128];
    const float *values = calloc(10000, sizeof *values);
    const dlda_tensor large = { "w", DLDA_F32, 1, { 10000 }, values };

    snprintf(temporary, sizeof temporary, "%s.tmp-%ld", path, (long)getpid());
    signal(SIGXFSZ, SIG_IGN);
    if (!values || setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    int wrong_status = dlda_safetensors_write(path, &large, 1, NULL, 0) != DLDA_E_IO;
    int wrong_words = !strstr(dlda_last_error(), "cannot write: File too large");
    int left_over = dlda_path_exists(temporary);
    free((void *)values);
    return wrong_status << 1 | wrong_words << 2 | left_over << 3;
}

static void test_full_disk(void **state)
{
    int result = 0;

    (void)state;
    check_ok(write_sample());
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(write_beyond_limit());
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    check_file_is_sample();
}

static void test_no_folder(void **state)
{
    (void)state;
    assert_int_equal(dlda_safetensors_write("/nonexistent/w.safetensors", sample, N_SAMPLE, NULL, 0), DLDA_E_IO);
    assert_non_null(strstr(dlda_last_error(), "/nonexistent/w.safetensors: cannot write"));
}

/* ---- Memory that runs out ---- */

/* Lets the first, second, ... allocation fail until the call succeeds. */
static void test_write_without_memory(void **state)
{
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live;

    (void)state;
    check_ok(write_sample());
    for (size_t n = 1; status != DLDA_OK; n++) {
        assert_true(n < 100);
        dlda_memory_fail_at(n);
        status = write_sample();
        dlda_memory_fail_at(0);
        assert_true(status == DLDA_OK || status == DLDA_E_MEMORY);
        assert_int_equal(dlda_memory_count().live, live);
        check_file_is_sample();
    }
}

static void read_without_memory(void)
{
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live, n = 1;

    for (; status != DLDA_OK; n++) {
        dlda_safetensors *file = NULL;
        assert_true(n < 100);
        dlda_memory_fail_at(n);
        status = dlda_safetensors_read(path, &file);
        dlda_memory_fail_at(0);
        assert_true(status == DLDA_OK || (status == DLDA_E_MEMORY && !file));
        dlda_safetensors_destroy(file);
        assert_int_equal(dlda_memory_count().live, live);
    }
    assert_true(n > 4);
}

static void test_read_without_memory(void **state)
{
    static const char odd[] = ONE("\"F64\"", "[]", "[0,8]") " ";
    char bytes[MOST_BYTES];

    (void)state;
    check_ok(write_sample());
    read_without_memory();
    for (size_t cut = 0; cut < 2; cut++) { /* at least one of two lengths makes the data move */
        char text[sizeof odd];
        memcpy(text, odd, sizeof odd);
        text[strlen(odd) - cut] = '\0';
        put(bytes, compose(text, 8, bytes));
        read_without_memory();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_no_tensors),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_foreign_file),
        cmocka_unit_test(test_require),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_trailing_byte),
        cmocka_unit_test(test_length_field),
        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_truths),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_write_refused),
        cmocka_unit_test(test_write_bad_metadata),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_no_folder),
        cmocka_unit_test(test_write_without_memory),
        cmocka_unit_test(test_read_without_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
