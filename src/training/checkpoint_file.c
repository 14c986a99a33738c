/* SPDX-License-Identifier: MIT
 *
 * checkpoint_file.c - writes and reads checkpoint files. A checksum over all texts and
 * arrays detects damaged files.
 */
#include "training/checkpoint_file.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/file_version.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FORMAT, NETWORK, OPTIONS, DATA, SOURCE, DATA_FORMAT, LABEL, N_TEXTS };

static const char *const keys[N_TEXTS] = {
    DLDA_CHECKPOINT_KEY, "network", "options", "data", "source", "format", "label"
};
static const char format_version[] = "1";

static const char *const names[] = { "counters",
                                     "weights",
                                     "velocity",
                                     "state",
                                     "history",
                                     "eigenvalues",
                                     "epoch_seconds",
                                     "best.weights",
                                     "best.state",
                                     "best.head.counts",
                                     "best.head.means",
                                     "best.head.directions",
                                     "best.head.eigenvalues",
                                     "best.head.within",
                                     "best.head.total" };

/* ---- The checksum ---- */

static size_t element_size(dlda_dtype dtype)
{
    return dtype == DLDA_F32 ? sizeof(float) : sizeof(double);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const dlda_tensor *const *)a)->name, (*(const dlda_tensor *const *)b)->name);
}

/* CRC over the texts that are present and over the arrays, which are sorted by name first. */
static void checksum(const char *const texts[N_TEXTS], const dlda_tensor **tensors, size_t count, char sum[16])
{
    uLong crc = 0;

    for (size_t i = 0; i < N_TEXTS; i++)
        if (texts[i]) crc = crc32_z(crc, (const Bytef *)texts[i], strlen(texts[i]) + 1);
    qsort(tensors, count, sizeof *tensors, by_name);
    for (size_t i = 0; i < count; i++)
        crc = crc32_z(crc, tensors[i]->data, dlda_tensor_elements(tensors[i]) * element_size(tensors[i]->dtype));
    snprintf(sum, 16, "%08" PRIx32, (uint32_t)crc);
}

/* The checksum has no names in it: a damaged one would be an array that is missing, which some may be. */
static dlda_status check_name(const char *path, const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0) return DLDA_OK;
    return dlda_fail(DLDA_E_FORMAT, "%s: array '%s' is not one of a checkpoint: the file is damaged", path,
                     dlda_show(name).text);
}

static dlda_status check_sum(const dlda_safetensors *file, const char *path)
{
    const dlda_tensor *tensors[DLDA_CHECKPOINT_TENSORS];
    const char *texts[N_TEXTS], *stated = dlda_safetensors_metadata(file, "checksum");
    size_t count = dlda_safetensors_count(file);
    char sum[16];

    if (count > DLDA_CHECKPOINT_TENSORS)
        return dlda_fail(DLDA_E_FORMAT, "%s: %zu arrays are too many", path, count);
    for (size_t i = 0; i < count; i++) {
        tensors[i] = dlda_safetensors_at(file, i);
        if (check_name(path, tensors[i]->name) != DLDA_OK) return DLDA_E_FORMAT;
        if (tensors[i]->dtype != DLDA_F32 && tensors[i]->dtype != DLDA_F64)
            return dlda_fail(DLDA_E_FORMAT, "%s: %s: type %s", path, tensors[i]->name,
                             dlda_dtype_name(tensors[i]->dtype));
    }
    for (size_t i = 0; i < N_TEXTS; i++) texts[i] = dlda_safetensors_metadata(file, keys[i]);
    checksum(texts, tensors, count, sum);
    if (!stated || strcmp(sum, stated) != 0)
        return dlda_fail(DLDA_E_FORMAT, "%s: checksum %s, expected %s: the file is damaged", path, sum,
                         stated ? stated : "one in the metadata");
    return DLDA_OK;
}

/* ---- Writing and opening ---- */

dlda_status dlda_checkpoint_write(const char *path, const dlda_tensor *tensors, size_t count,
                                  const dlda_checkpoint_texts *texts)
{
    const char *const values[N_TEXTS] = { format_version, texts->network, texts->options, texts->data,
                                          texts->source,  texts->format,  texts->label };
    const dlda_tensor *sorted[DLDA_CHECKPOINT_TENSORS];
    dlda_metadata_entry metadata[N_TEXTS + 1];
    size_t n_texts = 0;
    char sum[16];

    for (size_t i = 0; i < count; i++) sorted[i] = &tensors[i];
    checksum(values, sorted, count, sum);
    for (size_t i = 0; i < N_TEXTS; i++)
        if (values[i]) metadata[n_texts++] = (dlda_metadata_entry){ keys[i], values[i] };
    metadata[n_texts++] = (dlda_metadata_entry){ "checksum", sum };
    return dlda_safetensors_write(path, tensors, count, metadata, n_texts);
}

dlda_status dlda_checkpoint_open(const char *path, dlda_safetensors **file)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_safetensors_read(path, file));
    const char *version = dlda_safetensors_metadata(*file, keys[FORMAT]);
    if (!version)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: no '%s' in the metadata; this is not a checkpoint", path, keys[FORMAT]);
    if (strcmp(version, format_version) != 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: format version '%.32s', expected '%s'", path, version, format_version);
    DLDA_TRY(check_sum(*file, path));
done:
    if (status != DLDA_OK) {
        dlda_safetensors_destroy(*file);
        *file = NULL;
    }
    return status;
}

/* Without such a file, *file stays NULL. */
static dlda_status open_if_there(const char *folder, const char *name, dlda_safetensors **file, char **path)
{
    dlda_status status = DLDA_OK;
    char *candidate = NULL;

    DLDA_TRY(dlda_path_join(folder, name, &candidate));
    if (!dlda_path_exists(candidate) || (dlda_checkpoint_is_next(name) && dlda_path_is_link(candidate)))
        goto done; /* a save makes no link: it comes from others */
    DLDA_TRY(dlda_checkpoint_open(candidate, file));
    *path = candidate;
    candidate = NULL;
done:
    dlda_release(candidate);
    return status;
}

/* 1 if a checkpoint-next continues the training of the newest checkpoint, or begins one that replaces it. */
static int is_later(const dlda_safetensors *next, const dlda_safetensors *newest)
{
    dlda_checkpoint_texts a = { 0 }, b = { 0 };
    dlda_checkpoint_counters first = { 0 }, second = { 0 };

    if (dlda_checkpoint_read_counters(next, "", &first) != DLDA_OK) return 0;
    if (first.steps_done == 0) return 1; /* a training that replaces the other one */
    if (dlda_checkpoint_read_texts(next, "", &a) != DLDA_OK || dlda_checkpoint_read_texts(newest, "", &b) != DLDA_OK ||
        dlda_checkpoint_read_counters(newest, "", &second) != DLDA_OK)
        return 0;
    return first.steps_done >= second.steps_done && strcmp(a.network, b.network) == 0 && strcmp(a.data, b.data) == 0;
}

/* A checkpoint-next that was copied into the folder, from an earlier state or another training, is ignored. */
static void prefer_newest(const char *folder, dlda_safetensors **file, char **path)
{
    dlda_safetensors *newest = NULL;
    char *newest_path = NULL;

    if (open_if_there(folder, DLDA_CHECKPOINT_NEWEST, &newest, &newest_path) == DLDA_OK && newest &&
        !is_later(*file, newest)) {
        dlda_safetensors_destroy(*file);
        dlda_release(*path);
        *file = newest;
        *path = newest_path;
        return;
    }
    dlda_safetensors_destroy(newest);
    dlda_release(newest_path);
}

dlda_status dlda_checkpoint_open_newest(const char *folder, dlda_safetensors **file, char **path, char damage[1024])
{
    static const char *const by_age[] = { DLDA_CHECKPOINT_NEXT, DLDA_CHECKPOINT_NEWEST, DLDA_CHECKPOINT_PREVIOUS };
    dlda_status failed = DLDA_OK;

    damage[0] = '\0';
    *file = NULL;
    if (!dlda_path_is_folder(folder))
        return dlda_fail(DLDA_E_IO, "%s: %s, expected a run folder", folder,
                         dlda_path_exists(folder) ? "not a folder" : "no such folder");
    for (size_t i = 0; i < sizeof by_age / sizeof by_age[0]; i++) {
        dlda_status status = open_if_there(folder, by_age[i], file, path);
        if (i == 0 && *file) prefer_newest(folder, file, path);
        if (status == DLDA_E_MEMORY || *file) return status;
        if (status == DLDA_OK) continue;
        failed = status;
        if (!damage[0]) snprintf(damage, 1024, "%s", dlda_last_error());
    }
    if (failed != DLDA_OK) return failed;
    return dlda_fail(DLDA_E_IO, "%s: no checkpoint in this folder; a training writes one when it begins", folder);
}

int dlda_checkpoint_is_next(const char *path)
{
    return strcmp(dlda_path_name(path), DLDA_CHECKPOINT_NEXT) == 0;
}

/* ---- Contents of a file ---- */

dlda_status dlda_checkpoint_read_texts(const dlda_safetensors *file, const char *path, dlda_checkpoint_texts *texts)
{
    const char *source = dlda_safetensors_metadata(file, keys[SOURCE]);

    *texts = (dlda_checkpoint_texts){ .network = dlda_safetensors_metadata(file, keys[NETWORK]),
                                      .options = dlda_safetensors_metadata(file, keys[OPTIONS]),
                                      .data = dlda_safetensors_metadata(file, keys[DATA]),
                                      .source = source ? source : "",
                                      .format = dlda_safetensors_metadata(file, keys[DATA_FORMAT]),
                                      .label = dlda_safetensors_metadata(file, keys[LABEL]) };
    if (!texts->network || !texts->options || !texts->data)
        return dlda_fail(DLDA_E_FORMAT, "%s: metadata is missing", path);
    return DLDA_OK;
}

static int is_count(double value, double most)
{
    return value >= 0 && value <= most && value == floor(value);
}

dlda_status dlda_checkpoint_read_counters(const dlda_safetensors *file, const char *path,
                                          dlda_checkpoint_counters *counters)
{
    dlda_status status = DLDA_OK;
    const double most = 4503599627370496.0; /* 2^52 */
    const size_t shape[] = { 1, DLDA_CHECKPOINT_COUNTERS };
    const dlda_tensor *tensor = NULL;

    DLDA_TRY(dlda_safetensors_require(file, "counters", DLDA_F64, 2, shape, &tensor));
    memcpy(counters, tensor->data, sizeof *counters);
    if (!is_count(counters->epochs_done, most) || !is_count(counters->batches_done, most) ||
        !is_count(counters->steps_done, most) || !is_count(counters->best_epoch, counters->epochs_done))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: counters that do not go together", path);
done:
    return status;
}

double dlda_checkpoint_epoch_seconds(const dlda_safetensors *file)
{
    const size_t one[] = { 1, 1 };
    const dlda_tensor *tensor = NULL;

    if (!dlda_safetensors_find(file, "epoch_seconds") ||
        dlda_safetensors_require(file, "epoch_seconds", DLDA_F64, 2, one, &tensor) != DLDA_OK)
        return 0;
    double seconds = *(const double *)tensor->data;
    return isfinite(seconds) && seconds > 0 ? seconds : 0;
}
