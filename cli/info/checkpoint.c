/* SPDX-License-Identifier: MIT
 *
 * checkpoint.c - describes a checkpoint: how far the training was when it was saved.
 */
#include "info/info.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <math.h>
#include <stdio.h>

static void write_json(const dlda_run_info *info)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_key(&json, "kind");
    json_text(&json, "checkpoint");
    json_key(&json, "epochs_done");
    json_count(&json, info->epochs_done);
    json_key(&json, "batches_done");
    json_count(&json, info->batches_done);
    json_key(&json, "steps_done");
    json_count(&json, info->steps_done);
    json_key(&json, "best_epoch");
    json_count(&json, info->best_epoch);
    json_key(&json, "best_accuracy");
    json_number(&json, info->best_accuracy);
    json_key(&json, "data");
    json_text(&json, info->data);
    json_key(&json, "network");
    json_text(&json, info->network);
    json_key(&json, "options");
    json_raw(&json, info->options);
    json_close(&json, '}');
    fputc('\n', stdout);
}

static void write_text(const char *path, const dlda_run_info *info)
{
    print("%s: a checkpoint; continue with 'deeplda train --resume' on its folder\n", path);
    print("%-12s%zu complete, and %zu batches of the next; %zu batches in all\n", "epochs", info->epochs_done,
          info->batches_done, info->steps_done);
    if (info->best_epoch == 0) print("%-12snone yet\n", "best epoch");
    else if (isnan(info->best_accuracy)) print("%-12s%zu\n", "best epoch", info->best_epoch);
    else
        print("%-12s%zu, validation accuracy %.2f %%\n", "best epoch", info->best_epoch, 100 * info->best_accuracy);
    if (info->data[0]) info_print_text("data", info->data);
    fputs("\nnetwork\n", stdout);
    table_text(stdout, info->network);
    fputs("\noptions of the training\n", stdout);
    table_text(stdout, info->options);
    fputc('\n', stdout);
}

int info_show_checkpoint(const char *path, const cli_options *options)
{
    dlda_run_info *info = NULL;
    int code = exit_code_of("info", dlda_run_info_read(path, &info));

    if (code == EXIT_OK && info_is_json(options)) write_json(info);
    else if (code == EXIT_OK) write_text(path, info);
    dlda_run_info_destroy(info);
    return code;
}
