/* SPDX-License-Identifier: MIT
 *
 * test_model_header.c - model files whose header lies, by design and by chance: each is refused with a message that names
 * the file and the place, and none crashes the reader or a prediction.
 */
#define _GNU_SOURCE
#include "small_model.h"

#include "base/clock.h"

/* ---- Lies in the header ---- */

/* The header of the good file, as text that may grow, and its data behind it. */
typedef struct file_parts {
    char *bytes;
    char *header, *data;
    size_t n_header, n_data;
} file_parts;

static file_parts take_apart(const char *path)
{
    file_parts parts = { 0 };
    size_t size = 0;
    uint64_t length = 0;

    CHECK_OK(dlda_file_read(path, 1 << 20, &parts.bytes, &size));
    memcpy(&length, parts.bytes, sizeof length);
    parts.n_header = (size_t)length;
    parts.header = parts.bytes + 8;
    parts.data = parts.header + parts.n_header;
    parts.n_data = size - 8 - parts.n_header;
    return parts;
}

/* A file of this header, with a length that fits, and of the good data. */
static void put_parts(const char *header, size_t n_header, const file_parts *parts)
{
    uint64_t length = n_header;
    FILE *stream = fopen(bad, "wb");

    assert_non_null(stream);
    assert_int_equal(fwrite(&length, sizeof length, 1, stream), 1);
    assert_int_equal(fwrite(header, 1, n_header, stream), n_header);
    assert_int_equal(fwrite(parts->data, 1, parts->n_data, stream), parts->n_data);
    assert_int_equal(fclose(stream), 0);
}

#define MEANS_ENTRY(shape, offsets)                                                                                \
    "\"head.means\":{\"dtype\":\"F64\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

/* Behind `find`, everything up to the next '}' is replaced too where `find` ends in '{'. */
static const struct {
    const char *find, *replace, *words;
} header_lies[] = {
    { "\"head.means\":{", MEANS_ENTRY("[3,4]", "[24,119]"), "tensor 'head.means': data_offsets [24, 119] hold 95" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4]", "[0,96]"), "an overlap" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4]", "[32,128]"), "begins at byte 32 of the data, expected 24: a gap" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4]", "[120,24]"),
      "tensor 'head.means': data_offsets [120,24], expected" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4]", "[-8,88]"), "tensor 'head.means': data_offsets [-8,88], expected" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4]", "[24.0,120.0]"), "tensor 'head.means': data_offsets [24.0,120.0]" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4]", "[24]"), "tensor 'head.means': data_offsets [24], expected" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4]", "[24,9223372036854775807]"),
      "tensor 'head.means': ends at byte 9223372036" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4]", "[24,9223372036854775808]"), "header: too big integer near" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4]", "[24,1e300]"), "tensor 'head.means': data_offsets" },
    { "\"head.means\":{", MEANS_ENTRY("[3,-4]", "[24,120]"), "tensor 'head.means': shape [3,-4], expected whole" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4.0]", "[24,120]"),
      "tensor 'head.means': shape [3,4.0], expected whole" },
    { "\"head.means\":{", MEANS_ENTRY("[4,3]", "[24,120]"),
      "tensor 'head.means': found F64 [4, 3], expected F64 [3, 4]" },
    { "\"head.means\":{", MEANS_ENTRY("[12]", "[24,120]"),
      "tensor 'head.means': found F64 [12], expected F64 [3, 4]" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4,1]", "[24,120]"),
      "tensor 'head.means': found F64 [3, 4, 1], expected" },
    { "\"head.means\":{", MEANS_ENTRY("[1,1,1,1,1,1,1,3,4]", "[24,120]"), "tensor 'head.means': shape" },
    { "\"head.means\":{", MEANS_ENTRY("12", "[24,120]"), "tensor 'head.means': shape 12, expected an array" },
    { "\"head.means\":{", MEANS_ENTRY("[9223372036854775807,4]", "[24,120]"), "expected a size that fits" },
    { "\"head.means\":{", MEANS_ENTRY("[4611686018427387904,4611686018427387904,0]", "[24,120]"),
      "expected a size that fits" },
    { "\"head.means\":{", MEANS_ENTRY("[4611686018427387904,0]", "[24,120]"), "expected a size that fits" },
    { "\"head.means\":{", MEANS_ENTRY("[99,0]", "[24,120]"),
      "tensor 'head.means': data_offsets [24, 120] hold 96 bytes, expected 0" },
    { "\"head.means\":{", MEANS_ENTRY("[4294967296,4294967296,4294967296]", "[24,120]"),
      "expected a size that fits" },
    { "\"head.means\":{", "\"head.means\":[]", "tensor 'head.means': found [], expected an object" },
    { "\"head.means\":{", "\"head.meanS\":{\"dtype\":\"F64\",\"shape\":[3,4],\"data_offsets\":[24,120]}",
      "tensor 'head.means' is missing" },
    { "\"head.means\":{", MEANS_ENTRY("[3,4]", "[24,120]") "," MEANS_ENTRY("[3,4]", "[24,120]"),
      "header: duplicate object key near '\"head.means\"'" },
    { "\"dtype\":\"F64\"", "\"dtype\":\"F99\"", "dtype \"F99\", expected" },
    { "\"dtype\":\"F64\"", "\"dtype\":\"I64\"", "tensor 'head.counts': found I64 [3], expected F64 [3]" },
    { "\"dtype\":\"F64\"", "\"dtype\":64", "dtype 64, expected" },
    { "\"deeplda_format\":\"1\"", "\"deeplda_format\":1",
      "__metadata__: 'deeplda_format': found 1, expected a string" },
    { "\"deeplda_format\":\"1\"", "\"deeplda_format\":\"1\",\"deeplda_format\":\"1\"", "duplicate object key" },
    { "{\"__metadata__\"", "[\"__metadata__\"", "header: first byte 0x5b" },
    { "{\"__metadata__\"", "{\"__metadata\"", "tensor '__metadata': dtype is missing" },
};

/* The header with one of these lies in it, in new memory. */
static char *lying_header(size_t lie, const file_parts *parts, size_t *length)
{
    const char *find = header_lies[lie].find, *replace = header_lies[lie].replace;
    char *text = check_memory(parts->n_header + strlen(replace) + 1);
    const char *at = memmem(parts->header, parts->n_header, find, strlen(find));

    if (!at) fail_msg("no %s in the header of the good file", find);
    const char *rest = at + strlen(find);
    if (rest[-1] == '{') rest = (const char *)memchr(rest, '}', (size_t)(parts->data - rest)) + 1;
    size_t before = (size_t)(at - parts->header), behind = (size_t)(parts->data - rest);
    memcpy(text, parts->header, before);
    memcpy(text + before, replace, strlen(replace));
    memcpy(text + before + strlen(replace), rest, behind);
    *length = before + strlen(replace) + behind;
    return text;
}

static void test_lies_in_header(void **state)
{
    file_parts parts = take_apart(good);

    (void)state;
    for (size_t i = 0; i < sizeof header_lies / sizeof *header_lies; i++) {
        size_t length = 0;
        char *text = lying_header(i, &parts, &length);
        put_parts(text, length, &parts);
        check_bad_model(bad, header_lies[i].replace, header_lies[i].words);
        free(text);
    }
    dlda_release(parts.bytes);
}

static void test_lying_length(void **state)
{
    static const uint64_t lengths[] = { 0, 1, 100000001, (uint64_t)1 << 32, (uint64_t)1 << 63, UINT64_MAX };
    char *bytes = NULL;
    size_t size = 0;

    (void)state;
    CHECK_OK(dlda_file_read(good, 1 << 20, &bytes, &size));
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memcpy(bytes, &lengths[i], 8);
        put_bytes(bad, bytes, size);
        check_bad_model(bad, "length of the header", "header");
    }
    dlda_release(bytes);
}

static void test_deep_header(void **state)
{
    enum { DEEP = 200000 };
    file_parts parts = take_apart(good);
    char *deep = check_memory(DEEP);

    (void)state;
    memset(deep, '[', DEEP);
    memcpy(deep, "{\"a\":", 5);
    deep[DEEP - 1] = '}';
    put_parts(deep, DEEP, &parts);
    check_bad_model(bad, "deep header", "header: too many levels near '['");
    free(deep);
    dlda_release(parts.bytes);
}

/* ---- Lies by chance ---- */

static uint32_t draw(uint64_t *seed, size_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % n);
}

/* Changes `bytes` [size], which have room for 64 more, in one of several ways. */
static size_t mutate(char *bytes, size_t size, size_t n_header, uint64_t *seed)
{
    static const char *const words[] = { "-1",    "0",       "9223372036854775807",
                                         "1e400", "null",    "[]",
                                         "{}",    "\"\"",    "]",
                                         "}",     "\\u0000", "\n",
                                         "F32",   "input",   "dense",
                                         "," };
    size_t at = draw(seed, draw(seed, 4) ? 8 + n_header : size);
    uint64_t length = 0;

    switch (draw(seed, 6)) {
    case 0: bytes[at] = (char)(bytes[at] ^ 1 << draw(seed, 8)); break;
    case 1: bytes[at] = (char)draw(seed, 256); break;
    case 2: bytes[at] = "0123456789"[draw(seed, 10)]; break;
    case 3: { /* a few bytes move within the header */
        size_t from = 8 + draw(seed, n_header - 16), to = 8 + draw(seed, n_header - 16);
        memmove(bytes + to, bytes + from, 1 + draw(seed, 16));
        break;
    }
    default: { /* a word comes in, and the length of the header may tell of it */
        const char *word = words[draw(seed, sizeof words / sizeof *words)];
        size_t n = strlen(word);
        if (at < 8) at = 8;
        memmove(bytes + at + n, bytes + at, size - at);
        memcpy(bytes + at, word, n);
        size += n;
        memcpy(&length, bytes, 8);
        length += n;
        if (draw(seed, 4)) memcpy(bytes, &length, 8);
    }
    }
    return size;
}

/* What was taken for a model must answer, or say why not. */
static void run_mutant(const dlda_model *mutant)
{
    static float zeros[1 << 16];
    size_t pixels = dlda_model_height(mutant) * dlda_model_width(mutant) * dlda_model_channels(mutant);
    dlda_workspace *workspace = NULL;
    int label = -1;

    if (pixels > sizeof zeros / sizeof *zeros) return;
    CHECK_OK(dlda_workspace_create(mutant, 1, 1, &workspace));
    dlda_status status = dlda_model_predict(mutant, workspace, zeros, 1, DLDA_PROBABILITY_PAPER, &label, NULL);
    assert_true(status == DLDA_OK || status == DLDA_E_NUMERIC);
    assert_true(status != DLDA_OK || (label >= 0 && (size_t)label < dlda_model_classes(mutant)));
    dlda_workspace_destroy(workspace);
}

static void try_mutant(size_t *loaded)
{
    dlda_model *mutant = NULL;
    size_t live = dlda_memory_count().live;
    dlda_status status = dlda_model_load(bad, &mutant);

    if (status == DLDA_OK) run_mutant(mutant);
    else if (status != DLDA_E_FORMAT || !strstr(dlda_last_error(), bad))
        fail_msg("status %d, message '%s'", status, dlda_last_error());
    *loaded += status == DLDA_OK;
    dlda_model_destroy(mutant);
    assert_int_equal(dlda_memory_count().live, live);
}

/* The same files in every run, as many as the time allows. */
static void test_mutations(void **state)
{
    enum { MOST = 40000, LEAST = 300 };
    static const double most_seconds = 3;
    file_parts parts = take_apart(good);
    size_t size = 8 + parts.n_header + parts.n_data, loaded = 0, n = 0;
    char *copy = check_memory(size + 256);
    uint64_t seed = 2016;
    double start = dlda_seconds_now();

    (void)state;
    for (; n < MOST && (n < LEAST || dlda_seconds_now() - start < most_seconds); n++) {
        size_t length = size;
        memcpy(copy, parts.bytes, size);
        for (uint32_t changes = 1 + draw(&seed, 3); changes > 0; changes--)
            length = mutate(copy, length, parts.n_header, &seed);
        put_bytes(bad, copy, length);
        try_mutant(&loaded);
    }
    print_message("%zu files, of which %zu were models\n", n, loaded);
    assert_true(loaded < n);
    free(copy);
    dlda_release(parts.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lies_in_header),
        cmocka_unit_test(test_lying_length),
        cmocka_unit_test(test_deep_header),
        cmocka_unit_test(test_mutations),
    };

    return cmocka_run_group_tests_name("model_header", tests, make_all, remove_all);
}
