/* SPDX-License-Identifier: MIT
 *
 * run_folder.c - reads options.json, run.json, history.csv and eigenvalues.csv of a run; each may be missing.
 */
#include "report/run_folder.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static dlda_status add_problem(run_folder *self, const char *sentence)
{
    return dlda_name_list_add(&self->problems, sentence, strlen(sentence));
}

/* ---- Files ---- */

static dlda_status load_json(const char *path, json_t **object)
{
    dlda_status status = DLDA_OK;
    enum { MOST_BYTES = 1 << 20 };
    char *text = NULL;
    size_t size = 0;

    DLDA_TRY(dlda_file_read(path, MOST_BYTES, &text, &size));
    DLDA_TRY(dlda_json_parse(text, size, path, object, NULL));
    if (!json_is_object(*object)) {
        json_decref(*object);
        *object = NULL;
        DLDA_FAIL(DLDA_E_FORMAT, "%s: expected a JSON object", path);
    }
done:
    dlda_release(text);
    return status;
}

static dlda_status read_json(run_folder *self, const char *name, int needed, json_t **object)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    DLDA_TRY(dlda_path_join(self->path, name, &path));
    if (!needed && !dlda_path_exists(path)) goto done;
    dlda_status loaded = load_json(path, object);
    if (loaded == DLDA_E_MEMORY) DLDA_TRY(loaded); /* the file may be good */
    if (loaded != DLDA_OK) DLDA_TRY(add_problem(self, dlda_last_error()));
done:
    dlda_release(path);
    return status;
}

static dlda_status read_table(run_folder *self, const char *name, number_table *table)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    DLDA_TRY(dlda_path_join(self->path, name, &path));
    dlda_status read = number_table_read(path, table);
    if (read == DLDA_E_MEMORY) DLDA_TRY(read); /* the file may be good */
    if (read != DLDA_OK) {
        DLDA_TRY(add_problem(self, dlda_last_error()));
        number_table_release(table);
    } else if (table->damage[0]) DLDA_TRY(add_problem(self, table->damage));
done:
    dlda_release(path);
    return status;
}

/* ---- Derived values ---- */

display_text entry_text(const json_t *object, const char *key)
{
    const json_t *value = object ? json_object_get(object, key) : NULL;

    if (json_is_string(value)) return display_clean(json_string_value(value), 120);
    if (json_is_boolean(value)) return display_format("%s", json_is_true(value) ? "yes" : "no");
    if (json_is_integer(value)) return display_format("%lld", (long long)json_integer_value(value));
    return json_is_real(value) ? display_format("%.6g", json_real_value(value)) : display_format("%s", "");
}

double entry_number(const json_t *object, const char *key)
{
    const json_t *value = object ? json_object_get(object, key) : NULL;
    return json_is_number(value) ? json_number_value(value) : NAN;
}

double run_folder_at(const run_folder *self, size_t row, const char *column)
{
    return number_table_at(&self->history, row, number_table_column(&self->history, column));
}

static int column_is_empty(const number_table *table, size_t column)
{
    for (size_t row = 0; row < table->rows; row++)
        if (!isnan(number_table_at(table, row, (int)column))) return 0;
    return 1;
}

size_t run_folder_eigenvalues(const run_folder *self)
{
    size_t count = 0;

    while (count + 1 < self->eigenvalues.columns && !column_is_empty(&self->eigenvalues, count + 1)) count++;
    return count;
}

const char *run_end_text(run_end end)
{
    switch (end) {
    case RUN_END_BEGUN: return "no epoch is complete yet";
    case RUN_END_RUNNING: return "still running";
    case RUN_END_COMPLETE: return "complete";
    case RUN_END_STOPPED: return "stopped";
    case RUN_END_FAILED: return "failed";
    case RUN_END_LOST: return "ended unexpectedly";
    case RUN_END_UNKNOWN: break;
    }
    return "unknown";
}

/* 1 if the file does not exist, as opposed to being damaged. */
static int lacks(const run_folder *self, const char *name)
{
    char *path = NULL;
    int missing = dlda_path_join(self->path, name, &path) == DLDA_OK && !dlda_path_exists(path);

    dlda_release(path);
    return missing;
}

/* What could not be read is a problem, unless it was one already. */
static dlda_status find_state(run_folder *self, dlda_run_state *state)
{
    dlda_run_info *info = NULL;
    dlda_status status = dlda_run_info_read(self->path, &info);

    *state = status == DLDA_OK ? info->state : DLDA_RUN_UNKNOWN;
    dlda_run_info_destroy(info);
    if (status == DLDA_OK || status == DLDA_E_MEMORY) return status;
    return self->facts ? add_problem(self, dlda_last_error()) : DLDA_OK;
}

static run_end find_end(const run_folder *self, dlda_run_state state)
{
    static const run_end ends[] = { [DLDA_RUN_RUNNING] = RUN_END_RUNNING,
                                    [DLDA_RUN_COMPLETE] = RUN_END_COMPLETE,
                                    [DLDA_RUN_STOPPED] = RUN_END_STOPPED,
                                    [DLDA_RUN_FAILED] = RUN_END_FAILED,
                                    [DLDA_RUN_LOST] = RUN_END_LOST };

    if (self->facts && state != DLDA_RUN_UNKNOWN) return ends[state];
    if (self->facts && json_object_get(self->facts, "state")) return RUN_END_UNKNOWN;
    if (self->history.rows > 0 && (double)self->history.rows >= entry_number(self->options, "epochs"))
        return RUN_END_COMPLETE;
    if (!self->options && lacks(self, "history.csv") && lacks(self, "model.safetensors")) return RUN_END_BEGUN;
    return RUN_END_UNKNOWN;
}

static size_t find_kept(const run_folder *self)
{
    for (size_t row = self->history.rows; row > 0; row--)
        if (run_folder_at(self, row - 1, "best") == 1) return row - 1;
    return self->history.rows;
}

/* ---- The whole folder ---- */

static dlda_status check_folder(const char *path)
{
    static const char *const files[] = { "history.csv", "options.json",      "eigenvalues.csv",
                                         "run.json",    "model.safetensors", "checkpoint.safetensors" };
    dlda_status status = DLDA_OK;
    char *file = NULL;
    int found = 0;

    if (!dlda_path_exists(path)) DLDA_FAIL(DLDA_E_IO, "%s: does not exist; expected a run folder", path);
    if (!dlda_path_is_folder(path)) DLDA_FAIL(DLDA_E_IO, "%s: is not a folder; expected a run folder", path);
    for (size_t i = 0; !found && i < sizeof files / sizeof files[0]; i++) {
        DLDA_TRY(dlda_path_join(path, files[i], &file));
        found = dlda_path_exists(file);
        dlda_release(file);
        file = NULL;
    }
    if (!found)
        DLDA_FAIL(DLDA_E_FORMAT,
                  "%s: is not a run folder: it has neither history.csv nor any other file of "
                  "one",
                  path);
done:
    dlda_release(file);
    return status;
}

dlda_status run_folder_read(const char *path, run_folder *self)
{
    dlda_status status = DLDA_OK;
    dlda_run_state state = DLDA_RUN_UNKNOWN;

    DLDA_TRY(check_folder(path));
    DLDA_TRY(dlda_take_text(path, &self->path));
    DLDA_TRY(read_json(self, "options.json", 1, &self->options));
    DLDA_TRY(read_json(self, "run.json", 0, &self->facts));
    DLDA_TRY(read_table(self, "history.csv", &self->history));
    DLDA_TRY(read_table(self, "eigenvalues.csv", &self->eigenvalues));
    DLDA_TRY(find_state(self, &state));
    self->end = find_end(self, state);
    self->kept = find_kept(self);
done:
    return status;
}

void run_folder_release(run_folder *self)
{
    json_decref(self->options);
    json_decref(self->facts);
    number_table_release(&self->history);
    number_table_release(&self->eigenvalues);
    dlda_name_list_release(&self->problems);
    dlda_release(self->path);
    *self = (run_folder){ 0 };
}
