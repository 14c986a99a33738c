/* SPDX-License-Identifier: MIT
 *
 * thread.c - starts threads with all signals blocked.
 */
#define _GNU_SOURCE
#include "base/thread.h"

#include <signal.h>

int dlda_thread_start(void *(*run)(void *), void *context, pthread_t *thread)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* inherited by the new thread */
    int failure = pthread_create(thread, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}
