/* SPDX-License-Identifier: MIT
 *
 * interrupt.c - handles SIGINT, SIGTERM and SIGUSR1.
 */
#include "terminal/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t noted_signal;
static struct timespec noted_at; /* of the first signal; used by the handler only */
static int on_terminal;          /* set before any signal is handled */

static const int watched[] = { SIGINT, SIGTERM,
                               SIGUSR1 }; /* SIGUSR1: what Slurm and mpirun can pass on to all ranks */
enum { N_WATCHED = sizeof watched / sizeof watched[0] };

/* One request can arrive twice: `timeout` signals a process and then its group, and a parent may pass on a signal
 * that its child has received too. */
static int is_an_echo(void)
{
    const double moment = 0.3;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - noted_at.tv_sec) + 1e-9 * (double)(now.tv_nsec - noted_at.tv_nsec) < moment;
}

/* Raises the signal with its default action, which takes effect when the handler returns. */
static void quit_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static void note_signal(int number)
{
    static const char wipe[] = "\r\033[K", text[] = "deeplda: stopping after this batch; once more quits at once\n";

    if (noted_signal) {
        if (!is_an_echo()) quit_by(number);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &noted_at);
    noted_signal = number; /* later signals are compared with that time */
    /* Clears a progress bar and the ^C that the terminal echoed into it. */
    if (on_terminal && write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0) return; /* no way to report it */
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
}

void interrupt_begin(void)
{
    struct sigaction before, ours = { .sa_handler = note_signal, .sa_flags = SA_RESTART };

    on_terminal = isatty(STDERR_FILENO);
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < N_WATCHED; i++) sigaddset(&ours.sa_mask, watched[i]);
    for (size_t i = 0; i < N_WATCHED; i++) {
        /* Signals that are ignored, as under nohup, remain ignored. */
        if (sigaction(watched[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(watched[i], &ours, NULL);
    }
}

void interrupt_end(void)
{
    struct sigaction now;

    if (noted_signal) return; /* its duplicate may still arrive, and must not end the program */
    for (size_t i = 0; i < N_WATCHED; i++)
        if (sigaction(watched[i], NULL, &now) == 0 && now.sa_handler == note_signal) signal(watched[i], SIG_DFL);
}

int interrupt_signal(void)
{
    return noted_signal;
}

int interrupt_asks_to_stop(void *user)
{
    (void)user;
    return noted_signal != 0;
}
