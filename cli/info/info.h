/* SPDX-License-Identifier: MIT
 *
 * info.h - describes files for `deeplda info`, with a function for each kind. All return exit codes.
 */
#ifndef DEEPLDA_CLI_INFO_H
#define DEEPLDA_CLI_INFO_H

#include "cli.h"
#include "terminal/json_out.h"

/* Memory use for --batch and --threads. */
typedef struct memory_need {
    size_t batch, training, inference; /* bytes */
} memory_need;

dlda_status info_ask_memory(const cli_options *options, dlda_memory_spec spec, memory_need *need);
void info_write_memory_json(json_out *json, const memory_need *need);
void info_write_memory_text(const memory_need *need);

int info_is_json(const cli_options *options);
/* Prints a text from a file as one line of at most 100 characters, without control characters. */
void info_print_text(const char *key, const char *text);
/* The shape of images as JSON. */
void info_write_shape(json_out *json, const char *key, size_t height, size_t width, size_t channels);

int info_show_model(const char *path, const cli_options *options);
int info_show_lda(const char *path, const cli_options *options);
int info_show_checkpoint(const char *path, const cli_options *options);
int info_show_onnx(const char *path, const cli_options *options);
int info_show_network(const char *network, const cli_options *options);
/* DLDA_OK if `path` is readable data; its description is then printed. */
dlda_status info_show_data(const char *path, const cli_options *options);

#endif
