/* SPDX-License-Identifier: MIT
 *
 * thread.c - starting threads.
 */
#define _GNU_SOURCE
#include "base/thread.h"

#include <signal.h>

int dlda_thread_start(void *(*run)(void *), void *context, pthread_t *thread)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a new thread inherits it */
    int failure = pthread_create(thread, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}
