/* SPDX-License-Identifier: MIT
 *
 * folder_lock.h - lets only one process at a time write into a folder.
 */
#ifndef DLDA_BASE_FOLDER_LOCK_H
#define DLDA_BASE_FOLDER_LOCK_H

#include "base/status.h"

typedef struct dlda_folder_lock dlda_folder_lock;

/* DLDA_E_IO, with the number of the other process, if the folder is locked. On file systems without locks, every call
 * succeeds. The lock ends with the process, however that ends. */
dlda_status dlda_folder_lock_take(const char *folder, dlda_folder_lock **lock);
/* The same failure if another process has locked the folder; takes no lock. */
dlda_status dlda_folder_lock_check(const char *folder);
void dlda_folder_lock_release(dlda_folder_lock *lock);
/* The process that has locked an open file or folder; 0 if it is not known. */
long dlda_lock_owner(int descriptor);

#endif
