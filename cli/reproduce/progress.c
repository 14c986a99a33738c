/* SPDX-License-Identifier: MIT
 *
 * progress.c - determines how far a training is, and when it will end.
 *
 * The checkpoint in the run folder has epochs and seconds, run.json state and process. Until the first epoch is
 * complete there is no run.json; then the record and the lock on ROOT show whether a process is training.
 */
#include "folders.h"
#include "reproduce/root.h"
#include "reproduce/training.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- Facts ---- */

static int is_process(size_t id)
{
    return id > 0 && (kill((pid_t)id, 0) == 0 || errno == EPERM);
}

static time_t time_of(const char *folder, const char *name)
{
    struct stat info;
    char *path = text_format("%s/%s", folder, name);
    time_t changed = stat(path, &info) == 0 ? info.st_mtime : time(NULL);

    free(path);
    return changed;
}

static training_state state_of(dlda_run_state state)
{
    return state == DLDA_RUN_RUNNING    ? TRAINING_RUNNING
           : state == DLDA_RUN_COMPLETE ? TRAINING_COMPLETE
           : state == DLDA_RUN_FAILED   ? TRAINING_FAILED
                                        : TRAINING_STOPPED;
}

static int has_file(const char *folder, const char *name)
{
    char *path = text_format("%s/%s", folder, name);
    int has = path_is_there(path);

    free(path);
    return has;
}

int progress_has_checkpoint(const char *folder)
{
    return has_file(folder, "checkpoint-next.safetensors") || has_file(folder, "checkpoint.safetensors") ||
           has_file(folder, "checkpoint-previous.safetensors");
}

/* The state according to the existing files. */
static void find_state(const char *folder, const dlda_run_info *info, const training_record *record,
                       training_progress *progress)
{
    if (info && info->state != DLDA_RUN_UNKNOWN) {
        progress->state = state_of(info->state);
        progress->process = info->process;
    } else if (record->complete) progress->state = TRAINING_COMPLETE; /* a run of an earlier version */
    else if (progress_has_checkpoint(folder)) progress->state = TRAINING_STOPPED;
    if (progress->state == TRAINING_COMPLETE && !has_file(folder, "model.safetensors"))
        progress->state = progress_has_checkpoint(folder) ? TRAINING_STOPPED : TRAINING_MISSING;
}

/* From the checkpoint, since more epochs may have been requested manually. */
static size_t running_epochs(const char *folder, size_t planned)
{
    cli_options *options = NULL;
    size_t epochs = planned;

    if (options_create(&options) == DLDA_OK && dlda_options_use_run(options->training, folder) == DLDA_OK)
        epochs = (size_t)option_number(options, "epochs");
    options_destroy(options);
    return epochs;
}

/* Before its first epoch a run has no state; it is running if the record names a process
 * and that process exists. */
static int is_training(const reproduce_request *request, const training_record *record)
{
    return !record->complete && is_process(record->process) && !request->has_lock && root_is_locked(request->root);
}

training_progress progress_read(const reproduce_request *request, const char *folder, const training_record *record)
{
    training_progress progress = { .state = TRAINING_MISSING, .seconds = NAN };
    dlda_run_info *info = NULL;

    if (!record->exists) return progress;
    dlda_status status = dlda_run_info_read(folder, &info); /* may not exist yet */
    if (status == DLDA_E_MEMORY) exit(exit_code_of(reproduce_name, status));
    find_state(folder, info, record, &progress);
    if (info && info->steps_done > 0) {
        progress.done = info->epochs_done;
        progress.seconds = info->seconds;
    } else if (progress.state == TRAINING_COMPLETE) {
        progress.done = record->schedule.epochs; /* its checkpoint was removed */
        progress.seconds = record->seconds;
    }
    progress.updated = time_of(folder, "run.json");
    progress.epochs = record->schedule.epochs;
    if (progress.done > progress.epochs) progress.epochs = progress.done;
    if (progress.state == TRAINING_RUNNING) progress.epochs = running_epochs(folder, progress.epochs);
    else if (is_training(request, record)) {
        progress.state = TRAINING_RUNNING;
        progress.process = record->process;
    }
    dlda_run_info_destroy(info);
    return progress;
}

/* ---- Text ---- */

char *duration_text(double seconds)
{
    double minutes = round(seconds / 60);

    if (seconds < 59.5) return text_format("%.0f s", fmax(seconds, 1));
    if (minutes < 60) return text_format("%.0f min", minutes);
    return text_format("%.0f h %02.0f min", floor(minutes / 60), fmod(minutes, 60));
}

char *end_text(double seconds_left)
{
    time_t end = time(NULL) + (time_t)llround(seconds_left);
    struct tm local;
    char moment[32] = "";

    if (localtime_r(&end, &local)) strftime(moment, sizeof moment, "%Y-%m-%d %H:%M", &local);
    char *left = duration_text(seconds_left), *text = text_format("%s (in %s)", moment, left);
    free(left);
    return text;
}

/* The current epoch has been running since the last one ended. */
static double seconds_left(const training_progress *progress)
{
    double epoch = progress->seconds / (double)progress->done;
    double begun = difftime(time(NULL), progress->updated);

    return epoch * (double)(progress->epochs - progress->done) - fmin(fmax(begun, 0), epoch);
}

static char *running_text(const training_progress *progress)
{
    if (progress->done == 0 || progress->done >= progress->epochs || isnan(progress->seconds))
        return text_format("running as process %zu", progress->process);
    char *end = end_text(seconds_left(progress));
    char *text = text_format("running as process %zu, will end about %s", progress->process, end);
    free(end);
    return text;
}

char *progress_text(const training_progress *progress)
{
    static const char *const words[] = { [TRAINING_MISSING] = "nothing saved yet",
                                         [TRAINING_STOPPED] = "stopped",
                                         [TRAINING_COMPLETE] = "complete",
                                         [TRAINING_FAILED] = "failed" };
    char *state = progress->state == TRAINING_RUNNING ? running_text(progress)
                                                      : text_format("%s", words[progress->state]);
    char *spent = isnan(progress->seconds) || progress->done == 0 ? text_format("%s", "")
                                                                  : duration_text(progress->seconds);
    char *text = text_format("%zu of %zu epochs%s%s, %s", progress->done, progress->epochs, spent[0] ? " in " : "",
                             spent, state);

    free(spent);
    free(state);
    return text;
}
