/* SPDX-License-Identifier: MIT
 *
 * record.c - the JSON files beside the runs: the settings of a training, and the results of an evaluation.
 */
#include "arguments.h"
#include "base/json.h"
#include "base/number.h"
#include "folders.h"
#include "reproduce/training.h"
#include "terminal/json_out.h"
#include "terminal/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options of a training ---- */

static int is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0) return 1;
    return 0;
}

int setting_is_same(const char *a, const char *b)
{
    double first = 0, second = 0;

    if (!a || !b) return a == b;
    if (strcmp(a, b) == 0) return 1;
    return dlda_parse_real(a, &first) && dlda_parse_real(b, &second) && first == second;
}

static int is_setting(const cli_options *options, const cli_option *option)
{
    static const char *const always[] = { "net",         "objective",  "epochs", "batch", "rate",
                                          "halve-every", "validation", "seed",   NULL };
    static const char *const never[] = { "data", "format", "label", NULL };

    const char *name = option->info->name;

    if (!option_belongs(option, "train") || is_one_of(name, never)) return 0;
    if (strcmp(name, "halve-every") == 0 && option_is(options, "schedule", "cosine")) return 0;
    return is_one_of(name, always) || !setting_is_same(option_text(options, name), option->info->initial);
}

void settings_add(cli_words *settings, const cli_options *options)
{
    cli_option option;

    for (size_t i = 0; option_at(i, &option); i++) {
        if (!is_setting(options, &option)) continue;
        words_add(settings, "%s", option.info->name);
        words_add(settings, "%s", option_text(options, option.info->name));
    }
}

const char *record_setting(const training_record *record, const char *name)
{
    for (size_t i = 0; i + 1 < record->settings.count; i += 2)
        if (strcmp(record->settings.at[i], name) == 0) return record->settings.at[i + 1];
    return NULL;
}

/* ---- The record of a training ---- */

static int load(const char *path, json_t **object)
{
    enum { MOST_BYTES = 1 << 24 };
    dlda_status status = dlda_json_read(path, MOST_BYTES, object);

    if (status == DLDA_OK && json_is_object(*object)) return EXIT_OK;
    if (status == DLDA_OK) status = dlda_fail(DLDA_E_FORMAT, "%s: not a JSON object", path);
    if (status == DLDA_E_FORMAT) complain(reproduce_name, "%s; remove the file to recreate it", dlda_last_error());
    else exit_code_of(reproduce_name, status);
    json_decref(*object);
    *object = NULL;
    return EXIT_FAILED;
}

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

/* Records of earlier versions have no settings; they are read from the run's options. */
static void read_settings_of_run(const char *folder, cli_words *settings)
{
    cli_options *options = NULL;

    if (options_create(&options) == DLDA_OK && dlda_options_use_run(options->training, folder) == DLDA_OK)
        settings_add(settings, options);
    options_destroy(options);
}

static void read_settings(json_t *object, const char *folder, cli_words *settings)
{
    const char *name = NULL;
    json_t *value = NULL;

    if (!object) read_settings_of_run(folder, settings);
    json_object_foreach(object, name, value)
    {
        if (!json_is_string(value)) continue;
        words_add(settings, "%s", name);
        words_add(settings, "%s", json_string_value(value));
    }
}

static training_schedule read_schedule(const json_t *object)
{
    const char *kind = json_string_value(json_object_get(object, "schedule"));

    return (training_schedule){ .epochs = count_of(object, "epochs"),
                                .full_epochs = count_of(object, "full_epochs"),
                                .halve_every = count_of(object, "halve_every"),
                                .full_halve_every = count_of(object, "full_halve_every"),
                                .steps = count_of(object, "steps_per_epoch"),
                                .is_cosine = kind && strcmp(kind, "cosine") == 0,
                                .is_known = kind != NULL };
}

int record_read(const char *path, const char *folder, training_record *record)
{
    json_t *object = NULL;

    *record = (training_record){ .seconds = NAN };
    if (!path_is_there(path)) return EXIT_OK;
    int code = load(path, &object);
    if (code != EXIT_OK) return code;
    record->exists = 1;
    record->complete = json_is_true(json_object_get(object, "complete"));
    record->process = count_of(object, "process");
    record->source = text_of(object, "source");
    record->data = text_of(object, "data");
    record->command = text_of(object, "command");
    if (json_is_number(json_object_get(object, "seconds")))
        record->seconds = json_number_value(json_object_get(object, "seconds"));
    record->schedule = read_schedule(object);
    read_settings(json_object_get(object, "settings"), folder, &record->settings);
    read_list(json_object_get(object, "deviations"), &record->deviations);
    json_decref(object);
    return EXIT_OK;
}

static void add_schedule(json_out *json, const training_schedule *schedule)
{
    json_add_count(json, "epochs", schedule->epochs);
    json_add_count(json, "full_epochs", schedule->full_epochs);
    json_add_text(json, "schedule", schedule->is_cosine ? "cosine" : "halve");
    json_add_count(json, "halve_every", schedule->halve_every);
    json_add_count(json, "full_halve_every", schedule->full_halve_every);
    json_add_count(json, "steps_per_epoch", schedule->steps);
}

static void add_settings(json_out *json, const cli_words *settings)
{
    json_key(json, "settings");
    json_open(json, '{');
    for (size_t i = 0; i + 1 < settings->count; i += 2) json_add_text(json, settings->at[i], settings->at[i + 1]);
    json_close(json, '}');
}

int record_write(const char *path, const training_record *record)
{
    cli_output output;
    int code = output_open_inside(&output, reproduce_name, path);

    if (code != EXIT_OK) return code;
    json_out json = { .file = output.file };
    json_open(&json, '{');
    json_key(&json, "complete");
    json_raw(&json, record->complete ? "true" : "false");
    if (record->process) json_add_count(&json, "process", record->process);
    json_add_text(&json, "source", record->source);
    json_add_text(&json, "data", record->data);
    json_add_text(&json, "command", record->command);
    add_schedule(&json, &record->schedule);
    add_settings(&json, &record->settings);
    json_add_number(&json, "seconds", record->seconds);
    json_key(&json, "deviations");
    json_open(&json, '[');
    for (size_t i = 0; i < record->deviations.count; i++) json_text(&json, record->deviations.at[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', output.file);
    return output_close(&output);
}

void record_release(training_record *record)
{
    free(record->source);
    free(record->data);
    free(record->command);
    words_release(&record->settings);
    words_release(&record->deviations);
    *record = (training_record){ 0 };
}

/* ---- The results of an evaluation ---- */

/* 1 if the counts are present. */
static int find_counts(const json_t *object, const row_kind *kind, row_counts *counts)
{
    const json_t *figures = kind->figures ? json_object_get(object, kind->figures) : object;
    const json_t *samples = json_object_get(figures, "samples"), *correct = json_object_get(figures, "correct");
    json_int_t n = json_integer_value(samples), right = json_integer_value(correct);

    *counts = (row_counts){ (size_t)n, (size_t)right };
    return json_is_integer(samples) && json_is_integer(correct) && n > 0 && right >= 0 && right <= n;
}

int evaluation_read(const evaluation *row, row_counts *counts)
{
    json_t *object = NULL;
    int code = load(row->figures, &object);

    if (code != EXIT_OK) return code;
    if (!find_counts(object, &row_kinds[row->row], counts)) {
        complain(reproduce_name, "%s: no counts of correct answers in it; remove the file to recreate it",
                 row->figures);
        code = EXIT_FAILED;
    }
    json_decref(object);
    return code;
}

int evaluation_is_current(const training *self, const evaluation *row)
{
    if (!path_is_newer(row->figures, self->model) || !path_is_newer(row->answers, self->model)) return 0;
    enum { MOST_BYTES = 1 << 24 };
    json_t *object = NULL;
    row_counts counts;
    (void)dlda_json_read(row->figures, MOST_BYTES, &object); /* what cannot be read is made again */
    int has = find_counts(object, &row_kinds[row->row], &counts);

    json_decref(object);
    return has;
}
