/* SPDX-License-Identifier: MIT
 *
 * events.c - writes the events of a training: "choice", "batch", "epoch", "log" and finally "result".
 */
#include "terminal/events.h"
#include "terminal/json_out.h"

static json_out begin(const char *event)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_key(&json, "event");
    json_text(&json, event);
    return json;
}

/* Flushes each line, since a reader may be waiting for it. */
static void end(json_out *json)
{
    json_close(json, '}');
    fputc('\n', json->file);
    fflush(json->file);
}

static void add_numbers(json_out *json, const char *key, const double *values, size_t count)
{
    json_key(json, key);
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) json_number(json, values[i]);
    json_close(json, ']');
}

void event_choice(const char *option, const char *value, const char *reason)
{
    json_out json = begin("choice");

    json_add_text(&json, "option", option);
    json_add_text(&json, "value", value);
    json_add_text(&json, "reason", reason);
    end(&json);
}

void event_batch(const dlda_progress *now)
{
    json_out json = begin("batch");

    json_add_count(&json, "epoch", now->epoch);
    json_add_count(&json, "epochs", now->epochs);
    json_add_count(&json, "batch", now->batch);
    json_add_count(&json, "batches", now->batches);
    json_add_number(&json, "value", now->value);
    json_add_number(&json, "smallest_eigenvalue", now->smallest);
    json_add_number(&json, "largest_eigenvalue", now->largest);
    json_add_count(&json, "selected", now->selected);
    json_add_number(&json, "images_per_second", now->images_per_second);
    json_add_number(&json, "seconds_left", now->seconds_left);
    if (now->waiting > 0) json_add_number(&json, "waiting", now->waiting);
    end(&json);
}

void event_epoch(const dlda_epoch *epoch, size_t epochs)
{
    json_out json = begin("epoch");

    json_add_count(&json, "epoch", epoch->epoch);
    json_add_count(&json, "epochs", epochs);
    json_add_number(&json, "loss", epoch->loss);
    json_add_number(&json, "separation", epoch->separation);
    json_add_number(&json, "rate", epoch->rate);
    json_add_number(&json, "train_accuracy", epoch->train_accuracy);
    json_add_number(&json, "validation_accuracy", epoch->validation_accuracy);
    json_add_count(&json, "best", (size_t)epoch->best);
    json_add_number(&json, "images_per_second", epoch->images_per_second);
    json_add_number(&json, "seconds", epoch->seconds);
    add_numbers(&json, "eigenvalues", epoch->eigenvalues, epoch->n_eigenvalues);
    end(&json);
}

void event_log(const char *message)
{
    json_out json = begin("log");

    json_key(&json, "message");
    json_text(&json, message);
    end(&json);
}

void event_result(const char *part, const dlda_evaluation *evaluation, const dlda_lda *lda, const char *folder)
{
    json_out json = begin("result");
    size_t count = 0;
    const double *eigenvalues = dlda_lda_eigenvalues(lda, &count);

    json_key(&json, "folder");
    json_text(&json, folder);
    if (evaluation) {
        json_key(&json, "part");
        json_text(&json, part);
        json_add_number(&json, "accuracy", evaluation->accuracy);
        json_add_count(&json, "samples", evaluation->samples);
        json_add_count(&json, "correct", evaluation->correct);
        json_add_number(&json, "log_loss", evaluation->log_loss);
    }
    add_numbers(&json, "eigenvalues", eigenvalues, count);
    end(&json);
}
