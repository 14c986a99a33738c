/* SPDX-License-Identifier: MIT
 *
 * help_docs.c - prints the tables of options as Markdown (docs/options.md) and as a part of the man page.
 *
 * `deeplda --options-markdown` and `deeplda --options-man` print them; tools/update-docs inserts them, and a test
 * checks that they are current.
 */
#include "help.h"

#include <string.h>

/* ---- Markdown ---- */

/* Cells are separated by bars, so a bar in a text is escaped. */
static void print_cell(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '|') fputc('\\', file);
        fputc(*text, file);
    }
}

static void print_markdown_name(FILE *file, const cli_option *option)
{
    const char *argument = option->info->argument;

    if (option->letter) fprintf(file, "`-%c`, ", option->letter);
    fprintf(file, "`--%s%s%s`", option->info->name, argument ? " " : "", argument ? argument : "");
}

static void print_markdown_values(FILE *file, const dlda_option_info *option)
{
    switch (option->type) {
    case DLDA_OPTION_CHOICE: print_cell(file, option->choices); break;
    case DLDA_OPTION_FLAG: fputs("flag", file); break;
    case DLDA_OPTION_WHOLE:
    case DLDA_OPTION_REAL: fprintf(file, "%.16g to %.16g", option->least, option->most); break;
    case DLDA_OPTION_SIZE: fputs("size", file); break;
    case DLDA_OPTION_TEXT: fputs("text", file); break;
    }
}

/* What it means for some commands. */
static void print_markdown_words(FILE *file, const option_words *words)
{
    fprintf(file, "<br>*%s*: ", words->commands);
    if (words->help) print_cell(file, words->help);
    if (words->initial && words->initial[0]) fprintf(file, "%s", words->help ? " Default: " : "default ");
    if (words->initial && words->initial[0]) fprintf(file, "%s.", words->initial);
}

static void print_markdown_row(FILE *file, const cli_option *option)
{
    const dlda_option_info *info = option->info;

    fputs("| ", file);
    print_markdown_name(file, option);
    fputs(" | ", file);
    print_markdown_values(file, info);
    if (info->argument && info->initial[0]) fprintf(file, " | `%s`", info->initial);
    else fputs(" | ", file);
    fprintf(file, " | %s | ", option->commands);
    print_cell(file, info->help);
    for (size_t i = 0; option_words_at(i); i++)
        if (strcmp(option_words_at(i)->option, info->name) == 0) print_markdown_words(file, option_words_at(i));
    fputs(" |\n", file);
}

static void print_markdown_table(FILE *file, int of_library)
{
    cli_option option;

    fputs("\n| option | values | default | commands | meaning |\n|---|---|---|---|---|\n", file);
    for (size_t i = 0; option_at(i, &option); i++)
        if (option.of_library == of_library) print_markdown_row(file, &option);
}

void help_options_markdown(FILE *file)
{
    fputs("# Options\n\n"
          "This page is made from the tables in `src/base/options.c`, `cli/options.c` and `cli/option_help.c` by "
          "`make docs`.\n\n"
          "## Of the library and of the program\n\n"
          "The library's `dlda_options_set` takes the same names (without the dashes) and the same values as text. "
          "All\n"
          "that decide the result of a training are recorded with it, in `options.json` and in the model; `data`,\n"
          "`format`, `label`, `threads` and `checkpoint` do not, and are never set by such a file.\n",
          file);
    print_markdown_table(file, 1);
    fputs("\n## Of the program\n", file);
    print_markdown_table(file, 0);
}

/* ---- Man page ---- */

/* A dash in a man page is a hyphen unless it is escaped. */
static void print_roff(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '-' || *text == '\\') fputc('\\', file);
        fputc(*text, file);
    }
}

/* What it means for some commands. */
static void print_man_words(FILE *file, const option_words *words)
{
    fprintf(file, ".br\n\\fI%s\\fR: ", words->commands);
    if (words->help) print_roff(file, words->help);
    if (words->initial && words->initial[0]) {
        fputs(words->help ? " Default: " : "default ", file);
        print_roff(file, words->initial);
        fputc('.', file);
    }
    fputc('\n', file);
}

static void print_man_option(FILE *file, const cli_option *option)
{
    const dlda_option_info *info = option->info;

    fputs(".TP\n", file);
    if (option->letter) fprintf(file, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", file);
    print_roff(file, info->name);
    fputs("\\fR", file);
    if (info->argument) fprintf(file, " \\fI%s\\fR", info->argument);
    fputc('\n', file);
    print_roff(file, info->help);
    if (info->choices) fputs("\nOne of ", file);
    if (info->choices) print_roff(file, info->choices);
    if (info->choices) fputc('.', file);
    if (info->argument && info->initial[0]) fputs("\nDefault: ", file);
    if (info->argument && info->initial[0]) print_roff(file, info->initial);
    if (info->argument && info->initial[0]) fputc('.', file);
    fprintf(file, "\nCommands: %s.\n", option->commands);
    for (size_t i = 0; option_words_at(i); i++)
        if (strcmp(option_words_at(i)->option, info->name) == 0) print_man_words(file, option_words_at(i));
}

void help_options_man(FILE *file)
{
    cli_option option;

    for (size_t i = 0; option_at(i, &option); i++) print_man_option(file, &option);
}
