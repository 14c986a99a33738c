/* SPDX-License-Identifier: MIT
 *
 * arguments.c - parses GNU-style options: --name value, --name=value, -x value, -xvalue, flags, and `--` before
 * operands that look like options.
 *
 * The tables of options.c list the options of each command, and option_set checks their values. This
 * file is only the grammar.
 */
#include "arguments.h"
#include "base/closest_word.h"
#include "outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 128, MOST_NAME = 64 };

typedef struct reader {
    const cli_command *command;
    char **argv;
    int next, argc;
    cli_arguments *out;
} reader;

/* ---- Finding options ---- */

static int find_by_name(const char *command, const char *name, cli_option *option)
{
    return option_find(name, option) && option_belongs(option, command);
}

static int find_by_letter(const char *command, char letter, cli_option *option)
{
    for (size_t i = 0; option_at(i, option); i++)
        if (option->letter == letter && option_belongs(option, command)) return 1;
    return 0;
}

static const char *closest_option(const char *command, const char *name)
{
    const char *names[MOST_OPTIONS];
    size_t count = 0;
    cli_option option;

    for (size_t i = 0; option_at(i, &option) && count < MOST_OPTIONS; i++)
        if (option_belongs(&option, command)) names[count++] = option.info->name;
    int near = dlda_closest_word(name, names, count);
    return near < 0 ? NULL : names[near];
}

static int complain_unknown(const char *command, const char *name)
{
    const char *near = closest_option(command, name);
    cli_option elsewhere;

    if (option_find(name, &elsewhere))
        return complain_usage(command, "option --%s is not available for %s; it is for: %s", name, command,
                              elsewhere.commands);
    if (near) return complain_usage(command, "unknown option --%s; did you mean --%s?", name, near);
    return complain_usage(command, "unknown option --%s", name);
}

/* ---- Reading ---- */

static int set_option(reader *self, const dlda_option_info *option, const char *value)
{
    return exit_code_of(self->command->name, option_set(self->out->options, option->name, value));
}

/* An option that needs a value: `attached` to it ("=5", "-b5"), or the next word if that is NULL. */
static int set_valued(reader *self, const dlda_option_info *option, const char *attached)
{
    if (!attached && self->next >= self->argc)
        return complain_usage(self->command->name, "option --%s needs a value: --%s %s", option->name, option->name,
                              option->argument);
    return set_option(self, option, attached ? attached : self->argv[self->next++]);
}

/* "no-flip": turns a flag off that the presets or the data would turn on. */
static int find_negated(const char *command, const char *name, cli_option *option)
{
    return strncmp(name, "no-", 3) == 0 && find_by_name(command, name + 3, option) && !option->info->argument;
}

/* "name", "no-name" or "name=value". */
static int read_long(reader *self, const char *text)
{
    char name[MOST_NAME];
    size_t length = strcspn(text, "=");
    cli_option option;
    const char *value = text[length] == '=' ? text + length + 1 : NULL;

    snprintf(name, sizeof name, "%.*s", (int)(length < MOST_NAME ? length : MOST_NAME - 1), text);
    int negated = !find_by_name(self->command->name, name, &option);
    if (negated && !find_negated(self->command->name, name, &option))
        return complain_unknown(self->command->name, name);
    if (option.info->argument) return set_valued(self, option.info, value);
    if (value) return complain_usage(self->command->name, "option --%s takes no value", name);
    return set_option(self, option.info, negated ? "false" : "true");
}

/* "b5", "b" followed by its value, or several flags: "fq". */
static int read_short(reader *self, const char *letters)
{
    cli_option option;

    for (; *letters; letters++) {
        if (!find_by_letter(self->command->name, *letters, &option))
            return complain_usage(self->command->name, "unknown option -%c", *letters);
        if (option.info->argument) return set_valued(self, option.info, letters[1] ? letters + 1 : NULL);
        int code = set_option(self, option.info, "true");
        if (code != EXIT_OK) return code;
    }
    return EXIT_OK;
}

static int read_all(reader *self)
{
    int only_words = 0, code = EXIT_OK;

    while (code == EXIT_OK && self->next < self->argc) {
        char *text = self->argv[self->next++];
        if (only_words || text[0] != '-' || text[1] == '\0') self->out->words[self->out->n_words++] = text;
        else if (strcmp(text, "--") == 0) only_words = 1;
        else code = text[1] == '-' ? read_long(self, text + 2) : read_short(self, text + 1);
    }
    return code;
}

static int check_words(const cli_command *command, const cli_arguments *arguments)
{
    if (option_is(arguments->options, "help", "true")) return EXIT_OK;
    if (arguments->n_words < command->least) return complain_usage(command->name, "expected %s", command->operands);
    if (arguments->n_words > command->most)
        return complain_usage(command->name, "unexpected argument '%s', expected %s",
                              arguments->words[command->most], command->operands);
    return EXIT_OK;
}

int arguments_read(const cli_command *command, int argc, char **argv, cli_arguments *arguments)
{
    reader self = { .command = command, .argv = argv, .argc = argc, .out = arguments };
    int code = EXIT_OK;

    *arguments = (struct cli_arguments){ .words = calloc((size_t)argc + 1, sizeof *arguments->words) };
    if (!arguments->words) {
        complain(command->name, "no memory for the command line");
        return EXIT_FAILED;
    }
    code = exit_code_of(command->name, options_create(&arguments->options));
    if (code == EXIT_OK) code = read_all(&self);
    if (code == EXIT_OK) code = check_words(command, arguments);
    if (code == EXIT_OK) code = outputs_check(command, arguments);
    if (code != EXIT_OK) arguments_release(arguments);
    return code;
}

void arguments_release(cli_arguments *arguments)
{
    options_destroy(arguments->options);
    free(arguments->words);
    *arguments = (struct cli_arguments){ 0 };
}
