/* SPDX-License-Identifier: MIT
 *
 * zsh.c - the completion script for zsh: a function for each command, which calls _arguments.
 */
#include "completion/completion.h"

#include <ctype.h>
#include <string.h>

static const char quote[] = "'\\''"; /* a single quote within single quotes */

/* The name of a function: "_deeplda_data_show" for "data show". */
static void print_function(FILE *file, const char *name)
{
    fputs("_deeplda_", file);
    for (; *name; name++) fputc(isalnum((unsigned char)*name) ? *name : '_', file);
}

/* ---- Values ---- */

static void print_files(FILE *file, const completion_value *value)
{
    fputs("_files", file);
    if (value->files == FILES_FOLDERS) fputs(" -/", file);
    if (value->files == FILES_ENDING) fprintf(file, " -g \"*.%s\"", value->ending);
}

/* Words and files need a function. */
static int is_mixed(const completion_value *value)
{
    return value->words[0] && value->files != FILES_NONE;
}

static void print_mixed(FILE *file)
{
    completion_value value;

    for (size_t i = 0; completion_value_at(i, &value); i++) {
        if (!is_mixed(&value)) continue;
        print_function(file, value.name);
        fprintf(file, "() {\n    _alternative 'names:name:(%s)' 'files:file:", value.words);
        print_files(file, &value);
        fputs("'\n}\n\n", file);
    }
}

/* ":MODEL:_files" */
static void print_value(FILE *file, const completion_value *value)
{
    fprintf(file, ":%s:", value->name);
    if (is_mixed(value)) print_function(file, value->name);
    else if (value->words[0]) fprintf(file, "(%s)", value->words);
    else if (value->files != FILES_NONE) print_files(file, value);
    else fputc(' ', file); /* anything */
}

/* ---- Commands ---- */

static void print_option(FILE *file, const cli_option *option, const char *command)
{
    const char *name = option->info->name;
    int has_value = option->info->argument != NULL;

    fputs("        '", file);
    if (option->letter)
        fprintf(file, "(-%c --%s)'{-%c%s,--%s%s}'", option->letter, name, option->letter, has_value ? "+" : "",
                name, has_value ? "=" : "");
    else fprintf(file, "--%s%s", name, has_value ? "=" : "");
    fputc('[', file);
    completion_describe_option(file, option, command, "[]:\\", quote);
    fputc(']', file);
    if (has_value) {
        completion_value value = completion_of_option(option);
        print_value(file, &value);
    }
    fputs("' \\\n", file);
    if (option_can_be_negated(option)) fprintf(file, "        '--no-%s[Turn --%s off]' \\\n", name, name);
}

static void print_command(FILE *file, const cli_command *command)
{
    cli_option option;
    completion_value value;

    print_function(file, command->name);
    fputs("() {\n    _arguments -s -S \\\n", file);
    for (size_t i = 0; option_at(i, &option); i++)
        if (option_belongs(&option, command->name)) print_option(file, &option, command->name);
    for (size_t i = 0; completion_operand(command, i, &value); i++) {
        if (value.repeats) fputs("        '*", file);
        else fprintf(file, "        '%zu%s", i + 1, value.optional ? ":" : "");
        print_value(file, &value);
        fputs("' \\\n", file);
    }
    fputs("        && return\n}\n\n", file);
}

/* ---- Commands that have others below them ---- */

static void print_name(FILE *file, const char *name, const char *summary)
{
    fprintf(file, "        '%s:", name);
    completion_describe(file, summary, ":\\", quote);
    fputs("'\n", file);
}

/* The first word is a command of the list `names`, and has a function that completes the others. */
static void print_choice(FILE *file, const char *prefix)
{
    fprintf(
        file,
        "    )\n"
        "    _arguments -C -A '-*' '(- *)'{-h,--help}'[Explain the command]' '1: :->name' '*:: :->rest' && return\n"
        "    case $state in\n"
        "    name) _describe -t commands command names ;;\n"
        "    rest) (( $+functions[%s_$words[1]] )) && %s_$words[1] ;;\n"
        "    esac\n}\n\n",
        prefix, prefix);
}

static void print_verbs(FILE *file, const cli_command *command)
{
    char prefix[64];

    fprintf(file, "_deeplda_%s() {\n    local state\n    local -a names=(\n", command->name);
    for (size_t v = 0; command->verbs[v]; v++)
        print_name(file, verb_word(command->verbs[v]), command->verbs[v]->summary);
    snprintf(prefix, sizeof prefix, "_deeplda_%s", command->name);
    print_choice(file, prefix);
}

void completion_zsh(FILE *file)
{
    fputs("#compdef deeplda\n# zsh completion for deeplda, printed by `deeplda completion zsh`\n\n", file);
    print_mixed(file);
    completion_each_command(file, print_command);
    for (size_t i = 0; command_at(i); i++)
        if (command_at(i)->verbs) print_verbs(file, command_at(i));
    fprintf(file, "_deeplda_completion() {\n    _arguments '1:shell:(%s)'\n}\n\n", completion_shells);
    fputs("_deeplda() {\n    local state\n    local -a names=(\n", file);
    for (size_t i = 0; command_at(i); i++) print_name(file, command_at(i)->name, command_at(i)->summary);
    print_name(file, "completion", completion_summary);
    print_choice(file, "_deeplda");
    fputs("if [ \"$funcstack[1]\" = _deeplda ]; then _deeplda \"$@\"; else compdef _deeplda deeplda; fi\n", file);
}
