/* SPDX-License-Identifier: MIT
 *
 * bash.c - the completion script for bash.
 *
 * It needs no function of the package bash-completion, which only loads it when it is first used.
 */
#include "completion/completion.h"

/* ---- Values ---- */

static void print_value(FILE *file, const completion_value *value)
{
    if (value->words[0]) fprintf(file, " _deeplda_words '%s';", value->words);
    if (value->files == FILES_ANY) fputs(" _deeplda_files '';", file);
    if (value->files == FILES_FOLDERS) fputs(" _deeplda_files /;", file);
    if (value->files == FILES_ENDING) fprintf(file, " _deeplda_files .%s;", value->ending);
    if (!value->words[0] && value->files == FILES_NONE) fputs(" ;", file); /* anything */
}

static void print_option_values(FILE *file)
{
    cli_option option;

    for (size_t i = 0; option_at(i, &option); i++) {
        if (!option.info->argument) continue;
        completion_value value = completion_of_option(&option);
        fprintf(file, "    --%s", option.info->name);
        if (option.letter) fprintf(file, " | -%c", option.letter);
        fputc(')', file);
        print_value(file, &value);
        fputs(";\n", file);
    }
    fputs("    *) return 1 ;;\n", file);
}

/* ---- Commands ---- */

static void print_options(FILE *file, const cli_command *command)
{
    cli_option option;

    fprintf(file, "    '%s') _deeplda_words '", command->name);
    for (size_t i = 0; option_at(i, &option); i++) {
        if (!option_belongs(&option, command->name)) continue;
        fprintf(file, "--%s ", option.info->name);
        if (option_can_be_negated(&option)) fprintf(file, "--no-%s ", option.info->name);
        if (option.letter) fprintf(file, "-%c ", option.letter);
    }
    fputs("' ;;\n", file);
}

static void print_operands(FILE *file, const cli_command *command)
{
    completion_value value;

    for (size_t i = 0; completion_operand(command, i, &value); i++) {
        if (value.repeats) fprintf(file, "    '%s '*)", command->name);
        else fprintf(file, "    '%s %zu')", command->name, i);
        print_value(file, &value);
        fputs(";\n", file);
    }
}

static void print_commands(FILE *file, const char *pattern)
{
    fprintf(file, "    %s) _deeplda_words '", pattern);
    for (size_t i = 0; command_at(i); i++) fprintf(file, "%s ", command_at(i)->name);
    fputs("help completion' ;;\n", file);
}

/* The second word of commands that have verbs. */
static void print_verbs(FILE *file)
{
    const cli_command *command = NULL;

    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (!command->verbs) continue;
        fprintf(file, "    '%s 0') _deeplda_words '", command->name);
        for (size_t v = 0; command->verbs[v]; v++) fprintf(file, "%s ", verb_word(command->verbs[v]));
        fputs("' ;;\n", file);
    }
}

static void print_commands_with_verbs(FILE *file)
{
    int any = 0;

    for (size_t i = 0; command_at(i); i++)
        if (command_at(i)->verbs) fprintf(file, "%s%s", any++ ? " | " : "", command_at(i)->name);
}

/* ---- The script ---- */

static const char functions[] =
    "# bash completion for deeplda, printed by `deeplda completion bash`\n"
    "\n"
    "_deeplda_add() # COMMAND...: adds the lines that it prints\n"
    "{\n"
    "    local found\n"
    "    mapfile -t found < <(\"$@\")\n"
    "    COMPREPLY+=(\"${found[@]}\")\n"
    "}\n"
    "\n"
    "_deeplda_words() # WORDS: those that begin like the current word\n"
    "{\n"
    "    _deeplda_add compgen -W \"$1\" -- \"$current\"\n"
    "}\n"
    "\n"
    "_deeplda_files() # ENDING: folders, and files that end so; /: folders only; '': all files\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    if [[ -z $1 ]]; then\n"
    "        _deeplda_add compgen -f -- \"$current\"\n"
    "    else\n"
    "        _deeplda_add compgen -d -- \"$current\"\n"
    "        [[ $1 == / ]] || _deeplda_add compgen -f -X \"!*$1\" -- \"$current\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "_deeplda_value() # OPTION: completes its value; fails if it takes none\n"
    "{\n"
    "    case $1 in\n";

static const char count_operands[] =
    "    esac\n"
    "}\n"
    "\n"
    "_deeplda()\n"
    "{\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word i n=0\n"
    "    # \"--net=mnist\" is three words\n"
    "    [[ $current == '=' ]] && current=''\n"
    "    [[ $previous == '=' ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    # the command, and the number of operands before the current word, without the values of options\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $word == -* ]]; then\n"
    "            [[ ${COMP_WORDS[i + 1]} == '=' ]] && ((i++))\n"
    "            (_deeplda_value \"$word\") &>/dev/null && ((i++))\n"
    "        elif [[ -z $command ]]; then\n"
    "            command=$word\n"
    "        else\n"
    "            case $command in\n"
    "            ";

static const char choose_options[] = ") command+=\" $word\" ;;\n"
                                     "            *) ((n++)) ;;\n"
                                     "            esac\n"
                                     "        fi\n"
                                     "    done\n"
                                     "    COMPREPLY=()\n"
                                     "    _deeplda_value \"$previous\" && return\n"
                                     "    if [[ $current == -* ]]; then\n"
                                     "    case $command in\n"
                                     "    '') _deeplda_words '--help --version' ;;\n";

static const char choose_operands[] = "    esac\n"
                                      "    return\n"
                                      "    fi\n"
                                      "    case ${command:+$command $n} in\n";

static const char end[] = "    esac\n"
                          "}\n"
                          "\n"
                          "complete -F _deeplda deeplda\n";

void completion_bash(FILE *file)
{
    fputs(functions, file);
    print_option_values(file);
    fputs(count_operands, file);
    print_commands_with_verbs(file);
    fputs(choose_options, file);
    completion_each_command(file, print_options);
    fputs(choose_operands, file);
    print_commands(file, "''");
    print_commands(file, "'help 0'");
    fprintf(file, "    'completion 0') _deeplda_words '%s' ;;\n", completion_shells);
    print_verbs(file);
    completion_each_command(file, print_operands);
    fputs(end, file);
}
