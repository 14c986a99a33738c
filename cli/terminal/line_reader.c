/* SPDX-License-Identifier: MIT
 *
 * line_reader.c - reads available input, and waits only on request.
 */
#include "terminal/line_reader.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static int has_come(const line_reader *self)
{
    struct pollfd one = { .fd = self->descriptor, .events = POLLIN };
    return poll(&one, 1, 0) != 0;
}

static void read_more(line_reader *self)
{
    ssize_t n;

    memmove(self->buffer, self->buffer + self->begin, self->end - self->begin);
    self->end -= self->begin;
    self->begin = 0;
    do n = read(self->descriptor, self->buffer + self->end, LINE_ROOM - self->end);
    while (n < 0 && errno == EINTR);
    if (n > 0) self->end += (size_t)n;
    else {
        self->ended = 1;
        self->error = n < 0 ? errno : 0;
    }
}

static char *give(line_reader *self, size_t length, size_t skipped)
{
    char *line = self->buffer + self->begin;

    line[length] = '\0';
    self->length = length;
    self->begin += length + skipped;
    return line;
}

/* Discards the rest of a line that is longer than the buffer. */
static void skip_rest(line_reader *self)
{
    char *end = NULL;

    while (!end && (self->begin < self->end || !self->ended)) {
        end = memchr(self->buffer + self->begin, self->end_mark, self->end - self->begin);
        self->begin = end ? (size_t)(end - self->buffer) + 1 : self->end;
        if (!end && !self->ended) read_more(self);
    }
}

char *line_next(line_reader *self, int wait)
{
    if (self->too_long) skip_rest(self);
    self->too_long = 0;
    for (;;) {
        size_t length = self->end - self->begin;
        char *end = memchr(self->buffer + self->begin, self->end_mark, length);
        if (end) return give(self, (size_t)(end - self->buffer) - self->begin, 1);
        if (self->ended) return length && !self->error ? give(self, length, 0) : NULL;
        if (length == LINE_ROOM) {
            self->too_long = 1;
            return give(self, length, 0);
        }
        if (!wait && !has_come(self)) return NULL;
        read_more(self);
    }
}
