/* SPDX-License-Identifier: MIT
 *
 * array.c - arrays in .npy and .npz files: opening, reading in portions or as a whole, and conversion to labels.
 */
#include "dataset/array.h"
#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- Opening ---- */

/* A plain file must have exactly the size that its header implies; compressed data is counted while it is read. */
static dlda_status check_size(dlda_array *self)
{
    dlda_status status = DLDA_OK;
    size_t size = self->part.size, start = self->npy.start;

    if (!self->is_member && self->flow.packing == DLDA_PLAIN)
        DLDA_TRY(dlda_file_length(self->path, self->flow.file, &size));
    else if (!self->is_member) return DLDA_OK;
    if (size < start || size - start != self->npy.bytes)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: the header promises %zu bytes, found %zu", self->name, self->npy.bytes,
                  size < start ? 0 : size - start);
    self->size_is_sure = self->flow.packing == DLDA_PLAIN;
done:
    return status;
}

static dlda_status open_flow(dlda_array *self)
{
    return self->is_member ? dlda_flow_open_part(self->path, self->name, &self->part, self->spec, &self->flow)
                           : dlda_flow_open(&(dlda_input){ .name = self->name, .spec = self->spec }, &self->flow);
}

dlda_status dlda_array_open(const char *path, const dlda_zip_member *member, dlda_array *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_take_text(path, &self->path));
    if (member) {
        size_t size = strlen(path) + strlen(member->name) + 3;
        self->is_member = 1;
        self->part = member->part;
        DLDA_TRY(DLDA_TAKE(&self->name, size, "file name"));
        snprintf(self->name, size, "%s: %s", path, member->name);
    } else {
        DLDA_TRY(dlda_take_text(path, &self->name));
    }
    DLDA_TRY(open_flow(self));
    DLDA_TRY(dlda_npy_read_header(&self->flow, &self->npy));
    DLDA_TRY(check_size(self));
done:
    return status;
}

void dlda_array_close(dlda_array *self)
{
    dlda_flow_close(&self->flow);
    dlda_release(self->path);
    dlda_release(self->name);
    *self = (dlda_array){ 0 };
}

dlda_status dlda_array_rewind(dlda_array *self)
{
    dlda_status status = DLDA_OK;
    dlda_npy npy = { 0 };

    dlda_flow_close(&self->flow);
    DLDA_TRY(open_flow(self));
    DLDA_TRY(dlda_npy_read_header(&self->flow, &npy));
    if (npy.bytes != self->npy.bytes || npy.start != self->npy.start)
        DLDA_FAIL(DLDA_E_IO, "%s: changed while it was read", self->name);
    self->read = 0;
done:
    return status;
}

/* ---- Reading ---- */

dlda_status dlda_array_get(dlda_array *self, size_t n, void *elements)
{
    dlda_status status = DLDA_OK;
    size_t got = 0, wanted = n * self->npy.item;

    DLDA_TRY(dlda_flow_get(&self->flow, elements, wanted, &got));
    if (got < wanted)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: the header promises %zu bytes, found %zu", self->name, self->npy.bytes,
                  self->read * self->npy.item + got);
    self->read += n;
    if (self->read == self->npy.count) DLDA_TRY(dlda_flow_finish(&self->flow, self->npy.bytes));
done:
    return status;
}

dlda_status dlda_array_skip(dlda_array *self, size_t n)
{
    dlda_status status = dlda_flow_skip(&self->flow, n * self->npy.item);

    if (status == DLDA_OK) self->read += n;
    return status;
}

dlda_status dlda_array_get_all(dlda_array *self, uint8_t **elements)
{
    dlda_status status = DLDA_OK;
    uint8_t *bytes = NULL;

    if (self->read > 0) DLDA_TRY(dlda_array_rewind(self));
    if (self->size_is_sure) {
        DLDA_TRY(DLDA_TAKE(&bytes, self->npy.bytes, self->name));
        DLDA_TRY(dlda_array_get(self, self->npy.count, bytes));
    } else {
        DLDA_TRY(dlda_flow_read_rest(&self->flow, self->npy.bytes, &bytes));
        self->read = self->npy.count;
    }
    *elements = bytes;
    bytes = NULL;
done:
    dlda_release(bytes);
    return status;
}

/* ---- Labels ---- */

static int is_text(const dlda_npy *npy)
{
    return npy->kind == 'U' || npy->kind == 'S';
}

dlda_status dlda_array_check_labels(const dlda_array *self, size_t rows, const char *what)
{
    const dlda_npy *npy = &self->npy;

    if (!dlda_npy_is_whole(npy) && !is_text(npy))
        return dlda_fail(DLDA_E_FORMAT, "%s: labels of type %s, expected whole numbers or text: y.astype('int64')",
                         self->name, dlda_npy_type(npy));
    if (npy->n_dimensions == 2 && npy->dimension[1] > 1)
        return dlda_fail(DLDA_E_SHAPE,
                         "%s: labels of shape %zu x %zu, expected one number each; for one-hot labels, y.argmax(1)",
                         self->name, npy->dimension[0], npy->dimension[1]);
    if (npy->n_dimensions == 0 || npy->n_dimensions > 2)
        return dlda_fail(DLDA_E_SHAPE, "%s: labels have %zu dimensions, expected 1", self->name, npy->n_dimensions);
    if (npy->count != rows)
        return dlda_fail(DLDA_E_SHAPE, "%s: %zu labels, expected one for each of the %zu rows of %s", self->name,
                         npy->count, rows, what);
    return DLDA_OK;
}

/* Number of labels read at a time. */
static size_t portion_of(const dlda_npy *npy)
{
    enum { BYTES = 1 << 14 };

    return npy->item < BYTES ? BYTES / npy->item : 1;
}

/* Adds the label of one element to `to`; if that is NULL, looks it up in `known`. */
static dlda_status take_label(const dlda_npy *npy, const uint8_t *element, dlda_class_list *to,
                              const dlda_class_list *known, int *label)
{
    dlda_status status = DLDA_OK;
    int64_t value = 0;
    char *text = NULL;

    if (is_text(npy)) {
        DLDA_TRY(dlda_npy_to_text(npy, element, 0, &text));
        if (to) DLDA_TRY(dlda_class_list_add(to, text, strlen(text), label));
        else *label = dlda_class_list_find(known, text, strlen(text));
    } else {
        dlda_npy_to_wholes(npy, element, 1, &value);
        if (to) DLDA_TRY(dlda_class_list_add_whole(to, value, label));
        else *label = dlda_class_list_find_whole(known, value);
    }
done:
    dlda_release(text);
    return status;
}

static dlda_status take_labels(dlda_array *self, size_t n, dlda_class_list *to, const dlda_class_list *known,
                               int *labels)
{
    dlda_status status = DLDA_OK;
    size_t portion = portion_of(&self->npy);
    uint8_t *elements = NULL;

    DLDA_TRY(DLDA_TAKE(&elements, portion * self->npy.item, self->name));
    for (size_t first = 0; first < n; first += portion) {
        size_t some = n - first < portion ? n - first : portion;
        DLDA_TRY(dlda_array_get(self, some, elements));
        for (size_t i = 0; i < some; i++) {
            DLDA_TRY(take_label(&self->npy, elements + i * self->npy.item, to, known, &labels[first + i]));
            if (labels[first + i] < 0) DLDA_FAIL(DLDA_E_IO, "%s: changed while it was read", self->name);
        }
    }
done:
    dlda_release(elements);
    return status;
}

dlda_status dlda_array_add_labels(dlda_array *self, size_t n, dlda_class_list *list, int *numbers)
{
    return take_labels(self, n, list, NULL, numbers);
}

dlda_status dlda_array_get_classes(dlda_array *self, size_t n, const dlda_class_list *list, int *classes)
{
    return take_labels(self, n, NULL, list, classes);
}
