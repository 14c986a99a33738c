/* SPDX-License-Identifier: MIT
 *
 * test_base.c - the ground that all else stands on: random numbers, memory, threads, messages, files.
 */
#define _GNU_SOURCE
#include "check.h"

#include "base/file.h"
#include "base/file_guard.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Random numbers ---- */

/* The answers that Random123's kat_vectors gives for philox4x32 10. */
static void test_philox_known_answers(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { ~0u, ~0u, ~0u, ~0u }, { ~0u, ~0u }, { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint32_t out[4] = { 0 };
        dlda_philox(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

static void test_counter_carries(void **state)
{
    dlda_random random = { { 1, 2 }, { UINT32_MAX, 7, 5, 6 } };
    uint32_t out[4];

    (void)state;
    dlda_random_next(&random, out);
    assert_memory_equal(random.counter, ((const uint32_t[]){ 0, 8, 5, 6 }), sizeof random.counter);
}

/* Streams that differ in one of seed, purpose, a, b share none of their first words; equal ones are equal. */
static void test_streams_differ(void **state)
{
    enum { N = 9 };
    const dlda_random streams[N] = {
        dlda_random_stream(1, 1, 0, 0),          dlda_random_stream(2, 1, 0, 0), dlda_random_stream(1, 2, 0, 0),
        dlda_random_stream(1, 1, 1, 0),          dlda_random_stream(1, 1, 0, 1), dlda_random_stream(0, 1, 0, 0),
        dlda_random_stream(1ull << 32, 1, 0, 0), dlda_random_stream(2, 0, 0, 0), dlda_random_stream(1, 1, 0, 0),
    };
    uint32_t first[N][4];

    (void)state;
    for (size_t i = 0; i < N; i++) {
        dlda_random copy = streams[i];
        dlda_random_next(&copy, first[i]);
    }
    for (size_t i = 0; i < N - 1; i++)
        for (size_t j = 0; j < i; j++) assert_memory_not_equal(first[i], first[j], sizeof first[i]);
    assert_memory_equal(first[0], first[N - 1], sizeof first[0]);
}

enum { N_DRAWN = 1 << 18 };
static float drawn[N_DRAWN];

/* Mean of the k-th powers. */
static double moment(size_t n, int k)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += pow(drawn[i], k);
    return sum / (double)n;
}

/* Tolerances are five standard errors. */
static void test_uniform(void **state)
{
    dlda_random random = dlda_random_stream(3, DLDA_RANDOM_TEST, 0, 0);
    double error = 5 / sqrt(N_DRAWN);

    (void)state;
    dlda_random_uniform(&random, N_DRAWN, drawn);
    for (size_t i = 0; i < N_DRAWN; i++) assert_true(drawn[i] >= 0 && drawn[i] < 1);
    assert_true(fabs(moment(N_DRAWN, 1) - 1 / 2.0) < error * sqrt(1 / 12.0));
    assert_true(fabs(moment(N_DRAWN, 2) - 1 / 3.0) < error * sqrt(4 / 45.0));
}

static void test_normal(void **state)
{
    dlda_random random = dlda_random_stream(4, DLDA_RANDOM_TEST, 0, 0);
    double error = 5 / sqrt(N_DRAWN);

    (void)state;
    dlda_random_normal(&random, N_DRAWN, 3, drawn);
    assert_true(fabs(moment(N_DRAWN, 1) / 3) < error);
    assert_true(fabs(moment(N_DRAWN, 2) / 9 - 1) < error * sqrt(2));
    assert_true(fabs(moment(N_DRAWN, 3) / 27) < error * sqrt(15));
    assert_true(fabs(moment(N_DRAWN, 4) / 81 - 3) < error * sqrt(96));
}

/* A length that is no multiple of four gives the first values of a longer one, and writes no more. */
static void test_odd_lengths(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 9; n++) {
        float longer[2][12], shorter[2][12];
        memset(shorter, 0xA5, sizeof shorter);
        for (int normal = 0; normal < 2; normal++) {
            dlda_random a = dlda_random_stream(5, DLDA_RANDOM_TEST, 1, 2), b = a;
            if (normal) dlda_random_normal(&a, 12, 1, longer[1]), dlda_random_normal(&b, n, 1, shorter[1]);
            else dlda_random_uniform(&a, 12, longer[0]), dlda_random_uniform(&b, n, shorter[0]);
            if (n > 0) assert_memory_equal(shorter[normal], longer[normal], n * sizeof(float));
            for (size_t i = n * sizeof(float); i < sizeof shorter[0]; i++)
                assert_int_equal(((unsigned char *)shorter[normal])[i], 0xA5);
        }
    }
}

static void test_below(void **state)
{
    dlda_random random = dlda_random_stream(6, DLDA_RANDOM_TEST, 0, 0);
    enum { N = 70000, SIDES = 7 };
    size_t count[SIDES] = { 0 }, high = 0;
    double chi2 = 0;

    (void)state;
    for (size_t i = 0; i < N; i++) count[dlda_random_below(&random, SIDES)]++; /* a larger value is a crash */
    for (size_t i = 0; i < SIDES; i++) chi2 += pow((double)count[i] - N / SIDES, 2) / (N / SIDES);
    assert_true(chi2 > 0.3 && chi2 < 22.5); /* 6 degrees of freedom: 0.1 % on either side */
    for (int i = 0; i < 100; i++) assert_int_equal(dlda_random_below(&random, 1), 0);
    /* value % n without drawing again would fall into the lower third twice as often as elsewhere */
    const uint64_t n = 3ull << 62;
    for (size_t i = 0; i < 3000; i++) {
        uint64_t value = dlda_random_below(&random, n);
        assert_true(value < n);
        high += value >= 1ull << 62;
    }
    assert_true(high > 1870 && high < 2130);
}

static void test_shuffle(void **state)
{
    enum { N = 5, TRIALS = 20000 };
    size_t at_place[N][N] = { { 0 } };
    dlda_random random = dlda_random_stream(7, DLDA_RANDOM_TEST, 0, 0);

    (void)state;
    for (size_t t = 0; t < TRIALS; t++) {
        size_t values[N] = { 0, 1, 2, 3, 4 }, seen = 0;
        dlda_random_shuffle(&random, N, values);
        for (size_t i = 0; i < N; i++) {
            seen |= (size_t)1 << values[i];
            at_place[i][values[i]]++;
        }
        assert_int_equal(seen, (1 << N) - 1);
    }
    for (size_t i = 0; i < N; i++) /* five standard deviations */
        for (size_t j = 0; j < N; j++) assert_true(fabs((double)at_place[i][j] - TRIALS / N) < 5 * 57);
    dlda_random_shuffle(&random, 0, NULL);
}

/* ---- Memory ---- */

static void test_memory_aligned_and_zeroed(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) /* the second round gets the soiled blocks of the first */
        for (size_t size = 0; size < 300; size++) {
            unsigned char *bytes = NULL;
            CHECK_OK(DLDA_TAKE(&bytes, size, "test"));
            assert_non_null(bytes);
            assert_int_equal((uintptr_t)bytes % DLDA_ALIGNMENT, 0);
            for (size_t i = 0; i < size; i++) assert_int_equal(bytes[i], 0);
            memset(bytes, 0xA5, size);
            dlda_release(bytes);
        }
    dlda_release(NULL);
}

static void test_memory_counts(void **state)
{
    dlda_memory_counts before = dlda_memory_count(), during, after;
    double *doubles = NULL;
    char *text = NULL;

    (void)state;
    CHECK_OK(DLDA_TAKE(&doubles, 100000, "test"));
    CHECK_OK(dlda_take_text_n("deeplda", 4, &text));
    assert_string_equal(text, "deep");
    during = dlda_memory_count();
    assert_int_equal(during.taken, before.taken + 2);
    assert_int_equal(during.live, before.live + 2);
    assert_int_equal(during.bytes, before.bytes + 800005);
    assert_true(during.peak >= during.bytes);
    dlda_release(doubles);
    dlda_release(text);
    after = dlda_memory_count();
    assert_int_equal(after.live, before.live);
    assert_int_equal(after.bytes, before.bytes);
    assert_int_equal(after.peak, during.peak);
}

static void test_memory_too_large(void **state)
{
    static const size_t sizes[][2] = {
        { SIZE_MAX, 2 },     { SIZE_MAX, 1 },          { (size_t)1 << 32, (size_t)1 << 32 },
        { SIZE_MAX / 2, 1 }, { SIZE_MAX / 2 - 64, 1 }, { 2, SIZE_MAX / 2 + 1 }
    };
    dlda_memory_counts before = dlda_memory_count();
    size_t product = 0;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_null(dlda_take_bytes(sizes[i][0], sizes[i][1], "giant"));
        CHECK_ERROR_SAYS("giant: ");
    }
    CHECK_STATUS(dlda_multiply_sizes(SIZE_MAX / 2 + 1, 1, "much", &product), DLDA_E_MEMORY);
    CHECK_OK(dlda_multiply_sizes(SIZE_MAX / 4, 2, "much", &product));
    assert_int_equal(product, SIZE_MAX / 4 * 2);
    assert_int_equal(dlda_memory_count().taken, before.taken);
}

static void test_memory_fault_injection(void **state)
{
    char *pointer = NULL;

    (void)state;
    dlda_memory_fail_at(3);
    for (int i = 1; i <= 5; i++) {
        CHECK_STATUS(DLDA_TAKE(&pointer, 10, "block"), i == 3 ? DLDA_E_MEMORY : DLDA_OK);
        if (i != 3) dlda_release(pointer);
    }
    CHECK_ERROR_SAYS("block: no memory for 10 bytes");
    dlda_memory_fail_at(1);
    dlda_memory_fail_at(0);
    CHECK_OK(DLDA_TAKE(&pointer, 10, "block"));
    dlda_release(pointer);
}

/* ---- Threads ---- */

enum { MOST_ITEMS = 1000, MOST_THREADS = 8 };

typedef struct loop_record {
    size_t n, grain, threads;
    atomic_int visits[MOST_ITEMS];
    atomic_int busy[MOST_THREADS]; /* two chunks at once with the same worker would share scratch memory */
    atomic_int wrong;
} loop_record;

static void record_chunk(void *context, const dlda_chunk *chunk)
{
    loop_record *record = context;
    size_t end = (chunk->index + 1) * record->grain;

    if (chunk->worker >= record->threads || chunk->begin != chunk->index * record->grain ||
        chunk->end != (end < record->n ? end : record->n)) {
        record->wrong++;
        return;
    }
    record->wrong += atomic_exchange(&record->busy[chunk->worker], 1);
    for (size_t i = chunk->begin; i < chunk->end; i++) record->visits[i]++;
    record->busy[chunk->worker] = 0;
}

/* Each item once, in chunks that follow from n and grain alone. */
static void test_parallel_partition(void **state)
{
    static const size_t counts[] = { 0, 1, 2, 7, 64, 100, 999, 1000 }, grains[] = { 1, 2, 3, 64, 999, 5000 };
    static loop_record record;

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] * 6; i++)
        for (size_t threads = 1; threads <= MOST_THREADS; threads++) {
            memset(&record, 0, sizeof record);
            record.n = counts[i / 6], record.grain = grains[i % 6], record.threads = threads;
            dlda_parallel_for(check_team(threads), record.n, record.grain, record_chunk, &record);
            assert_int_equal(record.wrong, 0);
            for (size_t j = 0; j < MOST_ITEMS; j++) assert_int_equal(record.visits[j], j < record.n);
            assert_int_equal(dlda_parallel_chunks(record.n, record.grain),
                             (record.n + record.grain - 1) / record.grain);
        }
    assert_int_equal(dlda_parallel_chunks(SIZE_MAX, 2), SIZE_MAX / 2 + 1);
    for (size_t threads = 1; threads <= MOST_THREADS; threads++)
        assert_int_equal(dlda_team_threads(check_team(threads)), threads);
    assert_true(dlda_team_threads(check_team(0)) >= 1);
    assert_int_equal(dlda_team_threads(NULL), 1);
}

/* ---- Messages ---- */

static void *fail_in_thread(void *message)
{
    int fresh = dlda_last_error()[0] == '\0';

    dlda_set_message("of the other thread");
    snprintf(message, 64, "%s", fresh ? dlda_last_error() : "not empty at first");
    return NULL;
}

static void test_message_per_thread(void **state)
{
    pthread_t thread;
    char message[64] = "";

    (void)state;
    assert_int_equal(dlda_fail(DLDA_E_SHAPE, "%d of %s", 3, "mine"), DLDA_E_SHAPE);
    assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, message), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(message, "of the other thread");
    assert_string_equal(dlda_last_error(), "3 of mine");
}

static void test_message_from_itself(void **state)
{
    (void)state;
    dlda_set_message("inner");
    dlda_set_message("<%s|%s>", dlda_last_error(), dlda_last_error() + 2);
    assert_string_equal(dlda_last_error(), "<inner|ner>");
    assert_int_equal(dlda_fail_at(DLDA_E_FORMAT, "line %d", 7), DLDA_E_FORMAT);
    assert_string_equal(dlda_last_error(), "line 7: <inner|ner>");
    dlda_extend_message("%s", dlda_last_error());
    assert_string_equal(dlda_last_error(), "line 7: <inner|ner>: line 7: <inner|ner>");
    for (int i = 0; i < 100; i++) dlda_extend_message("%s and percent signs %%s%%n", dlda_last_error());
    assert_true(strlen(dlda_last_error()) < 1024); /* cut, not overrun */
}

static void test_status_texts(void **state)
{
    (void)state;
    for (int i = 0; i <= DLDA_E_STOPPED; i++)
        for (int j = 0; j <= i; j++)
            assert_true(!strcmp(dlda_status_text((dlda_status)i), dlda_status_text((dlda_status)j)) == (i == j));
    assert_string_equal(dlda_status_text((dlda_status)1000), "unknown status");
    int major = 0, minor = 0, patch = 0;

    assert_string_equal(dlda_version(), DLDA_VERSION);
    assert_int_equal(sscanf(DLDA_VERSION, "%d.%d.%d", &major, &minor, &patch), 3);
    assert_int_equal(DLDA_VERSION_NUMBER, 10000 * major + 100 * minor + patch);
}

/* ---- Files ---- */

static char folder[] = "/tmp/test_base-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

/* Fails if a test left a temporary file. */
static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void check_content(const char *expected, size_t size)
{
    char *bytes = NULL;
    size_t found = 0;

    CHECK_OK(dlda_file_read(path, size, &bytes, &found)); /* exactly as large as allowed */
    assert_int_equal(found, size);
    assert_memory_equal(bytes, expected, size + 1); /* with the zero behind it */
    dlda_release(bytes);
}

static void test_file_write_and_read(void **state)
{
    dlda_file_writer *writer = NULL;
    char *bytes = NULL;
    size_t size = 0;

    (void)state;
    CHECK_OK(dlda_file_write(path, "a\0b", 3));
    check_content("a\0b", 3);
    CHECK_OK(dlda_file_writer_open(path, &writer));
    CHECK_OK(dlda_file_writer_print(writer, "%d,%s", 5, "x"));
    CHECK_OK(dlda_file_writer_add(writer, NULL, 0));
    check_content("a\0b", 3); /* the old one until the end */
    CHECK_OK(dlda_file_writer_finish(writer));
    dlda_file_writer_destroy(writer);
    check_content("5,x", 3);
    CHECK_STATUS(dlda_file_read(path, 2, &bytes, &size), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("file: 3 bytes, expected at most 2");
    CHECK_OK(dlda_file_write(path, NULL, 0));
    check_content("", 0);
}

static int is_named_file(const char *name)
{
    return strcmp(name, "file") == 0;
}

/* A process that has ended; its number stays in use until waitpid. */
static pid_t end_process(void)
{
    pid_t gone = fork();

    if (gone == 0) _exit(0);
    assert_int_equal(waitid(P_PID, (id_t)gone, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
    return gone;
}

/* Of a process that is gone, if the caller writes that name; all others stay. */
static void test_leftovers_are_removed(void **state)
{
    static const char *const names[] = { "file.tmp-%ld-12", "file.tmp-%ld",  "file.tmp-%ld.csv", "file.tmp-%ld-x",
                                         "file.tmp-x%ld",   "file-%ld",      "notes.tmp-%ld",    "x.file.tmp-%ld",
                                         ".tmp-%ld",        "file.tmp-%ld-3" };
    enum { N = sizeof names / sizeof names[0], N_REMOVED = 2, OURS = N - 1 };
    char paths[N][160];
    pid_t gone = end_process();

    (void)state;
    for (size_t i = 0; i < N; i++) {
        char name[64];
        snprintf(name, sizeof name, names[i], (long)(i == OURS ? getpid() : gone));
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, name);
        CHECK_OK(dlda_file_write(paths[i], "x", 1));
    }
    dlda_folder_remove_leftovers(folder, is_named_file, 60); /* too young */
    for (size_t i = 0; i < N; i++) assert_true(dlda_path_exists(paths[i]));
    dlda_folder_remove_leftovers(folder, is_named_file, 0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    dlda_folder_remove_leftovers("/nowhere", is_named_file, 0);
    for (size_t i = 0; i < N; i++) assert_int_equal(dlda_path_exists(paths[i]), i >= N_REMOVED);
    for (size_t i = N_REMOVED; i < N; i++) unlink(paths[i]);
}

/* Temporary folders go with what is in them; links stay, and what they point to. */
static void test_left_folders_are_removed(void **state)
{
    pid_t gone = end_process();
    char left[160], inside[200], link[160], victim[160], other[160];

    (void)state;
    snprintf(left, sizeof left, "%s/file.tmp-%ld", folder, (long)gone);
    snprintf(other, sizeof other, "%s/notes.tmp-%ld", folder, (long)gone);
    snprintf(link, sizeof link, "%s/file.tmp-%ld-1", folder, (long)gone);
    snprintf(victim, sizeof victim, "%s/victim", folder);
    CHECK_OK(dlda_folder_make(victim));
    CHECK_OK(dlda_folder_make(other));
    snprintf(inside, sizeof inside, "%s/class/inner", left);
    CHECK_OK(dlda_folder_make(inside));
    snprintf(inside, sizeof inside, "%s/class/link", left);
    assert_int_equal(symlink(victim, inside), 0);
    assert_int_equal(symlink(victim, link), 0);
    dlda_folder_remove_leftovers(folder, is_named_file, 0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    assert_false(dlda_path_exists(left));
    assert_true(dlda_path_exists(victim) && dlda_path_exists(link) && dlda_path_exists(other));
    unlink(link);
    rmdir(victim);
    rmdir(other);
}

/* The link goes, what it points to stays; files and folders are left alone. */
static void test_links_are_removed(void **state)
{
    char link[160];

    (void)state;
    snprintf(link, sizeof link, "%s-link", path);
    CHECK_OK(dlda_file_write(path, "old", 3));
    assert_int_equal(symlink(path, link), 0);
    CHECK_OK(dlda_path_remove_link(link));
    assert_false(dlda_path_exists(link));
    CHECK_OK(dlda_path_remove_link(link));
    CHECK_OK(dlda_path_remove_link(path));
    CHECK_OK(dlda_path_remove_link(folder));
    check_content("old", 3);
}

/* Each of two writers of one path has its own temporary file: the content is that of the last one, not a mixture. */
static void test_two_writers(void **state)
{
    dlda_file_writer *one = NULL, *two = NULL;

    (void)state;
    CHECK_OK(dlda_file_writer_open(path, &one));
    CHECK_OK(dlda_file_writer_open(path, &two));
    CHECK_OK(dlda_file_writer_add(one, "11111", 5));
    CHECK_OK(dlda_file_writer_add(two, "22", 2));
    CHECK_OK(dlda_file_writer_finish(one));
    check_content("11111", 5);
    CHECK_OK(dlda_file_writer_finish(two));
    check_content("22", 2);
    dlda_file_writer_destroy(one);
    dlda_file_writer_destroy(two);
}

/* A link that has the temporary name is neither followed nor removed. */
static void test_planted_link(void **state)
{
    char temporary[160], victim[160];

    (void)state;
    snprintf(temporary, sizeof temporary, "%s.tmp-%ld", path, (long)getpid());
    snprintf(victim, sizeof victim, "%s-victim", path);
    assert_int_equal(symlink(victim, temporary), 0);
    CHECK_OK(dlda_file_write(path, "new", 3));
    check_content("new", 3);
    assert_false(dlda_path_exists(victim));
    assert_true(dlda_path_exists(temporary));
    unlink(temporary);
}

/* A guard that counts what it is told, and refuses to replace files while `refuses` is set. */
static struct {
    int reads, creates, refuses;
} guarded;

static dlda_status count_read(int file)
{
    guarded.reads += file >= 0;
    return DLDA_OK;
}

static dlda_status count_created(int file)
{
    guarded.creates += file >= 0;
    return DLDA_OK;
}

static dlda_status refuse(const char *name)
{
    return guarded.refuses && dlda_path_exists(name) ? dlda_fail(DLDA_E_IO, "%s: protected", name) : DLDA_OK;
}

/* What the guard refuses is unchanged, before the file is written and when it is complete; nothing is left behind. */
static void test_guard(void **state)
{
    const dlda_file_guard guard = { count_read, count_created, refuse };
    dlda_file_writer *writer = NULL;
    char temporary[160];
    uint8_t start[2];
    size_t n = 0;

    (void)state;
    snprintf(temporary, sizeof temporary, "%s.tmp-%ld", path, (long)getpid());
    dlda_file_guard_install(&guard);
    CHECK_OK(dlda_file_write(path, "old", 3));
    check_content("old", 3);
    assert_int_equal(guarded.reads, 1);
    assert_int_equal(guarded.creates, 1);
    CHECK_OK(dlda_file_read_start(path, sizeof start, start, &n));
    assert_int_equal(guarded.reads, 1); /* to know a format is not to read */
    CHECK_OK(dlda_file_writer_open(path, &writer));
    guarded.refuses = 1;
    assert_int_equal(dlda_file_writer_finish(writer), DLDA_E_IO);
    dlda_file_writer_destroy(writer);
    assert_int_equal(dlda_file_write(path, "new", 3), DLDA_E_IO);
    assert_false(dlda_path_exists(temporary));
    dlda_file_guard_install(NULL);
    check_content("old", 3);
    CHECK_OK(dlda_file_write(path, "new", 3));
}

/* Links are followed to their end, also if nothing is there yet; circles are refused. */
static void test_links_are_followed(void **state)
{
    char first[160], second[160], name[160], *bytes = NULL;
    size_t size = 0;

    (void)state;
    snprintf(first, sizeof first, "%s-first", path);
    snprintf(second, sizeof second, "%s-second", path);
    snprintf(name, sizeof name, "%s", dlda_path_name(second));
    assert_int_equal(symlink(name, first), 0); /* relative to its folder */
    unlink(path);
    assert_int_equal(symlink(path, second), 0);
    CHECK_OK(dlda_file_write(first, "end", 3));
    check_content("end", 3);
    CHECK_OK(dlda_file_read(first, 10, &bytes, &size));
    dlda_release(bytes);
    unlink(second);
    assert_int_equal(symlink(first, second), 0);
    CHECK_STATUS(dlda_file_write(first, "x", 1), DLDA_E_IO);
    CHECK_ERROR_SAYS("first: cannot write: Too many levels of symbolic links");
    unlink(first);
    unlink(second);
}

static void test_file_refused(void **state)
{
    static const struct {
        const char *path, *words;
    } cases[] = { { "/nonexistent/x", "/nonexistent/x: cannot open: No such file" },
                  { "", ": cannot open" },
                  { "/tmp", "/tmp: a folder, expected a file" },
                  { "/dev/zero", "/dev/zero: not a regular file" } };
    char *bytes = NULL, temporary[128];
    size_t size = 0, live = dlda_memory_count().live;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_STATUS(dlda_file_read(cases[i].path, 1000, &bytes, &size), DLDA_E_IO);
        CHECK_ERROR_SAYS(cases[i].words);
    }
    CHECK_STATUS(dlda_file_write("/nonexistent/x", "a", 1), DLDA_E_IO);
    CHECK_ERROR_SAYS("/nonexistent/x: cannot write: No such file");
    CHECK_STATUS(dlda_file_write(folder, "a", 1), DLDA_E_IO); /* is a folder: the last step, renaming, fails */
    snprintf(temporary, sizeof temporary, "%s.tmp-%ld", folder, (long)getpid());
    assert_false(dlda_path_exists(temporary));
    assert_int_equal(dlda_memory_count().live, live);
}

/* In a process of its own; the result is a bit mask. */
static int read_pipe(void)
{
    char *bytes = NULL;
    size_t size = 0;

    alarm(5); /* opening it for reading must not wait for a writer */
    return dlda_file_read(path, 1000, &bytes, &size) != DLDA_E_IO;
}

static int write_beyond_limit(void)
{
    static const char zeros[100000];
    char temporary[128];

    snprintf(temporary, sizeof temporary, "%s.tmp-%ld", path, (long)getpid());
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &(const struct rlimit){ 4096, 4096 }) != 0) return 1;
    int good = dlda_file_write(path, zeros, sizeof zeros) == DLDA_E_IO;
    return !good << 1 | !strstr(dlda_last_error(), "File too large") << 2 | dlda_path_exists(temporary) << 3;
}

static void check_in_child(int (*run)(void))
{
    int result = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) _exit(run());
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
}

static void test_full_disk_keeps_old_file(void **state)
{
    (void)state;
    CHECK_OK(dlda_file_write(path, "old", 3));
    check_in_child(write_beyond_limit);
    check_content("old", 3);
}

static void test_file_is_a_pipe(void **state)
{
    (void)state;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_in_child(read_pipe);
}

static void test_paths(void **state)
{
    static const char *const cases[][3] = {
        { "a", "b", "a/b" }, { "a/", "b", "a/b" }, { "", "b", "b" }, { "/", "b", "/b" }
    };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char *joined = NULL;
        CHECK_OK(dlda_path_join(cases[i][0], cases[i][1], &joined));
        assert_string_equal(joined, cases[i][2]);
        dlda_release(joined);
    }
    assert_true(dlda_path_exists(folder) && dlda_path_is_folder(folder));
    assert_false(dlda_path_exists("/nonexistent") || dlda_path_is_folder("/etc/passwd"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox_known_answers),
        cmocka_unit_test(test_counter_carries),
        cmocka_unit_test(test_streams_differ),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_odd_lengths),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_memory_aligned_and_zeroed),
        cmocka_unit_test(test_memory_counts),
        cmocka_unit_test(test_memory_too_large),
        cmocka_unit_test(test_memory_fault_injection),
        cmocka_unit_test(test_parallel_partition),
        cmocka_unit_test(test_message_per_thread),
        cmocka_unit_test(test_message_from_itself),
        cmocka_unit_test(test_status_texts),
        cmocka_unit_test(test_file_write_and_read),
        cmocka_unit_test(test_leftovers_are_removed),
        cmocka_unit_test(test_left_folders_are_removed),
        cmocka_unit_test(test_links_are_removed),
        cmocka_unit_test(test_two_writers),
        cmocka_unit_test(test_planted_link),
        cmocka_unit_test(test_guard),
        cmocka_unit_test(test_links_are_followed),
        cmocka_unit_test(test_file_refused),
        cmocka_unit_test(test_full_disk_keeps_old_file),
        cmocka_unit_test(test_file_is_a_pipe),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
