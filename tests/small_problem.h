/* SPDX-License-Identifier: MIT
 *
 * small_problem.h - helpers of the training tests: noisy 6x6 images in which class c is bright in its own
 * corner, and a temporary folder.
 */
#ifndef DLDA_TESTS_SMALL_PROBLEM_H
#define DLDA_TESTS_SMALL_PROBLEM_H

#include "base/file.h"
#include "base/random.h"
#include "check.h"

#include <unistd.h>

enum { CLASSES = 4, SIDE = 6, COUNT = 160 };

static const char net_text[] = "conv 8 3 pad 1\nmaxpool 2\ndropout 0.1\nconv 8 3\ndense 6\n";

static char folder[] = "/tmp/deeplda-test-trainer-XXXXXX";
static char net_path[128];

static inline char *in_folder(const char *name)
{
    static char path[4][256];
    static int next;
    char *result = path[next++ % 4];

    snprintf(result, sizeof path[0], "%s/%s", folder, name);
    return result;
}

static inline dlda_dataset *new_problem(uint32_t seed)
{
    static float values[COUNT * SIDE * SIDE];
    static int labels[COUNT];
    dlda_random random = dlda_random_stream(seed, DLDA_RANDOM_TEST, 0, 0);
    dlda_dataset *set = NULL;

    dlda_random_normal(&random, COUNT * SIDE * SIDE, 0.5, values);
    for (int i = 0; i < COUNT; i++) {
        labels[i] = i % CLASSES;
        int corner = labels[i] / 2 * 4 * SIDE + labels[i] % 2 * 4;
        values[i * SIDE * SIDE + corner] += 3;
        values[i * SIDE * SIDE + corner + SIDE + 1] += 3;
    }
    CHECK_OK(dlda_dataset_create(&(dlda_dataset_spec){ .count = COUNT,
                                                       .height = SIDE,
                                                       .width = SIDE,
                                                       .channels = 1,
                                                       .classes = CLASSES,
                                                       .labels = labels,
                                                       .values = values },
                                 &set));
    return set;
}

static inline dlda_options *new_options(const char *objective)
{
    dlda_options *options = NULL;

    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "net", net_path));
    CHECK_OK(dlda_options_set(options, "objective", objective));
    CHECK_OK(dlda_options_set(options, "batch", "40"));
    CHECK_OK(dlda_options_set(options, "epochs", "3"));
    CHECK_OK(dlda_options_set(options, "threads", "2"));
    return options;
}

static inline int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(net_path, sizeof net_path, "%s", in_folder("small.net"));
    return dlda_file_write(net_path, net_text, strlen(net_text)) == DLDA_OK ? 0 : -1;
}

static inline int tear_down(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#endif
