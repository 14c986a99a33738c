/* SPDX-License-Identifier: MIT
 *
 * cmd_info.c - `deeplda info`: determines what the operand is and describes it.
 */
#include "base/memory.h"
#include "base/utf8.h"
#include "find_model.h"
#include "info/file_kind.h"
#include "info/info.h"
#include "terminal/print.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const name = "info";

/* ---- Helpers for all kinds ---- */

dlda_status info_ask_memory(const cli_options *options, dlda_memory_spec spec, memory_need *need)
{
    spec.batch = need->batch = (size_t)option_number(options, "batch");
    spec.norm_group = (size_t)option_number(options, "norm-group");
    spec.micro_batch = (size_t)option_number(options, "micro-batch");
    spec.threads = (size_t)option_number(options, "threads");
    return dlda_network_text_memory(&spec, &need->training, &need->inference);
}

void info_write_memory_json(json_out *json, const memory_need *need)
{
    json_key(json, "batch");
    json_count(json, need->batch);
    json_key(json, "training_bytes");
    json_count(json, need->training);
    json_key(json, "inference_bytes");
    json_count(json, need->inference);
}

void info_write_memory_text(const memory_need *need)
{
    print("memory with %zu images at once: training %.1f MB, inference %.1f MB\n", need->batch,
          1e-6 * (double)need->training, 1e-6 * (double)need->inference);
}

int info_is_json(const cli_options *options)
{
    return option_is(options, "json", "true");
}

void info_print_text(const char *key, const char *text)
{
    enum { MOST = 100 };
    char character[5];
    size_t used = 0;

    print("%-12s", key);
    for (size_t n = 0; used < MOST && (n = dlda_safe_character(text, character)) > 0; text += n, used++)
        print("%s", text[0] == '\n' ? " " : character);
    print("%s\n", *text ? "..." : "");
}

void info_write_shape(json_out *json, const char *key, size_t height, size_t width, size_t channels)
{
    json_key(json, key);
    json_open(json, '[');
    json_count(json, height);
    json_count(json, width);
    json_count(json, channels);
    json_close(json, ']');
}

/* ---- The command ---- */

static int exists_as(const char *path, mode_t kind)
{
    struct stat info;

    return stat(path, &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

static int ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);

    return length >= tail && strcmp(path + length - tail, end) == 0;
}

/* A run folder stands for the model in it, or for its checkpoint before there is one. Returns 0 if it is no run. */
static int show_run(const char *folder, const cli_options *options, int *code)
{
    char model[4096], checkpoint[4096];
    int length = snprintf(model, sizeof model, "%s/model.safetensors", folder);
    char *path = NULL;

    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.safetensors", folder);
    if (length < 0 || (size_t)length >= sizeof model) return 0;
    if (exists_as(model, S_IFREG)) *code = info_show_model(model, options);
    else if (exists_as(checkpoint, S_IFREG)) *code = info_show_checkpoint(checkpoint, options);
    else if (folder_has_record(folder)) *code = model_find(name, folder, &path); /* says what is missing */
    else return 0;
    dlda_release(path);
    return 1;
}

/* 1 if it is the name of a built-in network. A file of that name takes precedence. */
static int is_network_name(const char *word)
{
    char *text = NULL;
    int found = !strchr(word, '/') && !exists_as(word, S_IFREG) && dlda_network_text_read(word, &text) == DLDA_OK;

    dlda_text_destroy(text);
    return found;
}

/* 1 if a file may be a network text: not a table, and without bytes that do not occur in texts. */
static int may_be_text(const char *path)
{
    char start[512];
    FILE *file = exists_as(path, S_IFREG) && !ends_with(path, ".csv") ? fopen(path, "rbe") : NULL;
    size_t n = file ? fread(start, 1, sizeof start, file) : 0;
    int text = n > 0;

    for (size_t i = 0; i < n; i++)
        if ((unsigned char)start[i] < 32 && !memchr("\t\r\n", start[i], 3)) text = 0;
    if (file) fclose(file);
    return text;
}

/* Describes something that may be data or a network text. */
static int show_other(const char *word, const cli_options *options)
{
    int code = EXIT_OK;

    if (exists_as(word, S_IFDIR) && show_run(word, options, &code)) return code;
    if (is_network_name(word) || ends_with(word, ".net")) return info_show_network(word, options);
    dlda_status status = info_show_data(word, options);
    return status != DLDA_OK && may_be_text(word) ? info_show_network(word, options) : exit_code_of(name, status);
}

static int run_info(const cli_arguments *arguments)
{
    const char *word = arguments->words[0];

    switch (file_kind_of(word)) {
    case FILE_KIND_MODEL: return info_show_model(word, arguments->options);
    case FILE_KIND_CHECKPOINT: return info_show_checkpoint(word, arguments->options);
    case FILE_KIND_ONNX: return info_show_onnx(word, arguments->options);
    case FILE_KIND_LDA: return info_show_lda(word, arguments->options);
    default: break;
    }
    return show_other(word, arguments->options);
}

const cli_command info_command = {
    .name = "info",
    .operands = "FILE|NET",
    .least = 1,
    .most = 1,
    .summary = "Describe a file: a model, LDA, checkpoint, ONNX file, network or data.",
    .details =
        "FILE is a model or a run folder, an LDA (deeplda lda --save), a checkpoint, an exported ONNX "
        "file, a network text (.net), or data: images, arrays, tables, known sets ('deeplda data check' "
        "reports more about data). NET is a built-in network: mnist, cifar10, stl10, cnn, mlp. The memory use "
        "is predicted for --batch N images.",
    .examples = "deeplda info run\n"
                "deeplda info run/checkpoint.safetensors --json\n"
                "deeplda info mnist --batch 1000",
    .run = run_info,
};
