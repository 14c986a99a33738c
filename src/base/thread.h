/* SPDX-License-Identifier: MIT
 *
 * thread.h - starts the library's threads: those of a team, and the one that loads batches.
 */
#ifndef DLDA_BASE_THREAD_H
#define DLDA_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread that leaves all signals to the program's own threads. 0, or the number of the system's error. */
int dlda_thread_start(void *(*run)(void *), void *context, pthread_t *thread);

#endif
