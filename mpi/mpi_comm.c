/* SPDX-License-Identifier: MIT
 *
 * mpi_comm.c - a dlda_comm over MPI.
 *
 * Everything is a non-blocking operation that is then moved along by testing it: by the caller while it waits, and by a
 * thread while sums are under way and the caller computes, since MPI makes progress only within its calls. One mutex guards
 * all calls of MPI.
 *
 * Whoever waits also looks for notices of failure. They travel on a communicator of their own, so that a rank can send one
 * at any moment, whatever the others are waiting for. After a failure, operations remain under way that can neither be
 * completed nor cancelled, and MPI would write to their arrays in any later call. So the ranks part within the call that
 * fails, while its arrays are still there: they wait for each other once more, and MPI is not called again.
 */
#define _GNU_SOURCE
#include "deeplda_mpi.h"

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SUMS = 64, MESSAGE = 1024, LARGEST = 1 << 28 };

typedef struct state {
    MPI_Comm calls, exchanges, notices; /* sums and broadcasts; exchange; failures */
    int rank, size, initialised;        /* initialised: MPI, by this library       */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t thread;
    int started, ends;
    MPI_Request sums[MOST_SUMS];
    int n_sums;
    MPI_Request *messages; /* [2 size] of an exchange */
    double waited;
    int failed;          /* 1: error is the cause                        */
    int parting, parted; /* a thread takes leave of the other ranks; did */
    char error[MESSAGE + 32];
    MPI_Request *sent; /* [size] notices          */
    char notice[MESSAGE];
} state;

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void rest(long nanoseconds)
{
    nanosleep(&(struct timespec){ 0, nanoseconds }, NULL);
}

/* ---- With the mutex locked ---- */

/* The first failure is the one that counts. If it is this rank's, the others are told. */
static void note_failure(state *self, int rank, const char *message)
{
    if (self->failed) return;
    self->failed = 1;
    if (rank != self->rank) {
        snprintf(self->error, sizeof self->error, "rank %d: %s", rank, message);
        return;
    }
    snprintf(self->error, sizeof self->error, "%s", message);
    snprintf(self->notice, sizeof self->notice, "%s", message);
    for (int r = 0; r < self->size; r++)
        if (r != rank) MPI_Isend(self->notice, MESSAGE, MPI_CHAR, r, 0, self->notices, &self->sent[r]);
}

/* The first notice is the cause; later ones are received only so that nothing is left under way. */
static void look_for_notices(state *self)
{
    int found = 0;
    MPI_Status status;
    char message[MESSAGE];

    while (MPI_Iprobe(MPI_ANY_SOURCE, 0, self->notices, &found, &status) == MPI_SUCCESS && found) {
        MPI_Recv(message, MESSAGE, MPI_CHAR, status.MPI_SOURCE, 0, self->notices, MPI_STATUS_IGNORE);
        message[MESSAGE - 1] = '\0';
        note_failure(self, status.MPI_SOURCE, message);
    }
}

static int check_mpi(state *self, int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING + 32], cause[MPI_MAX_ERROR_STRING];
    int length = 0;

    if (code == MPI_SUCCESS) return 0;
    MPI_Error_string(code, cause, &length);
    snprintf(text, sizeof text, "MPI: %s: %s", what, cause);
    note_failure(self, self->rank, text);
    return 1;
}

/* ---- The end after a failure ---- */

/* Waits until all ranks know of the failure, or for some time: a rank that computes will not listen, and one that is dead
 * never. The other thread, if it fails too, waits until this is over. */
static void take_leave(state *self)
{
    const double most = 15, begin = seconds_now();
    MPI_Request request = MPI_REQUEST_NULL;
    int done = 0;

    pthread_mutex_lock(&self->mutex);
    if (self->parting) {
        while (!self->parted) pthread_cond_wait(&self->changed, &self->mutex);
        pthread_mutex_unlock(&self->mutex);
        return;
    }
    self->parting = 1;
    if (MPI_Ibarrier(self->notices, &request) != MPI_SUCCESS) done = 1;
    while (!done && seconds_now() - begin < most) {
        look_for_notices(self);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&self->mutex);
        rest(1000000);
        pthread_mutex_lock(&self->mutex);
    }
    self->parted = 1;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
}

/* ---- Waiting ---- */

/* Waits until all of the requests are complete or a rank has failed. At first it only yields: most waits are short. Its
 * time counts as waiting unless the caller is a thread in the background. */
static int wait_for(state *self, int n, MPI_Request *requests, int counts)
{
    const double begin = seconds_now(), spins = 2e-3;
    int done = 0;

    for (unsigned turn = 0; !done; turn++) {
        pthread_mutex_lock(&self->mutex);
        if (!self->failed) {
            check_mpi(self, MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE), "waiting");
            if (!done && turn % 64 == 0) look_for_notices(self);
        }
        int failed = self->failed;
        pthread_mutex_unlock(&self->mutex);
        if (failed) {
            take_leave(self);
            return 1;
        }
        if (done) break;
        if (seconds_now() - begin < spins) sched_yield();
        else rest(50000);
    }
    pthread_mutex_lock(&self->mutex);
    if (counts) self->waited += seconds_now() - begin;
    pthread_mutex_unlock(&self->mutex);
    return 0;
}

/* Starts an operation and waits for it. */
#define DO_AND_WAIT(self, what, counts, call)                                                                      \
    do {                                                                                                           \
        MPI_Request request = MPI_REQUEST_NULL;                                                                    \
        pthread_mutex_lock(&(self)->mutex);                                                                        \
        int failed = (self)->failed || check_mpi(self, (call), what);                                              \
        pthread_mutex_unlock(&(self)->mutex);                                                                      \
        if (failed) take_leave(self);                                                                              \
        if (failed || wait_for(self, 1, &request, counts)) return 1;                                               \
    } while (0)

/* Moves sums along while the caller computes. */
static void *move_along(void *context)
{
    state *self = context;

    pthread_mutex_lock(&self->mutex);
    while (!self->ends) {
        int done = 0;
        if (self->n_sums == 0 || self->failed) {
            pthread_cond_wait(&self->changed, &self->mutex);
            continue;
        }
        check_mpi(self, MPI_Testall(self->n_sums, self->sums, &done, MPI_STATUSES_IGNORE), "adding");
        if (done) self->n_sums = 0;
        pthread_mutex_unlock(&self->mutex);
        rest(200000);
        pthread_mutex_lock(&self->mutex);
    }
    pthread_mutex_unlock(&self->mutex);
    return NULL;
}

/* ---- The functions of a comm ---- */

static int sum(void *user, double *values, size_t n)
{
    state *self = user;

    if (n == 0) DO_AND_WAIT(self, "barrier", 1, MPI_Ibarrier(self->calls, &request));
    for (size_t first = 0, part; first < n; first += part) {
        part = n - first < LARGEST ? n - first : LARGEST;
        DO_AND_WAIT(
            self, "adding", 1,
            MPI_Iallreduce(MPI_IN_PLACE, values + first, (int)part, MPI_DOUBLE, MPI_SUM, self->calls, &request));
    }
    return 0;
}

static int end_sums(void *user)
{
    state *self = user;

    pthread_mutex_lock(&self->mutex);
    int n = self->n_sums;
    pthread_mutex_unlock(&self->mutex);
    int failed = wait_for(self, n, self->sums, 1);
    pthread_mutex_lock(&self->mutex);
    if (!failed) self->n_sums = 0;
    pthread_mutex_unlock(&self->mutex);
    return failed;
}

static int begin_sum(void *user, float *values, size_t n)
{
    state *self = user;
    int failed = 0;

    for (size_t first = 0, part; first < n && !failed; first += part) {
        part = n - first < LARGEST ? n - first : LARGEST;
        pthread_mutex_lock(&self->mutex);
        int full = self->n_sums == MOST_SUMS;
        pthread_mutex_unlock(&self->mutex);
        if (full && end_sums(self)) return 1;
        pthread_mutex_lock(&self->mutex);
        failed = self->failed || check_mpi(self,
                                           MPI_Iallreduce(MPI_IN_PLACE, values + first, (int)part, MPI_FLOAT,
                                                          MPI_SUM, self->calls, &self->sums[self->n_sums]),
                                           "adding");
        if (!failed) self->n_sums++;
        pthread_cond_signal(&self->changed);
        pthread_mutex_unlock(&self->mutex);
    }
    if (failed) take_leave(self);
    return failed;
}

static int broadcast(void *user, void *bytes, size_t n)
{
    state *self = user;

    for (size_t first = 0, part; first < n; first += part) {
        part = n - first < LARGEST ? n - first : LARGEST;
        DO_AND_WAIT(self, "broadcast", 1,
                    MPI_Ibcast((char *)bytes + first, (int)part, MPI_BYTE, 0, self->calls, &request));
    }
    return 0;
}

static void fail(void *user, const char *message)
{
    state *self = user;

    pthread_mutex_lock(&self->mutex);
    note_failure(self, self->rank, message);
    pthread_mutex_unlock(&self->mutex);
    take_leave(self);
}

/* Messages between pairs of ranks: in Open MPI 4.1, MPI_Ialltoallv gives different tags to ranks with and without something
 * to exchange, and later calls wait forever. Returns the number of requests; -1 after a failure. */
static int begin_exchange(state *self, const char *sent, const size_t *to, char *received, const size_t *from)
{
    int n = 0, failed = self->failed;

    for (int r = 0; r < self->size && !failed; received += from[r], sent += to[r], r++) {
        if (r == self->rank) {
            memcpy(received, sent, to[r]);
            continue;
        }
        if (to[r] > INT_MAX || from[r] > INT_MAX) return -1; /* counts of MPI are of type int */
        if (from[r] > 0)
            failed = check_mpi(
                self, MPI_Irecv(received, (int)from[r], MPI_BYTE, r, 0, self->exchanges, &self->messages[n++]),
                "receiving");
        if (to[r] > 0 && !failed)
            failed = check_mpi(self,
                               MPI_Isend(sent, (int)to[r], MPI_BYTE, r, 0, self->exchanges, &self->messages[n++]),
                               "sending");
    }
    return failed ? -1 : n;
}

static int exchange(void *user, const void *sent, const size_t *to, void *received, const size_t *from)
{
    state *self = user;

    pthread_mutex_lock(&self->mutex);
    int n = begin_exchange(self, sent, to, received, from), failed = self->failed;
    pthread_mutex_unlock(&self->mutex);
    if (n < 0 && failed) take_leave(self);
    else if (n < 0) fail(self, "MPI: more than 2 GB to exchange with one rank; use a smaller batch");
    return n < 0 || wait_for(self, n, self->messages, 0);
}

static const char *error(void *user)
{
    state *self = user;

    pthread_mutex_lock(&self->mutex);
    int failed = self->failed;
    pthread_mutex_unlock(&self->mutex);
    return failed ? self->error : "";
}

static double waited(void *user)
{
    state *self = user;

    pthread_mutex_lock(&self->mutex);
    double result = self->waited;
    pthread_mutex_unlock(&self->mutex);
    return result;
}

/* ---- Beginning and end ---- */

static size_t ranks_here(MPI_Comm communicator)
{
    MPI_Comm here;
    int size = 1;

    MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &size);
    MPI_Comm_free(&here);
    return (size_t)size;
}

static void release(state *self)
{
    free(self->messages);
    free(self->sent);
    free(self);
}

/* Signals are for the threads of the program. */
static int start_thread(state *self)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&self->thread, NULL, move_along, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    self->started = !failed;
    return failed;
}

static int make(MPI_Comm communicator, int initialised, dlda_comm *comm, char *why, size_t room)
{
    state *self = calloc(1, sizeof *self);
    int level = 0;

    MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED) {
        snprintf(why, room, "MPI was initialised with thread level %d, expected MPI_THREAD_SERIALIZED or more",
                 level);
        free(self);
        return 1;
    }
    if (self) {
        MPI_Comm_rank(communicator, &self->rank);
        MPI_Comm_size(communicator, &self->size);
        self->messages = calloc((size_t)self->size, 2 * sizeof *self->messages);
        self->sent = calloc((size_t)self->size, sizeof(MPI_Request));
    }
    if (!self || !self->messages || !self->sent) {
        snprintf(why, room, "out of memory");
        if (self) release(self);
        return 1;
    }
    self->initialised = initialised;
    for (int r = 0; r < self->size; r++) self->sent[r] = MPI_REQUEST_NULL;
    MPI_Comm *copies[] = { &self->calls, &self->exchanges, &self->notices };
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(communicator, copies[i]);
        MPI_Comm_set_errhandler(*copies[i], MPI_ERRORS_RETURN);
    }
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->changed, NULL);
    if (start_thread(self)) {
        snprintf(why, room, "no thread could be started");
        release(self);
        return 1;
    }
    *comm = (dlda_comm){ .user = self,
                         .rank = (size_t)self->rank,
                         .size = (size_t)self->size,
                         .local_size = ranks_here(communicator),
                         .sum = sum,
                         .begin_sum = begin_sum,
                         .end_sums = end_sums,
                         .broadcast = broadcast,
                         .exchange = exchange,
                         .fail = fail,
                         .error = error,
                         .waited = waited };
    return 0;
}

int dlda_mpi_open_for(const void *communicator, dlda_comm *comm, char *why, size_t room)
{
    return make(*(const MPI_Comm *)communicator, 0, comm, why, room);
}

int dlda_mpi_open(dlda_comm *comm, char *why, size_t room)
{
    int before = 0, provided = 0;

    MPI_Initialized(&before);
    if (!before && MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
        snprintf(why, room, "MPI could not be initialised");
        return 1;
    }
    return make(MPI_COMM_WORLD, !before, comm, why, room);
}

static void end_thread(state *self)
{
    pthread_mutex_lock(&self->mutex);
    self->ends = 1;
    pthread_cond_signal(&self->changed);
    pthread_mutex_unlock(&self->mutex);
    pthread_join(self->thread, NULL);
}

/* The launcher ends all ranks when one ends in failure; rank 0, which has to write and to print, should be the first. */
static void await_end(const state *self)
{
    if (self->rank > 0) sleep(10);
}

void dlda_mpi_close(dlda_comm *comm)
{
    state *self = comm->user;

    if (!self->failed) sum(self, NULL, 0); /* a rank that fails till here is heard */
    end_thread(self);
    if (self->failed) {
        await_end(self);
    } else {
        MPI_Comm_free(&self->calls);
        MPI_Comm_free(&self->exchanges);
        MPI_Comm_free(&self->notices);
        if (self->initialised) MPI_Finalize();
    }
    *comm = (dlda_comm){ .size = 1 };
    pthread_mutex_destroy(&self->mutex);
    pthread_cond_destroy(&self->changed);
    release(self);
}
