/* SPDX-License-Identifier: MIT
 *
 * fish.c - the completion script for fish: a `complete` command for each option of each command.
 */
#include "completion/completion.h"

static const char quote[] = "\\'"; /* a single quote within single quotes */

/* ---- Values ---- */

/* The words and files of a value as options of `complete`. */
static void print_value(FILE *file, const completion_value *value)
{
    int suggests = value->words[0] || value->files == FILES_FOLDERS || value->files == FILES_ENDING;

    fputs(value->files == FILES_ANY ? " -F" : " -f", file);
    if (!suggests) return;
    fprintf(file, " -a '%s", value->words);
    if (value->files == FILES_FOLDERS) fputs(" (__fish_complete_directories)", file);
    if (value->files == FILES_ENDING) fprintf(file, " (__fish_complete_suffix .%s)", value->ending);
    fputc('\'', file);
}

/* ---- Commands ---- */

static void print_condition(FILE *file, const char *command)
{
    fprintf(file, "complete -c deeplda -n '__deeplda_is %s'", command);
}

static void print_description(FILE *file, const char *text)
{
    fputs(" -d '", file);
    completion_describe(file, text, "\\", quote);
    fputs("'\n", file);
}

static void print_option(FILE *file, const cli_option *option, const char *command)
{
    print_condition(file, command);
    if (option->letter) fprintf(file, " -s %c", option->letter);
    fprintf(file, " -l %s", option->info->name);
    if (option->info->argument) {
        completion_value value = completion_of_option(option);
        fputs(" -r", file);
        print_value(file, &value);
    }
    fputs(" -d '", file);
    completion_describe_option(file, option, command, "\\", quote);
    fputs("'\n", file);
    if (!option_can_be_negated(option)) return;
    print_condition(file, command);
    fprintf(file, " -l no-%s -d 'Turn --%s off'\n", option->info->name, option->info->name);
}

static void print_command(FILE *file, const cli_command *command)
{
    cli_option option;
    completion_value value;

    fprintf(file, "\n# deeplda %s\n", command->name);
    for (size_t i = 0; completion_operand(command, i, &value); i++) {
        print_condition(file, command->name);
        print_value(file, &value);
        fprintf(file, " -d '%s'\n", value.name);
    }
    for (size_t i = 0; option_at(i, &option); i++)
        if (option_belongs(&option, command->name)) print_option(file, &option, command->name);
}

/* ---- The script ---- */

static const char head[] = "# fish completion for deeplda, printed by `deeplda completion fish`\n"
                           "\n"
                           "function __deeplda_is # COMMAND...: the command line begins with these words\n"
                           "    set -l words (commandline -opc)\n"
                           "    set -e words[1]\n"
                           "    set -l n (count $argv)\n"
                           "    test (count $words) -ge $n; and test \"$words[1..$n]\" = \"$argv\"\n"
                           "end\n"
                           "\n"
                           "function __deeplda_is_only # COMMAND...: the command line is these words\n"
                           "    set -l words (commandline -opc)\n"
                           "    set -e words[1]\n"
                           "    test \"$words\" = \"$argv\"\n"
                           "end\n"
                           "\n"
                           "complete -c deeplda -f\n"
                           "complete -c deeplda -n __deeplda_is_only -s h -l help -d 'Help'\n"
                           "complete -c deeplda -n __deeplda_is_only -s V -l version -d 'Version'\n";

void completion_fish(FILE *file)
{
    const cli_command *command = NULL;

    fputs(head, file);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        fprintf(file, "complete -c deeplda -n __deeplda_is_only -a %s", command->name);
        print_description(file, command->summary);
        for (size_t v = 0; command->verbs && command->verbs[v]; v++) {
            fprintf(file, "complete -c deeplda -n '__deeplda_is_only %s' -a %s", command->name,
                    verb_word(command->verbs[v]));
            print_description(file, command->verbs[v]->summary);
        }
    }
    fputs("complete -c deeplda -n __deeplda_is_only -a completion", file);
    print_description(file, completion_summary);
    fprintf(file, "complete -c deeplda -n '__deeplda_is_only completion' -a '%s'\n", completion_shells);
    completion_each_command(file, print_command);
}
