/* SPDX-License-Identifier: MIT
 *
 * cmd_reproduce.c - `deeplda reproduce`: repeats the experiments of the paper and prints its tables with our
 * results beside the published ones.
 *
 *     request.h   the request on the command line
 *     plan.h      all work, planned once: tasks with their data (sets.h) and epochs, and trainings (training.h)
 *     results.h   tables of the results, of this command and of earlier ones
 */
#include "reproduce/results.h"
#include "reproduce/root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int list(const reproduce_request *request)
{
    reproduce_plan plan;
    int code = plan_make(request, &plan);

    if (code == EXIT_OK) code = plan_list(&plan);
    plan_release(&plan);
    return code;
}

/* All data is available and all existing trainings are checked before the first training begins. The tables are
 * printed even if it is interrupted. */
static int run_and_show(const reproduce_request *request)
{
    reproduce_plan plan;
    int code = plan_make(request, &plan);

    if (code == EXIT_OK) code = plan_check(&plan);
    if (code == EXIT_OK) {
        code = plan_run(&plan);
        if (code >= EXIT_SIGNAL) fputs("Stopped. To continue: the same command again.\n", stderr);
        int shown = results_show(&plan);
        if (code == EXIT_OK) code = shown;
    }
    plan_release(&plan);
    return code;
}

static int run_reproduce(const cli_arguments *arguments)
{
    reproduce_request request;
    int lock = -1, code = request_read(arguments, &request);

    if (code != EXIT_OK) return code;
    if (request.is_list) return list(&request);
    char *program = realpath("/proc/self/exe", NULL);
    if (!program) {
        complain(reproduce_name, "cannot find this program itself: /proc/self/exe: %s", strerror(errno));
        return EXIT_FAILED;
    }
    request.program = program;
    code = root_lock(request.root, &lock);
    request.has_lock = code == EXIT_OK;
    if (code == EXIT_OK) code = run_and_show(&request);
    if (lock >= 0) close(lock);
    free(program);
    return code;
}

const cli_command reproduce_command = {
    .name = "reproduce",
    .operands = "EXPERIMENT...",
    .least = 0,
    .most = 16,
    .updates = 1,
    .summary = "Repeat the experiments of the paper and print its tables with our results.",
    .details = "EXPERIMENT is mnist-50k, mnist-60k, cifar10, cifar10-50k, stl10-4k, stl10-1k or stl10-32. For "
               "each, two networks are trained, with objectives lda and cce, and each is evaluated in two ways, "
               "which gives the four rows of the paper's tables. --rows all adds a third network, with the "
               "objective that we recommend. Each training and each evaluation is a separate command, which the "
               "table lists.\n"
               "After an interruption, the same command continues. Complete trainings are kept; they are "
               "extended if more epochs are requested and the halving interval of the learning rate is unchanged "
               "(--halve-every). The table lists deviations from the paper: shorter trainings (--epochs, "
               "--budget), another schedule (--schedule, --halve-every), other data (--data), another network "
               "(--net), batch norm in groups (--norm-group). --list shows the progress of each training and when "
               "it will end, also while another "
               "command is running. Rows are also compared with each other, image by image. table.md, table.csv, "
               "pairs.csv and table.json in the folder given by -o contain all its results. Details: "
               "docs/reproduce.md.",
    .examples = "deeplda reproduce --list\n"
                "deeplda reproduce mnist-50k --budget 2h\n"
                "deeplda reproduce mnist-50k mnist-60k --seeds 3 -o runs/paper\n"
                "deeplda reproduce stl10-1k --data ~/stl10 --folds 10 --rows deeplda,cce",
    .run = run_reproduce,
};
