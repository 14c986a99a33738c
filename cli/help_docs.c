/* SPDX-License-Identifier: MIT
 *
 * help_docs.c - the option table as Markdown (docs/options.md) and as a part of the man page.
 *
 * `deeplda --options-markdown` and `deeplda --options-man` print them; tools/update-docs puts them in place,
 * and a test compares.
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

static void print_markdown_name(FILE *file, const dlda_option_info *option)
{
    if (option->letter) fprintf(file, "`-%c`, ", option->letter);
    fprintf(file, "`--%s%s%s`", option->name, option->argument ? " " : "",
            option->argument ? option->argument : "");
}

static void print_markdown_values(FILE *file, const dlda_option_info *option)
{
    if (option->choices) print_cell(file, option->choices);
    else if (!option->argument) fputs("flag", file);
    else if (option->least < option->most) fprintf(file, "%.16g to %.16g", option->least, option->most);
    else fputs("text", file);
}

static void print_markdown_row(FILE *file, const dlda_option_info *option)
{
    fputs("| ", file);
    print_markdown_name(file, option);
    fputs(" | ", file);
    print_markdown_values(file, option);
    if (option->argument && option->initial[0]) fprintf(file, " | `%s`", option->initial);
    else fputs(" | ", file);
    fprintf(file, " | %s | ", option->commands);
    print_cell(file, option->help);
    fputs(" |\n", file);
}

void help_options_markdown(FILE *file)
{
    fputs(
        "# Options\n\n"
        "All options of the program `deeplda` and of the library's `dlda_options_set`, which takes the same names\n"
        "(without the dashes) and the same values as text. This page is made from the option table in\n"
        "`src/base/options.c` by `make docs`.\n\n"
        "| option | values | default | commands | meaning |\n"
        "|---|---|---|---|---|\n",
        file);
    for (size_t i = 0; dlda_option_at(i); i++) print_markdown_row(file, dlda_option_at(i));
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

static void print_man_option(FILE *file, const dlda_option_info *option)
{
    fputs(".TP\n", file);
    if (option->letter) fprintf(file, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", file);
    print_roff(file, option->name);
    fputs("\\fR", file);
    if (option->argument) fprintf(file, " \\fI%s\\fR", option->argument);
    fputc('\n', file);
    print_roff(file, option->help);
    if (option->choices) fputs("\nOne of ", file);
    if (option->choices) print_roff(file, option->choices);
    if (option->choices) fputc('.', file);
    if (option->argument && option->initial[0]) fputs("\nDefault: ", file);
    if (option->argument && option->initial[0]) print_roff(file, option->initial);
    if (option->argument && option->initial[0]) fputc('.', file);
    fprintf(file, "\nCommands: %s.\n", option->commands);
}

void help_options_man(FILE *file)
{
    for (size_t i = 0; dlda_option_at(i); i++) print_man_option(file, dlda_option_at(i));
}
