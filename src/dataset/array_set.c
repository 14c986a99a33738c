/* SPDX-License-Identifier: MIT
 *
 * array_set.c - converts arrays to a data set.
 *
 * Interpretation of the dimensions of an image array:
 *     N x D          N vectors: height 1, width 1, D channels; images if a height and a width are requested
 *     N x H x W      grey images
 *     N x a x b x c  N x H x W x C if c is 1, 3 or 4; else N x C x H x W if a is 1 or 3; else N x H x W x C
 * So N x 3 x 32 x 3 has 3 rows of 32 pixels: if both ends could be channels, the last dimension is taken.
 *
 * Bytes are kept as bytes; f8 is converted to f4. Files are read, not mapped: one that another program truncates while
 * it is mapped would end the process.
 */
#include "dataset/array_set.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "dataset/dataset_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- Images ---- */

typedef struct pixels {
    size_t count, height, width, channels;
    int planar;     /* the file has the order C x H x W           */
    uint8_t *bytes; /* [count][height][width][channels], or else: */
    float *values;  /* the same shape                             */
} pixels;

static void release_pixels(pixels *self)
{
    dlda_release(self->bytes);
    dlda_release(self->values);
}

static dlda_status find_layout(const dlda_array *array, const dlda_read_spec *spec, pixels *self)
{
    const size_t *n = array->npy.dimension;
    size_t dimensions = array->npy.n_dimensions;

    if (dimensions < 2 || dimensions > 4)
        return dlda_fail(DLDA_E_SHAPE, "%s: %zu dimensions, expected 2 (N x D), 3 (N x H x W) or 4 (N x H x W x C)",
                         array->name, dimensions);
    int last = dimensions == 4 && (n[3] == 1 || n[3] == 3 || n[3] == 4);
    *self = (pixels){ .count = n[0], .height = 1, .width = 1, .channels = 1 };
    self->planar = dimensions == 4 && !last && (n[1] == 1 || n[1] == 3);
    if (dimensions == 2) return dlda_shape_rows(spec, n[1], &self->height, &self->width, &self->channels);
    self->height = n[self->planar ? 2 : 1];
    self->width = n[self->planar ? 3 : 2];
    if (dimensions == 4) self->channels = n[self->planar ? 1 : 3];
    return DLDA_OK;
}

static dlda_status check_type(const dlda_npy *npy, const char *name)
{
    if (npy->kind == 'f' || (npy->kind == 'u' && npy->item == 1)) return DLDA_OK;
    return dlda_fail(DLDA_E_FORMAT,
                     "%s: images of type %s, expected u1, f4 or f8: x.astype('uint8') for values of 0 to 255, "
                     "x.astype('float32') for others",
                     name, dlda_npy_type(npy));
}

/* Converts C x H x W to H x W x C; `item` bytes per element. */
static void interleave(const pixels *self, size_t item, const uint8_t *from, uint8_t *to)
{
    size_t plane = self->height * self->width, channels = self->channels;

    for (size_t i = 0; i < self->count; i++)
        for (size_t c = 0; c < channels; c++)
            for (size_t p = 0; p < plane; p++)
                memcpy(to + ((i * plane + p) * channels + c) * item, from + ((i * channels + c) * plane + p) * item,
                       item);
}

/* Reads all elements as H x W x C, in the element type of the file. */
static dlda_status get_interleaved(dlda_array *array, const pixels *self, uint8_t **elements)
{
    dlda_status status = DLDA_OK;
    uint8_t *planar = NULL;

    if (!self->planar || self->channels == 1) return dlda_array_get_all(array, elements);
    DLDA_TRY(dlda_array_get_all(array, &planar));
    DLDA_TRY(DLDA_TAKE(elements, array->npy.bytes, array->name));
    interleave(self, array->npy.item, planar, *elements);
done:
    dlda_release(planar);
    return status;
}

static dlda_status read_pixels(dlda_array *array, pixels *self)
{
    dlda_status status = DLDA_OK;
    uint8_t *elements = NULL;

    DLDA_TRY(get_interleaved(array, self, &elements));
    if (array->npy.kind == 'u') self->bytes = elements;
    else if (array->npy.item == 4 && !array->npy.swapped) self->values = (float *)(void *)elements;
    else {
        DLDA_TRY(DLDA_TAKE(&self->values, array->npy.count, array->name));
        dlda_npy_to_floats(&array->npy, elements, array->npy.count, self->values);
        dlda_release(elements);
    }
    elements = NULL;
done:
    dlda_release(elements);
    return status;
}

static dlda_status check_finite(const dlda_array *array, const pixels *self)
{
    size_t size = self->height * self->width * self->channels;
    size_t bad = self->values ? dlda_find_not_finite(self->values, array->npy.count) : array->npy.count;

    if (bad == array->npy.count) return DLDA_OK;
    assert(size > 0);
    size_t pixel = bad % size / self->channels;
    return dlda_fail(
        DLDA_E_NUMERIC,
        "%s: sample %zu, row %zu, column %zu, channel %zu is %g, expected a finite number (all from 0)",
        array->name, bad / size, pixel / self->width, pixel % self->width, bad % self->channels,
        (double)self->values[bad]);
}

static dlda_status get_pixels(dlda_array *array, const dlda_read_spec *spec, pixels *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(check_type(&array->npy, array->name));
    DLDA_TRY(find_layout(array, spec, self));
    DLDA_TRY(dlda_flow_expect(&array->flow, array->npy.bytes, self->count));
    DLDA_TRY(read_pixels(array, self));
    DLDA_TRY(check_finite(array, self));
done:
    return status;
}

/* ---- Labels ---- */

typedef struct labelling {
    size_t classes;
    int *labels; /* [count], NULL if there are none */
    const char *const *names;
    dlda_class_list *list;
    char **own_names; /* [classes]: from an array of names, or NULL */
} labelling;

static void release_labelling(labelling *self)
{
    for (size_t c = 0; self->own_names && c < self->classes; c++) dlda_release(self->own_names[c]);
    dlda_release(self->own_names);
    dlda_release(self->labels);
    dlda_class_list_destroy(self->list);
}

static dlda_status read_names(dlda_array *names, labelling *self)
{
    enum { MOST = 65536 };
    dlda_status status = DLDA_OK;
    uint8_t *elements = NULL;

    if ((names->npy.kind != 'U' && names->npy.kind != 'S') || names->npy.n_dimensions != 1 ||
        names->npy.count > MOST)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %zu elements of type %s in %zu dimensions, expected a list of texts",
                  names->name, names->npy.count, dlda_npy_type(&names->npy), names->npy.n_dimensions);
    DLDA_TRY(dlda_array_get_all(names, &elements));
    DLDA_TRY(DLDA_TAKE(&self->own_names, names->npy.count, names->name));
    self->classes = names->npy.count;
    self->names = (const char *const *)self->own_names;
    for (size_t c = 0; c < self->classes; c++)
        DLDA_TRY(dlda_npy_to_text(&names->npy, elements, c, &self->own_names[c]));
done:
    dlda_release(elements);
    return status;
}

/* Labels that are indices into the class names. */
static dlda_status read_numbers(dlda_array *labels, labelling *self)
{
    dlda_status status = DLDA_OK;
    uint8_t *elements = NULL;

    if (!dlda_npy_is_whole(&labels->npy))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: labels of type %s, expected whole numbers where there are class names",
                  labels->name, dlda_npy_type(&labels->npy));
    DLDA_TRY(dlda_array_get_all(labels, &elements));
    for (size_t i = 0; i < labels->npy.count; i++) {
        int64_t value = 0;
        dlda_npy_to_wholes(&labels->npy, elements + i * labels->npy.item, 1, &value);
        if (value < 0 || (uint64_t)value >= self->classes)
            DLDA_FAIL(DLDA_E_FORMAT, "%s: label %lld of sample %zu, expected 0 to %zu, for which there are names",
                      labels->name, (long long)value, i, self->classes - 1);
        self->labels[i] = (int)value;
    }
done:
    dlda_release(elements);
    return status;
}

static dlda_status add_others(dlda_array *others, dlda_class_list *list)
{
    enum { PORTION = 1024 };
    dlda_status status = dlda_array_check_labels(others, others->npy.count, others->name);
    int numbers[PORTION];

    for (size_t left = others->npy.count; status == DLDA_OK && left > 0;) {
        size_t some = left < PORTION ? left : PORTION;
        status = dlda_array_add_labels(others, some, list, numbers);
        left -= some;
    }
    return status;
}

static dlda_status read_labels(const dlda_array_set *arrays, size_t count, labelling *self)
{
    dlda_status status = DLDA_OK;

    if (!arrays->labels) return DLDA_OK;
    DLDA_TRY(dlda_array_check_labels(arrays->labels, count, arrays->images->name));
    DLDA_TRY(DLDA_TAKE(&self->labels, count, arrays->labels->name));
    if (arrays->names) {
        DLDA_TRY(read_names(arrays->names, self));
        DLDA_TRY(read_numbers(arrays->labels, self));
        return DLDA_OK;
    }
    DLDA_TRY(dlda_class_list_create(arrays->labels->name, &self->list));
    DLDA_TRY(dlda_array_add_labels(arrays->labels, count, self->list, self->labels));
    if (arrays->others) DLDA_TRY(add_others(arrays->others, self->list));
    DLDA_TRY(dlda_class_list_sort(self->list));
    for (size_t i = 0; i < count; i++) self->labels[i] = dlda_class_list_class(self->list, self->labels[i]);
    self->classes = dlda_class_list_count(self->list);
    self->names = dlda_class_list_names(self->list);
done:
    return status;
}

/* ---- The set ---- */

dlda_status dlda_array_set_read(const dlda_array_set *arrays, const dlda_read_spec *spec, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    pixels image = { 0 };
    labelling label = { 0 };

    DLDA_TRY(get_pixels(arrays->images, spec, &image));
    DLDA_TRY(read_labels(arrays, image.count, &label));
    const dlda_dataset_spec set = { .count = image.count,
                                    .height = image.height,
                                    .width = image.width,
                                    .channels = image.channels,
                                    .classes = label.classes,
                                    .labels = label.labels,
                                    .names = label.names };
    DLDA_TRY(dlda_dataset_new(&set, dataset));
    (*dataset)->storage->bytes = image.bytes;
    (*dataset)->storage->values = image.values;
    image = (pixels){ 0 };
done:
    release_pixels(&image);
    release_labelling(&label);
    return status;
}
