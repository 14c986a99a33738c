/* SPDX-License-Identifier: MIT
 *
 * record.c - the folder of a run: options.json, history.csv, eigenvalues.csv, model.safetensors.
 *
 * Each file is replaced as a whole, so that whoever looks into the folder at any moment finds complete files.
 */
#include "base/file.h"
#include "base/memory.h"
#include "training/trainer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static dlda_status make_folder(const char *folder, int force)
{
    if (mkdir(folder, 0777) == 0) return DLDA_OK;
    if (errno != EEXIST) return dlda_fail(DLDA_E_IO, "%s: cannot make the folder: %s", folder, strerror(errno));
    if (!dlda_path_is_folder(folder)) return dlda_fail(DLDA_E_EXISTS, "%s: is there, and is not a folder", folder);
    if (!force)
        return dlda_fail(DLDA_E_EXISTS, "%s: the folder is there already; choose another, or use --force to write into it",
                         folder);
    return DLDA_OK;
}

static dlda_status write_options(const dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    DLDA_TRY(dlda_path_join(self->folder, "options.json", &path));
    DLDA_TRY(dlda_file_write(path, self->model->options, strlen(self->model->options)));
done:
    dlda_release(path);
    return status;
}

dlda_status dlda_trainer_record(dlda_trainer *self, const char *folder, int force)
{
    dlda_status status = DLDA_OK;
    char *copy = NULL;

    DLDA_TRY(dlda_take_text(folder, &copy));
    DLDA_TRY(make_folder(folder, force));
    dlda_release(self->folder);
    self->folder = copy;
    copy = NULL;
done:
    dlda_release(copy);
    return status;
}

dlda_status dlda_trainer_write_record(const dlda_trainer *self, int new_best)
{
    dlda_status status = DLDA_OK;
    char *history = NULL, *eigenvalues = NULL, *model = NULL;

    if (!self->folder) return DLDA_OK;
    DLDA_TRY(dlda_path_join(self->folder, "history.csv", &history));
    DLDA_TRY(dlda_path_join(self->folder, "eigenvalues.csv", &eigenvalues));
    DLDA_TRY(dlda_path_join(self->folder, "model.safetensors", &model));
    /* Not before there is a first epoch: until then, the files of an earlier run go together. */
    if (self->epochs_done == 1) DLDA_TRY(write_options(self));
    if (new_best) DLDA_TRY(dlda_model_save(self->model, model));
    DLDA_TRY(dlda_history_write(self->history, history));
    DLDA_TRY(dlda_history_write_eigenvalues(self->history, eigenvalues));
done:
    dlda_release(history);
    dlda_release(eigenvalues);
    dlda_release(model);
    return status;
}
