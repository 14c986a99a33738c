/* SPDX-License-Identifier: MIT
 *
 * reproduce_record.c - the small JSON files beside the runs: how a training was done, and what an evaluation found.
 */
#include "folders.h"
#include "terminal/json_out.h"
#include "terminal/output.h"
#include "reproduce/reproduce.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int load(const char *path, json_t **object)
{
    json_error_t error;

    *object = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(*object)) return EXIT_OK;
    complain(reproduce_name, "%s: line %d: %s; remove the file to have it made anew", path,
             *object ? 1 : error.line, *object ? "not a JSON object" : error.text);
    json_decref(*object);
    *object = NULL;
    return EXIT_FAILED;
}

/* ---- How a training was done ---- */

static char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text_format("%s", text ? text : "");
}

static size_t count_of(const json_t *object, const char *key)
{
    json_int_t count = json_integer_value(json_object_get(object, key));
    return count > 0 ? (size_t)count : 0;
}

static void read_list(const json_t *list, cli_words *words)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text) words_add(words, "%s", text);
    }
}

static void read_settings(json_t *object, cli_words *settings)
{
    const char *name = NULL;
    json_t *value = NULL;

    json_object_foreach(object, name, value)
    {
        if (!json_is_string(value)) continue;
        words_add(settings, "%s", name);
        words_add(settings, "%s", json_string_value(value));
    }
}

static void read_schedule(const json_t *object, training_schedule *schedule)
{
    const char *kind = json_string_value(json_object_get(object, "schedule"));

    *schedule = (training_schedule){ .epochs = count_of(object, "epochs"),
                                     .full_epochs = count_of(object, "full_epochs"),
                                     .halve_every = count_of(object, "halve_every"),
                                     .full_halve_every = count_of(object, "full_halve_every"),
                                     .steps = count_of(object, "steps_per_epoch"),
                                     .is_cosine = kind && strcmp(kind, "cosine") == 0,
                                     .is_known = kind != NULL };
}

int reproduce_read_record(const char *path, training_record *record)
{
    json_t *object = NULL;

    *record = (training_record){ .seconds = NAN };
    if (!path_is_there(path)) return EXIT_OK;
    int code = load(path, &object);
    if (code != EXIT_OK) return code;
    record->complete = json_is_true(json_object_get(object, "complete"));
    record->process = count_of(object, "process");
    record->source = text_of(object, "source");
    record->data = text_of(object, "data");
    record->options = text_of(object, "options");
    record->command = text_of(object, "command");
    if (json_is_number(json_object_get(object, "seconds")))
        record->seconds = json_number_value(json_object_get(object, "seconds"));
    read_schedule(object, &record->schedule);
    read_settings(json_object_get(object, "settings"), &record->settings);
    read_list(json_object_get(object, "deviations"), &record->deviations);
    json_decref(object);
    return EXIT_OK;
}

static void add_text(json_out *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text);
}

static void add_count(json_out *json, const char *key, size_t count)
{
    json_key(json, key);
    json_count(json, count);
}

static void add_schedule(json_out *json, const training_schedule *schedule)
{
    add_count(json, "epochs", schedule->epochs);
    add_count(json, "full_epochs", schedule->full_epochs);
    if (!schedule->is_known) return;
    add_text(json, "schedule", schedule->is_cosine ? "cosine" : "halve");
    add_count(json, "halve_every", schedule->halve_every);
    add_count(json, "full_halve_every", schedule->full_halve_every);
    add_count(json, "steps_per_epoch", schedule->steps);
}

static void add_settings(json_out *json, const cli_words *settings)
{
    json_key(json, "settings");
    json_open(json, '{');
    for (size_t i = 0; i + 1 < settings->count; i += 2) add_text(json, settings->at[i], settings->at[i + 1]);
    json_close(json, '}');
}

int reproduce_write_record(const char *path, const training_record *record)
{
    cli_output output;
    int code = output_open(&output, reproduce_name, path);

    if (code != EXIT_OK) return code;
    json_out json = { .file = output.file };
    json_open(&json, '{');
    json_key(&json, "complete");
    json_raw(&json, record->complete ? "true" : "false");
    if (record->process) add_count(&json, "process", record->process);
    add_text(&json, "source", record->source);
    add_text(&json, "data", record->data);
    add_text(&json, "options", record->options);
    add_text(&json, "command", record->command);
    add_schedule(&json, &record->schedule);
    add_settings(&json, &record->settings);
    json_key(&json, "seconds");
    json_number(&json, record->seconds);
    json_key(&json, "deviations");
    json_open(&json, '[');
    for (size_t i = 0; i < record->deviations.count; i++) json_text(&json, record->deviations.at[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', output.file);
    return output_close(&output);
}

void reproduce_release_record(training_record *record)
{
    free(record->source);
    free(record->data);
    free(record->options);
    free(record->command);
    words_release(&record->settings);
    words_release(&record->deviations);
    *record = (training_record){ 0 };
}

const char *reproduce_setting(const cli_words *settings, const char *name)
{
    for (size_t i = 0; i + 1 < settings->count; i += 2)
        if (strcmp(settings->at[i], name) == 0) return settings->at[i + 1];
    return NULL;
}

/* ---- What an evaluation found ---- */

/* 1 if they are there. */
static int find_counts(const json_t *object, const row_kind *kind, row_counts *counts)
{
    const json_t *figures = kind->figures ? json_object_get(object, kind->figures) : object;
    const json_t *samples = json_object_get(figures, "samples"), *correct = json_object_get(figures, "correct");
    json_int_t n = json_integer_value(samples), right = json_integer_value(correct);

    *counts = (row_counts){ (size_t)n, (size_t)right };
    return json_is_integer(samples) && json_is_integer(correct) && n > 0 && right >= 0 && right <= n;
}

int reproduce_has_counts(const char *path, const row_kind *kind)
{
    json_t *object = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    row_counts counts;
    int has = find_counts(object, kind, &counts);

    json_decref(object);
    return has;
}

int reproduce_read_counts(const char *path, const row_kind *kind, row_counts *counts)
{
    json_t *object = NULL;
    int code = load(path, &object);

    if (code != EXIT_OK) return code;
    if (!find_counts(object, kind, counts)) {
        complain(reproduce_name, "%s: no counts of right answers in it; remove the file to have it made anew",
                 path);
        code = EXIT_FAILED;
    }
    json_decref(object);
    return code;
}
