/* SPDX-License-Identifier: MIT
 *
 * onnx.c - describes an ONNX file.
 */
#include "info/info.h"
#include "info/onnx_file.h"
#include "terminal/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_values_json(json_out *json, const char *key, const onnx_value *values, size_t count)
{
    json_key(json, key);
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        json_open(json, '{');
        json_key(json, "name");
        json_text(json, values[i].name);
        json_key(json, "type");
        json_text(json, values[i].type);
        json_key(json, "shape");
        json_open(json, '[');
        for (size_t j = 0; j < values[i].rank; j++) {
            const char *dim = values[i].dims[j];
            if (dim[0] && strspn(dim, "0123456789") == strlen(dim)) json_raw(json, dim);
            else json_text(json, dim);
        }
        json_close(json, ']');
        json_key(json, "help");
        json_text(json, values[i].help);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_json(const onnx_info *info)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_key(&json, "kind");
    json_text(&json, "onnx");
    json_key(&json, "opset");
    json_number(&json, (double)info->opset);
    json_key(&json, "ir_version");
    json_number(&json, (double)info->ir_version);
    json_key(&json, "producer");
    json_text(&json, info->producer);
    json_key(&json, "producer_version");
    json_text(&json, info->producer_version);
    json_key(&json, "bytes");
    json_count(&json, info->bytes);
    json_key(&json, "operations");
    json_count(&json, info->n_operations);
    json_key(&json, "weights");
    json_count(&json, info->n_weights);
    write_values_json(&json, "inputs", info->inputs, info->n_inputs);
    write_values_json(&json, "outputs", info->outputs, info->n_outputs);
    json_key(&json, "metadata");
    json_open(&json, '{');
    for (size_t i = 0; i < info->n_texts; i++) {
        json_key(&json, info->texts[i].key);
        json_text(&json, info->texts[i].value);
    }
    json_close(&json, '}');
    json_close(&json, '}');
    fputc('\n', stdout);
}

/* "float32 [N, 1, 28, 28]", with the description. */
static void print_values(const char *key, const onnx_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[512];
        size_t used = (size_t)snprintf(text, sizeof text, "%-14.64s %s [", values[i].name, values[i].type);
        for (size_t j = 0; j < values[i].rank && used + 40 < sizeof text; j++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.32s", j ? ", " : "", values[i].dims[j]);
        snprintf(text + used, sizeof text - used, "]%s%.64s", values[i].help[0] ? "  " : "", values[i].help);
        info_print_text(i ? "" : key, text);
    }
}

static void write_text(const char *path, const onnx_info *info)
{
    print("%s: an ONNX file, opset %lld, IR version %lld, %.1f MB\n", path, (long long)info->opset,
          (long long)info->ir_version, 1e-6 * (double)info->bytes);
    info_print_text("made by", info->producer[0] ? info->producer : "unknown");
    if (info->producer_version[0]) info_print_text("version", info->producer_version);
    print("%-12s%zu operations, %zu constants with %zu values\n", "graph", info->n_operations, info->n_constants,
          info->n_weights);
    print_values("inputs", info->inputs, info->n_inputs);
    print_values("outputs", info->outputs, info->n_outputs);
    for (size_t i = 0; i < info->n_texts; i++) info_print_text(info->texts[i].key, info->texts[i].value);
}

int info_show_onnx(const char *path, const cli_options *options)
{
    onnx_info *info = NULL;
    int code = exit_code_of("info", onnx_info_read(path, &info));

    if (code == EXIT_OK && info_is_json(options)) write_json(info);
    else if (code == EXIT_OK) write_text(path, info);
    onnx_info_destroy(info);
    return code;
}
