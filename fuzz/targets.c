/* SPDX-License-Identifier: MIT
 *
 * targets.c - what the fuzzer calls: a function for each format that deeplda reads. TARGET chooses the one of an executable.
 *
 * Readers that open files by name get them in a folder in memory ($TMPDIR, else /dev/shm), whose files stay open and are
 * overwritten: no disk is involved. A format with several readers gets one per input, chosen by its size. A target must
 * neither crash, leak, exceed its memory, nor take a second of processor time; what it returns does not matter.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/utf8.h"
#include "dataset/picture.h"
#include "info/onnx_file.h"
#include "model/safetensors.h"
#include "network/network.h"
#include "report/number_table.h"
#include "support.h"
#include "training/checkpoint.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* The static checksum of this file is needed to repair that of a changed checkpoint. */
#include "training/checkpoint_file.c"

enum { MOST_PIXELS = 1 << 20, MOST_SCANS = 20 };

/* ---- Inputs ---- */

/* The input has two files: the first two bytes are the size of the first. */
static size_t split_input(const uint8_t **data, size_t *size)
{
    size_t first = *size >= 2 ? (size_t)(*data)[0] << 8 | (*data)[1] : 0;

    if (*size >= 2) {
        *data += 2;
        *size -= 2;
    }
    return first < *size ? first : *size;
}

static char *text_of(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

enum { MOST_BYTES = 1 << 24 }; /* what compressed data may expand to: larger inputs are only slower */

static void open_labelled(const char *path, const char *format, const char *label)
{
    dlda_dataset *set = NULL;
    const dlda_read_spec spec = { .path = path, .format = format, .label = label, .threads = 1, .most_bytes = MOST_BYTES };

    if (dlda_dataset_open(&spec, &set) == DLDA_OK) dlda_dataset_destroy(set);
}

static void open_images(const char *path, const char *format)
{
    dlda_dataset *set = NULL;
    const dlda_read_spec spec = { .path = path, .format = format, .threads = 1, .most_bytes = MOST_BYTES };

    if (dlda_dataset_open_images(&spec, &set) == DLDA_OK) dlda_dataset_destroy(set);
}

/* ---- Models and checkpoints ---- */

static void fuzz_model(const uint8_t *data, size_t size)
{
    dlda_model *model = NULL;

    if (dlda_model_from_bytes(data, size, &model) == DLDA_OK) dlda_model_destroy(model);
}

static void fuzz_lda(const uint8_t *data, size_t size)
{
    dlda_lda *lda = NULL;

    if (dlda_lda_from_bytes(data, size, &lda) == DLDA_OK) dlda_lda_destroy(lda);
}

/* A safetensors file whose length field is right: the header ends at the first NUL. Returns its size. */
static size_t make_safetensors(const uint8_t *data, size_t size, uint8_t **file)
{
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    uint64_t header = end ? (uint64_t)(end - data) : size;
    size_t rest = end ? size - header - 1 : 0;

    *file = malloc(8 + header + rest);
    if (!*file) abort();
    memcpy(*file, &header, 8);
    if (header > 0) memcpy(*file + 8, data, header);
    if (rest > 0) memcpy(*file + 8 + header, end + 1, rest);
    return 8 + (size_t)header + rest;
}

static void fuzz_model_parts(const uint8_t *data, size_t size)
{
    uint8_t *file = NULL;
    size_t n = make_safetensors(data, size, &file);

    if (size % 4) fuzz_model(file, n);
    else fuzz_lda(file, n);
    free(file);
}

/* Makes the checksum right, if there is one of eight digits. 0 if the file cannot be decoded, which has then been tried. */
static int repair_checksum(uint8_t *bytes, size_t n)
{
    static const char mark[] = "\"checksum\":\"";
    uint8_t *place = memmem(bytes, n, mark, sizeof mark - 1);
    dlda_safetensors *file = NULL;
    const dlda_tensor *tensors[DLDA_CHECKPOINT_TENSORS];
    const char *texts[N_TEXTS];
    char sum[16];

    if (!place || place + sizeof mark + 8 > bytes + n) return 1;
    if (dlda_safetensors_decode("fuzz", bytes, n, &file) != DLDA_OK) return 0;
    size_t count = dlda_safetensors_count(file);
    for (size_t i = 0; i < count && i < DLDA_CHECKPOINT_TENSORS; i++) tensors[i] = dlda_safetensors_at(file, i);
    int fits = count <= DLDA_CHECKPOINT_TENSORS;
    for (size_t i = 0; fits && i < count; i++)
        fits = tensors[i]->dtype == DLDA_F32 || tensors[i]->dtype == DLDA_F64;
    for (size_t i = 0; i < N_TEXTS; i++) texts[i] = dlda_safetensors_metadata(file, keys[i]);
    if (fits) {
        checksum(texts, tensors, count, sum);
        memcpy(place + sizeof mark - 1, sum, 8);
    }
    dlda_safetensors_destroy(file);
    return 1;
}

static void fuzz_checkpoint(const uint8_t *data, size_t size)
{
    dlda_run_info *info = NULL;
    uint8_t *file = NULL;
    size_t n = make_safetensors(data, size, &file);

    if (repair_checksum(file, n) && dlda_run_info_read(memory_file(file, n), &info) == DLDA_OK)
        dlda_run_info_destroy(info);
    free(file);
}

/* ---- Resuming ---- */

enum { SAMPLES = 40, PIXELS = 4, MOST_HEADER = 1 << 14 };

static const dlda_dataset *tiny_set(void)
{
    static float values[SAMPLES * PIXELS];
    static int labels[SAMPLES];
    static dlda_dataset *set;

    if (set) return set;
    for (int i = 0; i < SAMPLES * PIXELS; i++) values[i] = (float)(i * 37 % 11) + (float)(i / PIXELS % 2);
    for (int i = 0; i < SAMPLES; i++) labels[i] = i % 2;
    const dlda_dataset_spec spec = { SAMPLES, 2, 2, 1, .classes = 2, .labels = labels, .values = values };
    if (dlda_dataset_create(&spec, &set)) abort();
    return set;
}

static dlda_trainer *new_trainer(void)
{
    static const char net[] = "dense 3\nbn\nrelu\ndense 2\n";
    dlda_options *options = NULL;
    dlda_trainer *trainer = NULL;

    if (dlda_options_create(&options) ||
        dlda_options_set(options, "net", put_file("tiny.net", (const uint8_t *)net, sizeof net - 1)) ||
        dlda_options_set(options, "batch", "20") || dlda_options_set(options, "epochs", "2") ||
        dlda_options_set(options, "threads", "1") || dlda_trainer_create(options, tiny_set(), NULL, &trainer))
        abort();
    dlda_options_destroy(options);
    return trainer;
}

/* The texts of a checkpoint of this training, as JSON: those of the input would have to be the same. */
static const char *own_texts(void)
{
    static char texts[MOST_HEADER];
    dlda_trainer *trainer = new_trainer();
    char folder[160], path[200], *bytes = NULL;
    uint64_t length = 0;
    size_t size = 0;

    snprintf(folder, sizeof folder, "%s/run", memory_folder());
    snprintf(path, sizeof path, "%s/%s", folder, DLDA_CHECKPOINT_NEWEST);
    if (dlda_trainer_record(trainer, folder, 1) || dlda_trainer_run(trainer) ||
        dlda_file_read(path, MOST_HEADER, &bytes, &size) || size < 8)
        abort();
    memcpy(&length, bytes, 8);
    json_t *header = json_loadb(bytes + 8, length, 0, NULL);
    if (!header ||
        json_dumpb(json_object_get(header, "__metadata__"), texts, sizeof texts - 1, JSON_COMPACT) >= sizeof texts)
        abort();
    json_decref(header);
    dlda_release(bytes);
    dlda_trainer_destroy(trainer);
    return texts;
}

static dlda_trainer *resumed;

static void end_training(void)
{
    dlda_trainer_destroy(resumed);
}

/* The input is a checkpoint without its texts: the entries of the arrays, which end at the first NUL, and their data. */
static void fuzz_resume(const uint8_t *data, size_t size)
{
    static const char *texts;
    uint8_t *bytes = NULL, *file = NULL;

    if (!resumed) {
        texts = own_texts();
        resumed = new_trainer();
        atexit(end_training);
    }
    size_t room = strlen(texts) + 32 + size;
    bytes = malloc(room);
    if (!bytes) abort();
    size_t used = (size_t)snprintf((char *)bytes, room, "{\"__metadata__\":%s,", texts);
    if (size > 0) memcpy(bytes + used, data, size);
    size_t n = make_safetensors(bytes, used + size, &file);
    if (repair_checksum(file, n)) {
        put_file(DLDA_CHECKPOINT_NEWEST, file, n);
        (void)dlda_checkpoint_load(resumed, memory_folder());
    }
    free(bytes);
    free(file);
}

/* run.json and options.json of a folder. */
static void fuzz_run_folder(const uint8_t *data, size_t size)
{
    size_t first = split_input(&data, &size);
    dlda_options *options = NULL;

    put_file("run.json", data, first);
    put_file("options.json", data + first, size - first);
    if (dlda_options_create(&options) != DLDA_OK) abort();
    (void)dlda_options_use_run(options, memory_folder());
    dlda_options_destroy(options);
}

/* ---- Texts ---- */

static void fuzz_options(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    dlda_options *options = NULL;

    if (dlda_options_create(&options) != DLDA_OK) abort();
    (void)dlda_options_from_json(options, text, "fuzz");
    dlda_options_destroy(options);
    free(text);
}

static void fuzz_network(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    dlda_network *network = NULL;

    if (dlda_network_parse(text, "fuzz", (dlda_shape){ 0 }, 10, &network) == DLDA_OK) dlda_network_destroy(network);
    free(text);
}

static void fuzz_safe_text(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    size_t length = strlen(text);

    dlda_make_safe(text);
    if (strlen(text) > length || !dlda_is_utf8(text)) abort();
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < 32 || *at == 127) abort();
    free(text);
}

/* ---- Data ---- */

static void fuzz_npy(const uint8_t *data, size_t size)
{
    dlda_dataset *set = NULL;

    if (dlda_npy_read_images(&(dlda_read_spec){ .path = memory_file(data, size), .most_bytes = MOST_BYTES }, &set) == DLDA_OK)
        dlda_dataset_destroy(set);
}

static void fuzz_npz(const uint8_t *data, size_t size)
{
    const char *path = memory_file(data, size);

    if (size % 2) open_labelled(path, "npz", NULL);
    else open_images(path, "npz");
}

static void open_table(const char *path)
{
    dlda_table *table = NULL;

    if (dlda_table_open(&(dlda_table_spec){ .path = path }, &table) == DLDA_OK) dlda_table_destroy(table);
}

static void fuzz_csv(const uint8_t *data, size_t size)
{
    const char *path = memory_file(data, size);

    switch (size % 4) {
    case 0: open_labelled(path, "csv", NULL); break;
    case 1: open_labelled(path, "csv", "1"); break;
    case 2: open_images(path, "csv"); break;
    default: open_table(path);
    }
}

static void fuzz_number_table(const uint8_t *data, size_t size)
{
    number_table table = { 0 };

    if (number_table_read(memory_file(data, size), &table) == DLDA_OK) number_table_release(&table);
}

static void fuzz_idx(const uint8_t *data, size_t size)
{
    const dlda_input input = { .name = "fuzz", .bytes = data, .size = size };
    dlda_raw_images images = { 0 };
    uint8_t *labels = NULL;
    size_t count = 0;

    if (!size) return;
    if (dlda_idx_read_images(&input, &images) == DLDA_OK) dlda_release(images.bytes);
    if (dlda_idx_read_labels(&input, &labels, &count) == DLDA_OK) dlda_release(labels);
}

/* Five batches of the same content. */
static void fuzz_cifar(const uint8_t *data, size_t size)
{
    static int linked;
    size_t first = split_input(&data, &size);

    put_file("batches.meta.txt", data, first);
    put_file("data_batch_1.bin", data + first, size - first);
    for (; linked < 4; linked++) {
        char name[32];
        snprintf(name, sizeof name, "data_batch_%d.bin", linked + 2);
        link_file("data_batch_1.bin", name);
    }
    open_labelled(memory_folder(), "cifar10", NULL);
}

/* Names, folds and labels have the same content. */
static void fuzz_stl(const uint8_t *data, size_t size)
{
    static int linked;
    size_t first = split_input(&data, &size);

    put_file("train_y.bin", data, first);
    put_file("train_X.bin", data + first, size - first);
    if (!linked) {
        link_file("train_y.bin", "class_names.txt");
        link_file("train_y.bin", "fold_indices.txt");
        linked = 1;
    }
    open_labelled(memory_folder(), "stl10", NULL);
}

static void fuzz_picture(const uint8_t *data, size_t size)
{
    static const dlda_image_shape want = { 16, 16, 3 };
    const dlda_picture_request request = { .want = size % 2 ? &want : NULL,
                                           .most_pixels = MOST_PIXELS,
                                           .most_scans = MOST_SCANS };
    dlda_raw_images image = { 0 };

    if (dlda_picture_decode(data, size, "fuzz", &request, &image) == DLDA_OK) dlda_release(image.bytes);
}

static void fuzz_onnx(const uint8_t *data, size_t size)
{
    onnx_info *info = NULL;

    if (onnx_info_read(memory_file(data, size), &info) == DLDA_OK) onnx_info_destroy(info);
}

/* ---- The chosen one ---- */

int LLVMFuzzerInitialize(int *n, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile sig_atomic_t is_reading;

static void on_time(int number)
{
    static const char message[] = "more than a second of processor time\n";

    (void)number;
    if (!is_reading) return;
    (void)!write(2, message, sizeof message - 1);
    abort();
}

/* libFuzzer limits the time on the clock, which a busy machine exceeds: this limits processor time. */
int LLVMFuzzerInitialize(int *n, char ***words)
{
    (void)n, (void)words;
    arena_use();
    return sigaction(SIGPROF, &(struct sigaction){ .sa_handler = on_time }, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const targets[])(const uint8_t *, size_t) = {
        fuzz_model,   fuzz_lda,       fuzz_model_parts, fuzz_checkpoint, fuzz_run_folder, fuzz_options,
        fuzz_network, fuzz_safe_text, fuzz_npy,         fuzz_npz,        fuzz_csv,        fuzz_number_table,
        fuzz_idx,     fuzz_cifar,     fuzz_stl,         fuzz_picture,    fuzz_onnx,       fuzz_resume
    };

    (void)targets; /* so that each of them is used */
    setitimer(ITIMER_PROF, &(struct itimerval){ .it_value = { .tv_sec = 1 } }, NULL);
    is_reading = 1;
    TARGET(data, size);
    is_reading = 0;
    arena_empty();
    return 0;
}
