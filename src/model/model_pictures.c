/* SPDX-License-Identifier: MIT
 *
 * model_pictures.c - reads PNG and JPEG pictures in the form a model takes, one at a time or many in parallel.
 */
#include "base/memory.h"
#include "dataset/dataset.h"
#include "dataset/picture.h"
#include "model/model.h"

#include <string.h>

/* ---- One picture ---- */

/* *any_size: whether pictures of any size are accepted. A size in the spec must be that of the model. */
static dlda_status find_size(const dlda_model *model, const dlda_read_spec *spec, int *any_size)
{
    dlda_shape in = model->network->input;

    if (in.height * in.width == 1)
        return dlda_fail(DLDA_E_SHAPE,
                         "found a picture, expected a table: the model classifies rows of %zu numbers",
                         in.channels);
    if (in.channels != 1 && in.channels != 3)
        return dlda_fail(DLDA_E_SHAPE, "pictures have 1 or 3 channels, the model expects %zu", in.channels);
    *any_size = spec->height || model->resized;
    if (!spec->height || (spec->height == in.height && spec->width == in.width)) return DLDA_OK;
    return dlda_fail(DLDA_E_SHAPE, "pictures are to become %zu x %zu, the model expects %zu x %zu (height, width)",
                     spec->height, spec->width, in.height, in.width);
}

static dlda_image_shape shape_of(const dlda_model *model)
{
    dlda_shape in = model->network->input;

    return (dlda_image_shape){ in.height, in.width, in.channels };
}

/* What is read for a model: pictures of any size are going to be resized, others are refused by their header. */
static dlda_picture_request request_of(const dlda_read_spec *spec, const dlda_image_shape *shape, int any_size)
{
    return (dlda_picture_request){ .want = any_size ? shape : NULL,
                                   .only = any_size ? NULL : shape,
                                   .most_pixels = spec->most_pixels,
                                   .most_scans = spec->most_scans };
}

/* Converts pixels to the model's floats. */
static dlda_status fit(const dlda_model *model, const char *name, const dlda_raw_images *raw, float *image)
{
    dlda_status status = DLDA_OK;
    const dlda_image_shape have = { raw->height, raw->width, raw->channels }, want = shape_of(model);
    dlda_resizer *resizer = NULL;
    uint8_t *bytes = NULL;

    if (dlda_image_shape_equal(&have, &want)) {
        dlda_scale_bytes(raw->bytes, dlda_image_size(&want), image);
        return DLDA_OK;
    }
    DLDA_TRY(DLDA_TAKE(&bytes, dlda_image_size(&want), name));
    DLDA_TRY(dlda_resizer_create(&have, &want, &resizer));
    dlda_resizer_run(resizer, raw->bytes, bytes);
    dlda_scale_bytes(bytes, dlda_image_size(&want), image);
done:
    dlda_resizer_destroy(resizer);
    dlda_release(bytes);
    return status;
}

static dlda_status read_one(const dlda_model *model, const dlda_read_spec *spec, const char *path, int any_size,
                            float *image)
{
    const dlda_image_shape shape = shape_of(model);
    const dlda_picture_request request = request_of(spec, &shape, any_size);
    dlda_raw_images raw = { 0 };
    dlda_status status = dlda_picture_read(path, &request, &raw);

    if (status == DLDA_OK) status = fit(model, path, &raw, image);
    dlda_release(raw.bytes);
    return status;
}

dlda_status dlda_model_read_picture(const dlda_model *model, const dlda_read_spec *spec, float *image)
{
    DLDA_NEED(model, spec, image);
    DLDA_NEED(spec->path);
    int any_size = 0;
    dlda_status status = find_size(model, spec, &any_size);

    if (status != DLDA_OK) return dlda_fail_at(status, "%s", spec->path);
    return read_one(model, spec, spec->path, any_size, image);
}

dlda_status dlda_model_decode_picture(const dlda_model *model, const dlda_read_spec *spec, const void *bytes,
                                      size_t size, float *image)
{
    DLDA_NEED(model, spec, bytes, image);
    DLDA_NEED(spec->path);
    const dlda_image_shape shape = shape_of(model);
    dlda_raw_images raw = { 0 };
    int any_size = 0;
    dlda_status status = find_size(model, spec, &any_size);

    if (status != DLDA_OK) return dlda_fail_at(status, "%s", spec->path);
    const dlda_picture_request request = request_of(spec, &shape, any_size);
    status = dlda_picture_decode(bytes, size, spec->path, &request, &raw);
    if (status == DLDA_OK) status = fit(model, spec->path, &raw, image);
    dlda_release(raw.bytes);
    return status;
}

/* ---- Many pictures ---- */

typedef struct picture_job {
    const dlda_model *model;
    const dlda_read_spec *spec;
    const char *const *paths; /* [n]              */
    int any_size;
    size_t size;         /* values per image        */
    float *images;       /* [n][size]               */
    dlda_status *status; /* [n]                     */
    char **messages;     /* [n]: of the failed ones */
} picture_job;

/* Error messages are per thread, so they are copied for the caller. */
static void read_chunk(void *context, const dlda_chunk *chunk)
{
    const picture_job *job = context;

    for (size_t i = chunk->begin; i < chunk->end; i++) {
        float *image = job->images + i * job->size;
        job->status[i] = read_one(job->model, job->spec, job->paths[i], job->any_size, image);
        if (job->status[i] == DLDA_OK) continue;
        memset(image, 0, job->size * sizeof *image);
        if (dlda_take_text(dlda_last_error(), &job->messages[i]) != DLDA_OK) job->status[i] = DLDA_E_MEMORY;
    }
}

static void report(const picture_job *job, const dlda_read_spec *spec, size_t i)
{
    if (spec->unfit && job->status[i] == DLDA_E_SHAPE) spec->unfit(spec->user, DLDA_UNFIT_SIZE, job->messages[i]);
    else if (spec->unfit && dlda_picture_file_foreign(job->paths[i]))
        spec->unfit(spec->user, DLDA_UNFIT_FORMAT, job->messages[i]);
    else dlda_read_problem(spec, "%s", job->messages[i]);
}

/* Reports the pictures that failed. Lack of memory is returned as an error, since it is not the picture's fault. */
static dlda_status sort_out(const picture_job *job, const dlda_read_spec *spec, size_t n, unsigned char *good)
{
    for (size_t i = 0; i < n; i++) {
        if (job->status[i] == DLDA_E_MEMORY)
            return dlda_fail(DLDA_E_MEMORY, "%s: no memory for this picture", job->paths[i]);
        good[i] = job->status[i] == DLDA_OK;
        if (!good[i]) report(job, spec, i);
    }
    return DLDA_OK;
}

dlda_status dlda_model_read_pictures(const dlda_model *model, dlda_workspace *workspace, const dlda_read_spec *spec,
                                     const char *const *paths, size_t n, float *images, unsigned char *good)
{
    DLDA_NEED(model, workspace, spec);
    if (n > 0) DLDA_NEED(paths, images, good);
    enum { GRAIN = 4 };
    dlda_status status = DLDA_OK;
    picture_job job = { .model = model,
                        .spec = spec,
                        .paths = paths,
                        .images = images,
                        .size = dlda_shape_size(model->network->input) };

    status = find_size(model, spec, &job.any_size);
    if (status != DLDA_OK && n > 0) dlda_extend_message("%s", paths[0]);
    DLDA_TRY(status);
    DLDA_TRY(DLDA_TAKE(&job.status, n, "pictures"));
    DLDA_TRY(DLDA_TAKE(&job.messages, n, "pictures"));
    dlda_parallel_for(dlda_workspace_team(workspace), n, GRAIN, read_chunk, &job);
    DLDA_TRY(sort_out(&job, spec, n, good));
done:
    for (size_t i = 0; job.messages && i < n; i++) dlda_release(job.messages[i]);
    dlda_release(job.messages);
    dlda_release(job.status);
    return status;
}
