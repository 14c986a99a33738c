/* SPDX-License-Identifier: MIT
 *
 * model_files.h - helpers of the model file tests.
 */
#ifndef DLDA_TESTS_MODEL_FILES_H
#define DLDA_TESTS_MODEL_FILES_H

#include "check.h"

#include "base/file.h"
#include "base/memory.h"

/* 1 if two files have the same bytes. */
static inline int same_files(const char *a, const char *b)
{
    char *bytes[2] = { NULL, NULL };
    size_t sizes[2] = { 0, 0 };

    CHECK_OK(dlda_file_read(a, 1 << 24, &bytes[0], &sizes[0]));
    CHECK_OK(dlda_file_read(b, 1 << 24, &bytes[1], &sizes[1]));
    int same = sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0;
    dlda_release(bytes[0]);
    dlda_release(bytes[1]);
    return same;
}

/* Not dlda_file_write, which would sync each of thousands of files. */
static inline void put_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");

    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

/* Loading must fail with a message that names the file and contains `words`, and leak nothing. */
static inline void check_bad_model(const char *path, const char *what, const char *words)
{
    dlda_model *none = NULL;
    size_t live = dlda_memory_count().live;
    dlda_status status = dlda_model_load(path, &none);

    if (status != DLDA_E_FORMAT || !strstr(dlda_last_error(), path) || !strstr(dlda_last_error(), words))
        fail_msg("%s: status %d, message '%s', expected '%s'", what, status, dlda_last_error(), words);
    assert_null(none);
    assert_int_equal(dlda_memory_count().live, live);
}

#endif
