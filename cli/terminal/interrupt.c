/* SPDX-License-Identifier: MIT
 *
 * interrupt.c - the signals of the program.
 */
#include "terminal/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t noted_signal;
static struct timespec noted_at; /* of the first signal; for the handler alone */
static int on_terminal;          /* set before any signal is watched for */

static const int watched[] = { SIGINT, SIGTERM };
enum { N_WATCHED = sizeof watched / sizeof watched[0] };

/* One request can come twice: `timeout` signals a process and then its group, and a parent may pass on what its child
 * has got as well. */
static int is_an_echo(void)
{
    const double moment = 0.3;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - noted_at.tv_sec) + 1e-9 * (double)(now.tv_nsec - noted_at.tv_nsec) < moment;
}

/* Does what it does to other programs, as soon as the handler has returned. */
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
    noted_signal = number; /* from now on, others are compared with that time */
    /* A progress bar, and the ^C that the terminal echoed into it, make room. */
    if (on_terminal && write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0) return; /* nobody to tell */
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
}

void interrupt_begin(void)
{
    struct sigaction before, ours = { .sa_handler = note_signal, .sa_flags = SA_RESTART };

    on_terminal = isatty(STDERR_FILENO);
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < N_WATCHED; i++) sigaddset(&ours.sa_mask, watched[i]);
    for (size_t i = 0; i < N_WATCHED; i++) {
        /* A signal that is ignored, as under nohup, stays ignored. */
        if (sigaction(watched[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(watched[i], &ours, NULL);
    }
}

void interrupt_end(void)
{
    struct sigaction now;

    if (noted_signal) return; /* its echo may be still to come, and must not end us by the signal */
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
