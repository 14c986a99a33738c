/* SPDX-License-Identifier: MIT
 *
 * loader.c - prepares the next batch in a thread (double buffering).
 *
 * The caller uses slots[mine]; `state` describes the other slot. Only the caller changes `mine` and requests
 * batches, and only while the thread is idle. Only the thread fills a slot, and only on request. Both are
 * handed over under the mutex.
 */
#include "batch/loader.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"

#include <stdio.h>
#include <string.h>

typedef struct slot {
    dlda_batch batch;
    dlda_status status;
    char message[1024]; /* of the failure: error messages are per thread */
} slot;

struct dlda_loader {
    dlda_loader_spec spec;
    slot slots[2];
    int mine;
    enum { EMPTY, ASKED, READY } state; /* of the other slot */
    int ends, started;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

/* ---- The thread ---- */

static void fill(const dlda_loader *self, slot *next)
{
    double begin = dlda_thread_seconds();

    next->status = self->spec.fill(self->spec.source, &next->batch);
    next->batch.seconds = dlda_thread_seconds() - begin;
    if (next->status != DLDA_OK) snprintf(next->message, sizeof next->message, "%s", dlda_last_error());
}

static void *work(void *context)
{
    dlda_loader *self = context;

    pthread_mutex_lock(&self->mutex);
    for (;;) {
        while (self->state != ASKED && !self->ends) pthread_cond_wait(&self->changed, &self->mutex);
        if (self->state != ASKED) break; /* other ranks may wait for the images of a batch that was asked for */
        slot *next = &self->slots[!self->mine];
        pthread_mutex_unlock(&self->mutex);
        fill(self, next);
        pthread_mutex_lock(&self->mutex);
        self->state = READY;
        pthread_cond_broadcast(&self->changed);
    }
    pthread_mutex_unlock(&self->mutex);
    return NULL;
}

/* ---- The caller, with the mutex locked ---- */

static void wait_until_idle(dlda_loader *self)
{
    while (self->state == ASKED) pthread_cond_wait(&self->changed, &self->mutex);
}

static void ask(dlda_loader *self, size_t epoch, size_t index)
{
    self->slots[!self->mine].batch.epoch = epoch;
    self->slots[!self->mine].batch.index = index;
    self->state = ASKED;
    pthread_cond_broadcast(&self->changed);
}

static void ask_for_next(dlda_loader *self)
{
    const dlda_batch *now = &self->slots[self->mine].batch;
    int last = now->index + 1 >= self->spec.batches;

    ask(self, last ? now->epoch + 1 : now->epoch, last ? 0 : now->index + 1);
}

static int is_coming(const dlda_loader *self, size_t epoch, size_t index)
{
    const dlda_batch *next = &self->slots[!self->mine].batch;
    return self->state != EMPTY && next->epoch == epoch && next->index == index;
}

dlda_status dlda_loader_get(dlda_loader *self, size_t epoch, size_t index, const dlda_batch **batch)
{
    dlda_status status = DLDA_OK;

    pthread_mutex_lock(&self->mutex);
    if (!is_coming(self, epoch, index)) {
        wait_until_idle(self);
        ask(self, epoch, index);
    }
    wait_until_idle(self);
    self->state = EMPTY;
    const slot *found = &self->slots[!self->mine];
    if (found->status != DLDA_OK) DLDA_FAIL(found->status, "%s", found->message);
    self->mine = !self->mine;
    ask_for_next(self);
    *batch = &found->batch;
done:
    pthread_mutex_unlock(&self->mutex);
    return status;
}

/* ---- Creation and destruction ---- */

dlda_status dlda_loader_create(const dlda_loader_spec *spec, dlda_loader **loader)
{
    dlda_status status = DLDA_OK;
    dlda_loader *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "loader"));
    self->spec = *spec;
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->changed, NULL);
    for (int i = 0; i < 2; i++) DLDA_TRY(dlda_batch_take(&self->slots[i].batch, spec->most, spec->values));
    int failure = dlda_thread_start(work, self, &self->thread);
    if (failure) DLDA_FAIL(DLDA_E_MEMORY, "loader: no thread could be started: %s", strerror(failure));
    self->started = 1;
    *loader = self;
    self = NULL;
done:
    dlda_loader_destroy(self);
    return status;
}

static void end_thread(dlda_loader *self)
{
    pthread_mutex_lock(&self->mutex);
    self->ends = 1;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
    pthread_join(self->thread, NULL);
}

void dlda_loader_destroy(dlda_loader *self)
{
    if (!self) return;
    if (self->started) end_thread(self);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->mutex);
    for (int i = 0; i < 2; i++) dlda_batch_release(&self->slots[i].batch);
    dlda_release(self);
}
