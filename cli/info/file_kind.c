/* SPDX-License-Identifier: MIT
 *
 * file_kind.c - recognises models, LDAs, checkpoints and ONNX files by their first bytes.
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
    }
    dlda_release(start);
    return kind;
}
