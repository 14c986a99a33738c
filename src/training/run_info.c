/* SPDX-License-Identifier: MIT
 *
 * run_info.c - describes a training from the files in its folder.
 *
 * Counters, network and options come from the checkpoint; state, process and data from run.json. options.json is
 * used if there is no undamaged checkpoint.
 */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/options.h"
#include "training/checkpoint_file.h"
#include "training/run_file.h"

#include <math.h>

enum { MOST_BYTES = 1 << 20 }; /* size limit of a JSON file */

/* The public struct is the first member, so that a pointer to it converts to the whole. The other
 * members own its strings. */
typedef struct run_files {
    dlda_run_info info;
    dlda_safetensors *checkpoint;
    json_t *facts; /* run.json */
    char *options; /* options.json */
    int replaces;  /* the checkpoint is the first of a training that replaces the one of the other files */
} run_files;

/* ---- The checkpoint ---- */

/* Seconds of the completed epochs and of the current one. */
static dlda_status sum_seconds(const dlda_safetensors *file, size_t epochs, double *seconds)
{
    const size_t shape[] = { epochs, DLDA_EPOCH_FIELDS };
    const dlda_tensor *history = NULL;
    dlda_status status = dlda_safetensors_require(file, "history", DLDA_F64, 2, shape, &history);

    if (status != DLDA_OK) return status;
    const double *fields = history->data;
    *seconds = dlda_checkpoint_epoch_seconds(file);
    for (size_t i = 0; i < epochs; i++) *seconds += fields[i * DLDA_EPOCH_FIELDS + DLDA_EPOCH_SECONDS];
    return DLDA_OK;
}

static dlda_status use_checkpoint(run_files *self, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_run_info *info = &self->info;
    dlda_checkpoint_texts texts = { 0 };
    dlda_checkpoint_counters counters = { 0 };
    double seconds = 0;

    DLDA_TRY(dlda_checkpoint_read_texts(self->checkpoint, path, &texts));
    DLDA_TRY(dlda_checkpoint_read_counters(self->checkpoint, path, &counters));
    DLDA_TRY(sum_seconds(self->checkpoint, (size_t)counters.epochs_done, &seconds));
    info->network = texts.network;
    info->options = texts.options;
    info->data = texts.source;
    info->format = texts.format ? texts.format : "";
    info->label = texts.label ? texts.label : "";
    info->seconds = seconds;
    info->epochs_done = (size_t)counters.epochs_done;
    info->batches_done = (size_t)counters.batches_done;
    info->steps_done = (size_t)counters.steps_done;
    info->best_epoch = (size_t)counters.best_epoch;
    info->best_accuracy = counters.best_accuracy < 0 ? NAN : counters.best_accuracy;
done:
    return status;
}

static dlda_status read_newest(run_files *self, const char *folder)
{
    dlda_status status = DLDA_OK;
    char *path = NULL, damage[1024];

    DLDA_TRY(dlda_checkpoint_open_newest(folder, &self->checkpoint, &path, damage));
    DLDA_TRY(use_checkpoint(self, path));
    self->replaces = dlda_checkpoint_is_next(path) && self->info.steps_done == 0;
done:
    dlda_release(path);
    return status;
}

/* ---- run.json ---- */

static const char *text_of(const json_t *facts, const char *key)
{
    const char *text = json_string_value(json_object_get(facts, key));
    return text ? text : "";
}

/* Prefers the absolute path, if it exists: the path as given may be relative to another working folder. */
static const char *data_of(const json_t *facts)
{
    const char *path = text_of(facts, "data_path");
    return path[0] && dlda_path_exists(path) ? path : text_of(facts, "data");
}

static void use_facts(run_files *self)
{
    dlda_run_info *info = &self->info;
    const json_t *seconds = json_object_get(self->facts, "seconds");
    json_int_t process = json_integer_value(json_object_get(self->facts, "process"));

    info->state = dlda_run_state_of(self->facts);
    info->process = process > 0 ? (size_t)process : 0;
    info->data = data_of(self->facts);
    info->format = text_of(self->facts, "format");
    info->label = text_of(self->facts, "label");
    if (!self->checkpoint && json_is_number(seconds)) info->seconds = json_number_value(seconds);
}

static dlda_status read_facts(run_files *self, const char *folder)
{
    dlda_status status = DLDA_OK;
    char *path = NULL, *text = NULL;
    size_t size = 0;

    DLDA_TRY(dlda_path_join(folder, "run.json", &path));
    if (!dlda_path_exists(path)) goto done;
    DLDA_TRY(dlda_file_read(path, MOST_BYTES, &text, &size));
    DLDA_TRY(dlda_json_parse(text, size, path, &self->facts, NULL));
    if (!json_is_object(self->facts)) {
        json_decref(self->facts);
        self->facts = NULL;
        DLDA_FAIL(DLDA_E_FORMAT, "%s: not a JSON object", path);
    }
    use_facts(self);
done:
    dlda_release(text);
    dlda_release(path);
    return status;
}

/* ---- options.json ---- */

static dlda_status read_options(run_files *self, const char *folder)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;
    size_t size = 0;

    if (self->checkpoint) return DLDA_OK;
    DLDA_TRY(dlda_path_join(folder, "options.json", &path));
    if (!dlda_path_exists(path)) goto done;
    DLDA_TRY(dlda_file_read(path, MOST_BYTES, &self->options, &size));
    self->info.options = self->options;
done:
    dlda_release(path);
    return status;
}

/* ---- All files ---- */

/* 1 if a file may be all right, but could not be read. */
static int is_unread(dlda_status status)
{
    return status == DLDA_E_MEMORY || status == DLDA_E_IO;
}

/* Missing or damaged files are skipped. If none is left, the error is that of the checkpoint. */
static dlda_status read_folder(run_files *self, const char *folder)
{
    char message[1024];
    dlda_status newest = read_newest(self, folder);

    if (newest != DLDA_OK) {
        snprintf(message, sizeof message, "%s", dlda_last_error());
        dlda_safetensors_destroy(self->checkpoint);
        self->checkpoint = NULL;
    }
    if (newest == DLDA_E_MEMORY) return newest;
    dlda_status facts = self->replaces ? DLDA_OK : read_facts(self, folder);
    if (is_unread(facts)) return facts;
    dlda_status options = read_options(self, folder);
    if (is_unread(options)) return options;
    return newest != DLDA_OK && !self->facts && !self->options ? dlda_fail(newest, "%s", message) : DLDA_OK;
}

static dlda_status read_file(run_files *self, const char *path)
{
    dlda_status status = dlda_checkpoint_open(path, &self->checkpoint);
    return status == DLDA_OK ? use_checkpoint(self, path) : status;
}

dlda_status dlda_run_info_read(const char *path, dlda_run_info **info)
{
    DLDA_NEED(path, info);
    dlda_status status = DLDA_OK;
    run_files *self = NULL;
    int is_file = dlda_path_exists(path) && !dlda_path_is_folder(path);

    DLDA_TRY(DLDA_TAKE(&self, 1, "what is known of a run"));
    self->info = (dlda_run_info){
        .best_accuracy = NAN, .seconds = NAN, .network = "", .options = "", .data = "", .format = "", .label = ""
    };
    DLDA_TRY(is_file ? read_file(self, path) : read_folder(self, path));
    *info = &self->info;
    self = NULL;
done:
    if (self) dlda_run_info_destroy(&self->info);
    return status;
}

void dlda_run_info_destroy(dlda_run_info *info)
{
    run_files *self = (run_files *)info;

    if (!self) return;
    dlda_safetensors_destroy(self->checkpoint);
    json_decref(self->facts);
    dlda_release(self->options);
    dlda_release(self);
}

dlda_status dlda_options_use_run(dlda_options *options, const char *path)
{
    DLDA_NEED(options, path);
    dlda_run_info *info = NULL;
    dlda_status status = dlda_run_info_read(path, &info);
    dlda_status suggested = dlda_options_suggest(options, "data", info ? info->data : "");

    DLDA_TRY(status);
    DLDA_TRY(suggested);
    if (info->format[0]) DLDA_TRY(dlda_options_suggest(options, "format", info->format));
    if (info->label[0]) DLDA_TRY(dlda_options_suggest(options, "label", info->label));
    if (!info->options[0])
        DLDA_FAIL(DLDA_E_IO, "%s: neither an undamaged checkpoint nor options.json: the options are unknown", path);
    DLDA_TRY(dlda_options_from_json(options, info->options, path));
done:
    dlda_run_info_destroy(info);
    return status;
}
