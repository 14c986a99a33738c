/* SPDX-License-Identifier: MIT
 *
 * read_folds.c - reads fold_indices.txt, which lists the 1,000 training images of each of the ten folds of STL-10.
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/folds.h"

#include <string.h>

typedef struct fold_reader {
    const char *path;
    size_t samples;
    size_t n;      /* indices so far */
    size_t *index; /* [n]            */
    size_t folds, size;
    size_t *seen; /* [samples]: the last fold that contains it, from 1 */
} fold_reader;

/* Parses the number at *at and advances *at. */
static dlda_status read_index(const fold_reader *self, const char **at, size_t *index)
{
    const char *text = *at;
    size_t value = 0;

    for (; *text >= '0' && *text <= '9' && value < self->samples; text++)
        value = 10 * value + (size_t)(*text - '0');
    if (text == *at || (value < self->samples && *text && !strchr(" \t\r\n", *text)))
        return dlda_fail(DLDA_E_FORMAT, "%s: line %zu: found '%.12s', expected a number", self->path,
                         self->folds + 1, *at);
    if (value >= self->samples)
        return dlda_fail(DLDA_E_FORMAT, "%s: line %zu: index %zu or more, expected 0 to %zu", self->path,
                         self->folds + 1, value, self->samples - 1);
    *index = value;
    *at = text;
    return DLDA_OK;
}

static dlda_status read_line(fold_reader *self, const char *at)
{
    dlda_status status = DLDA_OK;
    size_t before = self->n, index = 0;

    for (at += strspn(at, " \t\r"); *at && *at != '\n'; at += strspn(at, " \t\r")) {
        DLDA_TRY(read_index(self, &at, &index));
        if (self->seen[index] == self->folds + 1)
            DLDA_FAIL(DLDA_E_FORMAT, "%s: line %zu: index %zu occurs twice", self->path, self->folds + 1, index);
        self->seen[index] = self->folds + 1;
        self->index[self->n++] = index;
    }
    if (self->folds == 0) self->size = self->n;
    if (self->size == 0 || self->n - before != self->size)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: line %zu: %zu indices, expected %s%zu", self->path, self->folds + 1,
                  self->n - before, self->size ? "as in the first line, " : "at least ",
                  self->size ? self->size : 1);
    self->folds++;
done:
    return status;
}

static dlda_status read_lines(fold_reader *self, const char *text, const char *end)
{
    dlda_status status = DLDA_OK;

    while (text < end) {
        const char *line = memchr(text, '\n', (size_t)(end - text));
        DLDA_TRY(read_line(self, text));
        text = line ? line + 1 : end;
    }
    if (self->folds == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: found nothing, expected lines of indices", self->path);
done:
    return status;
}

dlda_status dlda_stl_read_folds(const char *folder, size_t samples, dlda_folds *folds)
{
    static const size_t most_bytes = (size_t)1 << 26;
    dlda_status status = DLDA_OK;
    fold_reader self = { .samples = samples };
    char *path = NULL, *text = NULL;
    size_t size = 0;

    DLDA_TRY(dlda_path_join(folder, "fold_indices.txt", &path));
    self.path = path;
    DLDA_TRY(dlda_file_read(path, most_bytes, &text, &size));
    if (memchr(text, '\0', size)) DLDA_FAIL(DLDA_E_FORMAT, "%s: holds a zero byte, expected numbers", path);
    while (size > 0 && strchr(" \t\r\n", text[size - 1])) size--;
    text[size] = '\0';
    DLDA_TRY(DLDA_TAKE(&self.index, size / 2 + 1, path)); /* an index takes at least a digit and a space */
    DLDA_TRY(DLDA_TAKE(&self.seen, samples, path));
    DLDA_TRY(read_lines(&self, text, text + size));
    *folds = (dlda_folds){ self.folds, self.size, self.index };
    self.index = NULL;
done:
    dlda_release(path);
    dlda_release(text);
    dlda_release(self.index);
    dlda_release(self.seen);
    return status;
}

void dlda_folds_release(dlda_folds *folds)
{
    dlda_release(folds->index);
    *folds = (dlda_folds){ 0 };
}
