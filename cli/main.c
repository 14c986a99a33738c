/* SPDX-License-Identifier: MIT
 *
 * main.c - the program deeplda: finds the command and executes it.
 */
#include "arguments.h"
#include "base/closest_word.h"
#include "blas_core.h"
#include "completion/completion.h"
#include "help.h"
#include "inputs.h"
#include "ranks.h"
#include "terminal/print.h"

#include <locale.h>
#include <signal.h>
#include <string.h>

const cli_command *command_at(size_t i)
{
    static const cli_command *const commands[] = {
        &train_command,  &eval_command,   &refit_command,     &predict_command, &embed_command, &lda_command,
        &export_command, &report_command, &reproduce_command, &info_command,    &bench_command, &data_command,
    };

    return i < sizeof commands / sizeof commands[0] ? commands[i] : NULL;
}

const char *verb_word(const cli_command *verb)
{
    return strchr(verb->name, ' ') + 1;
}

const cli_command *command_verb(const cli_command *command, const char *word)
{
    for (size_t i = 0; command->verbs && command->verbs[i]; i++)
        if (strcmp(verb_word(command->verbs[i]), word) == 0) return command->verbs[i];
    return NULL;
}

static const cli_command *command_by_name(const char *name)
{
    for (size_t i = 0; command_at(i); i++)
        if (strcmp(command_at(i)->name, name) == 0) return command_at(i);
    return NULL;
}

static int complain_unknown_command(const char *name)
{
    enum { MOST = 32 };
    const char *names[MOST];
    size_t count = 0;

    for (; count < MOST && command_at(count); count++) names[count] = command_at(count)->name;
    int near = dlda_closest_word(name, names, count);
    if (near < 0) return complain_usage(NULL, "unknown command '%s'", name);
    return complain_usage(NULL, "unknown command '%s'; did you mean '%s'?", name, names[near]);
}

static int run_command(const cli_command *command, int argc, char **argv)
{
    cli_arguments arguments;

    if (!command->updates) inputs_begin(command->trains);
    int code = arguments_read(command, argc, argv, &arguments);

    if (code != EXIT_OK) return code;
    const cli_command *verb = arguments.n_words > 0 ? command_verb(command, arguments.words[0]) : NULL;
    if (option_is(arguments.options, "help", "true")) {
        help_command(stdout, verb ? verb : command);
    } else {
        code = ranks_open(command->name, arguments.options);
        if (code == EXIT_OK) code = command->run(&arguments);
    }
    arguments_release(&arguments);
    inputs_end();
    code = finish_stdout(command->name, code);
    return ranks_close(command->name, code);
}

static int show_help(int argc, char **argv)
{
    const cli_command *command = argc > 2 ? command_by_name(argv[2]) : NULL;

    if (argc > 2 && !command) return complain_unknown_command(argv[2]);
    const cli_command *verb = command && argc > 3 ? command_verb(command, argv[3]) : NULL;
    if (command) help_command(stdout, verb ? verb : command);
    else help_program(stdout);
    return finish_stdout(NULL, EXIT_OK);
}

static int show_version(void)
{
    print("deeplda %s\n", dlda_version());
    return finish_stdout(NULL, EXIT_OK);
}

static int show_options(void (*help)(FILE *file))
{
    help(stdout);
    return finish_stdout(NULL, EXIT_OK);
}

static int is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv)
{
    blas_core_improve(argv);
    setlocale(LC_CTYPE, "");  /* to know whether the terminal is UTF-8; numbers keep the decimal point */
    signal(SIGXFSZ, SIG_IGN); /* exceeding a file size limit becomes a failed write, with a message */

    if (argc < 2) {
        help_program(stderr);
        return EXIT_USAGE;
    }
    const cli_command *command = command_by_name(argv[1]);
    if (command) return run_command(command, argc - 2, argv + 2);
    if (is_one_of(argv[1], "--help", "-h", "help")) return show_help(argc, argv);
    if (is_one_of(argv[1], "--version", "-V", "version")) return show_version();
    if (strcmp(argv[1], "completion") == 0) return completion_print(argc > 2 ? argv[2] : NULL);
    if (strcmp(argv[1], "--options-markdown") == 0) return show_options(help_options_markdown);
    if (strcmp(argv[1], "--options-man") == 0) return show_options(help_options_man);
    if (argv[1][0] == '-') return complain_usage(NULL, "unknown option %s; expected a command first", argv[1]);
    return complain_unknown_command(argv[1]);
}
