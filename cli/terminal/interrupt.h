/* SPDX-License-Identifier: MIT
 *
 * interrupt.h - Ctrl-C once: stop after this batch. Twice: quit at once.
 */
#ifndef DEEPLDA_CLI_INTERRUPT_H
#define DEEPLDA_CLI_INTERRUPT_H

/* From now on the first SIGINT or SIGTERM is only noted; the next one ends the program, but for one within
 * 0.3 seconds, which is taken for the same request. */
void interrupt_begin(void);
/* Back to the system's ways. */
void interrupt_end(void);

/* The signal that was noted, 0 if none was. */
int interrupt_signal(void);

/* For dlda_watch.stop: 1 once a signal was noted. */
int interrupt_asks_to_stop(void *user);

#endif
