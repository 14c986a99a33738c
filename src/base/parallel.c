/* SPDX-License-Identifier: MIT
 *
 * parallel.c - teams of POSIX threads.
 *
 * The caller publishes a loop by incrementing its number. The workers see the number change, take chunks until none
 * is left, and report. Each thread begins with a share of its own, the same part of every loop, so that it finds in its
 * caches what it has written in the loop before; then it helps the others with theirs.
 *
 * A waiting thread spins on an atomic for some microseconds, then sleeps on a condition variable. It announces its
 * sleep before checking a last time, and a waking thread checks for sleepers after publishing: with sequentially
 * consistent atomics, at least one of the two sees the other.
 */
#define _GNU_SOURCE
#include "base/parallel.h"
#include "base/memory.h"
#include "base/thread.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { LOOKS_BEFORE_SLEEP = 4000 }; /* some 50 to 100 microseconds */

typedef struct parallel_loop {
    dlda_parallel_body *body;
    void *context;
    size_t n, grain, chunks;
} parallel_loop;

/* A condition to wait on, and the number of sleepers. */
typedef struct resting_place {
    pthread_cond_t condition;
    atomic_size_t sleepers;
} resting_place;

/* The next chunk of a thread's share to be taken, alone in its cache line. */
typedef struct share {
    _Alignas(64) atomic_size_t next;
} share;

typedef struct worker {
    dlda_team *team;
    size_t index; /* from 1; the caller is 0 */
    pthread_t thread;
} worker;

struct dlda_team {
    size_t threads;
    worker *workers; /* [threads - 1]                              */
    size_t n_started;
    parallel_loop loop;    /* the current loop                   */
    atomic_size_t number;  /* of the current loop                */
    share *shares;         /* [threads]                          */
    atomic_size_t working; /* workers that have not yet reported */
    atomic_int ends;
    pthread_mutex_t mutex;
    resting_place start, finish;
};

size_t dlda_parallel_chunks(size_t n, size_t grain)
{
    return n / grain + (n % grain != 0);
}

size_t dlda_team_threads(const dlda_team *team)
{
    return team ? team->threads : 1;
}

static void run_chunk(const parallel_loop *loop, size_t index, size_t who)
{
    size_t begin = index * loop->grain;
    size_t end = loop->n - begin < loop->grain ? loop->n : begin + loop->grain;
    loop->body(loop->context, &(dlda_chunk){ index, begin, end, who });
}

/* ---- Waiting ---- */

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Waits while *value equals `same`. */
static void wait_while(dlda_team *team, resting_place *place, atomic_size_t *value, size_t same)
{
    for (int i = 0; i < LOOKS_BEFORE_SLEEP; i++) {
        if (atomic_load(value) != same) return;
        pause_briefly();
    }
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&place->sleepers, 1);
    while (atomic_load(value) == same) pthread_cond_wait(&place->condition, &team->mutex);
    atomic_fetch_sub(&place->sleepers, 1);
    pthread_mutex_unlock(&team->mutex);
}

static void wake(dlda_team *team, resting_place *place)
{
    if (atomic_load(&place->sleepers) == 0) return;
    pthread_mutex_lock(&team->mutex);
    pthread_cond_broadcast(&place->condition);
    pthread_mutex_unlock(&team->mutex);
}

/* ---- Working ---- */

static size_t share_begin(const dlda_team *team, size_t chunks, size_t who)
{
    return chunks / team->threads * who + chunks % team->threads * who / team->threads;
}

static void take_chunks(dlda_team *team, size_t who)
{
    const parallel_loop loop = team->loop;

    for (size_t k = 0; k < team->threads; k++) {
        size_t owner = (who + k) % team->threads, end = share_begin(team, loop.chunks, owner + 1);
        atomic_size_t *next = &team->shares[owner].next;
        while (atomic_load(next) < end) {
            size_t i = atomic_fetch_add(next, 1);
            if (i < end) run_chunk(&loop, i, who);
        }
    }
}

static void *work(void *context)
{
    const worker *self = context;
    dlda_team *team = self->team;

    for (size_t seen = 0;; seen++) {
        wait_while(team, &team->start, &team->number, seen);
        if (atomic_load(&team->ends)) return NULL;
        take_chunks(team, self->index);
        if (atomic_fetch_sub(&team->working, 1) == 1) wake(team, &team->finish);
    }
}

/* Waits until all workers have reported. Their number decreases, so each value is waited for in turn. */
static void wait_for_workers(dlda_team *team)
{
    for (size_t left = atomic_load(&team->working); left > 0; left = atomic_load(&team->working))
        wait_while(team, &team->finish, &team->working, left);
}

void dlda_parallel_for(dlda_team *team, size_t n, size_t grain, dlda_parallel_body *body, void *context)
{
    const parallel_loop loop = { body, context, n, grain, dlda_parallel_chunks(n, grain) };

    if (dlda_team_threads(team) == 1 || loop.chunks <= 1) {
        for (size_t i = 0; i < loop.chunks; i++) run_chunk(&loop, i, 0);
        return;
    }
    team->loop = loop;
    for (size_t i = 0; i < team->threads; i++)
        atomic_store(&team->shares[i].next, share_begin(team, loop.chunks, i));
    atomic_store(&team->working, team->threads - 1);
    atomic_fetch_add(&team->number, 1);
    wake(team, &team->start);
    take_chunks(team, 0);
    wait_for_workers(team);
}

/* ---- Creation and destruction ---- */

static size_t available_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

static dlda_status start_workers(dlda_team *team)
{
    int failure = 0;

    while (!failure && team->n_started < team->threads - 1) {
        worker *next = &team->workers[team->n_started];
        *next = (worker){ .team = team, .index = team->n_started + 1 };
        failure = dlda_thread_start(work, next, &next->thread);
        if (!failure) team->n_started++;
    }
    if (!failure) return DLDA_OK;
    return dlda_fail(DLDA_E_MEMORY, "threads: %zu could be started, expected %zu: %s", team->n_started + 1,
                     team->threads, strerror(failure));
}

dlda_status dlda_team_create(size_t threads, dlda_team **team)
{
    dlda_status status = DLDA_OK;
    dlda_team *self = NULL;

    if (threads == 0) threads = available_cores();
    if (threads > DLDA_MOST_THREADS)
        DLDA_FAIL(DLDA_E_ARGUMENT, "%zu threads, expected at most %d", threads, DLDA_MOST_THREADS);
    DLDA_TRY(DLDA_TAKE(&self, 1, "threads"));
    self->threads = threads;
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->start.condition, NULL);
    pthread_cond_init(&self->finish.condition, NULL);
    DLDA_TRY(DLDA_TAKE(&self->workers, threads - 1, "threads"));
    DLDA_TRY(DLDA_TAKE(&self->shares, threads, "threads"));
    DLDA_TRY(start_workers(self));
    *team = self;
    self = NULL;
done:
    dlda_team_destroy(self);
    return status;
}

void dlda_team_destroy(dlda_team *self)
{
    if (!self) return;
    atomic_store(&self->ends, 1);
    atomic_fetch_add(&self->number, 1);
    wake(self, &self->start);
    for (size_t i = 0; i < self->n_started; i++) pthread_join(self->workers[i].thread, NULL);
    pthread_cond_destroy(&self->start.condition);
    pthread_cond_destroy(&self->finish.condition);
    pthread_mutex_destroy(&self->mutex);
    dlda_release(self->workers);
    dlda_release(self->shares);
    dlda_release(self);
}
