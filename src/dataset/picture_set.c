/* SPDX-License-Identifier: MIT
 *
 * picture_set.c - decodes many pictures in parallel into one block of images.
 *
 * Two passes: the first reads all headers, so that sizes and channels are known before allocating; the second
 * decodes each picture, resizes it and stores it at its place. The result does not depend on the number of threads.
 * If several files are damaged, the first in the list is reported.
 */
#include "dataset/picture_set.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

typedef struct picture {
    dlda_image_shape shape;
    dlda_status status;
    char *message; /* of the failure, if any */
    size_t place;  /* index in `images` */
} picture;

typedef struct picture_set {
    const char *folder;
    const dlda_name_list *files;
    picture *pictures; /* [files->count]      */
    dlda_image_shape want;
    uint8_t *images; /* [good pictures][want] */
} picture_set;

/* ---- In threads ---- */

/* Error messages are per thread, so they are copied for the caller. */
static void keep_failure(picture *self, dlda_status status)
{
    self->status = status;
    if (status != DLDA_OK && dlda_take_text(dlda_last_error(), &self->message) != DLDA_OK)
        self->status = DLDA_E_MEMORY;
}

static dlda_status read_shape(const picture_set *set, size_t i)
{
    char *path = NULL;
    dlda_status status = dlda_path_join(set->folder, dlda_name_list_at(set->files, i), &path);

    if (status == DLDA_OK) status = dlda_picture_shape(path, &set->pictures[i].shape);
    dlda_release(path);
    return status;
}

static void look_at_chunk(void *context, const dlda_chunk *chunk)
{
    const picture_set *set = context;

    for (size_t i = chunk->begin; i < chunk->end; i++) keep_failure(&set->pictures[i], read_shape(set, i));
}

static dlda_status decode(const picture_set *set, size_t i)
{
    dlda_status status = DLDA_OK;
    dlda_raw_images raw = { 0 };
    dlda_resizer *resizer = NULL;
    char *path = NULL;

    DLDA_TRY(dlda_path_join(set->folder, dlda_name_list_at(set->files, i), &path));
    DLDA_TRY(dlda_picture_read(path, &raw));
    dlda_image_shape have = { raw.height, raw.width, raw.channels };
    DLDA_TRY(dlda_resizer_create(&have, &set->want, &resizer));
    dlda_resizer_run(resizer, raw.bytes, set->images + set->pictures[i].place * dlda_image_size(&set->want));
done:
    dlda_resizer_destroy(resizer);
    dlda_release(raw.bytes);
    dlda_release(path);
    return status;
}

static void decode_chunk(void *context, const dlda_chunk *chunk)
{
    const picture_set *set = context;

    for (size_t i = chunk->begin; i < chunk->end; i++)
        if (set->pictures[i].status == DLDA_OK) keep_failure(&set->pictures[i], decode(set, i));
}

/* ---- In the calling thread ---- */

/* Returns the first failure, unless bad pictures are to be skipped. */
static dlda_status check_failures(const picture_set *set, const dlda_read_spec *spec)
{
    for (size_t i = 0; i < set->files->count; i++) {
        const picture *p = &set->pictures[i];
        if (p->status == DLDA_OK || (spec->skip_bad && p->status != DLDA_E_MEMORY)) continue;
        return dlda_fail(p->status, "%s", p->message ? p->message : "no memory for a message");
    }
    return DLDA_OK;
}

static dlda_status fail_sizes(const picture_set *set, size_t a, size_t b)
{
    const dlda_image_shape *one = &set->pictures[a].shape, *two = &set->pictures[b].shape;

    return dlda_fail(DLDA_E_SHAPE,
                     "%s: %s is %zu x %zu, %s is %zu x %zu (height, width), expected one size; use option resize",
                     set->folder, dlda_name_list_at(set->files, a), one->height, one->width,
                     dlda_name_list_at(set->files, b), two->height, two->width);
}

/* Determines the common shape, and a place for each picture without failure so far. */
static dlda_status arrange(picture_set *set, const dlda_read_spec *spec, size_t *count)
{
    size_t n = set->files->count, first = n;
    dlda_image_shape have = { 0 };

    *count = 0;
    for (size_t i = 0; i < n; i++) {
        picture *p = &set->pictures[i];
        if (p->status != DLDA_OK) continue;
        p->place = (*count)++;
        if (first == n) first = i, have = p->shape;
        if (p->shape.channels == 3) have.channels = 3;
        if (!spec->height && (p->shape.height != have.height || p->shape.width != have.width))
            return fail_sizes(set, first, i);
    }
    set->want = dlda_image_shape_wanted(spec, &have);
    if (*count > 0) return DLDA_OK;
    return dlda_fail(DLDA_E_FORMAT, "%s: none of %zu files can be read; the first: %s", set->folder, n,
                     set->pictures[0].message ? set->pictures[0].message : "");
}

static dlda_status take_images(picture_set *set, size_t count)
{
    dlda_status status = DLDA_OK;
    size_t bytes = 0;

    DLDA_TRY(dlda_multiply_sizes(count, dlda_image_size(&set->want), set->folder, &bytes));
    DLDA_TRY(DLDA_TAKE(&set->images, bytes, set->folder));
done:
    return status;
}

/* Reports the failed pictures and moves the others together. Returns how many remain. */
static size_t close_gaps(picture_set *set, const dlda_read_spec *spec, uint8_t *good)
{
    size_t size = dlda_image_size(&set->want), n = 0;

    for (size_t i = 0; i < set->files->count; i++) {
        const picture *p = &set->pictures[i];
        good[i] = p->status == DLDA_OK;
        if (!good[i]) {
            dlda_read_problem(spec, "%s", p->message);
            continue;
        }
        if (n != p->place) memmove(set->images + n * size, set->images + p->place * size, size);
        n++;
    }
    return n;
}

dlda_status dlda_picture_set_read(const char *folder, const dlda_name_list *files, const dlda_read_spec *spec,
                                  uint8_t *good, dlda_raw_images *images)
{
    enum { HEADERS = 16, PICTURES = 4 }; /* files per task */
    dlda_status status = DLDA_OK;
    picture_set set = { .folder = folder, .files = files };
    dlda_team *team = NULL;
    size_t count = 0;

    DLDA_TRY(DLDA_TAKE(&set.pictures, files->count, folder));
    DLDA_TRY(dlda_team_create(spec->threads, &team));
    dlda_parallel_for(team, files->count, HEADERS, look_at_chunk, &set);
    DLDA_TRY(check_failures(&set, spec));
    DLDA_TRY(arrange(&set, spec, &count));
    DLDA_TRY(take_images(&set, count));
    dlda_parallel_for(team, files->count, PICTURES, decode_chunk, &set);
    DLDA_TRY(check_failures(&set, spec));
    count = close_gaps(&set, spec, good);
    if (count == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: none of %zu files can be read", folder, files->count);
    *images = (dlda_raw_images){ count, set.want.height, set.want.width, set.want.channels, set.images };
    set.images = NULL;
done:
    dlda_team_destroy(team);
    for (size_t i = 0; set.pictures && i < files->count; i++) dlda_release(set.pictures[i].message);
    dlda_release(set.pictures);
    dlda_release(set.images);
    return status;
}
