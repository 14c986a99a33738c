/* SPDX-License-Identifier: MIT
 *
 * completion.c - `deeplda completion SHELL`: what can be completed, for the scripts of all shells.
 *
 * The placeholder of an operand or of an option's value says what it is: MODEL, DATA, FILE. Choices come from the
 * tables of options; names of data sets and of experiments from their tables.
 */
#include "completion/completion.h"
#include "data/data.h"
#include "reproduce/experiments.h"

#include <stdlib.h>
#include <string.h>

/* ---- Values ---- */

#define NETWORKS "mnist cifar10 stl10 cnn mlp"

/* By name: an option whose value is one of some words although it has no choices, or a placeholder. */
static const struct {
    const char *name, *words;
    completion_files files;
    const char *ending;
} values[] = {
    { "format", "idx cifar10 cifar100 stl10 npy npz csv folder picture", FILES_NONE, NULL },
    { "prepare", "scale standardise gcn zca", FILES_NONE, NULL },
    { "priors", "uniform data", FILES_NONE, NULL },
    { "rows", "all deeplda svm cce cce-lda ours ours-lda", FILES_NONE, NULL },
    { "shrinkage", "auto", FILES_NONE, NULL },
    { "DATA", "", FILES_ANY, NULL },
    { "EXPERIMENT", "", FILES_NONE, NULL },
    { "FILE", "", FILES_ANY, NULL },
    { "FILE|NET", NETWORKS, FILES_ANY, NULL },
    { "LABELS", "", FILES_ANY, NULL },
    { "MODEL", "", FILES_ENDING, "safetensors" },
    { "NET", NETWORKS, FILES_ENDING, "net" },
    { "PATH", "", FILES_ANY, NULL },
    { "RUN", "", FILES_FOLDERS, NULL },
    { "SET", "", FILES_NONE, NULL },
    { "TABLE", "", FILES_ANY, NULL },
};

static void add_word(completion_value *value, const char *word)
{
    size_t used = strlen(value->words);

    snprintf(value->words + used, sizeof value->words - used, "%s%s", used ? " " : "", word);
}

static void add_sets(completion_value *value, int only_packages)
{
    if (!only_packages) add_word(value, "digits");
    for (size_t i = 0; i < n_known_sets; i++)
        if (!only_packages || known_sets[i].package) add_word(value, known_sets[i].name);
}

static void add_experiments(completion_value *value)
{
    for (size_t i = 0; experiment_at(i); i++) add_word(value, experiment_at(i)->name);
}

int completion_value_at(size_t i, completion_value *value)
{
    if (i >= sizeof values / sizeof values[0]) return 0;
    const char *name = values[i].name;
    *value = (completion_value){ .files = values[i].files, .ending = values[i].ending };
    snprintf(value->name, sizeof value->name, "%s", name);
    snprintf(value->words, sizeof value->words, "%s", values[i].words);
    if (strcmp(name, "DATA") == 0) add_sets(value, 0);
    if (strcmp(name, "SET") == 0) add_sets(value, 1);
    if (strcmp(name, "EXPERIMENT") == 0) add_experiments(value);
    return 1;
}

static int find_value(const char *name, completion_value *value)
{
    for (size_t i = 0; completion_value_at(i, value); i++)
        if (strcmp(value->name, name) == 0) return 1;
    *value = (completion_value){ .files = FILES_NONE };
    return 0;
}

completion_value completion_of_option(const cli_option *option)
{
    const dlda_option_info *info = option->info;
    completion_value value = { .files = FILES_NONE };

    if (info->type == DLDA_OPTION_TEXT && !find_value(info->name, &value)) find_value(info->argument, &value);
    snprintf(value.name, sizeof value.name, "%s", info->argument);
    if (info->choices) snprintf(value.words, sizeof value.words, "%s", info->choices);
    for (char *bar = value.words; (bar = strchr(bar, '|')) != NULL;) *bar = ' ';
    return value;
}

int completion_operand(const cli_command *command, size_t i, completion_value *value)
{
    const char *at = command->operands;

    for (size_t n = 0; *at && *at != '-'; n++) { /* required options follow the operands */
        size_t length = strcspn(at, " ");
        char name[32];
        int optional = at[0] == '[';
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + optional, "]. "), at + optional);
        if (n == i) {
            find_value(name, value);
            snprintf(value->name, sizeof value->name, "%s", name);
            value->optional = optional;
            value->repeats = length > 3 && strncmp(at + length - 3, "...", 3) == 0;
            return 1;
        }
        at += length + strspn(at + length, " ");
    }
    return 0;
}

/* ---- Shared by the shells ---- */

void completion_each_command(FILE *file, void (*visit)(FILE *file, const cli_command *command))
{
    const cli_command *command = NULL;

    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (!command->verbs) visit(file, command);
        for (size_t v = 0; command->verbs && command->verbs[v]; v++) visit(file, command->verbs[v]);
    }
}

void completion_describe(FILE *file, const char *text, const char *special, const char *quote)
{
    for (const char *at = text; *at; at++) {
        if ((*at == '.' || *at == ';') && (at[1] == ' ' || at[1] == '\0')) return;
        if (*at == '\'') {
            fputs(quote, file);
            continue;
        }
        if (strchr(special, *at)) fputc('\\', file);
        fputc(*at, file);
    }
}

void completion_describe_option(FILE *file, const cli_option *option, const char *command, const char *special,
                                const char *quote)
{
    const char *help = option_help(option, command);
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (memory) print_with_dashes(memory, help);
    if (memory) fclose(memory);
    completion_describe(file, text ? text : help, special, quote);
    free(text);
}

const char completion_shells[] = "bash zsh fish", completion_summary[] = "Print a completion script for a shell.";

int completion_print(const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(FILE *file);
    } shells[] = { { "bash", completion_bash }, { "zsh", completion_zsh }, { "fish", completion_fish } };

    for (size_t i = 0; shell && i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print(stdout);
            return finish_stdout("completion", EXIT_OK);
        }
    if (!shell) return complain_usage(NULL, "completion: expected a shell: bash, zsh or fish");
    return complain_usage(NULL, "completion: found '%s', expected bash, zsh or fish", shell);
}
