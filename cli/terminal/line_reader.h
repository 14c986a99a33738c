/* SPDX-License-Identifier: MIT
 *
 * line_reader.h - lines of a stream as they come: of a pipe too, whose writer waits for answers.
 */
#ifndef DEEPLDA_CLI_LINE_READER_H
#define DEEPLDA_CLI_LINE_READER_H

#include <stddef.h>

enum { LINE_ROOM = 65536 };

/* All zero but for the file descriptor is a reader at the start. */
typedef struct line_reader {
    int descriptor;
    int ended;         /* nothing comes any more                    */
    int too_long;      /* the last line had no room: only its start */
    size_t begin, end; /* of what was read and not given out yet    */
    char buffer[LINE_ROOM + 1];
} line_reader;

/* The next line without its end, valid until the next call; NULL behind the last one, and, unless `wait`, also where the
 * next line has not come yet. */
char *line_next(line_reader *reader, int wait);

#endif
