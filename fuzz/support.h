/* SPDX-License-Identifier: MIT
 *
 * support.h - what the targets share: files in memory, and memory for jansson. What fails aborts.
 */
#ifndef DLDA_FUZZ_SUPPORT_H
#define DLDA_FUZZ_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

/* A folder of this process in $TMPDIR, else in /dev/shm. */
const char *memory_folder(void);
/* Creates or overwrites a file of the folder, which stays open; its path. */
const char *put_file(const char *name, const uint8_t *data, size_t size);
/* The same for the only file of a target. */
const char *memory_file(const uint8_t *data, size_t size);
/* Makes `other` another name for the file `name` of the folder. */
void link_file(const char *name, const char *other);

/* jansson takes its memory from an arena. */
void arena_use(void);
/* After each input: aborts if a block was not freed. */
void arena_empty(void);

#endif
