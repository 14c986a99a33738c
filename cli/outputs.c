/* SPDX-License-Identifier: MIT
 *
 * outputs.c - checks the outputs of a command before any work is done. Inputs that the command line does not name are
 * found later (inputs.c).
 */
#include "outputs.h"
#include "base/file.h"
#include "base/memory.h"
#include "data/data.h"
#include "inputs.h"
#include "run_files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const outputs[] = { "output", "save", "answers" };
static const char *const inputs[] = { "compare", "apply", "train-data", "calibrate" };

enum { N_OUTPUTS = sizeof outputs / sizeof outputs[0], N_INPUTS = sizeof inputs / sizeof inputs[0] };

static int is_same_file(const struct stat *a, const struct stat *b)
{
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* 1 if an argument names the file: itself, or "-" for the standard input. */
static int names_file(const char *argument, const struct stat *file)
{
    struct stat info;
    int found = strcmp(argument, "-") == 0 ? fstat(STDIN_FILENO, &info) : stat(argument, &info);

    return found == 0 && is_same_file(&info, file);
}

/* 1 if `file` is folder/name. */
static int is_in_folder(const char *folder, const char *name, const struct stat *file)
{
    char *path = NULL;
    struct stat info;
    int found = dlda_path_join(folder, name, &path) == DLDA_OK && stat(path, &info) == 0;

    dlda_release(path);
    return found && is_same_file(&info, file);
}

/* 1 if an argument names the model: a file, or the folder of its run. */
static int names_model(const char *argument, const struct stat *file)
{
    return names_file(argument, file) || (argument[0] && is_in_folder(argument, run_file_at(0), file));
}

/* Why a file must not be written if a command has this argument; NULL if it may. The files of a run belong together,
 * whether a command reads all of them or not. */
static const char *find_objection(const char *argument, const struct stat *file)
{
    if (names_model(argument, file)) return "which is read as well";
    for (size_t i = 1; argument[0] && run_file_at(i); i++)
        if (is_in_folder(argument, run_file_at(i), file)) return "which belongs to a run that is read";
    return NULL;
}

/* 1 if the command updates the model that its first operand names, and `file` is that. */
static int is_updated(const cli_command *command, const cli_arguments *arguments, const struct stat *file)
{
    return command->replaces && arguments->n_words > 0 && names_model(arguments->words[0], file);
}

static const char *find_any_objection(const cli_arguments *arguments, size_t first, const struct stat *file)
{
    const char *why = option_is(arguments->options, "list", "true") ? find_objection("-", file) : NULL;

    for (size_t i = 0; !why && i < N_INPUTS; i++)
        why = find_objection(option_text(arguments->options, inputs[i]), file);
    for (size_t i = first; !why && i < arguments->n_words; i++) why = find_objection(arguments->words[i], file);
    return why;
}

/* A folder here hides the known set of its name: from then on, that name would mean the folder. Data may replace data. */
static int check_new_name(const cli_command *command, const char *option, const char *path)
{
    if (!known_set_find(path) || strcmp(command->name, "data convert") == 0) return EXIT_OK;
    return complain_usage(command->name, "option %s: found %s, the name of a data set; expected another name", option,
                          path);
}

/* A file that is read is not written over, unless that is what the command is for. */
static int check_output(const cli_command *command, const cli_arguments *arguments, const char *option)
{
    const char *path = option_text(arguments->options, option);
    struct stat file;

    if (stat(path, &file) != 0) return check_new_name(command, option, path);
    int updated = is_updated(command, arguments, &file);
    const char *why = find_any_objection(arguments, updated ? 1 : 0, &file);
    if (why)
        return complain_usage(command->name, "option %s: found %s, %s; expected another file", option, path, why);
    return updated ? exit_code_of(command->name, inputs_allow(path)) : EXIT_OK;
}

/* ---- Two outputs ---- */

/* Where an output will be: its folder, and its name there, which points into *target. */
static dlda_status find_place(const char *path, char **target, struct stat *folder)
{
    dlda_status status = DLDA_OK;
    char *above = NULL;

    DLDA_TRY(dlda_path_resolve(path, target));
    DLDA_TRY(dlda_path_folder(*target, &above));
    if (stat(above, folder) != 0) *folder = (struct stat){ 0 }; /* writing will report it */
done:
    dlda_release(above);
    return status;
}

static dlda_status compare_places(const char *a, const char *b, int *same)
{
    dlda_status status = DLDA_OK;
    char *one = NULL, *other = NULL;
    struct stat here, there;

    DLDA_TRY(find_place(a, &one, &here));
    DLDA_TRY(find_place(b, &other, &there));
    *same = here.st_ino == there.st_ino && here.st_dev == there.st_dev &&
            strcmp(dlda_path_name(one), dlda_path_name(other)) == 0;
done:
    dlda_release(one);
    dlda_release(other);
    return status;
}

static int check_pair(const cli_command *command, const cli_options *options, const char *first, const char *second)
{
    const char *a = option_text(options, first), *b = option_text(options, second);
    int same = 0;

    if (!a[0] || !b[0]) return EXIT_OK;
    int code = exit_code_of(command->name, compare_places(a, b, &same));
    if (code != EXIT_OK || !same) return code;
    return complain_usage(command->name,
                          "option %s: found %s, which option %s writes as well; expected another file", second, b,
                          first);
}

int outputs_check(const cli_command *command, const cli_arguments *arguments)
{
    int code = EXIT_OK;

    for (size_t i = 0; i < N_OUTPUTS; i++) {
        if (code == EXIT_OK) code = check_output(command, arguments, outputs[i]);
        for (size_t j = 0; j < i; j++)
            if (code == EXIT_OK) code = check_pair(command, arguments->options, outputs[j], outputs[i]);
    }
    return code;
}
