/* SPDX-License-Identifier: MIT
 *
 * file.h - reads whole files, and writes files so that an incomplete one is never visible.
 */
#ifndef DLDA_BASE_FILE_H
#define DLDA_BASE_FILE_H

#include "base/status.h"

#include <stdio.h>

/* Reads a file and appends a zero byte. Refuses folders, and files of more than `most` bytes. */
dlda_status dlda_file_read(const char *path, size_t most, char **bytes, size_t *size);

/* Opens a regular file for reading. Refuses anything else without blocking, as a pipe would. */
dlda_status dlda_file_open(const char *path, FILE **stream);

/* Reads the first bytes of a file, at most `most`, to detect its format. To a guard (file_guard.h), this does not make
 * the file an input. */
dlda_status dlda_file_read_start(const char *path, size_t most, uint8_t *start, size_t *n);

/* Size of an open file in bytes. */
dlda_status dlda_file_length(const char *path, FILE *stream, size_t *length);

/* A file that appears under its name only once it is complete. */
typedef struct dlda_file_writer dlda_file_writer;

/* Creates "path.tmp-PROCESS", or with "-N" after it if that exists; if `path` is a link, beside what it points to. Fails
 * if a guard (file_guard.h) protects the file at `path`, as finishing does. */
dlda_status dlda_file_writer_open(const char *path, dlda_file_writer **writer);
/* For code that prints to a stream; NULL once the file is complete. */
FILE *dlda_file_writer_stream(dlda_file_writer *writer);
dlda_status dlda_file_writer_add(dlda_file_writer *writer, const void *bytes, size_t size);
dlda_status dlda_file_writer_print(dlda_file_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes and syncs everything to the temporary file, so that finishing can hardly fail. Optional; nothing can be added
 * after it. */
dlda_status dlda_file_writer_complete(dlda_file_writer *writer);
/* Completes the file, renames it to the final name and syncs the folder. On failure the final name is unchanged.
 * Exception: if only the last sync fails, the file is in place and complete, but may be lost in a power failure. */
dlda_status dlda_file_writer_finish(dlda_file_writer *writer);
/* Finishes files that belong together, such as images and their labels, and removes the file `obsolete`, unless NULL, at
 * the same time. On failure all final names are unchanged. A process that is killed meanwhile leaves no mixture of old
 * and new files: some may be missing, and the old ones then have temporary names. */
dlda_status dlda_file_writers_finish(dlda_file_writer *const *writers, size_t n, const char *obsolete);
/* Releases the writer; removes the temporary file if it was not finished. */
void dlda_file_writer_destroy(dlda_file_writer *writer);

/* Writes a small file in one call, with the same guarantees. */
dlda_status dlda_file_write(const char *path, const void *bytes, size_t size);

/* "folder/name" in new memory. */
dlda_status dlda_path_join(const char *folder, const char *name, char **path);
/* The folder that contains a path ("." if there is none), in new memory; the last component,
 * which points into the path. */
dlda_status dlda_path_folder(const char *path, char **folder);
const char *dlda_path_name(const char *path);
/* The path with symbolic links followed to their end, which need not exist; in new memory. Links in its folders stay. */
dlda_status dlda_path_resolve(const char *path, char **target);
/* Removes a symbolic link, not what it points to; leaves anything else alone. For the fixed names that a command writes
 * in a folder of others: a link there is replaced, not followed. */
dlda_status dlda_path_remove_link(const char *path);
int dlda_path_ends(const char *path, const char *end);
int dlda_path_exists(const char *path);
int dlda_path_is_folder(const char *path);
int dlda_path_is_link(const char *path);
/* 1 for names of unfinished files: NAME.tmp-PROCESS, NAME.tmp-PROCESS-N. */
int dlda_path_is_temporary(const char *path);

/* Creates a folder and its parents; existing ones are fine. */
dlda_status dlda_folder_make(const char *path);
/* Removes a folder with all that is in it, if it exists; links are removed, not followed. */
void dlda_folder_remove(const char *path);
/* Creates the folder "path.tmp-PROCESS", or with "-N" after it if that exists; its name in new memory. */
dlda_status dlda_folder_make_temporary(const char *path, char **temporary);
/* Removes the temporary files and folders (NAME.tmp-PROCESS, NAME.tmp-PROCESS-N) of processes that do not exist, such as
 * killed ones, if `is_own` accepts NAME and nothing has changed there for `seconds`. A process of another machine or
 * container seems not to exist: `seconds` is 0 only if the caller has a lock that such a process would hold. */
typedef int dlda_name_test(const char *name);
void dlda_folder_remove_leftovers(const char *path, dlda_name_test *is_own, double seconds);
enum { DLDA_LEFTOVER_SECONDS = 86400 };

/* Renames files to final names in place of older ones, with the guarantees of dlda_file_writers_finish; where from[i] is
 * NULL, the older one is removed. */
dlda_status dlda_paths_move_together(const char *const *from, const char *const *to, size_t n);
/* Renames a file or folder and syncs. An existing file is replaced, an existing folder only if it is empty. */
dlda_status dlda_path_move(const char *from, const char *to);

#endif
