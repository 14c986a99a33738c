/* SPDX-License-Identifier: MIT
 *
 * output.c - writes a result to stdout, to a device or pipe, or to a file that appears when it is complete.
 */
#include "terminal/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* 1 for names of open files, such as /dev/stdout. */
static int is_open_file(const char *path)
{
    static const char *const starts[] = { "/dev/std", "/dev/fd/", "/proc/self/fd/" };

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(path, starts[i], strlen(starts[i])) == 0) return 1;
    return 0;
}

/* 1 for devices, pipes and open files, which a rename would replace by another regular file. */
static int is_special(const char *path)
{
    struct stat info;

    if (is_open_file(path)) return 1;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* A file in the making is removed if the program ends meanwhile, as text_format does without memory. */
static dlda_file_writer *unfinished = NULL;

static void discard_unfinished(void)
{
    dlda_file_writer_destroy(unfinished);
}

static int complain_write(const cli_output *self)
{
    complain(self->command, "%s: cannot write: %s", self->path, strerror(errno));
    return EXIT_FAILED;
}

int output_open(cli_output *self, const char *command, const char *path)
{
    *self = (cli_output){ .file = stdout, .command = command, .path = path };
    if (!path[0]) return EXIT_OK;
    if (is_special(path)) {
        self->file = fopen(path, is_open_file(path) ? "ae" : "we"); /* after what is in it already */
        return self->file ? EXIT_OK : complain_write(self);
    }
    int code = exit_code_of(command, dlda_file_writer_open(path, &self->writer));
    if (code == EXIT_OK) {
        static int registered = 0;
        if (!registered) registered = atexit(discard_unfinished) == 0;
        unfinished = self->writer;
        self->file = dlda_file_writer_stream(self->writer);
    }
    return code;
}

int output_is(const cli_output *self, const char *path)
{
    struct stat old, other;

    return self->writer && stat(self->path, &old) == 0 && stat(path, &other) == 0 && old.st_dev == other.st_dev &&
           old.st_ino == other.st_ino;
}

int output_open_inside(cli_output *self, const char *command, const char *path)
{
    int code = exit_code_of(command, dlda_path_remove_link(path));

    return code == EXIT_OK ? output_open(self, command, path) : code;
}

/* Closes a device or pipe. */
static int close_stream(cli_output *self)
{
    int written = fflush(self->file) == 0 && !ferror(self->file), kept = errno; /* the first error is reported */

    if (fclose(self->file) != 0 && written) return complain_write(self);
    errno = kept;
    return written ? EXIT_OK : complain_write(self);
}

int output_close(cli_output *self)
{
    int code = EXIT_OK;

    if (self->writer) code = exit_code_of(self->command, dlda_file_writer_finish(self->writer));
    else if (self->file != stdout) code = close_stream(self);
    unfinished = NULL;
    dlda_file_writer_destroy(self->writer);
    *self = (cli_output){ 0 };
    return code;
}

void output_discard(cli_output *self)
{
    if (!self->writer && self->file != stdout) fclose(self->file);
    unfinished = NULL;
    dlda_file_writer_destroy(self->writer);
    *self = (cli_output){ 0 };
}
