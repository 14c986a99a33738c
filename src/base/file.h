/* SPDX-License-Identifier: MIT
 *
 * file.h - whole files: read at once, written so that nothing half-written is ever seen.
 */
#ifndef DLDA_BASE_FILE_H
#define DLDA_BASE_FILE_H

#include "base/status.h"

#include <stdio.h>

/* The bytes of a file, with a zero byte behind the last one. Refuses folders, and files over `most` bytes. */
dlda_status dlda_file_read(const char *path, size_t most, char **bytes, size_t *size);

/* A stream to read a regular file; anything else is refused, and nothing waits: opening a pipe would. */
dlda_status dlda_file_open(const char *path, FILE **stream);

/* The first bytes of a file, at most `most`: enough to see what it is. */
dlda_status dlda_file_read_start(const char *path, size_t most, uint8_t *start, size_t *n);

/* Bytes of an open file. */
dlda_status dlda_file_length(const char *path, FILE *stream, size_t *length);

/* A file that lies in memory without being read: pages come when they are looked at, and go when memory is short. What
 * another program cuts off meanwhile ends this one, so it is for large files only. */
typedef struct dlda_mapping {
    const uint8_t *bytes; /* NULL: nothing is mapped */
    size_t size;
} dlda_mapping;

dlda_status dlda_file_map(const char *path, dlda_mapping *mapping);
void dlda_file_unmap(dlda_mapping *mapping);

/* A file that appears under its name only when it is complete. */
typedef struct dlda_file_writer dlda_file_writer;

/* Opens "path.tmp-PID" for writing. */
dlda_status dlda_file_writer_open(const char *path, dlda_file_writer **writer);
dlda_status dlda_file_writer_add(dlda_file_writer *writer, const void *bytes, size_t size);
dlda_status dlda_file_writer_print(dlda_file_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Syncs, renames to the final name and syncs the folder. On failure the final name is untouched, except when the
 * very last sync fails: then the new file is in place and whole, but may not outlive a power cut. */
dlda_status dlda_file_writer_finish(dlda_file_writer *writer);
/* Releases the writer; removes the temporary file if it was not finished. */
void dlda_file_writer_destroy(dlda_file_writer *writer);

/* Gives a whole file its final name, and syncs the folder. */
dlda_status dlda_file_rename(const char *from, const char *to);

/* Writes a small file in one call, in the same careful way. */
dlda_status dlda_file_write(const char *path, const void *bytes, size_t size);

/* "folder/name" in new memory. */
dlda_status dlda_path_join(const char *folder, const char *name, char **path);
/* The folder that holds a path, "." if it names none, in new memory; the name behind it, a part of the path. */
dlda_status dlda_path_folder(const char *path, char **folder);
const char *dlda_path_name(const char *path);
int dlda_path_ends(const char *path, const char *end);
int dlda_path_exists(const char *path);
int dlda_path_is_folder(const char *path);

/* Makes a folder and those that lead to it; one that is there is fine. */
dlda_status dlda_folder_make(const char *path);
/* Gives a file or folder another name, lastingly. A file of that name is replaced, a folder only if it is empty. */
dlda_status dlda_path_move(const char *from, const char *to);

#endif
