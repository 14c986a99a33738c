/* SPDX-License-Identifier: MIT
 *
 * table_source.c - options and operands as a dlda_table_spec.
 *
 * A table is read more than once, so the standard input is copied to a temporary file, which has no name and vanishes
 * with the program. It is opened through /proc.
 */
#include "lda/table_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char standard_input[] = "standard input";

/* A descriptor of a new file without a name; -1 on failure. */
static int open_nameless(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];

    if (snprintf(path, sizeof path, "%s/deeplda-XXXXXX", folder && folder[0] ? folder : "/tmp") >= (int)sizeof path)
        return -1;
    int file = mkstemp(path);
    if (file >= 0) unlink(path);
    return file;
}

/* 1 if all bytes were written. */
static int write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(file, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return 0;
        bytes += n;
        size -= (size_t)n;
    }
    return 1;
}

static int copy_input(const char *command, int file)
{
    char bytes[1 << 16];
    ssize_t n = 0;

    do {
        n = read(STDIN_FILENO, bytes, sizeof bytes);
        if (n > 0 && !write_all(file, bytes, (size_t)n)) {
            complain(command, "%s: cannot copy it to a temporary file: %s; TMPDIR chooses another folder",
                     standard_input, strerror(errno));
            return EXIT_FAILED;
        }
    } while (n > 0 || (n < 0 && errno == EINTR));
    if (n == 0) return EXIT_OK;
    complain(command, "%s: cannot read: %s", standard_input, strerror(errno));
    return EXIT_FAILED;
}

static int open_input(const char *command, table_source *self)
{
    self->copy = open_nameless();
    if (self->copy < 0) {
        complain(command, "%s: cannot create a temporary file: %s", standard_input, strerror(errno));
        return EXIT_FAILED;
    }
    snprintf(self->path, sizeof self->path, "/proc/self/fd/%d", self->copy);
    self->spec.path = self->path;
    self->spec.name = self->shown = standard_input;
    return copy_input(command, self->copy);
}

static int open_files(const char *command, const char *const *files, size_t n, table_source *self)
{
    for (size_t i = 0; i < n && n > 1; i++)
        if (strcmp(files[i], "-") == 0)
            return complain_usage(command, "-: the standard input is a table of its own, expected no other files");
    return strcmp(files[0], "-") == 0 ? open_input(command, self) : EXIT_OK;
}

int table_source_open(const char *command, const cli_options *options, const char *const *files, size_t n,
                      table_source *self)
{
    *self = (table_source){ .spec = { .path = files[0],
                                      .more = files + 1,
                                      .n_more = n - 1,
                                      .label = option_text(options, "label"),
                                      .drop = option_text(options, "drop"),
                                      .categories = option_text(options, "categories"),
                                      .keep = option_text(options, "keep") },
                            .shown = files[0],
                            .copy = -1 };
    if (option_is(options, "missing", "drop")) self->spec.missing = DLDA_MISSING_DROP;
    if (option_is(options, "missing", "mean")) self->spec.missing = DLDA_MISSING_MEAN;
    return open_files(command, files, n, self);
}

int table_source_count(const char *command, const dlda_table *table, table_source *self)
{
    size_t more = dlda_table_files(table) - 1, room = strlen(self->shown) + 64;

    if (more == 0) return EXIT_OK;
    self->names = malloc(room);
    if (!self->names) {
        complain(command, "%s: no memory for its name", self->shown);
        return EXIT_FAILED;
    }
    snprintf(self->names, room, "%s and %zu more file%s", self->shown, more, more == 1 ? "" : "s");
    self->shown = self->names;
    return EXIT_OK;
}

void table_source_close(table_source *self)
{
    if (self->copy >= 0) close(self->copy);
    free(self->names);
}
