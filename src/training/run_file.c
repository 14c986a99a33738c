/* SPDX-License-Identifier: MIT
 *
 * run_file.c - writes and reads run.json: state, data and machine of a run. Reports use it, and processes that wait
 * for the run to finish.
 */
#define _GNU_SOURCE
#include "training/run_file.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/utf8.h"
#include "kernels/kernels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char *const state_words[] = { [DLDA_RUN_RUNNING] = "running",
                                           [DLDA_RUN_COMPLETE] = "complete",
                                           [DLDA_RUN_STOPPED] = "stopped",
                                           [DLDA_RUN_FAILED] = "failed" };

enum { N_STATE_WORDS = sizeof state_words / sizeof state_words[0] };

/* ---- The machine ---- */

/* The processor name in /proc/cpuinfo; "" if there is none. */
static void find_processor(char *name, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[512];

    name[0] = '\0';
    while (file && !name[0] && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
    }
    if (file) fclose(file);
}

/* Start time of a process in clock ticks since boot. -1 if there is no such process, it is a zombie, or the time
 * cannot be determined. */
static double process_start(long id)
{
    enum { FIELD = 22 };
    char path[64], text[1024];
    double start = -1;

    snprintf(path, sizeof path, "/proc/%ld/stat", id);
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[n] = '\0';
    char *at = strrchr(text, ')'); /* the process name before it may contain blanks */
    if (at && strncmp(at, ") Z", 3) == 0) at = NULL;
    for (int field = 2; at && field < FIELD; field++) at = strchr(at + 1, ' ');
    if (at) start = strtod(at + 1, NULL);
    return start;
}

/* 1 if process `id`, started at `start` on `host`, may be running. A process on another
 * machine is assumed to be. */
static int is_alive(const char *host, long id, double start)
{
    struct utsname system;

    if (!host || uname(&system) != 0 || strcmp(system.nodename, host) != 0) return 1;
    return process_start(id) == start;
}

/* ---- The file ---- */

/* The object that is being made. A value that could not be added makes the whole file fail. */
typedef struct run_facts {
    json_t *object;
    int lacks; /* 1: no memory for a value */
} run_facts;

static void put(run_facts *facts, const char *key, json_t *value)
{
    if (!value || json_object_set_new(facts->object, key, value) != 0) facts->lacks = 1;
}

static void put_text(run_facts *facts, const char *key, const char *text)
{
    put(facts, key, json_string(dlda_is_utf8(text) ? text : "(not UTF-8)"));
}

static void put_count(run_facts *facts, const char *key, size_t count)
{
    put(facts, key, json_integer((json_int_t)count));
}

/* Where the data came from, if the caller stated it. Files and folders get their absolute path. */
static void put_data(run_facts *facts, const dlda_trainer *self)
{
    const dlda_options *options = self->options;
    int given = dlda_options_is_given(options, "data");
    char *path = given ? realpath(options->data, NULL) : NULL;

    if (given) put_text(facts, "data", options->data);
    if (path) put_text(facts, "data_path", path);
    else if (given && errno == ENOMEM) facts->lacks = 1; /* otherwise it is a name, such as `digits` */
    if (given && options->format[0]) put_text(facts, "format", options->format);
    if (given && options->label[0]) put_text(facts, "label", options->label);
    free(path);
    put_count(facts, "training_samples", dlda_dataset_count(self->train));
    put_count(facts, "validation_samples", self->validation ? dlda_dataset_count(self->validation) : 0);
    put_count(facts, "height", dlda_dataset_height(self->train));
    put_count(facts, "width", dlda_dataset_width(self->train));
    put_count(facts, "channels", dlda_dataset_channels(self->train));
    put_count(facts, "classes", self->model->classes);
    put_count(facts, "parameters", dlda_model_parameters(self->model));
}

static void put_machine(run_facts *facts, const dlda_trainer *self)
{
    struct utsname system = { .sysname = "" };
    char text[600];

    put_text(facts, "version", DLDA_VERSION);
    find_processor(text, sizeof text);
    put_text(facts, "processor", text);
    put_text(facts, "kernels",
             self->options->kernels == DLDA_KERNELS_REFERENCE ? "reference" : dlda_kernels_fast()->name);
    put_count(facts, "threads", dlda_team_threads(self->team));
    uname(&system);
    snprintf(text, sizeof text, "%s %s %s", system.sysname, system.release, system.machine);
    put_text(facts, "system", text);
    put_text(facts, "host", system.nodename);
    put_count(facts, "process", (size_t)getpid());
    put(facts, "process_start", json_real(process_start(getpid())));
}

static void put_times(run_facts *facts, const dlda_trainer *self)
{
    const dlda_history *history = self->history;
    double seconds = 0, rate = 0;

    for (size_t i = 0; i < history->count; i++) {
        seconds += history->epochs[i].seconds;
        rate += history->epochs[i].images_per_second / (double)history->count;
    }
    put(facts, "seconds", json_real(seconds));
    put(facts, "images_per_second", json_real(rate));
}

dlda_status dlda_run_file_write(const dlda_trainer *self, dlda_run_state state, const char *message)
{
    dlda_status status = DLDA_OK;
    char *path = NULL, *text = NULL;
    dlda_file_writer *writer = NULL;
    run_facts facts = { 0 };

    if (!self->folder) return DLDA_OK;
    facts.object = json_object();
    put_text(&facts, "state", state_words[state]);
    if (message) put_text(&facts, "message", message);
    put_data(&facts, self);
    put_times(&facts, self);
    put_machine(&facts, self);
    if (facts.lacks) DLDA_FAIL(DLDA_E_MEMORY, "run.json: no memory for JSON");
    DLDA_TRY(dlda_json_print(facts.object, JSON_INDENT(2) | JSON_REAL_PRECISION(15), "run.json", &text));
    DLDA_TRY(dlda_path_join(self->folder, "run.json", &path));
    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(dlda_file_writer_print(writer, "%s\n", text));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    dlda_release(text);
    json_decref(facts.object);
    dlda_release(path);
    return status;
}

/* ---- Reading ---- */

dlda_run_state dlda_run_state_of(const json_t *facts)
{
    const char *word = json_string_value(json_object_get(facts, "state"));
    dlda_run_state state = DLDA_RUN_UNKNOWN;

    for (size_t i = 0; word && i < N_STATE_WORDS; i++)
        if (state_words[i] && strcmp(state_words[i], word) == 0) state = (dlda_run_state)i;
    if (state == DLDA_RUN_RUNNING && !is_alive(json_string_value(json_object_get(facts, "host")),
                                               (long)json_integer_value(json_object_get(facts, "process")),
                                               json_number_value(json_object_get(facts, "process_start"))))
        state = DLDA_RUN_LOST;
    return state;
}
