/* SPDX-License-Identifier: MIT
 *
 * network.c - describes a network and predicts its memory use.
 */
#include "info/info.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <stdio.h>
#include <string.h>

static const char *const name = "info";

static void write_network_json(const char *network, const char *text, const char *description,
                               const memory_need *need)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_key(&json, "kind");
    json_text(&json, "network");
    json_key(&json, "name");
    json_text(&json, network);
    json_key(&json, "network");
    json_text(&json, text);
    json_key(&json, "table");
    json_text(&json, description);
    info_write_memory_json(&json, need);
    json_close(&json, '}');
    fputc('\n', stdout);
}

/* 1 if a line of the text starts with the word input. */
static int has_input_line(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += strspn(line, " \t\r\n");
        if (strncmp(line, "input", 5) == 0 && strchr(" \t", line[5])) return 1;
    }
    return 0;
}

static void write_network_text(const char *network, const char *description, int any_size, const memory_need *need)
{
    print("%s: a network%s\n\n", network,
          any_size ? " for images of any size, shown for 28 x 28 x 1 and 10 classes" : "");
    table_text(stdout, description);
    info_write_memory_text(need);
}

int info_show_network(const char *network, const cli_options *options)
{
    char *text = NULL, *description = NULL;
    memory_need need = { 0 };
    dlda_status status = dlda_network_text_read(network, &text);
    int any_size = status == DLDA_OK && !has_input_line(text);
    size_t side = any_size ? 28 : 0; /* a network for any image size is shown for that of the digits */

    if (status == DLDA_OK) status = dlda_network_text_describe(text, network, side, side, any_size, &description);
    if (status == DLDA_OK)
        status = info_ask_memory(
            options,
            (dlda_memory_spec){
                .text = text, .where = network, .height = side, .width = side, .channels = (size_t)any_size },
            &need);
    int code = exit_code_of(name, status);
    if (code == EXIT_OK && info_is_json(options)) write_network_json(network, text, description, &need);
    else if (code == EXIT_OK) write_network_text(network, description, any_size, &need);
    dlda_text_destroy(description);
    dlda_text_destroy(text);
    return code;
}
