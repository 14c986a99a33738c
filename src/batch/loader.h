/* SPDX-License-Identifier: MIT
 *
 * loader.h - a thread that prepares the next batch while the training step uses the current one.
 *
 * There are two batches: one belongs to the caller, the other to the thread. Their content does not depend on
 * timing, so training gives the same bits with any number of threads.
 */
#ifndef DLDA_BATCH_LOADER_H
#define DLDA_BATCH_LOADER_H

#include "batch/batch.h"

/* Fills a batch whose epoch and index are set, like dlda_batch_fill. Runs in the loader's thread, one call at a
 * time. A failure is returned to the caller that requests this batch. */
typedef dlda_status dlda_batch_filler(void *source, dlda_batch *batch);

typedef struct dlda_loader_spec {
    dlda_batch_filler *fill;
    void *source;   /* argument of fill; must outlive the loader                   */
    size_t batches; /* per epoch; after the last comes the first of the next epoch */
    size_t most;    /* maximum images per batch                                    */
    size_t values;  /* floats per image; 0: batches without images                 */
} dlda_loader_spec;

typedef struct dlda_loader dlda_loader;

/* Starts the thread; it sleeps until a batch is requested. */
dlda_status dlda_loader_create(const dlda_loader_spec *spec, dlda_loader **loader);
/* Waits for the batch that was asked for, if any, and ends the thread. */
void dlda_loader_destroy(dlda_loader *loader);

/* Returns batch `index` of `epoch` and starts loading the one after it, so sequential requests do not wait. Any
 * batch may be requested. *batch is valid until the next call. Allocates nothing. */
dlda_status dlda_loader_get(dlda_loader *loader, size_t epoch, size_t index, const dlda_batch **batch);

#endif
