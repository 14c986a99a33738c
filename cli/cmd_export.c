/* SPDX-License-Identifier: MIT
 *
 * cmd_export.c - `deeplda export`: writes a model as an ONNX file.
 */
#include "find_model.h"
#include "info/onnx_file.h"
#include "terminal/json_out.h"
#include "terminal/print.h"

#include <stdio.h>
#include <string.h>

static const char *const name = "export";

static void print_values(const char *what, const onnx_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        print("%-9s %-14s %s [", i ? "" : what, values[i].name, values[i].type);
        for (size_t j = 0; j < values[i].rank; j++) print("%s%s", j ? ", " : "", values[i].dims[j]);
        puts("]");
    }
}

static void print_result(const char *path, const onnx_info *info, const cli_options *options)
{
    print("%s: ONNX, opset %lld, %.1f MB\n", path, (long long)info->opset, 1e-6 * (double)info->bytes);
    print_values("input", info->inputs, info->n_inputs);
    print_values("outputs", info->outputs, info->n_outputs);
    print("%-9s as with --proba %s\n", "", option_text(options, "proba"));
}

static void write_result(const char *path, const onnx_info *info, const cli_options *options)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_key(&json, "file");
    json_text(&json, path);
    json_key(&json, "opset");
    json_count(&json, (size_t)info->opset);
    json_key(&json, "bytes");
    json_count(&json, info->bytes);
    json_key(&json, "proba");
    json_text(&json, option_text(options, "proba"));
    json_close(&json, '}');
    fputc('\n', stdout);
}

static int run_export(const cli_arguments *arguments)
{
    const cli_options *options = arguments->options;
    const char *path = option_text(options, "output");
    dlda_model *model = NULL;
    onnx_info *info = NULL;
    if (!path[0]) return complain_usage(name, "expected -o FILE.onnx");
    int code = model_open(name, arguments->words[0], &model);
    if (code == EXIT_OK)
        code = exit_code_of(name, dlda_model_export_onnx(model, option_probability(options, "head"), path));
    if (code == EXIT_OK) code = exit_code_of(name, onnx_info_read(path, &info));
    if (code == EXIT_OK && option_is(options, "json", "true")) write_result(path, info, options);
    else if (code == EXIT_OK) print_result(path, info, options);
    onnx_info_destroy(info);
    dlda_model_destroy(model);
    return code;
}

const cli_command export_command = {
    .name = "export",
    .operands = "MODEL -o FILE.onnx",
    .least = 1,
    .most = 1,
    .summary = "Write a model as an ONNX file, for other runtimes.",
    .details = "MODEL is a model file or a run folder. The file contains the whole model: preparation of the "
               "images, network and LDA. Its input is any "
               "number of images as floats [N, channels, height, width], bytes divided by 255. Its outputs are "
               "those of 'deeplda predict': probabilities [N, classes] and label [N]; and projection [N, "
               "directions]. It uses opset 13. Details: docs/onnx.md.",
    .examples = "deeplda export run -o digits.onnx\n"
                "deeplda export run/model.safetensors -o digits.onnx --proba paper\n"
                "deeplda info digits.onnx",
    .run = run_export,
};
