/* SPDX-License-Identifier: MIT
 *
 * interrupt.c - the signals of the program.
 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t noted_signal;
static int on_terminal; /* set before any signal is watched for */

static const int watched[] = { SIGINT, SIGTERM };
enum { N_WATCHED = sizeof watched / sizeof watched[0] };

static void note_signal(int number)
{
    static const char wipe[] = "\r\033[K", text[] = "deeplda: stopping after this batch; once more quits at once\n";

    noted_signal = number;
    for (size_t i = 0; i < N_WATCHED; i++) signal(watched[i], SIG_DFL);
    /* A progress bar, and the ^C that the terminal echoed into it, make room. */
    if (on_terminal && write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0) return; /* nobody to tell */
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
}

void interrupt_begin(void)
{
    struct sigaction before, ours = { .sa_handler = note_signal, .sa_flags = SA_RESTART };

    on_terminal = isatty(STDERR_FILENO);
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < N_WATCHED; i++) {
        /* A signal that is ignored, as under nohup, stays ignored. */
        if (sigaction(watched[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(watched[i], &ours, NULL);
    }
}

void interrupt_end(void)
{
    struct sigaction now;

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
