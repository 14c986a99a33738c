/* SPDX-License-Identifier: MIT
 *
 * test_reproduce_plan.c - the plan of `deeplda reproduce`: every training once, with all that it needs, and each set read
 * once, however many trainings it is for.
 */
#include "arguments.h"
#include "reproduce/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- A folder with two small sets ---- */

static char root[64];

static void write_part(const char *name, dlda_part part, size_t count)
{
    dlda_dataset *digits = NULL, *some = NULL;

    assert_int_equal(dlda_dataset_read("digits", part, &digits), DLDA_OK);
    assert_int_equal(dlda_dataset_subset(digits, count, 1, &some), DLDA_OK);
    assert_int_equal(dlda_dataset_write(some, part, DLDA_FORMAT_NPY, name), DLDA_OK);
    dlda_dataset_destroy(some);
    dlda_dataset_destroy(digits);
}

static int make_sets(void **state)
{
    (void)state;
    strcpy(root, "/tmp/deeplda-plan-XXXXXX");
    if (!mkdtemp(root) || chdir(root) != 0) return -1;
    write_part("tested", DLDA_PART_TRAIN, 600);
    write_part("tested", DLDA_PART_TEST, 100);
    write_part("untested", DLDA_PART_TRAIN, 500);
    return 0;
}

static int remove_sets(void **state)
{
    char command[96];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return chdir("/") != 0 || system(command) != 0;
}

/* ---- A plan for a command line ---- */

typedef struct planned {
    cli_arguments arguments;
    reproduce_request request;
    reproduce_plan plan;
} planned;

/* `line` is what follows `deeplda reproduce`; words are separated by single spaces. */
static void make(planned *self, const char *line)
{
    char *argv[32], text[512];
    int argc = 0;

    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) argv[argc++] = strdup(word);
    assert_int_equal(arguments_read(&reproduce_command, argc, argv, &self->arguments), EXIT_OK);
    assert_int_equal(request_read(&self->arguments, &self->request), EXIT_OK);
    self->request.is_quiet = 1;
    assert_int_equal(plan_make(&self->request, &self->plan), EXIT_OK);
    for (int i = 0; i < argc; i++) free(argv[i]);
}

static void release(planned *self)
{
    plan_release(&self->plan);
    arguments_release(&self->arguments);
}

static const training *find(const reproduce_plan *plan, const char *folder)
{
    for (size_t i = 0; i < plan->n_trainings; i++)
        if (strcmp(plan->trainings[i].folder, folder) == 0) return &plan->trainings[i];
    fail_msg("no training in %s", folder);
    return NULL;
}

static void assert_setting(const training *self, const char *name, const char *value)
{
    const char *found = record_setting(&self->asked, name);

    if (!value) assert_null(found);
    else assert_string_equal(found ? found : "(none)", value);
}

/* ---- What is in it ---- */

static void test_trainings(void **state)
{
    planned self;

    (void)state;
    make(&self, "mnist-50k mnist-60k --data tested --net mlp --epochs 7 --seeds 2 --rows deeplda,cce-lda -o out");
    const reproduce_plan *plan = &self.plan;
    assert_int_equal(plan->n_tasks, 2);
    assert_int_equal(plan->n_asked, 8);      /* two networks, of two seeds of two experiments */
    assert_int_equal(plan->n_trainings, 12); /* and one that is not asked for                 */

    const training *one = find(plan, "out/mnist-50k/seed2/cce");
    assert_string_equal(one->title, "mnist-50k, seed 2");
    assert_string_equal(one->place, "out/mnist-50k/seed2");
    assert_string_equal(one->model, "out/mnist-50k/seed2/cce/model.safetensors");
    assert_string_equal(one->record_path, "out/mnist-50k/seed2/cce-training.json");
    assert_ptr_equal(one->task, &plan->tasks[0]);
    assert_int_equal(one->task->data.train, 500);
    assert_int_equal(one->task->data.validation, 100);
    assert_int_equal(one->task->data.test, 100);
    assert_setting(one, "objective", "cce");
    assert_setting(one, "net", "mlp");
    assert_setting(one, "epochs", "7");
    assert_setting(one, "seed", "2");
    assert_setting(one, "validation", "100");
    assert_setting(one, "measure", "0");
    assert_setting(one, "measure-every", NULL);
    assert_int_equal(one->asked.schedule.epochs, 7);
    assert_int_equal(one->asked.schedule.full_epochs, 70);
    assert_string_equal(one->words.at[0], "train");
    assert_string_equal(one->words.at[1], "tested");
    assert_int_equal(one->evaluations[0].row, ROW_CCE);
    assert_int_equal(one->evaluations[0].is_asked, 0);
    assert_int_equal(one->evaluations[1].row, ROW_CCE_LDA);
    assert_int_equal(one->evaluations[1].is_asked, 1);
    assert_string_equal(one->evaluations[1].figures, "out/mnist-50k/seed2/cce-lda.json");
    assert_string_equal(one->evaluations[1].answers, "out/mnist-50k/seed2/cce-lda-answers.csv");

    one = find(plan, "out/mnist-60k/seed1/deeplda");
    assert_setting(one, "validation", "0");
    assert_setting(one, "measure-every", "10"); /* no epoch is chosen by it */
    assert_int_equal(one->task->data.measured_every, 10);
    assert_int_equal(one->task->data.train, 600);
    assert_setting(one, "batch", "600");
    assert_null(find(plan, "out/mnist-60k/seed1/ours")->task);
    release(&self);
}

static void test_folds(void **state)
{
    planned self;

    (void)state;
    make(&self, "stl10-1k --data untested --net mlp --folds 3 --rows deeplda -o folds");
    assert_int_equal(self.plan.n_tasks, 3);
    assert_int_equal(self.plan.n_asked, 3);
    const training *one = find(&self.plan, "folds/stl10-1k/fold2/seed1/deeplda");
    assert_string_equal(one->title, "stl10-1k, fold 2, seed 1");
    assert_string_equal(one->asked.data, "folds/data/stl10-1000-fold2");
    assert_int_equal(one->task->data.train, 100);
    assert_int_equal(one->task->data.test, 400);
    assert_int_equal(one->asked.schedule.epochs, 700);
    assert_setting(one, "halve-every", "100");
    release(&self);
}

/* Tables show everything below ROOT, so the plan has it, but does not train it. */
static void test_others(void **state)
{
    planned self;

    (void)state;
    assert_int_equal(system("mkdir -p others/cifar10/seed1 others/mnist-50k/seed1 others/mnist-50k/seed2"), 0);
    make(&self, "mnist-50k --data tested --epochs 1 -o others");
    assert_int_equal(self.plan.n_asked, 2);
    assert_int_equal(self.plan.n_trainings, 9);
    assert_null(find(&self.plan, "others/mnist-50k/seed2/cce")->task);
    assert_null(find(&self.plan, "others/cifar10/seed1/cce")->task);
    assert_ptr_equal(self.plan.trainings[8].experiment, experiment_named("cifar10"));
    release(&self);
}

/* ---- How often a set is read ---- */

static int watch(const char *path)
{
    int watcher = inotify_init1(IN_NONBLOCK);

    assert_true(watcher >= 0);
    assert_true(inotify_add_watch(watcher, path, IN_OPEN | IN_CLOSE) >= 0);
    return watcher;
}

/* How often the file was opened since. Closing is watched too, as equal events in a row count as one. */
static size_t count_opens(int watcher)
{
    struct inotify_event events[1024];
    ssize_t size = read(watcher, events, sizeof events);
    size_t count = 0;

    for (size_t i = 0; size > 0 && i < (size_t)size / sizeof *events; i++) count += (events[i].mask & IN_OPEN) != 0;
    close(watcher);
    return count;
}

static void assert_read_once(const char *set, const char *line)
{
    dlda_dataset *train = NULL;
    char path[64];
    planned self;

    snprintf(path, sizeof path, "%s/X_train.npy", set);
    int watcher = watch(path);
    assert_int_equal(dlda_dataset_read(set, DLDA_PART_TRAIN, &train), DLDA_OK);
    dlda_dataset_destroy(train);
    size_t once = count_opens(watcher);
    assert_true(once > 0);
    watcher = watch(path);
    make(&self, line);
    assert_int_equal(count_opens(watcher), once);
    assert_int_equal(self.plan.sets.count, 1);
    assert_null(self.plan.sets.at[0].undivided); /* images are not kept while networks are trained */
    release(&self);
}

static void test_sets_are_read_once(void **state)
{
    const char *divided = "stl10-1k stl10-4k --data untested --net mlp --folds 10 --seeds 2 -o divided";

    (void)state;
    assert_read_once("tested", "mnist-50k mnist-60k --data tested --net mlp --seeds 5 --rows all -o once");
    assert_read_once("tested", "mnist-50k mnist-60k --data tested --net mlp --seeds 5 --list -o once");
    assert_read_once("untested", divided);
    assert_read_once("untested", divided); /* now the divided sets are there */
}

/* ---- Settings ---- */

static void test_settings_are_values(void **state)
{
    (void)state;
    assert_true(setting_is_same(NULL, NULL));
    assert_true(setting_is_same("cosine", "cosine"));
    assert_true(setting_is_same("0.1", "0.10000000000000001"));
    assert_false(setting_is_same("0.1", "0.2"));
    assert_false(setting_is_same("0", NULL));
    assert_false(setting_is_same("halve", "cosine"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trainings),
        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_sets_are_read_once),
        cmocka_unit_test(test_settings_are_values),
    };

    return cmocka_run_group_tests(tests, make_sets, remove_sets);
}
