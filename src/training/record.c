/* SPDX-License-Identifier: MIT
 *
 * record.c - the run folder: options.json, history.csv, eigenvalues.csv, model.safetensors, run.json.
 *
 * Each file is replaced atomically, so a reader finds complete files at any time.
 */
#include "base/file.h"
#include "base/memory.h"
#include "training/run_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

dlda_status dlda_trainer_record(dlda_trainer *self, const char *folder, int force)
{
    DLDA_NEED(self, folder);
    dlda_status status = DLDA_OK;
    char *copy = NULL;

    if (self->clock.begin > 0) /* some files are written by the first epoch alone */
        DLDA_FAIL(DLDA_E_ARGUMENT, "record: %zu steps are done already, expected a trainer that has not begun",
                  self->steps_done);
    if (dlda_comm_rank(self->comm) > 0) return DLDA_OK; /* rank 0 writes for all */
    DLDA_TRY(dlda_take_text(folder, &copy));
    DLDA_TRY(make_folder(folder, force, &self->made_folder));
    dlda_folder_remove_leftovers(folder);
    dlda_release(self->folder);
    self->folder = copy;
    copy = NULL;
done:
    dlda_release(copy);
    return status == DLDA_OK ? status : dlda_comm_fail(self->comm, status);
}

void dlda_trainer_leave_folder(const dlda_trainer *self)
{
    if (self->folder && self->made_folder && self->epochs_done == 0)
        rmdir(self->folder); /* rmdir fails if it is not empty */
}

dlda_status dlda_trainer_write_record(const dlda_trainer *self, int new_best)
{
    dlda_status status = DLDA_OK;
    char *history = NULL, *eigenvalues = NULL, *model = NULL;

    if (!self->folder) return DLDA_OK;
    DLDA_TRY(dlda_path_join(self->folder, "history.csv", &history));
    DLDA_TRY(dlda_path_join(self->folder, "eigenvalues.csv", &eigenvalues));
    DLDA_TRY(dlda_path_join(self->folder, "model.safetensors", &model));
    /* Written after the first epoch only: until then the folder may hold the complete files of an earlier run. */
    if (self->epochs_done == 1) {
        DLDA_TRY(dlda_run_file_write(
            self, DLDA_RUN_RUNNING,
            NULL)); /* first, so that a reader of the other files sees that the run is not finished */
        DLDA_TRY(write_options(self));
    }
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
