/* SPDX-License-Identifier: MIT
 *
 * file_kind.c - recognises models, checkpoints and ONNX files.
 */
#define _GNU_SOURCE
#include "info/file_kind.h"
#include "base/file.h"
#include "base/memory.h"

#include <string.h>

/* Safetensors have the length of their header in 8 bytes, then the header, which is JSON. Quotes inside of its texts are
 * escaped, so the key cannot be found in one. */
static file_kind kind_of_safetensors(const uint8_t *start, size_t n)
{
    static const char key[] = "\"deeplda_checkpoint\""; /* docs/model_format.md */

    return memmem(start, n, key, sizeof key - 1) ? FILE_KIND_CHECKPOINT : FILE_KIND_MODEL;
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
        /* the field ir_version, a small number, and then producer_name */
        else if (dlda_path_ends(path, ".onnx") || (n > 2 && start[0] == 0x08 && start[1] < 32 && start[2] == 0x12))
            kind = FILE_KIND_ONNX;
    }
    dlda_release(start);
    return kind;
}
