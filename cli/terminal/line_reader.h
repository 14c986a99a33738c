/* SPDX-License-Identifier: MIT
 *
 * line_reader.h - reads the lines of a stream as they arrive, also from a pipe whose writer waits for answers.
 */
#ifndef DEEPLDA_CLI_LINE_READER_H
#define DEEPLDA_CLI_LINE_READER_H

#include <stddef.h>

enum { LINE_ROOM = 65536 };

/* Initialise with zeros, the file descriptor and the mark. */
typedef struct line_reader {
    int descriptor;
    char end_mark;     /* that ends a line: '\n' or 0  */
    int ended;         /* end of the stream            */
    int error;         /* errno, if reading failed     */
    int too_long;      /* the last line was truncated  */
    size_t length;     /* of the last line             */
    size_t begin, end; /* of the text not yet returned */
    char buffer[LINE_ROOM + 1];
} line_reader;

/* The next line without its line end, valid until the next call. NULL at the end of the stream, if reading failed and,
 * unless `wait`, if no complete line has arrived yet. */
char *line_next(line_reader *reader, int wait);

#endif
