/* SPDX-License-Identifier: MIT
 *
 * help.c - prints `deeplda --help` and `deeplda COMMAND --help`.
 */
#include "help.h"
#include "doc_folder.h"
#include "terminal/colour.h"
#include "terminal/print.h"

#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMNS = 80, OPTION_COLUMN = 26, COMMAND_COLUMN = 12 };

/* The length of a word, or of its part that fits into `most` columns: lists of values may be divided after a bar. */
static size_t word_length(const char *word, size_t most)
{
    size_t length = strcspn(word, " \n"), part = most;

    if (length <= most) return length;
    while (part > 0 && word[part - 1] != '|') part--;
    return part > 0 ? part : length;
}

/* Prints text from column `at` on, wrapped at HELP_COLUMNS and indented by `indent`. */
static void print_wrapped(FILE *file, const char *text, size_t at, size_t indent)
{
    size_t column = at;

    for (const char *word = text; *word;) {
        size_t length = word_length(word, HELP_COLUMNS - indent);
        if (column > indent && column + 1 + length > HELP_COLUMNS) {
            print_to(file, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', file);
            column++;
        }
        print_to(file, "%.*s", (int)length, word);
        column += length;
        word += length;
        word += strspn(word, " ");
        if (*word == '\n') { /* a new paragraph */
            word++;
            print_to(file, "\n%*s", (int)indent, "");
            column = indent;
        }
    }
    fputc('\n', file);
}

/* A heading after an empty line, and the rest of its line. */
static void print_heading(FILE *file, const char *words, const char *rest)
{
    print_to(file, "\n%s%s%s%s\n", colour(file, COLOUR_HEADING), words, colour(file, COLOUR_END), rest);
}

static void print_usage(FILE *file)
{
    print_to(file, "%sUsage:%s ", colour(file, COLOUR_HEADING), colour(file, COLOUR_END));
}

/* "-b, --batch N", padded to OPTION_COLUMN columns; a longer one gets its own line. A flag of the library may be on
 * by the data or their presets, so it can be turned off. */
static void print_option_name(FILE *file, const cli_option *option)
{
    char name[HELP_COLUMNS];
    char letter[8] = "   ";
    const char *word = option->info->name, *argument = option->info->argument;

    if (option->letter) snprintf(letter, sizeof letter, "-%c,", option->letter);
    int length = snprintf(name, sizeof name, "  %s --%s%s%s", letter, word, argument ? " " : "",
                          argument ? argument : "");
    if (option_can_be_negated(option)) snprintf(name + length, sizeof name - (size_t)length, ", --no-%s", word);
    print_to(file, "%-*s", OPTION_COLUMN, name);
    if (strlen(name) >= OPTION_COLUMN) print_to(file, "\n%*s", OPTION_COLUMN, "");
}

/* The text of an option with its choices and its default, in new memory; NULL if there is none. */
static char *option_paragraph(const cli_option *option, const char *command)
{
    const char *choices = option->info->choices, *initial = option_initial(option, command);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    if (!file) return NULL;
    print_with_dashes(file, option_help(option, command));
    if (choices) print_to(file, " One of %s.", choices);
    if (initial[0]) print_to(file, " [%s]", initial);
    fclose(file);
    return text;
}

static void print_option(FILE *file, const cli_option *option, const char *command)
{
    char *text = option_paragraph(option, command);

    print_option_name(file, option);
    print_wrapped(file, text ? text : option_help(option, command), OPTION_COLUMN, OPTION_COLUMN);
    free(text);
}

static void print_options(FILE *file, const cli_command *command)
{
    cli_option option;

    print_heading(file, "Options", ", with their defaults in brackets:");
    for (size_t i = 0; option_at(i, &option); i++)
        if (option_belongs(&option, command->name)) print_option(file, &option, command->name);
}

/* A line of a list of commands. */
static void print_summary(FILE *file, const char *name, const char *summary)
{
    print_to(file, "  %-*s", COMMAND_COLUMN - 2, name);
    print_wrapped(file, summary, COMMAND_COLUMN, COMMAND_COLUMN);
}

static void print_verbs(FILE *file, const cli_command *command)
{
    print_heading(file, "Verbs:", "");
    for (size_t i = 0; command->verbs[i]; i++)
        print_summary(file, verb_word(command->verbs[i]), command->verbs[i]->summary);
    print_to(file, "\n'deeplda %s VERB --help' lists the options of a verb.\n", command->name);
}

static void print_examples(FILE *file, const char *examples)
{
    print_heading(file, "Examples:", "");
    for (const char *line = examples; *line;) {
        size_t length = strcspn(line, "\n");
        print_to(file, "  %.*s\n", (int)length, line);
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

    print_heading(file, "Presets", " for known data sets; explicit options take precedence:");
    size_t i = 0;
    for (const dlda_preset *first = NULL; (first = dlda_preset_at(i)) != NULL;) {
        char text[1024] = "";
        const dlda_preset *row = first;
        for (; row && strcmp(row->data, first->data) == 0; row = dlda_preset_at(++i))
            add_preset(row, text, sizeof text);
        print_to(file, "  %-*s", COLUMN - 2, first->data);
        print_wrapped(file, text, COLUMN, COLUMN);
    }
}

/* Where the docs/ are that the texts refer to. */
static void print_documentation(FILE *file)
{
    char folder[4096];

    if (doc_folder_find(folder, sizeof folder)) print_to(file, "\nDocumentation: docs/ in %s\n", folder);
    else fputs("\nDocumentation: man deeplda\n", file);
}

void help_command(FILE *file, const cli_command *command)
{
    print_usage(file);
    print_to(file, "deeplda %s [OPTION]...%s%s\n", command->name, command->operands[0] ? " " : "",
             command->operands);
    print_wrapped(file, command->summary, 0, 0);
    fputc('\n', file);
    print_wrapped(file, command->details, 0, 0);
    if (command->verbs) print_verbs(file, command);
    else print_options(file, command);
    if (command->takes_presets) print_presets(file);
    print_examples(file, command->examples);
    print_documentation(file);
}

static void print_commands(FILE *file)
{
    const cli_command *command = NULL;

    print_heading(file, "Commands:", "");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) print_summary(file, command->name, command->summary);
}

void help_program(FILE *file)
{
    print_usage(file);
    fputs("deeplda COMMAND [OPTION]... [ARGUMENT]...\n"
          "Deep Linear Discriminant Analysis: classifiers of pictures and tables that\n"
          "consist of a network and an LDA on its features.\n",
          file);
    print_heading(file, "First steps:", "");
    fputs("  deeplda train photos/        # with a sub-folder of pictures for each class\n"
          "  deeplda train table.csv      # or a table with a column of labels\n"
          "  deeplda eval run             # test it: accuracy, classes, confusion\n"
          "  deeplda predict run new.png  # classify a picture\n"
          "  deeplda report run           # figures and a page, run/report.html\n"
          "Without data of your own: deeplda train digits. About formats of data:\n"
          "docs/data_formats.md.\n",
          file);
    print_commands(file);
    print_heading(file, "Options:", "");
    fputs("  -h, --help      this text; after a command, the help of that command\n"
          "  -V, --version   the version\n",
          file);
    fputs("\n'deeplda completion bash' (or zsh, fish) prints a completion script.\n", file);
    fputs("Exit status: 0 ok, 1 failure, 2 a mistake on the command line.\n", file);
    print_documentation(file);
}
