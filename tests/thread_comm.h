/* SPDX-License-Identifier: MIT
 *
 * thread_comm.h - ranks that are threads of one process: a dlda_comm without MPI.
 *
 * A call of all ranks meets at a barrier: each leaves its arguments, the last to arrive does the work for all. Calls of
 * `exchange`, which may run beside the others, have a meeting of their own. Sums that are begun are done at once.
 */
#ifndef DLDA_TESTS_THREAD_COMM_H
#define DLDA_TESTS_THREAD_COMM_H

#include "base/thread.h"
#include "check.h"
#include "deeplda_comm.h"

#include <stdio.h>
#include <string.h>

enum { MOST_RANKS = 8 };

typedef struct thread_argument {
    void *values;
    const void *sent;
    const size_t *to, *from;
} thread_argument;

typedef struct thread_meeting {
    pthread_cond_t changed;
    thread_argument arguments[MOST_RANKS];
    size_t arrived, round;
} thread_meeting;

typedef struct thread_world {
    size_t size;
    pthread_mutex_t mutex;
    thread_meeting calls, exchanges;
    char message[1100]; /* of the first failure */
    struct thread_rank {
        struct thread_world *world;
        size_t rank;
    } ranks[MOST_RANKS];
    size_t floats_summed; /* by one rank, so far */
} thread_world;

typedef void thread_work(thread_world *world, const thread_argument *arguments, size_t n);

static int thread_meet(struct thread_rank *self, thread_meeting *meeting, thread_argument mine, thread_work *work,
                       size_t n)
{
    thread_world *world = self->world;

    pthread_mutex_lock(&world->mutex);
    size_t round = meeting->round;
    meeting->arguments[self->rank] = mine;
    if (++meeting->arrived == world->size) {
        work(world, meeting->arguments, n);
        meeting->arrived = 0;
        meeting->round++;
        pthread_cond_broadcast(&meeting->changed);
    }
    while (meeting->round == round && !world->message[0]) pthread_cond_wait(&meeting->changed, &world->mutex);
    int failed = world->message[0] != '\0';
    pthread_mutex_unlock(&world->mutex);
    return failed;
}

static void thread_sum_doubles(thread_world *world, const thread_argument *arguments, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t r = 0; r < world->size; r++) sum += ((double *)arguments[r].values)[i];
        for (size_t r = 0; r < world->size; r++) ((double *)arguments[r].values)[i] = sum;
    }
}

static void thread_sum_floats(thread_world *world, const thread_argument *arguments, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float sum = 0;
        for (size_t r = 0; r < world->size; r++) sum += ((float *)arguments[r].values)[i];
        for (size_t r = 0; r < world->size; r++) ((float *)arguments[r].values)[i] = sum;
    }
    world->floats_summed += n;
}

static void thread_copy(thread_world *world, const thread_argument *arguments, size_t n)
{
    for (size_t r = 1; r < world->size; r++) memcpy(arguments[r].values, arguments[0].values, n);
}

static void thread_exchange_all(thread_world *world, const thread_argument *arguments, size_t n)
{
    (void)n;
    for (size_t to = 0; to < world->size; to++) {
        char *received = arguments[to].values;
        for (size_t from = 0; from < world->size; from++) {
            const char *sent = arguments[from].sent;
            for (size_t r = 0; r < to; r++) sent += arguments[from].to[r];
            assert_int_equal(arguments[from].to[to], arguments[to].from[from]);
            memcpy(received, sent, arguments[from].to[to]);
            received += arguments[from].to[to];
        }
    }
}

static int thread_sum(void *user, double *values, size_t n)
{
    struct thread_rank *self = user;
    return thread_meet(self, &self->world->calls, (thread_argument){ .values = values }, thread_sum_doubles, n);
}

static int thread_begin_sum(void *user, float *values, size_t n)
{
    struct thread_rank *self = user;
    return thread_meet(self, &self->world->calls, (thread_argument){ .values = values }, thread_sum_floats, n);
}

static const char *thread_error(void *user)
{
    return ((struct thread_rank *)user)->world->message;
}

static int thread_end_sums(void *user)
{
    return thread_error(user)[0] != '\0';
}

static int thread_broadcast(void *user, void *bytes, size_t n)
{
    struct thread_rank *self = user;
    return thread_meet(self, &self->world->calls, (thread_argument){ .values = bytes }, thread_copy, n);
}

static int thread_exchange(void *user, const void *sent, const size_t *to, void *received, const size_t *from)
{
    struct thread_rank *self = user;
    return thread_meet(self, &self->world->exchanges, (thread_argument){ received, sent, to, from },
                       thread_exchange_all, 0);
}

static void thread_fail(void *user, const char *message)
{
    struct thread_rank *self = user;
    thread_world *world = self->world;

    pthread_mutex_lock(&world->mutex);
    if (!world->message[0]) snprintf(world->message, sizeof world->message, "rank %zu: %s", self->rank, message);
    pthread_cond_broadcast(&world->calls.changed);
    pthread_cond_broadcast(&world->exchanges.changed);
    pthread_mutex_unlock(&world->mutex);
}

static double thread_waited(void *user)
{
    (void)user;
    return 0;
}

/* What each rank does. */
typedef void thread_rank_work(const dlda_comm *comm, void *context);

typedef struct thread_start {
    dlda_comm comm;
    thread_rank_work *work;
    void *context;
    pthread_t thread;
} thread_start;

static void *thread_begin(void *context)
{
    thread_start *self = context;

    self->work(&self->comm, self->context);
    return NULL;
}

/* Runs `work` on so many ranks, with contexts[rank], until all have returned. Returns the floats that each has summed. */
static size_t run_ranks(size_t size, thread_rank_work *work, void **contexts)
{
    thread_world world = { .size = size, .mutex = PTHREAD_MUTEX_INITIALIZER };
    thread_start starts[MOST_RANKS];

    pthread_cond_init(&world.calls.changed, NULL);
    pthread_cond_init(&world.exchanges.changed, NULL);
    for (size_t r = 0; r < size; r++) {
        world.ranks[r] = (struct thread_rank){ &world, r };
        starts[r] = (thread_start){ .comm = { .user = &world.ranks[r],
                                              .rank = r,
                                              .size = size,
                                              .local_size = size,
                                              .sum = thread_sum,
                                              .begin_sum = thread_begin_sum,
                                              .end_sums = thread_end_sums,
                                              .broadcast = thread_broadcast,
                                              .exchange = thread_exchange,
                                              .fail = thread_fail,
                                              .error = thread_error,
                                              .waited = thread_waited },
                                    .work = work,
                                    .context = contexts[r] };
        assert_int_equal(pthread_create(&starts[r].thread, NULL, thread_begin, &starts[r]), 0);
    }
    for (size_t r = 0; r < size; r++) pthread_join(starts[r].thread, NULL);
    pthread_cond_destroy(&world.calls.changed);
    pthread_cond_destroy(&world.exchanges.changed);
    return world.floats_summed;
}

/* The same with a copy of `job`, of `size` bytes, for each rank; the copies are in `jobs` afterwards. */
static inline size_t run_copies(size_t ranks, thread_rank_work *work, const void *job, void *jobs, size_t size)
{
    void *contexts[MOST_RANKS];

    for (size_t r = 0; r < ranks; r++) contexts[r] = memcpy((char *)jobs + r * size, job, size);
    return run_ranks(ranks, work, contexts);
}

#endif
