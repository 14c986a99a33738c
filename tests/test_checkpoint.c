/* SPDX-License-Identifier: MIT
 *
 * test_checkpoint.c - trainings that stop and go on: the same bits as without a stop, refusals, damaged files; and what
 * else decides where a training begins and ends: --init, --patience, presets, warnings.
 */
#include "base/memory.h"
#include "base/options.h"
#include "small_problem.h"
#include "training/checkpoint.h"
#include "training/checkpoint_file.h"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- A training that can be stopped after so many batches ---- */

typedef struct job {
    dlda_dataset *train, *validation;
    dlda_options *options;
    dlda_trainer *trainer;
    size_t batches_left; /* until it is stopped; 0: never */
    char said[1024];
} job;

static int stop_in_time(void *user)
{
    job *self = user;
    return self->batches_left > 0 && --self->batches_left == 0;
}

static void note(void *user, const char *message)
{
    snprintf(((job *)user)->said, sizeof((job *)user)->said, "%s", message);
}

static void watch(job *self)
{
    dlda_trainer_watch(self->trainer, &(dlda_watch){ .user = self, .log = note, .stop = stop_in_time });
}

static job new_job(const char *objective, const char *const more[][2], size_t n_more)
{
    job self = { .train = new_problem(1), .validation = new_problem(2), .options = new_options(objective) };

    for (size_t i = 0; i < n_more; i++) CHECK_OK(dlda_options_set(self.options, more[i][0], more[i][1]));
    CHECK_OK(dlda_trainer_create(self.options, self.train, self.validation, &self.trainer));
    return self;
}

static void end_job(job *self)
{
    dlda_trainer_destroy(self->trainer);
    dlda_options_destroy(self->options);
    dlda_dataset_destroy(self->train);
    dlda_dataset_destroy(self->validation);
}

static void assert_same_end(const dlda_trainer *a, const dlda_trainer *b)
{
    size_t n = a->model->network->n_weights;

    assert_memory_equal(a->weights, b->weights, n * sizeof *a->weights);
    assert_memory_equal(a->velocity, b->velocity, n * sizeof *a->velocity);
    assert_memory_equal(a->model->weights, b->model->weights, n * sizeof *a->weights);
    const dlda_lda *head = a->model->lda, *other = b->model->lda;
    size_t D = head->D;
    assert_memory_equal(head->A, other->A, head->K * D * sizeof *head->A);
    assert_memory_equal(head->Sw, other->Sw, D * D * sizeof *head->Sw);
    assert_memory_equal(head->St, other->St, D * D * sizeof *head->St);
    assert_int_equal(a->history->count, b->history->count);
    assert_int_equal(a->best_epoch, b->best_epoch);
    for (size_t i = 0; i < a->history->count; i++) {
        assert_true(a->history->epochs[i].loss == b->history->epochs[i].loss);
        assert_true(a->history->epochs[i].validation_accuracy == b->history->epochs[i].validation_accuracy);
        assert_memory_equal(a->history->epochs[i].eigenvalues, b->history->epochs[i].eigenvalues,
                            a->history->eigenvalues * sizeof(double));
    }
}

/* ---- Tests ---- */

/* 3 epochs of 4 batches, stopped after each number of batches, and gone on with another number of threads. */
static void test_stopped_anywhere(void **state)
{
    static const char *const other_threads[][2] = { { "threads", "1" } };
    job whole = new_job("lda", NULL, 0);

    (void)state;
    CHECK_OK(dlda_trainer_run(whole.trainer));
    for (size_t batches = 1; batches <= 12; batches++) {
        char *run = in_folder("stopped");
        job first = new_job("lda", NULL, 0), second = new_job("lda", other_threads, 1);
        first.batches_left = batches;
        watch(&first);
        CHECK_OK(dlda_trainer_record(first.trainer, run, 1));
        CHECK_STATUS(dlda_trainer_run(first.trainer), DLDA_E_STOPPED);
        CHECK_OK(dlda_trainer_resume(second.trainer, run));
        assert_int_equal(second.trainer->steps_done, batches);
        CHECK_OK(dlda_trainer_run(second.trainer));
        assert_same_end(whole.trainer, second.trainer);
        end_job(&first);
        end_job(&second);
    }
    end_job(&whole);
}

static void leave_checkpoint(const char *run)
{
    job first = new_job("lda", NULL, 0);

    first.batches_left = 6;
    watch(&first);
    CHECK_OK(dlda_trainer_record(first.trainer, run, 1));
    CHECK_STATUS(dlda_trainer_run(first.trainer), DLDA_E_STOPPED);
    end_job(&first);
}

/* ---- What is known of a run ---- */

static dlda_run_info *info_of(const char *path)
{
    dlda_run_info *info = NULL;

    CHECK_OK(dlda_run_info_read(path, &info));
    return info;
}

static dlda_run_state state_in(const char *run)
{
    dlda_run_info *info = info_of(run);
    dlda_run_state found = info->state;

    dlda_run_info_destroy(info);
    return found;
}

static void check_counts(const dlda_run_info *info, const dlda_trainer *trainer)
{
    double sum = trainer->epoch_seconds;

    for (size_t i = 0; i < trainer->history->count; i++) sum += trainer->history->epochs[i].seconds;
    assert_int_equal(info->epochs_done, trainer->epochs_done);
    assert_int_equal(info->batches_done, trainer->batches_done);
    assert_int_equal(info->steps_done, trainer->steps_done);
    assert_int_equal(info->best_epoch, trainer->best_epoch);
    assert_true(info->best_accuracy == trainer->best_accuracy);
    assert_true(fabs(info->seconds - sum) < 1e-9 && sum > 0);
    assert_string_equal(info->network, trainer->model->network->text);
    assert_string_equal(info->options, trainer->model->options);
}

static void test_info_of_a_run(void **state)
{
    char run[256], path[300];
    job self = new_job("lda", NULL, 0);
    dlda_run_info *info = NULL;

    (void)state;
    snprintf(run, sizeof run, "%s", in_folder("progress"));
    CHECK_STATUS(dlda_run_info_read(run, &info), DLDA_E_IO);
    CHECK_ERROR_SAYS("progress: no such folder, expected a run folder");
    CHECK_STATUS(dlda_run_info_read(folder, &info), DLDA_E_IO);
    CHECK_ERROR_SAYS("no checkpoint in this folder");
    dlda_trainer_destroy(self.trainer);
    CHECK_OK(dlda_options_set(self.options, "data", folder));
    CHECK_OK(dlda_trainer_create(self.options, self.train, self.validation, &self.trainer));
    CHECK_OK(dlda_trainer_record(self.trainer, run, 1));
    CHECK_OK(dlda_trainer_run(self.trainer));
    info = info_of(run);
    check_counts(info, self.trainer);
    assert_int_equal(info->state, DLDA_RUN_COMPLETE);
    assert_int_equal(info->process, getpid());
    assert_string_equal(info->data, folder);
    dlda_run_info_destroy(info);

    snprintf(path, sizeof path, "%s/checkpoint.safetensors", run);
    info = info_of(path); /* of the file alone */
    check_counts(info, self.trainer);
    assert_int_equal(info->state, DLDA_RUN_UNKNOWN);
    assert_int_equal(info->process, 0);
    assert_string_equal(info->data, folder);
    dlda_run_info_destroy(info);
    info = NULL;
    snprintf(path, sizeof path, "%s/model.safetensors", run);
    CHECK_STATUS(dlda_run_info_read(path, &info), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("not a checkpoint");
    assert_null(info);
    dlda_run_info_destroy(NULL);
    end_job(&self);
}

static void leave_damaged(const char *run, const char *name)
{
    char path[300];

    snprintf(path, sizeof path, "%s/%s", run, name);
    CHECK_OK(dlda_file_write(path, "{", 1));
}

/* Of each file what it has, whichever of the others is damaged. */
static void test_info_of_a_damaged_run(void **state)
{
    char run[256];
    dlda_run_info *info = NULL;
    dlda_options *options = NULL;

    (void)state;
    snprintf(run, sizeof run, "%s", in_folder("half"));
    leave_checkpoint(run);
    leave_damaged(run, "checkpoint.safetensors");
    info = info_of(run);
    assert_int_equal(info->steps_done, 4); /* of the one before */
    dlda_run_info_destroy(info);

    leave_damaged(run, "checkpoint-previous.safetensors");
    info = info_of(run);
    assert_int_equal(info->state, DLDA_RUN_STOPPED);
    assert_true(info->steps_done == 0 && info->best_epoch == 0 && isnan(info->best_accuracy));
    assert_true(info->seconds > 0); /* run.json has them too */
    assert_true(!info->network[0] && info->options[0] == '{');
    dlda_run_info_destroy(info);
    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_use_run(options, run));
    assert_string_equal(dlda_options_get(options, "batch"), "40");

    leave_damaged(run, "run.json");
    info = info_of(run);
    assert_int_equal(info->state, DLDA_RUN_UNKNOWN);
    assert_true(isnan(info->seconds) && info->options[0] == '{');
    dlda_run_info_destroy(info);
    info = NULL;
    char path[300];
    snprintf(path, sizeof path, "%s/options.json", run);
    assert_int_equal(unlink(path), 0);
    CHECK_STATUS(dlda_run_info_read(run, &info), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("checkpoint-previous.safetensors");
    assert_null(info);
    CHECK_STATUS(dlda_options_use_run(options, run), DLDA_E_FORMAT);
    assert_string_equal(dlda_options_get(options, "data"), "");
    dlda_options_destroy(options);
}

/* A folder is used again: from its first batch on, it has the files of the second training only. */
static void test_info_of_a_folder_used_again(void **state)
{
    static const char *const other_rate[][2] = { { "rate", "0.05" } };
    char run[256];
    job second = new_job("lda", other_rate, 1);

    (void)state;
    snprintf(run, sizeof run, "%s", in_folder("again"));
    leave_checkpoint(run);
    second.batches_left = 1;
    watch(&second);
    CHECK_OK(dlda_trainer_record(second.trainer, run, 1));
    CHECK_STATUS(dlda_trainer_run(second.trainer), DLDA_E_STOPPED);
    dlda_run_info *info = info_of(run);
    assert_int_equal(info->state, DLDA_RUN_STOPPED);
    assert_int_equal(info->steps_done, 1);
    assert_string_equal(info->options, second.trainer->model->options);
    assert_string_equal(info->data, ""); /* nobody said where they came from */
    static const char *const of_epochs[] = { "model.safetensors", "history.csv", "eigenvalues.csv" };
    for (size_t i = 0; i < 3; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", run, of_epochs[i]);
        assert_false(dlda_path_exists(path));
    }
    dlda_run_info_destroy(info);
    end_job(&second);
}

/* Numbers that no count can be are refused, not converted. */
static void test_counters_out_of_range(void **state)
{
    static const double lies[] = { 1e300, -1, 0.5, 9e15 };
    char *path = in_folder("lies.safetensors");

    (void)state;
    for (size_t i = 0; i < 16; i++) {
        double counters[DLDA_CHECKPOINT_COUNTERS] = { 0 }, history[DLDA_EPOCH_FIELDS] = { 0 };
        static const size_t places[] = { 0, 1, 2, 5 };
        const dlda_tensor tensors[] = {
            { .name = "counters",
              .dtype = DLDA_F64,
              .rank = 2,
              .shape = { 1, DLDA_CHECKPOINT_COUNTERS },
              .data = counters },
            { .name = "history", .dtype = DLDA_F64, .rank = 2, .shape = { 0, DLDA_EPOCH_FIELDS }, .data = history },
        };
        const dlda_checkpoint_texts texts = { "dense 2\n", "{}", "0-0", "digits", "idx", NULL };
        dlda_run_info *info = NULL;
        CHECK_OK(dlda_checkpoint_write(path, tensors, 2, &texts));
        dlda_run_info_destroy(info_of(path));
        counters[places[i / 4]] = lies[i % 4];
        CHECK_OK(dlda_checkpoint_write(path, tensors, 2, &texts));
        CHECK_STATUS(dlda_run_info_read(path, &info), DLDA_E_FORMAT);
        CHECK_ERROR_SAYS("counters that do not go together");
        assert_null(info);
    }
}

static void test_info_without_memory(void **state)
{
    char run[256];
    dlda_status status = DLDA_E_MEMORY;

    (void)state;
    snprintf(run, sizeof run, "%s", in_folder("short"));
    leave_checkpoint(run);
    size_t live = dlda_memory_count().live;
    for (size_t n = 1; status != DLDA_OK; n++) {
        dlda_run_info *info = NULL;
        assert_true(n < 500);
        dlda_memory_fail_at(n);
        status = dlda_run_info_read(run, &info);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) assert_int_equal(status, DLDA_E_MEMORY);
        dlda_run_info_destroy(info);
        assert_int_equal(dlda_memory_count().live, live);
    }
}

/* Batch by batch, epoch by epoch, or all at once: the same end, and the same record. */
static void test_step_by_step(void **state)
{
    job whole = new_job("lda", NULL, 0), stepped = new_job("lda", NULL, 0), mixed = new_job("lda", NULL, 0);
    size_t steps = 0;

    (void)state;
    CHECK_OK(dlda_trainer_run(whole.trainer));
    for (; !dlda_trainer_is_complete(stepped.trainer); steps++) CHECK_OK(dlda_trainer_run_step(stepped.trainer));
    assert_int_equal(steps, 12);
    CHECK_OK(dlda_trainer_finish(stepped.trainer));
    assert_same_end(whole.trainer, stepped.trainer);
    CHECK_STATUS(dlda_trainer_run_step(stepped.trainer), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("the training is complete after 3 epochs");
    CHECK_OK(dlda_trainer_run_step(mixed.trainer));
    CHECK_OK(dlda_trainer_run_epoch(mixed.trainer)); /* the other three batches */
    assert_int_equal(mixed.trainer->steps_done, 4);
    CHECK_OK(dlda_trainer_run(mixed.trainer));
    assert_same_end(whole.trainer, mixed.trainer);
    end_job(&mixed);
    end_job(&stepped);
    end_job(&whole);
}

/* Finished early, it has a model, and its record goes on. */
static void test_finish_early(void **state)
{
    char *run = in_folder("early");
    job whole = new_job("lda", NULL, 0), first = new_job("lda", NULL, 0), second = new_job("lda", NULL, 0);

    (void)state;
    CHECK_OK(dlda_trainer_run(whole.trainer));
    CHECK_OK(dlda_trainer_record(first.trainer, run, 1));
    CHECK_OK(dlda_trainer_run_epoch(first.trainer));
    CHECK_OK(dlda_trainer_run_step(first.trainer));
    CHECK_OK(dlda_trainer_finish(first.trainer));
    assert_non_null(dlda_trainer_model(first.trainer));
    assert_int_equal(state_in(run), DLDA_RUN_STOPPED);
    CHECK_OK(dlda_trainer_resume(second.trainer, run));
    assert_null(second.trainer->passes); /* while the checkpoint is in memory */
    assert_int_equal(second.trainer->steps_done, 5);
    CHECK_OK(dlda_trainer_run(second.trainer));
    assert_same_end(whole.trainer, second.trainer);
    assert_null(first.trainer->passes); /* whoever tests the model may need the memory */
    CHECK_OK(dlda_trainer_run(first.trainer));
    assert_same_end(whole.trainer, first.trainer);
    end_job(&second);
    end_job(&first);
    end_job(&whole);
}

/* A trainer that did not train leaves the checkpoint of its folder as it is; and what fails at the end is said. */
static void test_finish_that_has_nothing_to_do_or_fails(void **state)
{
    char run[256], path[300];
    job idle = new_job("lda", NULL, 0), failing = new_job("lda", NULL, 0);
    dlda_run_info *before = NULL, *after = NULL;

    (void)state;
    snprintf(run, sizeof run, "%s", in_folder("idle"));
    leave_checkpoint(run);
    before = info_of(run);
    CHECK_OK(dlda_trainer_resume(idle.trainer, run));
    CHECK_OK(dlda_trainer_finish(idle.trainer));
    after = info_of(run);
    assert_int_equal(after->steps_done, before->steps_done);
    assert_true(after->seconds == before->seconds);
    snprintf(run, sizeof run, "%s", in_folder("failing"));
    snprintf(path, sizeof path, "%s/model.safetensors", run);
    CHECK_OK(dlda_trainer_record(failing.trainer, run, 1));
    CHECK_OK(dlda_trainer_run_epoch(failing.trainer));
    assert_int_equal(remove(path), 0);
    CHECK_OK(dlda_folder_make(path));
    CHECK_STATUS(dlda_trainer_finish(failing.trainer), DLDA_E_IO);
    CHECK_ERROR_SAYS("model.safetensors");
    dlda_run_info_destroy(before);
    dlda_run_info_destroy(after);
    end_job(&failing);
    end_job(&idle);
}

/* options.json and the first best model are written by the first epoch. */
static void test_record_comes_before_the_first_step(void **state)
{
    job late = new_job("lda", NULL, 0);

    (void)state;
    CHECK_OK(dlda_trainer_run_step(late.trainer));
    CHECK_STATUS(dlda_trainer_record(late.trainer, in_folder("late"), 1), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("record: 1 steps are done already");
    end_job(&late);
}

/* A file may have a good checksum and lack an array: the trainer stays a new one. */
static void test_resume_that_fails_leaves_no_history(void **state)
{
    char run[256], path[300];
    job first = new_job("lda", NULL, 0), second = new_job("lda", NULL, 0);
    dlda_safetensors *file = NULL;
    dlda_checkpoint_texts texts = { 0 };
    dlda_tensor tensors[DLDA_CHECKPOINT_TENSORS];
    size_t count = 0;

    (void)state;
    snprintf(run, sizeof run, "%s", in_folder("lacking"));
    CHECK_OK(dlda_trainer_record(first.trainer, run, 1));
    CHECK_OK(dlda_trainer_run_epoch(first.trainer));
    snprintf(path, sizeof path, "%s/%s", run, DLDA_CHECKPOINT_NEWEST);
    CHECK_OK(dlda_checkpoint_open(path, &file));
    CHECK_OK(dlda_checkpoint_read_texts(file, path, &texts));
    for (size_t i = 0; i < dlda_safetensors_count(file); i++)
        if (strcmp(dlda_safetensors_at(file, i)->name, "velocity") != 0)
            tensors[count++] = *dlda_safetensors_at(file, i);
    CHECK_OK(dlda_checkpoint_write(path, tensors, count, &texts));
    dlda_safetensors_destroy(file);
    CHECK_STATUS(dlda_trainer_resume(second.trainer, run), DLDA_E_IO);
    CHECK_ERROR_SAYS("is writing into this folder");
    end_job(&first);
    CHECK_STATUS(dlda_trainer_resume(second.trainer, run), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("'velocity' is missing");
    assert_int_equal(second.trainer->history->count, 0);
    end_job(&second);
}

/* The seconds that an interrupted epoch took before its checkpoint are part of the epoch. */
static void test_seconds_of_an_interrupted_epoch(void **state)
{
    char *run = in_folder("seconds");
    job second = new_job("lda", NULL, 0);
    dlda_run_info *before = NULL, *after = NULL;

    (void)state;
    leave_checkpoint(run); /* after the second batch of the second epoch */
    CHECK_OK(dlda_trainer_resume(second.trainer, run));
    second.trainer->epoch_seconds += 1000; /* as if it had been slow */
    before = info_of(run);
    assert_int_equal(before->epochs_done, 1);
    assert_true(before->seconds > second.trainer->history->epochs[0].seconds);
    CHECK_OK(dlda_trainer_run(second.trainer));
    after = info_of(run);
    assert_int_equal(after->epochs_done, 3);
    assert_true(after->seconds > before->seconds + 1000 && after->seconds < before->seconds + 1100);
    dlda_run_info_destroy(before);
    dlda_run_info_destroy(after);
    assert_true(second.trainer->history->epochs[1].seconds > 1000);
    assert_true(second.trainer->history->epochs[2].seconds < 100);
    end_job(&second);
}

/* Every second epoch and the last are measured, stopped in between or not; the steps are the same. */
static void test_measured_epochs(void **state)
{
    static const char *const seldom[][2] = { { "measure-every", "2" }, { "epochs", "5" } };
    static const char *const always[][2] = { { "epochs", "5" } };
    char *run = in_folder("seldom");
    job whole = new_job("lda", seldom, 2), plain = new_job("lda", always, 1);
    job first = new_job("lda", seldom, 2), second = new_job("lda", seldom, 2);

    (void)state;
    CHECK_OK(dlda_trainer_run(whole.trainer));
    CHECK_OK(dlda_trainer_run(plain.trainer));
    first.batches_left = 13; /* in the fourth epoch */
    watch(&first);
    CHECK_OK(dlda_trainer_record(first.trainer, run, 1));
    CHECK_STATUS(dlda_trainer_run(first.trainer), DLDA_E_STOPPED);
    CHECK_OK(dlda_trainer_resume(second.trainer, run));
    CHECK_OK(dlda_trainer_run(second.trainer));
    for (size_t i = 0; i < 5; i++) {
        const dlda_epoch *epoch = &second.trainer->history->epochs[i], *other = &plain.trainer->history->epochs[i];
        int measured = i % 2 == 1 || i == 4;
        assert_int_equal(isnan(epoch->train_accuracy), !measured);
        assert_int_equal(isnan(epoch->validation_accuracy), !measured);
        assert_int_equal(epoch->n_eigenvalues, measured ? other->n_eigenvalues : 0);
        assert_true(epoch->loss == other->loss && (!measured || epoch->train_accuracy == other->train_accuracy));
        assert_true(measured || !epoch->best);
        assert_int_equal(whole.trainer->history->epochs[i].best, epoch->best);
    }
    assert_memory_equal(second.trainer->weights, plain.trainer->weights,
                        plain.trainer->model->network->n_weights * sizeof(float));
    end_job(&whole);
    end_job(&plain);
    end_job(&first);
    end_job(&second);
}

/* run.json as a process of this machine would have written it. */
static void write_state(const char *run, const char *text, long process, double start)
{
    struct utsname system;
    char path[4096];

    assert_int_equal(uname(&system), 0);
    snprintf(path, sizeof path, "%s/run.json", run);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"state\": \"%s\", \"host\": \"%s\", \"process\": %ld, \"process_start\": %.1f}\n", text,
            system.nodename, process, start);
    assert_int_equal(fclose(file), 0);
}

/* When a process began, as Linux has it. */
static double start_of(long process)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    assert_non_null(at);
    return strtod(at, NULL);
}

static void test_run_states(void **state)
{
    char *run = in_folder("states");

    (void)state;
    assert_int_equal(mkdir(run, 0777), 0);
    write_state(run, "running", getpid(), start_of(getpid()));
    assert_int_equal(state_in(run), DLDA_RUN_RUNNING);
    write_state(run, "running", getpid(), 1); /* another process had that number */
    assert_int_equal(state_in(run), DLDA_RUN_LOST);

    pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
    write_state(run, "running", child, start_of(child));
    assert_int_equal(state_in(run), DLDA_RUN_LOST); /* a zombie does not train */
    assert_int_equal(waitpid(child, NULL, 0), child);

    write_state(run, "failed", getpid(), 1);
    assert_int_equal(state_in(run), DLDA_RUN_FAILED);
    write_state(run, "dancing", getpid(), 1);
    assert_int_equal(state_in(run), DLDA_RUN_UNKNOWN);
}

static void test_what_does_not_fit(void **state)
{
    static const char *const rate[][2] = { { "rate", "0.05" } }, *const fewer[][2] = { { "epochs", "1" } };
    static const char *const enough[][2] = { { "epochs", "9" } }, *const batch[][2] = { { "batch", "41" } };
    char *run = in_folder("refused");

    (void)state;
    leave_checkpoint(run);
    job other = new_job("lda", rate, 1);
    CHECK_STATUS(dlda_trainer_resume(other.trainer, run), DLDA_E_OPTION);
    CHECK_ERROR_SAYS("option rate was 0.1, now it is 0.05");
    end_job(&other);
    other = new_job("lda-log", NULL, 0);
    CHECK_STATUS(dlda_trainer_resume(other.trainer, run), DLDA_E_OPTION);
    CHECK_ERROR_SAYS("option objective was \"lda\"");
    end_job(&other);
    other = new_job("lda", batch, 1);
    CHECK_STATUS(dlda_trainer_resume(other.trainer, run), DLDA_E_OPTION);
    end_job(&other);
    other = new_job("lda", fewer, 1);
    CHECK_OK(dlda_trainer_resume(other.trainer, run)); /* one epoch is done and half of the second */
    end_job(&other);
    other = new_job("lda", enough, 1);
    CHECK_OK(dlda_trainer_resume(other.trainer, run));
    CHECK_STATUS(dlda_trainer_resume(other.trainer, run), DLDA_E_ARGUMENT);
    end_job(&other);
    other = new_job("lda", NULL, 0);
    CHECK_STATUS(dlda_trainer_resume(other.trainer, in_folder("nowhere")), DLDA_E_IO);
    CHECK_ERROR_SAYS("no such folder");
    dlda_dataset *half = NULL, *rest = NULL;
    CHECK_OK(dlda_dataset_split(other.train, COUNT / 2, 1, &rest, &half));
    dlda_trainer *on_half = NULL;
    CHECK_OK(dlda_trainer_create(other.options, half, other.validation, &on_half));
    CHECK_STATUS(dlda_trainer_resume(on_half, run), DLDA_E_OPTION);
    CHECK_ERROR_SAYS("made with other data");
    dlda_trainer_destroy(on_half);
    dlda_dataset_destroy(half);
    dlda_dataset_destroy(rest);
    end_job(&other);
}

/* Cut at any length or with any byte changed, a file is never taken for a whole one. */
static void test_damaged_files(void **state)
{
    char *run = in_folder("damaged"), path[300], *bytes = NULL;
    size_t size = 0, refused = 0, tried = 0;

    (void)state;
    leave_checkpoint(run);
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", run);
    CHECK_OK(dlda_file_read(path, 1 << 20, &bytes, &size));
    snprintf(path, sizeof path, "%s/checkpoint-previous.safetensors", run);
    unlink(path);
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", run);
    job other = new_job("lda", NULL, 0);
    for (size_t i = 0; i < size; i += 1 + size / 400, tried += 2) {
        CHECK_OK(dlda_file_write(path, bytes, i));
        refused += dlda_checkpoint_load(other.trainer, run) != DLDA_OK;
        bytes[i] ^= 0x55;
        CHECK_OK(dlda_file_write(path, bytes, size));
        refused += dlda_checkpoint_load(other.trainer, run) != DLDA_OK;
        bytes[i] ^= 0x55;
    }
    assert_int_equal(refused, tried);
    CHECK_OK(dlda_file_write(path, bytes, size));
    CHECK_OK(dlda_checkpoint_load(other.trainer, run));
    end_job(&other);
    dlda_release(bytes);
}

static void test_the_one_before(void **state)
{
    char *run = in_folder("before"), path[300];

    (void)state;
    leave_checkpoint(run); /* after epoch 1, then after 2 batches more */
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", run);
    CHECK_OK(dlda_file_write(path, "cut", 3));
    job other = new_job("lda", NULL, 0);
    watch(&other);
    CHECK_OK(dlda_trainer_resume(other.trainer, run));
    assert_int_equal(other.trainer->steps_done, 4);
    assert_non_null(strstr(other.said, "going on from the checkpoint before it"));
    end_job(&other);
}

static void test_patience(void **state)
{
    static const char *const impatient[][2] = { { "epochs", "60" }, { "patience", "2" }, { "rate", "0" } };
    job self = new_job("lda", impatient, 3);

    (void)state;
    watch(&self);
    CHECK_OK(dlda_trainer_run(self.trainer));
    size_t count = self.trainer->history->count;
    assert_true(count >= 3 && count < 60 && count == self.trainer->best_epoch + 2);
    assert_non_null(strstr(self.said, "the patience of 2 epochs is at its end"));
    end_job(&self);
}

/* With a tolerance, a
 * later epoch is kept unless it is worse than the best by more standard errors than that. */
static void test_tolerance(void **state)
{
    static const char *const tolerant[][2] = { { "epochs", "8" }, { "tolerance", "100" }, { "rate", "0.3" } };
    static const char *const strict[][2] = { { "epochs", "8" }, { "rate", "0.3" } };
    job self = new_job("lda", tolerant, 3), other = new_job("lda", strict, 2);

    (void)state;
    CHECK_OK(dlda_trainer_run(self.trainer));
    CHECK_OK(dlda_trainer_run(other.trainer));
    assert_int_equal(self.trainer->best_epoch, 8);
    assert_true(self.trainer->best_accuracy == other.trainer->best_accuracy); /* the best one that was seen */
    for (size_t i = 0; i < 8; i++) assert_int_equal(self.trainer->history->epochs[i].best, 1);
    end_job(&self);
    end_job(&other);
}

static void test_init(void **state)
{
    char *model = in_folder("start.safetensors");
    const char *const init[][2] = { { "init", model }, { "rate", "0" }, { "epochs", "1" } };
    job first = new_job("lda", NULL, 0);

    (void)state;
    CHECK_OK(dlda_trainer_run(first.trainer));
    CHECK_OK(dlda_model_save(dlda_trainer_model(first.trainer), model));
    job second = new_job("lda-log", init, 3);
    assert_memory_equal(second.trainer->weights, first.trainer->model->weights,
                        first.trainer->model->network->n_weights * sizeof(float));
    CHECK_OK(dlda_trainer_run(second.trainer));
    CHECK_STATUS(dlda_trainer_start_from(second.trainer, first.trainer->model), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("steps are done");
    end_job(&second);
    job third = new_job("lda-log", NULL, 0); /* the same without a file */
    CHECK_OK(dlda_trainer_start_from(third.trainer, first.trainer->model));
    assert_memory_equal(third.trainer->weights, first.trainer->model->weights,
                        first.trainer->model->network->n_weights * sizeof(float));
    assert_memory_equal(third.trainer->state, first.trainer->model->state,
                        first.trainer->model->network->n_state * sizeof(float));
    end_job(&third);
    CHECK_OK(dlda_file_write(in_folder("other.net"), "dense 7\n", 8));
    CHECK_OK(dlda_options_set(first.options, "net", in_folder("other.net")));
    CHECK_OK(dlda_options_set(first.options, "init", model));
    dlda_trainer *other = NULL;
    CHECK_STATUS(dlda_trainer_create(first.options, first.train, NULL, &other), DLDA_E_SHAPE);
    CHECK_ERROR_SAYS("its network is another one");
    CHECK_OK(dlda_options_set(first.options, "init", ""));
    CHECK_OK(dlda_trainer_create(first.options, first.train, NULL, &other));
    CHECK_STATUS(dlda_trainer_start_from(other, first.trainer->model), DLDA_E_SHAPE);
    CHECK_ERROR_SAYS("its network is another one");
    dlda_trainer_destroy(other);
    end_job(&first);
}

static void test_small_batches_are_warned_of(void **state)
{
    static const char *const few[][2] = { { "batch", "16" }, { "epochs", "1" } };
    job self = new_job("lda", few, 2);

    (void)state;
    watch(&self);
    CHECK_OK(dlda_trainer_run(self.trainer));
    assert_non_null(strstr(self.said, "batches of 16 samples of 4 classes leave 12 rows"));
    assert_non_null(strstr(self.said, "at least 18 are recommended"));
    end_job(&self);
    self = new_job("lda", NULL, 0);
    watch(&self);
    CHECK_OK(dlda_trainer_run(self.trainer));
    assert_string_equal(self.said, "");
    end_job(&self);
}

static void test_weights_that_are_not_finite(void **state)
{
    job self = new_job("lda", NULL, 0);

    (void)state;
    CHECK_OK(dlda_trainer_check_weights(self.trainer));
    self.trainer->weights[0] = INFINITY;
    CHECK_STATUS(dlda_trainer_check_weights(self.trainer), DLDA_E_NUMERIC);
    CHECK_ERROR_SAYS("layers.0.conv.weight, value 0 is not finite");
    CHECK_STATUS(dlda_trainer_run(self.trainer), DLDA_E_NUMERIC);
    CHECK_ERROR_SAYS("epoch 1, batch");
    end_job(&self);
}

/* What the user set stays; the rest suits the data and the objective. */
static void test_presets(void **state)
{
    dlda_options *options = NULL;

    (void)state;
    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "epochs", "3"));
    CHECK_OK(dlda_options_preset(options, "mnist"));
    assert_string_equal(dlda_options_get(options, "batch"), "1000");
    assert_string_equal(dlda_options_get(options, "epochs"), "3");
    dlda_options_destroy(options);
    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "objective", "cce"));
    CHECK_OK(dlda_options_preset(options, "mnist"));
    assert_string_equal(dlda_options_get(options, "batch"), "128");
    CHECK_OK(dlda_options_preset(options, "something else"));
    assert_string_equal(dlda_options_get(options, "batch"), "128");
    for (size_t i = 0; dlda_preset_at(i); i++) /* each of them is an option that takes the value */
        CHECK_OK(dlda_options_set(options, dlda_preset_at(i)->option, dlda_preset_at(i)->value));
    dlda_options_destroy(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stopped_anywhere),
        cmocka_unit_test(test_info_of_a_run),
        cmocka_unit_test(test_info_of_a_damaged_run),
        cmocka_unit_test(test_info_of_a_folder_used_again),
        cmocka_unit_test(test_counters_out_of_range),
        cmocka_unit_test(test_info_without_memory),
        cmocka_unit_test(test_step_by_step),
        cmocka_unit_test(test_finish_early),
        cmocka_unit_test(test_finish_that_has_nothing_to_do_or_fails),
        cmocka_unit_test(test_record_comes_before_the_first_step),
        cmocka_unit_test(test_resume_that_fails_leaves_no_history),
        cmocka_unit_test(test_seconds_of_an_interrupted_epoch),
        cmocka_unit_test(test_measured_epochs),
        cmocka_unit_test(test_run_states),
        cmocka_unit_test(test_what_does_not_fit),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_the_one_before),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_init),
        cmocka_unit_test(test_small_batches_are_warned_of),
        cmocka_unit_test(test_weights_that_are_not_finite),
        cmocka_unit_test(test_presets),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, set_up, tear_down);
}
