/* SPDX-License-Identifier: MIT
 *
 * events.h - writes a training as JSON lines on stdout: one object per event.
 */
#ifndef DEEPLDA_CLI_EVENTS_H
#define DEEPLDA_CLI_EVENTS_H

#include "cli.h"

void event_batch(const dlda_progress *now);
void event_epoch(const dlda_epoch *epoch, size_t epochs);
void event_choice(const char *option, const char *value, const char *reason);
void event_log(const char *message);
/* The last event: the evaluation on `part`, "test" or "validation"; evaluation is NULL if there is neither. */
void event_result(const char *part, const dlda_evaluation *evaluation, const dlda_lda *lda, const char *folder);

#endif
