/* SPDX-License-Identifier: MIT
 *
 * record.c - the run folder: options.json, history.csv, eigenvalues.csv, model.safetensors, run.json.
 *
 * Each file is replaced atomically, so a reader finds complete files at any time. The folder is locked from the moment
 * the trainer records into it until the end of the run.
 */
#include "base/file.h"
#include "base/file_guard.h"
#include "base/memory.h"
#include "training/checkpoint.h"
#include "training/checkpoint_file.h"
#include "training/run_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The folder ---- */

static const char *const file_names[] = { "model.safetensors",  "history.csv",
                                          "eigenvalues.csv",    "options.json",
                                          "run.json",           DLDA_CHECKPOINT_PREVIOUS,
                                          DLDA_CHECKPOINT_NEXT, DLDA_CHECKPOINT_NEWEST };

/* The first ones are results of epochs, the last ones the state of a training. */
enum {
    N_RESULTS = 3,
    N_FILES = sizeof file_names / sizeof file_names[0],
    N_STATES = 2,
    N_OTHERS = N_FILES - N_STATES
};

/* 1 for the files that a training writes. */
static int is_own(const char *name)
{
    for (size_t i = 0; i < N_FILES; i++)
        if (strcmp(name, file_names[i]) == 0) return 1;
    return 0;
}

static dlda_status make_folder(const char *folder, int force, int *made)
{
    *made = mkdir(folder, 0777) == 0;
    if (*made) return DLDA_OK;
    if (errno != EEXIST) return dlda_fail(DLDA_E_IO, "%s: cannot make the folder: %s", folder, strerror(errno));
    if (!dlda_path_is_folder(folder)) return dlda_fail(DLDA_E_EXISTS, "%s: is there, and is not a folder", folder);
    if (!force) return dlda_fail(DLDA_E_EXISTS, "%s: the folder already exists", folder);
    return DLDA_OK;
}

static dlda_status write_options(const dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;
    char *path = NULL;

    DLDA_TRY(dlda_path_join(self->folder, "options.json", &path));
    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(dlda_file_writer_print(writer, "%s\n", self->model->options));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    dlda_release(path);
    return status;
}

/* A caller may resume a run that has ended while its trainer still exists: the lock is released at the end of a run, and
 * taken again if the run goes on. */
dlda_status dlda_trainer_lock_folder(dlda_trainer *self)
{
    return self->folder && !self->folder_lock ? dlda_folder_lock_take(self->folder, &self->folder_lock) : DLDA_OK;
}

void dlda_trainer_unlock_folder(dlda_trainer *self)
{
    dlda_folder_lock_release(self->folder_lock);
    self->folder_lock = NULL;
}

void dlda_trainer_leave_folder(dlda_trainer *self)
{
    if (self->folder && self->made_folder) rmdir(self->folder); /* fails if it is not empty */
    dlda_trainer_unlock_folder(self);
    dlda_release(self->folder);
    self->folder = NULL;
    self->made_folder = 0;
}

/* ---- Recording ---- */

/* Data, network and first weights have been read. If one of them has a name of this list, it would be lost. */
static dlda_status check_replaceable(const char *folder)
{
    dlda_status status = DLDA_OK;

    for (size_t i = 0; i < N_FILES && status == DLDA_OK; i++) {
        char *path = NULL;
        status = dlda_path_join(folder, file_names[i], &path);
        if (status == DLDA_OK) status = dlda_file_guard_replace(path);
        dlda_release(path);
    }
    return status;
}

dlda_status dlda_trainer_record(dlda_trainer *self, const char *folder, int force)
{
    DLDA_NEED(self, folder);
    dlda_status status = DLDA_OK;
    dlda_folder_lock *lock = NULL;
    char *copy = NULL;
    int made = 0;

    if (self->clock.begin > 0) /* the folder got its first files when the training began */
        DLDA_FAIL(DLDA_E_ARGUMENT, "record: %zu steps are done already, expected a trainer that has not begun",
                  self->steps_done);
    if (dlda_comm_rank(self->comm) > 0) return DLDA_OK; /* rank 0 writes for all */
    DLDA_TRY(dlda_take_text(folder, &copy));
    DLDA_TRY(make_folder(folder, force, &made));
    DLDA_TRY(check_replaceable(folder));
    DLDA_TRY(dlda_folder_lock_take(folder, &lock));
    dlda_folder_remove_leftovers(folder, is_own, 0);
    dlda_trainer_leave_folder(self);
    self->folder = copy;
    self->folder_lock = lock;
    self->made_folder = made;
    copy = NULL;
    lock = NULL;
done:
    if (status != DLDA_OK && made) rmdir(folder);
    dlda_folder_lock_release(lock);
    dlda_release(copy);
    return status == DLDA_OK ? status : dlda_comm_fail(self->comm, status);
}

/* ---- The first files ---- */

static dlda_status remove_file(const char *folder, const char *name)
{
    char *path = NULL;
    dlda_status status = dlda_path_join(folder, name, &path);

    if (status == DLDA_OK && unlink(path) != 0 && errno != ENOENT)
        status = dlda_fail(DLDA_E_IO, "%s: cannot remove: %s", path, strerror(errno));
    dlda_release(path);
    return status;
}

dlda_status dlda_trainer_remove_earlier(const dlda_trainer *self)
{
    dlda_status status = DLDA_OK;

    for (size_t i = 0; i < N_OTHERS; i++) DLDA_TRY(remove_file(self->folder, file_names[i]));
done:
    return status;
}

void dlda_trainer_remove_record(const dlda_trainer *self)
{
    for (size_t i = 0; i < N_FILES; i++) (void)remove_file(self->folder, file_names[i]);
}

static int has_file(const dlda_trainer *self, const char *name)
{
    char *path = NULL;
    int there = dlda_path_join(self->folder, name, &path) == DLDA_OK && dlda_path_exists(path);

    dlda_release(path);
    return there;
}

/* A training that ended between two files may lack some, and one that goes on from an older checkpoint has files of later
 * epochs; all of them follow from its checkpoint. */
static dlda_status restore_files(const dlda_trainer *self)
{
    int differs = self->went_back;

    for (size_t i = 0; i < N_RESULTS; i++) differs |= !has_file(self, file_names[i]);
    return differs && self->epochs_done > 0 ? dlda_trainer_write_record(self, self->best_epoch > 0) : DLDA_OK;
}

/* A run folder may come from others. Checkpoints are renamed, which replaces links by itself; until the first one is
 * there, a link to a checkpoint is the state of the folder. */
static dlda_status remove_links(const dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    for (size_t i = 0; i < N_FILES; i++) {
        if (strcmp(file_names[i], DLDA_CHECKPOINT_PREVIOUS) == 0 ||
            strcmp(file_names[i], DLDA_CHECKPOINT_NEWEST) == 0)
            continue;
        DLDA_TRY(dlda_path_join(self->folder, file_names[i], &path));
        DLDA_TRY(dlda_path_remove_link(path));
        dlda_release(path);
        path = NULL;
    }
done:
    dlda_release(path);
    return status;
}

/* The checkpoint is the state of the folder: when it is replaced, the other files of an earlier training are gone, and
 * those of this one are written after it. So the folder never has files of two trainings. */
dlda_status dlda_trainer_begin_record(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;

    if (!self->folder) return DLDA_OK;
    DLDA_TRY(remove_links(self));
    if (self->is_unsettled) DLDA_TRY(dlda_checkpoint_settle(self));
    else if (!self->has_checkpoint) DLDA_TRY(dlda_checkpoint_save(self));
    else DLDA_TRY(remove_file(self->folder, DLDA_CHECKPOINT_NEXT)); /* damaged, or not of this training */
    self->has_checkpoint = 1;
    self->is_unsettled = 0;
    DLDA_TRY(write_options(self));
    DLDA_TRY(dlda_run_file_write(self, DLDA_RUN_RUNNING, NULL));
    DLDA_TRY(restore_files(self));
done:
    return status;
}

/* ---- After an epoch ---- */

dlda_status dlda_trainer_write_record(const dlda_trainer *self, int new_best)
{
    dlda_status status = DLDA_OK;
    char *history = NULL, *eigenvalues = NULL, *model = NULL;

    if (!self->folder) return DLDA_OK;
    DLDA_TRY(dlda_path_join(self->folder, "history.csv", &history));
    DLDA_TRY(dlda_path_join(self->folder, "eigenvalues.csv", &eigenvalues));
    DLDA_TRY(dlda_path_join(self->folder, "model.safetensors", &model));
    if (new_best) DLDA_TRY(dlda_model_save(self->model, model));
    DLDA_TRY(dlda_history_write(self->history, history));
    DLDA_TRY(dlda_history_write_eigenvalues(self->history, eigenvalues));
    DLDA_TRY(dlda_run_file_write(self, DLDA_RUN_RUNNING, NULL));
done:
    dlda_release(history);
    dlda_release(eigenvalues);
    dlda_release(model);
    return status;
}
