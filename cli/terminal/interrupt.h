/* SPDX-License-Identifier: MIT
 *
 * interrupt.h - Ctrl-C once: stop after this batch. Twice: quit at once.
 */
#ifndef DEEPLDA_CLI_INTERRUPT_H
#define DEEPLDA_CLI_INTERRUPT_H

/* From now on the first SIGINT, SIGTERM or SIGUSR1 is only recorded; the next one ends the program, except within 0.3
 * seconds, when it is taken for the same request. */
void interrupt_begin(void);
/* Restores the default actions. */
void interrupt_end(void);

/* The recorded signal, 0 if there is none. */
int interrupt_signal(void);

/* For dlda_watch.stop: 1 once a signal is recorded. */
int interrupt_asks_to_stop(void *user);

#endif
