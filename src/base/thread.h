/* SPDX-License-Identifier: MIT
 *
 * thread.h - starts the library's threads: those of a team, and the batch loader.
 */
#ifndef DLDA_BASE_THREAD_H
#define DLDA_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread with all signals blocked, so that the program's own threads receive them.
 * Returns 0 or an errno value. */
int dlda_thread_start(void *(*run)(void *), void *context, pthread_t *thread);

#endif
