/* SPDX-License-Identifier: MIT
 *
 * split.c - stratified split of a data set in two, or a stratified subset.
 *
 * Class c with n_c of n samples gets a share of `count` n_c / n in the second set: first the integer part, then the
 * remaining places go to the largest remainders. Samples are drawn at random within a class; both sets keep the
 * order of the parent.
 */
#include "base/by_class.h"
#include "base/memory.h"
#include "base/random.h"
#include "dataset/dataset_internal.h"

#include <string.h>

typedef struct split {
    size_t total, count, classes;
    size_t *start;     /* [classes + 1], see dlda_group_by_class         */
    size_t *order;     /* [total]                                        */
    size_t *share;     /* [classes]: number of samples in the second set */
    size_t *remainder; /* [classes]: remainder of the division by total  */
    uint8_t *second;   /* [total]: 1 if the sample is in the second set  */
    size_t *positions; /* [total]: scratch                               */
} split;

static void split_release(split *self)
{
    dlda_release(self->start);
    dlda_release(self->order);
    dlda_release(self->share);
    dlda_release(self->remainder);
    dlda_release(self->second);
    dlda_release(self->positions);
}

static dlda_status split_take(split *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(DLDA_TAKE(&self->start, self->classes + 1, "split"));
    DLDA_TRY(DLDA_TAKE(&self->order, self->total, "split"));
    DLDA_TRY(DLDA_TAKE(&self->share, self->classes, "split"));
    DLDA_TRY(DLDA_TAKE(&self->remainder, self->classes, "split"));
    DLDA_TRY(DLDA_TAKE(&self->second, self->total, "split"));
    DLDA_TRY(DLDA_TAKE(&self->positions, self->total, "split"));
done:
    return status;
}

/* The class with the largest remainder; the first one if there are several. */
static size_t largest_remainder(const split *self)
{
    size_t best = 0;

    for (size_t c = 1; c < self->classes; c++)
        if (self->remainder[c] > self->remainder[best]) best = c;
    return best;
}

/* A share never exceeds its class: the remainders add up to (places left) x total and each is below total, so more
 * classes have a remainder than there are places. */
static void compute_shares(split *self)
{
    size_t left = self->count;

    for (size_t c = 0; c < self->classes; c++) {
        uint64_t product = (uint64_t)self->count * (self->start[c + 1] - self->start[c]); /* both < 2^32 */
        self->share[c] = (size_t)(product / self->total);
        self->remainder[c] = (size_t)(product % self->total);
        left -= self->share[c];
    }
    for (; left > 0; left--) {
        size_t c = largest_remainder(self);
        self->share[c]++;
        self->remainder[c] = 0;
    }
}

/* `purpose` is the first number of the random stream, see base/random.h. */
static void draw_second(split *self, uint64_t seed, uint32_t purpose)
{
    for (size_t c = 0; c < self->classes; c++) {
        dlda_random random = dlda_random_stream(seed, DLDA_RANDOM_SPLIT, purpose, (uint32_t)c);
        size_t *samples = self->order + self->start[c];
        dlda_random_shuffle(&random, self->start[c + 1] - self->start[c], samples);
        for (size_t i = 0; i < self->share[c]; i++) self->second[samples[i]] = 1;
    }
}

static dlda_status select_half(split *self, const dlda_dataset *parent, int second, dlda_dataset **half)
{
    size_t n = 0;

    for (size_t i = 0; i < self->total; i++)
        if (self->second[i] == second) self->positions[n++] = i;
    return dlda_dataset_select(parent, self->positions, n, half);
}

/* Draws `count` samples for the second set; release self also on failure. */
static dlda_status draw(split *self, const dlda_dataset *dataset, uint64_t seed, uint32_t purpose)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(split_take(self));
    dlda_group_by_class(dataset->labels, self->total, self->classes, self->start, self->order);
    compute_shares(self);
    draw_second(self, seed, purpose);
done:
    return status;
}

dlda_status dlda_dataset_split(const dlda_dataset *dataset, size_t count, uint64_t seed, dlda_dataset **first,
                               dlda_dataset **second)
{
    DLDA_NEED(dataset, first, second);
    dlda_status status = DLDA_OK;
    dlda_dataset *one = NULL, *two = NULL;
    split self = { .total = dataset->count, .count = count, .classes = dataset->labels ? dataset->classes : 1 };

    if (count == 0 || count >= self.total)
        DLDA_FAIL(DLDA_E_ARGUMENT, "split: %zu of %zu samples, expected 1 to %zu", count, self.total,
                  self.total - 1);
    DLDA_TRY(draw(&self, dataset, seed, 0));
    DLDA_TRY(select_half(&self, dataset, 0, &one));
    DLDA_TRY(select_half(&self, dataset, 1, &two));
    *first = one;
    *second = two;
    one = two = NULL;
done:
    dlda_dataset_destroy(one);
    dlda_dataset_destroy(two);
    split_release(&self);
    return status;
}

dlda_status dlda_dataset_subset(const dlda_dataset *dataset, size_t count, uint64_t seed, dlda_dataset **subset)
{
    DLDA_NEED(dataset, subset);
    dlda_status status = DLDA_OK;
    split self = { .total = dataset->count, .count = count, .classes = dataset->labels ? dataset->classes : 1 };

    if (count == 0 || count > self.total)
        DLDA_FAIL(DLDA_E_ARGUMENT, "subset: %zu of %zu samples, expected 1 to %zu", count, self.total, self.total);
    DLDA_TRY(draw(&self, dataset, seed, 1));
    DLDA_TRY(select_half(&self, dataset, 1, subset));
done:
    split_release(&self);
    return status;
}
