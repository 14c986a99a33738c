/* SPDX-License-Identifier: MIT
 *
 * file_kind.c - recognises models, LDAs, checkpoints, ONNX files, pictures and arrays by their first bytes, texts by
 * their names.
 */
#define _GNU_SOURCE
#include "info/file_kind.h"
#include "base/file.h"
#include "base/memory.h"

#include <string.h>

/* A safetensors file has the length of its header in 8 bytes, then the header as JSON. Quotes in JSON texts are
 * escaped, so a quoted key is not found inside a text. */
static file_kind kind_of_safetensors(const uint8_t *start, size_t n)
{
    static const char checkpoint[] = "\"deeplda_checkpoint\"", lda[] = "\"deeplda_lda\""; /* docs/model_format.md */

    if (memmem(start, n, checkpoint, sizeof checkpoint - 1)) return FILE_KIND_CHECKPOINT;
    return memmem(start, n, lda, sizeof lda - 1) ? FILE_KIND_LDA : FILE_KIND_MODEL;
}

/* Data that may be given by mistake where a model is expected. */
static file_kind kind_of_data(const char *path, const uint8_t *start, size_t n)
{
    static const struct {
        const char *bytes;
        size_t length;
        file_kind kind;
    } starts[] = {
        { "\x89PNG", 4, FILE_KIND_PICTURE },    { "\xff\xd8\xff", 3, FILE_KIND_PICTURE },
        { "GIF8", 4, FILE_KIND_PICTURE },       { "BM", 2, FILE_KIND_PICTURE },
        { "II*\0", 4, FILE_KIND_PICTURE },      { "MM\0*", 4, FILE_KIND_PICTURE },
        { "RIFF", 4, FILE_KIND_PICTURE },       { "\x93NUMPY", 6, FILE_KIND_ARRAY },
        { "PK\x03\x04", 4, FILE_KIND_ARRAY },   { "\0\0\x08\x03", 4, FILE_KIND_ARRAY },
        { "\0\0\x08\x01", 4, FILE_KIND_ARRAY },
    };

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (n >= starts[i].length && memcmp(start, starts[i].bytes, starts[i].length) == 0) return starts[i].kind;
    if (dlda_path_ends(path, ".csv")) return FILE_KIND_TABLE;
    return dlda_path_ends(path, ".net") ? FILE_KIND_NETWORK : FILE_KIND_OTHER;
}

file_kind file_kind_of(const char *path)
{
    enum { MOST = 1 << 20 };
    file_kind kind = FILE_KIND_OTHER;
    uint8_t *start = NULL;
    size_t n = 0;

    if (DLDA_TAKE(&start, MOST, "start of a file") != DLDA_OK) return kind;
    if (dlda_file_read_start(path, MOST, start, &n) == DLDA_OK) {
        if (n > 8 && start[8] == '{') kind = kind_of_safetensors(start, n);
        /* field ir_version, a small number, then producer_name */
        else if (dlda_path_ends(path, ".onnx") || (n > 2 && start[0] == 0x08 && start[1] < 32 && start[2] == 0x12))
            kind = FILE_KIND_ONNX;
        else kind = kind_of_data(path, start, n);
    }
    dlda_release(start);
    return kind;
}
