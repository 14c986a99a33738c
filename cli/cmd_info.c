/* SPDX-License-Identifier: MIT
 *
 * cmd_info.c - `deeplda info`: what a model file holds, or what a network looks like.
 */
#include "json_out.h"
#include "table.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const name = "info";

/* What --batch and --threads would take. */
typedef struct memory_need {
    size_t batch, training, inference; /* bytes */
} memory_need;

static dlda_status ask_memory(const dlda_options *options, dlda_memory_spec spec, memory_need *need)
{
    spec.batch = need->batch = (size_t)option_number(options, "batch");
    spec.threads = (size_t)option_number(options, "threads");
    return dlda_network_text_memory(&spec, &need->training, &need->inference);
}

static void write_memory_json(json_out *json, const memory_need *need)
{
    json_key(json, "batch");
    json_count(json, need->batch);
    json_key(json, "training_bytes");
    json_count(json, need->training);
    json_key(json, "inference_bytes");
    json_count(json, need->inference);
}

static void write_memory_text(const memory_need *need)
{
    printf("memory with %zu images at once: training %.1f MB, inference %.1f MB\n", need->batch,
           1e-6 * (double)need->training, 1e-6 * (double)need->inference);
}

/* A safetensors file has the length of its header in 8 bytes, then the header, which is JSON. Looks only at
 * the first bytes; dlda_model_load looks at all of them. */
static int looks_like_model(const char *path)
{
    char start[9] = "";
    struct stat info;
    int regular = stat(path, &info) == 0 && S_ISREG(info.st_mode); /* a pipe would wait for a writer */
    FILE *file = regular ? fopen(path, "rbe") : NULL;
    size_t n = file ? fread(start, 1, sizeof start, file) : 0;

    if (file) fclose(file);
    return n == sizeof start && start[8] == '{';
}

/* ---- Models ---- */

static void write_model_json(const dlda_model *model, const memory_need *need)
{
    json_out json = { .file = stdout };
    size_t count = 0;
    const double *values = dlda_lda_eigenvalues(dlda_model_lda(model), &count);

    json_open(&json, '{');
    json_key(&json, "kind");
    json_text(&json, "model");
    json_key(&json, "input");
    json_open(&json, '[');
    json_count(&json, dlda_model_height(model));
    json_count(&json, dlda_model_width(model));
    json_count(&json, dlda_model_channels(model));
    json_close(&json, ']');
    json_key(&json, "preparation");
    json_text(&json, dlda_model_preparation(model));
    json_key(&json, "parameters");
    json_count(&json, dlda_model_parameters(model));
    json_key(&json, "features");
    json_count(&json, dlda_model_features(model));
    write_memory_json(&json, need);
    json_key(&json, "classes");
    json_open(&json, '[');
    for (size_t c = 0; c < dlda_model_classes(model); c++) json_text(&json, dlda_model_class_name(model, c));
    json_close(&json, ']');
    json_key(&json, "eigenvalues");
    json_open(&json, '[');
    for (size_t i = 0; i < count; i++) json_number(&json, values[i]);
    json_close(&json, ']');
    json_key(&json, "network");
    json_text(&json, dlda_model_network_text(model));
    json_key(&json, "options");
    json_raw(&json, dlda_model_options_json(model));
    json_close(&json, '}');
    fputc('\n', stdout);
}

static void write_model_text(const dlda_model *model, const char *path, const char *description,
                             const memory_need *need)
{
    printf("%s: a DeepLDA model\n", path);
    printf("input       %zu x %zu x %zu (height, width, channels)\n", dlda_model_height(model),
           dlda_model_width(model), dlda_model_channels(model));
    printf("preparation %s\n", dlda_model_preparation(model));
    printf("features    %zu\n", dlda_model_features(model));
    printf("parameters  %zu\n", dlda_model_parameters(model));
    printf("classes     %zu:", dlda_model_classes(model));
    for (size_t c = 0; c < dlda_model_classes(model); c++) {
        fputc(' ', stdout);
        table_name(stdout, dlda_model_class_name(model, c));
    }
    printf("\n\n%s", description);
    write_memory_text(need);
    fputc('\n', stdout);
    table_eigenvalues(stdout, dlda_model_lda(model));
    printf("\noptions of the training\n%s\n", dlda_model_options_json(model));
}

static int show_model(const char *path, const dlda_options *options)
{
    dlda_model *model = NULL;
    memory_need need = { 0 };
    char *description = NULL;
    dlda_status status = dlda_model_load(path, &model);

    if (status == DLDA_OK)
        status = dlda_network_text_describe(dlda_model_network_text(model), path, dlda_model_height(model),
                                            dlda_model_width(model), dlda_model_channels(model), &description);
    if (status == DLDA_OK)
        status = ask_memory(options, (dlda_memory_spec){ .text = dlda_model_network_text(model), .where = path },
                            &need);
    int code = exit_code_of(name, status);
    if (code == EXIT_OK && option_is(options, "json", "true")) write_model_json(model, &need);
    else if (code == EXIT_OK) write_model_text(model, path, description, &need);
    dlda_text_destroy(description);
    dlda_model_destroy(model);
    return code;
}

/* ---- Networks ---- */

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
    write_memory_json(&json, need);
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
    printf("%s: a network%s\n\n%s", network, any_size ? " for images of any size, shown for 28 x 28 x 1" : "",
           description);
    write_memory_text(need);
}

static int show_network(const char *network, const dlda_options *options)
{
    char *text = NULL, *description = NULL;
    memory_need need = { 0 };
    dlda_status status = dlda_network_text_read(network, &text);
    int any_size = status == DLDA_OK && !has_input_line(text);
    size_t side = any_size ? 28 : 0; /* a network for any images is shown with the size of the digits */

    if (status == DLDA_OK) status = dlda_network_text_describe(text, network, side, side, any_size, &description);
    if (status == DLDA_OK)
        status = ask_memory(options, (dlda_memory_spec){ text, network, side, side, (size_t)any_size, 0, 0 },
                            &need);
    int code = exit_code_of(name, status);
    if (code == EXIT_OK && option_is(options, "json", "true"))
        write_network_json(network, text, description, &need);
    else if (code == EXIT_OK) write_network_text(network, description, any_size, &need);
    dlda_text_destroy(description);
    dlda_text_destroy(text);
    return code;
}

static int run_info(const cli_arguments *arguments)
{
    const char *word = arguments->words[0];

    return looks_like_model(word) ? show_model(word, arguments->options) : show_network(word, arguments->options);
}

const cli_command info_command = {
    .name = "info",
    .operands = "FILE|NET",
    .least = 1,
    .most = 1,
    .summary = "Show what a model file holds, or a network's layers and memory.",
    .details = "FILE is a model or a network text (.net); NET is a network that is part of the library: mnist, "
               "cifar10, stl10, mlp. With --batch N, the memory is that of N images at once.",
    .examples = "deeplda info run/model.safetensors\n"
                "deeplda info mnist --batch 1000",
    .run = run_info,
};
