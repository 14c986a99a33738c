/* SPDX-License-Identifier: MIT
 *
 * find_model.c - finds model files, and explains what was given instead of one.
 */
#include "find_model.h"
#include "base/file.h"
#include "base/memory.h"
#include "info/file_kind.h"
#include "run_files.h"
#include "words.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char model_name[] = "model.safetensors";

/* 1 if folder/name exists. */
static int has_file(const char *folder, const char *name)
{
    char *path = NULL;
    int found = dlda_path_join(folder, name, &path) == DLDA_OK && dlda_path_exists(path);

    dlda_release(path);
    return found;
}

int folder_has_record(const char *folder)
{
    for (size_t i = 1; run_file_at(i); i++)
        if (has_file(folder, run_file_at(i))) return 1;
    return 0;
}

typedef struct usage_text {
    char text[200];
} usage_text;

/* "; usage: deeplda predict MODEL FILE...", since the operands may be in the wrong order; "" if the model is an option. */
static usage_text show_usage(const char *command)
{
    usage_text usage = { "" };
    const cli_command *found = NULL;

    for (size_t i = 0; (found = command_at(i)) != NULL && strcmp(found->name, command) != 0;) i++;
    if (found && strncmp(found->operands, "MODEL", 5) == 0)
        snprintf(usage.text, sizeof usage.text, "; usage: deeplda %s %s", command, found->operands);
    return usage;
}

/* ---- Folders ---- */

/* 1 if a folder has nothing but files in the making, as that of a training in its first epoch. */
static int is_empty(const char *folder)
{
    DIR *stream = opendir(folder);
    int empty = stream != NULL;

    for (struct dirent *entry = empty ? readdir(stream) : NULL; entry && empty; entry = readdir(stream))
        empty = entry->d_name[0] == '.' || strstr(entry->d_name, ".tmp-") != NULL;
    if (stream) closedir(stream);
    return empty;
}

static void complain_no_model(const char *command, const char *folder)
{
    dlda_run_info *info = NULL;
    dlda_run_state state = dlda_run_info_read(folder, &info) == DLDA_OK ? info->state : DLDA_RUN_UNKNOWN;
    size_t epochs = info ? info->epochs_done : 0, steps = info ? info->steps_done : 0;
    char *quoted = text_quoted(folder);

    if (state == DLDA_RUN_FAILED)
        complain(command, "%s: has no %s: its training failed; run.json has the reason", folder, model_name);
    else if (epochs > 0)
        complain(command, "%s: has no %s, although %zu epochs are complete; to continue: deeplda train --resume %s",
                 folder, model_name, epochs, quoted);
    else if (steps > 0)
        complain(command,
                 "%s: has no %s yet, which is written after the first epoch; %zu batches of it are done. If its "
                 "training was stopped, continue it: deeplda train --resume %s",
                 folder, model_name, steps, quoted);
    else complain(command, "%s: has no %s yet; a training writes it after its first epoch", folder, model_name);
    dlda_run_info_destroy(info);
    free(quoted);
}

static int find_in_folder(const char *command, const char *folder, char **path)
{
    if (has_file(folder, model_name)) return exit_code_of(command, dlda_path_join(folder, model_name, path));
    if (folder_has_record(folder) || is_empty(folder)) complain_no_model(command, folder);
    else
        complain(command, "%s: not a run folder: it has no %s; expected a model file or a run folder%s", folder,
                 model_name, show_usage(command).text);
    return EXIT_FAILED;
}

/* ---- Files ---- */

/* The model beside a checkpoint, or how to get one. */
static void complain_checkpoint(const char *command, const char *path)
{
    char *folder = NULL, *quoted = NULL;

    if (dlda_path_folder(path, &folder) != DLDA_OK) {
        exit_code_of(command, DLDA_E_MEMORY);
        return;
    }
    quoted = text_quoted(folder);
    if (has_file(folder, model_name))
        complain(command, "%s: found a checkpoint (of a training), expected a model; that of this run is %s/%s",
                 path, folder, model_name);
    else
        complain(command,
                 "%s: found a checkpoint (of a training), expected a model, which its training writes; to continue "
                 "it: deeplda train --resume %s",
                 path, quoted);
    free(quoted);
    dlda_release(folder);
}

/* What a file is that is not a model. */
static const char *name_of_data(file_kind kind)
{
    switch (kind) {
    case FILE_KIND_PICTURE: return "a picture";
    case FILE_KIND_ARRAY: return "an array of data";
    case FILE_KIND_TABLE: return "a table (CSV)";
    default: return NULL;
    }
}

/* The same with what to do. */
static const char *describe(file_kind kind)
{
    switch (kind) {
    case FILE_KIND_LDA:
        return "found an LDA (without a network), expected a model; 'deeplda lda TABLE --apply FILE' applies it";
    case FILE_KIND_ONNX:
        return "found an ONNX file, expected a model; give the model that it was exported from. 'deeplda info' "
               "describes the file";
    case FILE_KIND_NETWORK:
        return "found a network text, expected a trained model; 'deeplda train DATA --net FILE' trains it";
    default: return NULL;
    }
}

/* Other files of a run stand in for it by mistake. */
static int is_record(const char *path)
{
    static const char *const names[] = { "options.json", "run.json", "history.csv", "eigenvalues.csv",
                                         "report.html" };
    const char *name = dlda_path_name(path);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

static int check_file(const char *command, const char *path)
{
    file_kind kind = file_kind_of(path);
    const char *text = describe(kind), *data = name_of_data(kind);

    if (kind == FILE_KIND_CHECKPOINT) complain_checkpoint(command, path);
    else if (is_record(path)) complain(command, "%s: a file of a run, expected its folder or a model file", path);
    else if (text) complain(command, "%s: %s", path, text);
    else if (data)
        complain(command, "%s: found %s, expected a model file or a run folder%s", path, data,
                 show_usage(command).text);
    else return EXIT_OK;
    return EXIT_FAILED;
}

int model_find(const char *command, const char *given, char **path)
{
    if (!dlda_path_exists(given) && errno == ENOENT) {
        complain(command, "%s: does not exist; expected a model file or a run folder", given);
        return EXIT_FAILED;
    }
    if (dlda_path_is_folder(given)) return find_in_folder(command, given, path);
    int code = check_file(command, given);
    return code == EXIT_OK ? exit_code_of(command, dlda_take_text(given, path)) : code;
}

int model_open(const char *command, const char *given, dlda_model **model)
{
    char *path = NULL;
    int code = model_find(command, given, &path);

    if (code == EXIT_OK) code = exit_code_of(command, dlda_model_load(path, model));
    dlda_release(path);
    return code;
}
