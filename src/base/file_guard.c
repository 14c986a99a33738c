/* SPDX-License-Identifier: MIT
 *
 * file_guard.c - the guard that a program has installed.
 */
#include "base/file_guard.h"

#include <stdatomic.h>

static const dlda_file_guard *_Atomic installed = NULL;

void dlda_file_guard_install(const dlda_file_guard *guard)
{
    atomic_store(&installed, guard);
}

dlda_status dlda_file_guard_read(int file)
{
    const dlda_file_guard *guard = atomic_load(&installed);
    return guard ? guard->read(file) : DLDA_OK;
}

dlda_status dlda_file_guard_create(int file)
{
    const dlda_file_guard *guard = atomic_load(&installed);
    return guard ? guard->create(file) : DLDA_OK;
}

dlda_status dlda_file_guard_replace(const char *path)
{
    const dlda_file_guard *guard = atomic_load(&installed);
    return guard ? guard->replace(path) : DLDA_OK;
}
