/* SPDX-License-Identifier: MIT
 *
 * sampler.c - the order of an epoch: each class is shuffled and distributed over the batches in equal shares.
 *
 * With R batches to come, class c with rem_c samples left is due rem_c / R in the next batch. Each class gets
 * the integer part, and the remaining places go to the largest remainders. If no class has fewer samples than
 * there are batches, each batch gets floor or ceil of n_c / batches of class c in the whole epoch: taking either
 * from rem_c = a R + r leaves between a and (a+1). A class that is due less than one gets one place
 * while it has samples, at the expense of the largest classes. Batch sizes are fixed in advance, so the last
 * batch takes exactly the rest.
 */
#include "batch/sampler.h"
#include "base/by_class.h"
#include "base/memory.h"
#include "base/random.h"

#include <string.h>

struct dlda_sampler {
    size_t count, classes, batches;
    uint64_t seed;
    size_t epoch;    /* of `order`                                                */
    size_t *start;   /* [classes + 1]: start of each class in the next two arrays */
    size_t *grouped; /* [count]: samples by class, ascending                      */
    size_t *dealt;   /* [count]: samples by class, shuffled for this epoch        */
    size_t *order;   /* [count]: samples by batch                                 */
    size_t *offset;  /* [batches + 1]: start of each batch in `order`             */
    size_t *left;    /* [classes]: samples of this epoch not yet assigned         */
    size_t *quota;   /* [classes]: samples in the current batch                   */
    size_t *key;     /* [classes]: sort key of `turn`                             */
    size_t *turn;    /* [classes]: classes in the order in which they get places  */
};

void dlda_sampler_destroy(dlda_sampler *self)
{
    if (!self) return;
    dlda_release(self->start);
    dlda_release(self->grouped);
    dlda_release(self->dealt);
    dlda_release(self->order);
    dlda_release(self->offset);
    dlda_release(self->left);
    dlda_release(self->quota);
    dlda_release(self->key);
    dlda_release(self->turn);
    dlda_release(self);
}

static dlda_status sampler_take(dlda_sampler *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(DLDA_TAKE(&self->start, self->classes + 1, "sampler"));
    DLDA_TRY(DLDA_TAKE(&self->grouped, self->count, "sampler"));
    DLDA_TRY(DLDA_TAKE(&self->dealt, self->count, "sampler"));
    DLDA_TRY(DLDA_TAKE(&self->order, self->count, "sampler"));
    DLDA_TRY(DLDA_TAKE(&self->offset, self->batches + 1, "sampler"));
    DLDA_TRY(DLDA_TAKE(&self->left, self->classes, "sampler"));
    DLDA_TRY(DLDA_TAKE(&self->quota, self->classes, "sampler"));
    DLDA_TRY(DLDA_TAKE(&self->key, self->classes, "sampler"));
    DLDA_TRY(DLDA_TAKE(&self->turn, self->classes, "sampler"));
done:
    return status;
}

static dlda_status check_arguments(const int *labels, size_t count, size_t classes, size_t batch)
{
    if (batch == 0 || batch > count)
        return dlda_fail(DLDA_E_ARGUMENT, "sampler: batch %zu, expected 1 to %zu (the number of samples)", batch,
                         count);
    for (size_t i = 0; i < count; i++)
        if (labels[i] < 0 || (size_t)labels[i] >= classes)
            return dlda_fail(DLDA_E_ARGUMENT, "sampler: sample %zu has label %d, expected 0 or more and below %zu",
                             i, labels[i], classes);
    return DLDA_OK;
}

dlda_status dlda_sampler_create(const int *labels, size_t count, size_t classes, size_t batch, uint64_t seed,
                                dlda_sampler **sampler)
{
    dlda_status status = DLDA_OK;
    dlda_sampler *self = NULL;

    DLDA_TRY(check_arguments(labels, count, classes, batch));
    DLDA_TRY(DLDA_TAKE(&self, 1, "sampler"));
    self->count = count;
    self->classes = classes;
    self->batches = count / batch + (count % batch != 0);
    self->seed = seed;
    DLDA_TRY(sampler_take(self));
    dlda_group_by_class(labels, count, classes, self->start, self->grouped);
    /* If count is not a multiple, the first batches have one more; ceil(count / batches) <= batch. */
    size_t size = count / self->batches, larger = count % self->batches;
    for (size_t i = 0; i <= self->batches; i++) self->offset[i] = i * size + (i < larger ? i : larger);
    self->epoch = SIZE_MAX;
    dlda_sampler_epoch(self, 0);
    *sampler = self;
    self = NULL;
done:
    dlda_sampler_destroy(self);
    return status;
}

/* Sorts all classes by descending key; ties are in random order. */
static void sort_turns(dlda_sampler *self, dlda_random *random)
{
    for (size_t c = 0; c < self->classes; c++) self->turn[c] = c;
    dlda_random_shuffle(random, self->classes, self->turn);
    for (size_t i = 1; i < self->classes; i++) {
        size_t c = self->turn[i], j = i;
        for (; j > 0 && self->key[self->turn[j - 1]] < self->key[c]; j--) self->turn[j] = self->turn[j - 1];
        self->turn[j] = c;
    }
}

/* Gives one more place to each of the first n classes in `turn`. */
static void give_places(dlda_sampler *self, size_t n, dlda_random *random)
{
    sort_turns(self, random);
    for (size_t i = 0; i < n; i++) self->quota[self->turn[i]]++;
}

/* Takes n places from the classes with the largest quotas, so that rare classes can have one. */
static void take_places(dlda_sampler *self, size_t n, dlda_random *random)
{
    memset(self->key, 0, self->classes * sizeof *self->key);
    sort_turns(self, random);
    for (; n > 0; n--) {
        size_t most = self->turn[0];
        for (size_t i = 1; i < self->classes; i++)
            if (self->quota[self->turn[i]] > self->quota[most]) most = self->turn[i];
        self->quota[most]--;
    }
}

/* More classes than places: one place each for the classes with most samples left. */
static void fill_crowded(dlda_sampler *self, size_t size, dlda_random *random)
{
    memset(self->quota, 0, self->classes * sizeof *self->quota);
    memcpy(self->key, self->left, self->classes * sizeof *self->key);
    give_places(self, size, random);
}

/* Computes the number of samples of each class in a batch of `size`, with R batches left including this one. No
 * quota exceeds what its class has left: integer parts and single places do not, and the remaining places are fewer
 * than the classes with a remainder. */
static void compute_quotas(dlda_sampler *self, size_t size, size_t R, dlda_random *random)
{
    size_t given = 0, present = 0;

    for (size_t c = 0; c < self->classes; c++) {
        size_t whole = self->left[c] / R;
        int rare = whole == 0 && self->left[c] > 0; /* its share is rounded up to one */
        self->quota[c] = rare ? 1 : whole;
        self->key[c] = rare ? 0 : self->left[c] % R;
        given += self->quota[c];
        present += self->left[c] > 0;
    }
    if (present > size) fill_crowded(self, size, random);
    else if (given > size) take_places(self, given - size, random);
    else give_places(self, size - given, random);
}

static void fill_batch(dlda_sampler *self, size_t i, dlda_random *random)
{
    size_t size = self->offset[i + 1] - self->offset[i];
    size_t *samples = self->order + self->offset[i], n = 0;

    compute_quotas(self, size, self->batches - i, random);
    for (size_t c = 0; c < self->classes; c++) {
        const size_t *next = self->dealt + self->start[c + 1] - self->left[c];
        memcpy(samples + n, next, self->quota[c] * sizeof *samples);
        n += self->quota[c];
        self->left[c] -= self->quota[c];
    }
    dlda_random_shuffle(random, size, samples);
}

static dlda_random stream(const dlda_sampler *self, size_t epoch, size_t c)
{
    return dlda_random_stream(self->seed, DLDA_RANDOM_SHUFFLE, (uint32_t)epoch, (uint32_t)c);
}

void dlda_sampler_epoch(dlda_sampler *self, size_t epoch)
{
    if (epoch == self->epoch) return;
    self->epoch = epoch;
    memcpy(self->dealt, self->grouped, self->count * sizeof *self->dealt);
    for (size_t c = 0; c < self->classes; c++) {
        dlda_random random = stream(self, epoch, c);
        self->left[c] = self->start[c + 1] - self->start[c];
        dlda_random_shuffle(&random, self->left[c], self->dealt + self->start[c]);
    }
    /* Draws that belong to no class use the stream after the last class. */
    dlda_random random = stream(self, epoch, self->classes);
    for (size_t i = 0; i < self->batches; i++) fill_batch(self, i, &random);
}

size_t dlda_sampler_batches(const dlda_sampler *self)
{
    return self->batches;
}

size_t dlda_sampler_size(const dlda_sampler *self, size_t i)
{
    return self->offset[i + 1] - self->offset[i];
}

const size_t *dlda_sampler_batch(const dlda_sampler *self, size_t i, size_t *n)
{
    *n = dlda_sampler_size(self, i);
    return self->order + self->offset[i];
}
