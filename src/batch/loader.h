/* SPDX-License-Identifier: MIT
 *
 * loader.h - a thread that makes the next batch while the training step works on this one.
 *
 * There are two batches: one belongs to the caller, the other to the thread. What is loaded does not depend on when,
 * so training gives the same bits with any number of threads.
 */
#ifndef DLDA_BATCH_LOADER_H
#define DLDA_BATCH_LOADER_H

#include "batch/batch.h"

/* Fills a batch whose epoch and index are set, as dlda_batch_fill does. Runs in the loader's thread, one call at a
 * time; a failure reaches the caller that asks for this batch. */
typedef dlda_status dlda_batch_filler(void *source, dlda_batch *batch);

typedef struct dlda_loader_spec {
    dlda_batch_filler *fill;
    void *source;   /* passed on to it; must outlive the loader      */
    size_t batches; /* of an epoch: behind the last comes the first of the next epoch */
    size_t most;    /* images of the largest batch                   */
    size_t values;  /* floats of an image                            */
} dlda_loader_spec;

typedef struct dlda_loader dlda_loader;

/* Starts the thread; it sleeps until a batch is asked for. */
dlda_status dlda_loader_create(const dlda_loader_spec *spec, dlda_loader **loader);
/* Waits for the batch at work, if there is one, and ends the thread. */
void dlda_loader_destroy(dlda_loader *loader);

/* Batch `index` of `epoch`, any of them; the one behind it is then loaded at once, so asking for batches in their order
 * does not wait. *batch is valid until the next call. Takes no memory. */
dlda_status dlda_loader_get(dlda_loader *loader, size_t epoch, size_t index, const dlda_batch **batch);

#endif
