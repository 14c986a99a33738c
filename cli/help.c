/* SPDX-License-Identifier: MIT
 *
 * help.c - prints `deeplda --help` and `deeplda COMMAND --help`.
 */
#include "help.h"
#include "arguments.h"

#include <string.h>

enum { HELP_COLUMNS = 80, OPTION_COLUMN = 26 };

/* Prints text from column `at` on, wrapped at HELP_COLUMNS and indented by `indent`. */
static void print_wrapped(FILE *file, const char *text, size_t at, size_t indent)
{
    size_t column = at;

    for (const char *word = text; *word;) {
        size_t length = strcspn(word, " \n");
        if (column > indent && column + 1 + length > HELP_COLUMNS) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', file);
            column++;
        }
        fwrite(word, 1, length, file);
        column += length;
        word += length;
        word += strspn(word, " ");
        if (*word == '\n') { /* a new paragraph */
            word++;
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
        }
    }
    fputc('\n', file);
}

/* "-b, --batch N", padded to OPTION_COLUMN columns; a longer one gets its own line. */
static void print_option_name(FILE *file, const cli_option *option)
{
    char name[HELP_COLUMNS];
    char letter[8] = "   ";

    if (option->letter) snprintf(letter, sizeof letter, "-%c,", option->letter);
    const char *argument = option->info->argument;
    snprintf(name, sizeof name, "  %s --%s%s%s", letter, option->info->name, argument ? " " : "",
             argument ? argument : "");
    fprintf(file, "%-*s", OPTION_COLUMN, name);
    if (strlen(name) >= OPTION_COLUMN) fprintf(file, "\n%*s", OPTION_COLUMN, "");
}

/* Length of the prefix of a sentence for one command, "train: " or "data show: "; 0 if it is for all commands. */
static size_t scope_length(const char *sentence)
{
    size_t word = strcspn(sentence, " :"), length = strspn(sentence, "abcdefghijklmnopqrstuvwxyz ");
    const cli_command *command = NULL;

    if (strncmp(sentence + length, ": ", 2) != 0) return 0;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        if (strlen(command->name) == word && strncmp(sentence, command->name, word) == 0) return length + 2;
    return 0;
}

/* Removes the sentences for other commands from the text of an option, and redundant names of the command itself:
 * at the start ("train: folder" becomes "Folder") and before a verb ("data show: " becomes "show: "). */
static void keep_sentences_of(const char *command, char *text)
{
    size_t name = strlen(command);
    char *to = text;
    int keep = 1;

    for (const char *from = text, *next = NULL; *from; from = next) {
        size_t scope = scope_length(from);
        const char *stop = strstr(from, ". ");
        next = stop ? stop + 2 : from + strlen(from);
        if (scope) keep = strcspn(from, " :") == name && strncmp(from, command, name) == 0;
        if (!keep) continue;
        int starts = scope && to == text && from[name] == ':', verb = scope && from[name] == ' ';
        from += starts ? scope : verb ? name + 1 : 0;
        memmove(to, from, (size_t)(next - from));
        if (starts && *to >= 'a' && *to <= 'z') *to = (char)(*to - 'a' + 'A');
        to += next - from;
    }
    while (to > text && to[-1] == ' ') to--;
    *to = '\0';
}

static void print_option(FILE *file, const cli_option *option, const char *command)
{
    const dlda_option_info *info = option->info;
    const char *remark = option->remark, *initial = info->argument ? info->initial : "";
    char text[1024];

    snprintf(text, sizeof text, "%s%s%s", info->help, remark ? " " : "", remark ? remark : "");
    keep_sentences_of(command, text);
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%s%s%s%s%s", info->choices ? " One of " : "",
             info->choices ? info->choices : "", info->choices ? "." : "", initial[0] ? " [" : "", initial,
             initial[0] ? "]" : "");
    print_option_name(file, option);
    print_wrapped(file, text, OPTION_COLUMN, OPTION_COLUMN);
}

static void print_examples(FILE *file, const char *examples)
{
    fputs("\nExamples:\n", file);
    for (const char *line = examples; *line;) {
        size_t length = strcspn(line, "\n");
        fprintf(file, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* One preset: "--batch 1000 (lda)". */
static void add_preset(const dlda_preset *row, char *text, size_t size)
{
    size_t used = strlen(text);
    int flag = strcmp(row->value, "true") == 0;

    used += (size_t)snprintf(text + used, size - used, "%s--%s%s%s", used ? " " : "", row->option, flag ? "" : " ",
                             flag ? "" : row->value);
    if (row->objective[0] && used < size) snprintf(text + used, size - used, " (%s)", row->objective);
}

static void print_presets(FILE *file)
{
    enum { COLUMN = 12 };

    fputs("\nPresets for known data sets; explicit options take precedence:\n", file);
    for (size_t i = 0; dlda_preset_at(i);) {
        char text[1024] = "";
        const dlda_preset *first = dlda_preset_at(i), *row = first;
        for (; row && strcmp(row->data, first->data) == 0; row = dlda_preset_at(++i))
            add_preset(row, text, sizeof text);
        fprintf(file, "  %-*s", COLUMN - 2, first->data);
        print_wrapped(file, text, COLUMN, COLUMN);
    }
}

void help_command(FILE *file, const cli_command *command)
{
    cli_option option;

    fprintf(file, "Usage: deeplda %s [OPTION]... %s\n", command->name, command->operands);
    print_wrapped(file, command->summary, 0, 0);
    fputc('\n', file);
    print_wrapped(file, command->details, 0, 0);
    fputs("\nOptions, with their defaults in brackets:\n", file);
    for (size_t i = 0; option_at(i, &option); i++)
        if (option_belongs(&option, command->name)) print_option(file, &option, command->name);
    if (command->takes_presets) print_presets(file);
    print_examples(file, command->examples);
}

void help_program(FILE *file)
{
    const cli_command *command = NULL;

    fputs("Usage: deeplda COMMAND [OPTION]... [WORD]...\n"
          "Deep Linear Discriminant Analysis: networks whose features are linearly separable.\n\nCommands:\n",
          file);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        fprintf(file, "  %-9s %s\n", command->name, command->summary);
    fputs("\nOptions:\n"
          "  -h, --help      this text; after a command, the help of that command\n"
          "  -V, --version   the version\n",
          file);
    print_examples(file, "deeplda train digits -o run\n"
                         "deeplda eval run\n"
                         "deeplda predict run seven.png");
    fputs("\nExit status: 0 ok, 1 failure, 2 a mistake on the command line.\n", file);
}
