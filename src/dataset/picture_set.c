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
#include "dataset/picture_size.h"

#include <stdio.h>
#include <string.h>

typedef struct picture {
    dlda_image_shape shape;
    dlda_status status;
    char *message;       /* of the failure, if any                          */
    const char *foreign; /* the name of its format, if that is not read     */
    size_t place;        /* index in `images`                               */
} picture;

typedef struct picture_set {
    const char *folder;
    const dlda_name_list *files;
    dlda_picture_request request;
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

static void look_at_picture(const picture_set *set, size_t i)
{
    picture *self = &set->pictures[i];
    char *path = NULL;
    dlda_status status = dlda_path_join(set->folder, dlda_name_list_at(set->files, i), &path);

    if (status == DLDA_OK) status = dlda_picture_shape(path, &set->request, &self->shape);
    keep_failure(self, status);
    if (status == DLDA_E_FORMAT) self->foreign = dlda_picture_file_foreign(path);
    dlda_release(path);
}

static void look_at_chunk(void *context, const dlda_chunk *chunk)
{
    const picture_set *set = context;

    for (size_t i = chunk->begin; i < chunk->end; i++) look_at_picture(set, i);
}

static dlda_status decode(const picture_set *set, size_t i)
{
    dlda_status status = DLDA_OK;
    dlda_raw_images raw = { 0 };
    dlda_resizer *resizer = NULL;
    char *path = NULL;

    DLDA_TRY(dlda_path_join(set->folder, dlda_name_list_at(set->files, i), &path));
    DLDA_TRY(dlda_picture_read(path, &set->request, &raw));
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

/* Lists the formats of the files of a foreign format: "GIF, WebP". Returns how many files there are. */
static size_t list_foreign(const picture_set *set, char *text, size_t room, size_t *first)
{
    size_t n = 0, used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < set->files->count; i++) {
        const char *format = set->pictures[i].foreign;
        if (!format) continue;
        if (n++ == 0) *first = i;
        if (strstr(text, format) || used >= room) continue;
        used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", format);
    }
    return n;
}

static dlda_status fail_foreign(const picture_set *set)
{
    char formats[64];
    size_t first = 0, n = list_foreign(set, formats, sizeof formats, &first);
    const char *name = dlda_name_list_at(set->files, first), *dot = strrchr(name, '.');

    return dlda_fail(
        DLDA_E_FORMAT,
        "%s: %zu of %zu files are %s, expected PNG or JPEG; the first: %s; convert them, for example with "
        "ImageMagick: mogrify -auto-orient -format png %s/%s*%s, and remove the originals, or use option "
        "skip-bad to read the others only",
        set->folder, n, set->files->count, formats, name, set->folder, strchr(name, '/') ? "*/" : "",
        dot ? dot : "");
}

/* Returns the first failure, unless bad pictures are to be skipped. */
static dlda_status check_failures(const picture_set *set, const dlda_read_spec *spec)
{
    for (size_t i = 0; i < set->files->count; i++) {
        const picture *p = &set->pictures[i];
        if (p->status == DLDA_OK || (spec->skip_bad && p->status != DLDA_E_MEMORY)) continue;
        if (p->foreign) return fail_foreign(set);
        return dlda_fail(p->status, "%s%s", p->message ? p->message : "no memory for a message",
                         p->status == DLDA_E_FORMAT ? "; option skip-bad reads the others only" : "");
    }
    return DLDA_OK;
}

static void report_foreign(const picture_set *set, const dlda_read_spec *spec)
{
    char formats[64];
    size_t first = 0, n = list_foreign(set, formats, sizeof formats, &first);

    if (n > 0 && !spec->name_all)
        dlda_read_problem(spec, "%s: %zu of %zu files are skipped: %s, expected PNG or JPEG; the first: %s",
                          set->folder, n, set->files->count, formats, dlda_name_list_at(set->files, first));
}

static void report_skipped(const picture_set *set, const dlda_read_spec *spec)
{
    report_foreign(set, spec);
    for (size_t i = 0; i < set->files->count; i++) {
        const picture *p = &set->pictures[i];
        if (p->status != DLDA_OK && (!p->foreign || spec->name_all)) dlda_read_problem(spec, "%s", p->message);
    }
}

/* ---- The common shape ---- */

/* What the pictures that can be read have in common. */
typedef struct survey {
    dlda_image_shape *shapes; /* [n]             */
    size_t n, grey;
    size_t smallest, largest; /* places in shapes, by area */
} survey;

static size_t area(const dlda_image_shape *shape)
{
    return shape->height * shape->width;
}

/* Gives each picture without failure its place, and collects the shapes. */
static dlda_status look_around(picture_set *set, const dlda_read_spec *spec, survey *all)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(DLDA_TAKE(&all->shapes, set->files->count, set->folder));
    for (size_t i = 0; i < set->files->count; i++) {
        picture *p = &set->pictures[i];
        if (p->status != DLDA_OK) continue;
        p->place = all->n++;
        all->shapes[p->place] = p->shape;
        all->grey += p->shape.channels == 1;
        if (area(&p->shape) < area(&all->shapes[all->smallest])) all->smallest = p->place;
        if (area(&p->shape) > area(&all->shapes[all->largest])) all->largest = p->place;
    }
    if (all->n == 0 && spec->name_all) report_skipped(set, spec);
    if (all->n == 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: none of %zu files can be read; the first: %s", set->folder, set->files->count,
                  set->pictures[0].message ? set->pictures[0].message : "");
done:
    return status;
}

/* All must have the size that the spec demands. */
static dlda_status check_sizes(const picture_set *set, const survey *all, const dlda_read_spec *spec)
{
    size_t height = spec->fixed_height, width = spec->fixed_width, n = 0, first = 0;

    for (size_t i = 0; i < set->files->count; i++) {
        const picture *p = &set->pictures[i];
        if (p->status != DLDA_OK || (p->shape.height == height && p->shape.width == width)) continue;
        if (n++ == 0) first = i;
    }
    if (n == 0) return DLDA_OK;
    if (height * width == 1)
        return dlda_fail(DLDA_E_SHAPE, "%s: found pictures, expected a table with rows of numbers", set->folder);
    return dlda_fail(
        DLDA_E_SHAPE,
        "%s: %zu of %zu pictures are not %zu x %zu (height, width); the first: %s is %zu x %zu; option "
        "resize %zux%zu converts them",
        set->folder, n, all->n, height, width, dlda_name_list_at(set->files, first),
        set->pictures[first].shape.height, set->pictures[first].shape.width, height, width);
}

static int same_size(const dlda_image_shape *a, const dlda_image_shape *b)
{
    return a->height == b->height && a->width == b->width;
}

/* The place of the first picture of another size; n if all have this one. */
static size_t find_other_size(const survey *all, const dlda_image_shape *size)
{
    size_t i = 0;

    while (i < all->n && same_size(&all->shapes[i], size)) i++;
    return i;
}

static void note_size(const picture_set *set, const survey *all, const dlda_read_spec *spec)
{
    const dlda_image_shape *least = &all->shapes[all->smallest], *most = &all->shapes[all->largest];
    size_t height = set->want.height, width = set->want.width, other = find_other_size(all, least);

    if (other == all->n) {
        dlda_read_note(spec,
                       "%s: pictures of %zu x %zu (height, width) are reduced to %zu x %zu; option resize HxW "
                       "chooses another size",
                       set->folder, least->height, least->width, height, width);
        return;
    }
    if (same_size(least, most)) most = &all->shapes[other]; /* upright and wide ones have the same area */
    dlda_read_note(spec,
                   "%s: pictures of %zu x %zu to %zu x %zu (height, width) are resized to %zu x %zu; option resize "
                   "HxW chooses another size",
                   set->folder, least->height, least->width, most->height, most->width, height, width);
}

/* Determines the common shape, and a place for each picture without failure so far. */
static dlda_status arrange(picture_set *set, const dlda_read_spec *spec, size_t *count, int *resized)
{
    dlda_status status = DLDA_OK;
    survey all = { 0 };
    dlda_image_shape have = { 0 };

    DLDA_TRY(look_around(set, spec, &all));
    have.channels = all.grey == all.n ? 1 : 3;
    if (!spec->height && spec->fixed_height) {
        DLDA_TRY(check_sizes(set, &all, spec));
        have.height = spec->fixed_height;
        have.width = spec->fixed_width;
    } else if (!spec->height) {
        DLDA_TRY(dlda_picture_size_choose(all.shapes, all.n, &have));
    }
    set->want = dlda_image_shape_wanted(spec, &have);
    *resized = !spec->height && find_other_size(&all, &set->want) < all.n;
    *count = all.n;
    if (*resized) note_size(set, &all, spec);
    if (!spec->channels && all.grey > 0 && all.grey < all.n)
        dlda_read_note(spec, "%s: %zu of %zu pictures are grey; all are read as colour", set->folder, all.grey,
                       all.n);
done:
    dlda_release(all.shapes);
    return status;
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

/* Moves the good pictures together. Returns how many there are. */
static size_t close_gaps(picture_set *set, uint8_t *good)
{
    size_t size = dlda_image_size(&set->want), n = 0;

    for (size_t i = 0; i < set->files->count; i++) {
        const picture *p = &set->pictures[i];
        good[i] = p->status == DLDA_OK;
        if (!good[i]) continue;
        if (n != p->place) memmove(set->images + n * size, set->images + p->place * size, size);
        n++;
    }
    return n;
}

dlda_status dlda_picture_set_read(const char *folder, const dlda_name_list *files, const dlda_read_spec *spec,
                                  dlda_picture_set *result)
{
    enum { HEADERS = 16, PICTURES = 4 }; /* files per task */
    dlda_status status = DLDA_OK;
    picture_set set = { .folder = folder, .files = files };
    dlda_team *team = NULL;
    size_t count = 0;

    set.request = (dlda_picture_request){ .want = &set.want,
                                          .most_pixels = spec->most_pixels,
                                          .most_scans = spec->most_scans };
    DLDA_TRY(DLDA_TAKE(&set.pictures, files->count, folder));
    DLDA_TRY(dlda_team_create(spec->threads, &team));
    dlda_parallel_for(team, files->count, HEADERS, look_at_chunk, &set);
    DLDA_TRY(check_failures(&set, spec));
    DLDA_TRY(arrange(&set, spec, &count, &result->resized));
    DLDA_TRY(take_images(&set, count));
    dlda_parallel_for(team, files->count, PICTURES, decode_chunk, &set);
    DLDA_TRY(check_failures(&set, spec));
    report_skipped(&set, spec);
    count = close_gaps(&set, result->good);
    if (count == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: none of %zu files can be read", folder, files->count);
    result->images = (dlda_raw_images){ count, set.want.height, set.want.width, set.want.channels, set.images };
    set.images = NULL;
done:
    dlda_team_destroy(team);
    for (size_t i = 0; set.pictures && i < files->count; i++) dlda_release(set.pictures[i].message);
    dlda_release(set.pictures);
    dlda_release(set.images);
    return status;
}
