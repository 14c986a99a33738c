/* SPDX-License-Identifier: MIT
 *
 * output.c - writes a file under a temporary name, then renames it.
 */
#include "terminal/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int complain_write(const cli_output *self)
{
    complain(self->command, "%s: cannot write: %s", self->target, strerror(errno));
    return EXIT_FAILED;
}

/* 1 for devices and pipes, which a rename would replace by a regular file. */
static int is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

/* Resolves a symbolic link, so that its target is replaced; the name itself if nothing exists yet. */
static char *resolved(const char *path)
{
    char *target = realpath(path, NULL);
    return target ? target : strdup(path);
}

static char *temporary_name(const char *target)
{
    size_t size = strlen(target) + 32;
    char *name = malloc(size);

    if (name) snprintf(name, size, "%s.tmp-%ld", target, (long)getpid());
    return name;
}

static void release(cli_output *self)
{
    free(self->temporary);
    free(self->target);
    *self = (cli_output){ 0 };
}

int output_open(cli_output *self, const char *command, const char *path)
{
    int code = EXIT_OK;

    *self = (cli_output){ .file = stdout, .command = command };
    if (!path[0]) return EXIT_OK;
    self->target = resolved(path);
    self->temporary = self->target && !is_special(path) ? temporary_name(self->target) : NULL;
    if (!self->target || (!self->temporary && !is_special(path))) {
        complain(command, "%s: no memory", path);
        code = EXIT_FAILED;
    } else {
        self->file = fopen(self->temporary ? self->temporary : self->target, "we");
        if (!self->file) code = complain_write(self);
    }
    if (code != EXIT_OK) release(self);
    return code;
}

/* 1 if everything was written to disk. */
static int finish_file(cli_output *self)
{
    int written = fflush(self->file) == 0 && !ferror(self->file);

    if (written && self->temporary) written = fsync(fileno(self->file)) == 0;
    int kept = errno; /* the first error is reported */
    if (fclose(self->file) != 0 && written) return 0;
    errno = kept;
    return written;
}

int output_close(cli_output *self)
{
    int code = EXIT_OK;

    if (self->target) {
        if (!finish_file(self) || (self->temporary && rename(self->temporary, self->target) != 0)) {
            code = complain_write(self);
            if (self->temporary) unlink(self->temporary);
        }
    }
    release(self);
    return code;
}

void output_discard(cli_output *self)
{
    if (self->target) fclose(self->file);
    if (self->temporary) unlink(self->temporary);
    release(self);
}
