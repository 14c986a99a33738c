/* SPDX-License-Identifier: MIT
 *
 * safetensors_read.c - reads safetensors files. Nothing in them is trusted.
 *
 * Checks proceed from the outside in: length, JSON, each tensor by itself, the tiling of the data, the values.
 */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "model/safetensors_internal.h"

#include <stdlib.h>
#include <string.h>

struct dlda_safetensors {
    char *path;           /* for messages                               */
    char *bytes;          /* the file; or its data, moved for alignment */
    json_t *header;       /* owns the names and the metadata            */
    dlda_tensor *tensors; /* [count]                                    */
    size_t count;
};

/* ---- Reading: the header ---- */

static dlda_status read_length(const char *path, const char *bytes, size_t size, size_t *length)
{
    uint64_t found = 0;

    if (size < DLDA_LENGTH_SIZE)
        return dlda_fail(DLDA_E_FORMAT, "%s: %zu bytes, expected at least %d for the header length", path, size,
                         DLDA_LENGTH_SIZE);
    memcpy(&found, bytes, DLDA_LENGTH_SIZE);
    if (found > DLDA_MOST_HEADER)
        return dlda_fail(DLDA_E_FORMAT, "%s: header length %llu, expected at most %d: not a safetensors file?",
                         path, (unsigned long long)found, DLDA_MOST_HEADER);
    if (found > size - DLDA_LENGTH_SIZE)
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: header length %llu, expected at most the %zu bytes that follow: cut off?", path,
                         (unsigned long long)found, size - DLDA_LENGTH_SIZE);
    *length = (size_t)found;
    return DLDA_OK;
}

static dlda_status parse_header(const char *path, const char *text, size_t length, json_t **header)
{
    dlda_json_error error;

    while (length > 0 && text[length - 1] == ' ') length--;
    if (length < 2)
        return dlda_fail(DLDA_E_FORMAT, "%s: header: %zu bytes of JSON, expected at least 2", path, length);
    if (text[0] != '{' || text[length - 1] != '}')
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: header: first byte 0x%02x and last 0x%02x, expected '{' and '}' and spaces", path,
                         (unsigned char)text[0], (unsigned char)text[length - 1]);
    dlda_status status = dlda_json_parse(text, length, path, header, &error);
    if (status != DLDA_E_FORMAT) return status;
    return dlda_fail(DLDA_E_FORMAT, "%s: header: %s, at byte %zu; expected a JSON object", path,
                     dlda_show(error.text).text, error.position + DLDA_LENGTH_SIZE);
}

static dlda_status check_metadata(const char *path, json_t *metadata)
{
    const char *key;
    json_t *value;

    if (!json_is_object(metadata))
        return dlda_fail(DLDA_E_FORMAT, "%s: %s: found %s, expected an object", path, DLDA_METADATA_KEY,
                         dlda_show_json(metadata).text);
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value))
            return dlda_fail(DLDA_E_FORMAT, "%s: %s: '%s': found %s, expected a string", path, DLDA_METADATA_KEY,
                             dlda_show(key).text, dlda_show_json(value).text);
    }
    return DLDA_OK;
}

/* ---- Reading: one tensor ---- */

static dlda_status bad_tensor(const char *path, const char *name, const char *what, const json_t *found,
                              const char *expected)
{
    return dlda_fail(DLDA_E_FORMAT, "%s: tensor '%s': %s %s, expected %s", path, dlda_show(name).text, what,
                     found ? dlda_show_json(found).text : "is missing", expected);
}

/* Requires an object with exactly the keys dtype, shape and data_offsets. */
static dlda_status check_keys(const char *path, const char *name, json_t *item)
{
    static const char *const keys[] = { "dtype", "shape", "data_offsets" };
    const char *key;
    json_t *value;

    if (!json_is_object(item)) return bad_tensor(path, name, "found", item, "an object");
    for (size_t i = 0; i < 3; i++)
        if (!json_object_get(item, keys[i]))
            return bad_tensor(path, name, keys[i], NULL, "dtype, shape and data_offsets");
    json_object_foreach(item, key, value)
    {
        if (strcmp(key, keys[0]) != 0 && strcmp(key, keys[1]) != 0 && strcmp(key, keys[2]) != 0)
            return dlda_fail(DLDA_E_FORMAT,
                             "%s: tensor '%s': key '%s', expected dtype, shape and data_offsets only", path,
                             dlda_show(name).text, dlda_show(key).text);
    }
    return DLDA_OK;
}

static int read_size(const json_t *value, size_t *size)
{
    json_int_t found = json_integer_value(value);

    if (!json_is_integer(value) || found < 0 || (unsigned long long)found > PTRDIFF_MAX) return 0;
    *size = (size_t)found;
    return 1;
}

static dlda_status read_dtype(const char *path, const char *name, const json_t *value, dlda_dtype *dtype)
{
    const char *text = json_string_value(value);
    int found = text ? dlda_dtype_find(text) : -1;

    if (found >= 0) {
        *dtype = (dlda_dtype)found;
        return DLDA_OK;
    }
    return bad_tensor(path, name, "dtype", value, "F32, F64, I64 or another type of the format");
}

static dlda_status read_shape(const char *path, const char *name, const json_t *value, dlda_tensor *tensor)
{
    tensor->rank = json_array_size(value);
    if (!json_is_array(value) || tensor->rank > DLDA_MOST_RANK)
        return bad_tensor(path, name, "shape", value, "an array of at most 8 sizes");
    for (size_t i = 0; i < tensor->rank; i++)
        if (!read_size(json_array_get(value, i), &tensor->shape[i]))
            return bad_tensor(path, name, "shape", value, "whole numbers from 0 on");
    return DLDA_OK;
}

static dlda_status read_offsets(const char *path, const char *name, const json_t *value, size_t size, size_t *begin,
                                size_t *end)
{
    if (json_array_size(value) != 2 || !read_size(json_array_get(value, 0), begin) ||
        !read_size(json_array_get(value, 1), end) || *begin > *end)
        return bad_tensor(path, name, "data_offsets", value, "[begin, end] with 0 <= begin <= end");
    if (*end > size)
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: tensor '%s': ends at byte %zu of the data, expected at most %zu: cut off?", path,
                         dlda_show(name).text, *end, size);
    return DLDA_OK;
}

/* The tensor must lie within the `size` bytes of data and have the size its type and shape imply. */
static dlda_status read_tensor(const char *path, const char *name, json_t *item, const char *data, size_t size,
                               dlda_tensor *tensor)
{
    dlda_status status = DLDA_OK;
    size_t begin = 0, end = 0, bytes = 0;

    DLDA_TRY(check_keys(path, name, item));
    DLDA_TRY(read_dtype(path, name, json_object_get(item, "dtype"), &tensor->dtype));
    DLDA_TRY(read_shape(path, name, json_object_get(item, "shape"), tensor));
    DLDA_TRY(read_offsets(path, name, json_object_get(item, "data_offsets"), size, &begin, &end));
    if (!dlda_tensor_size(tensor, &bytes))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: tensor '%s': %s %s, expected a size that fits in whole bytes", path,
                  dlda_show(name).text, dlda_dtype_name(tensor->dtype),
                  dlda_show_shape(tensor->rank, tensor->shape).text);
    if (bytes != end - begin)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: tensor '%s': data_offsets [%zu, %zu] hold %zu bytes, expected %zu for %s %s",
                  path, dlda_show(name).text, begin, end, end - begin, bytes, dlda_dtype_name(tensor->dtype),
                  dlda_show_shape(tensor->rank, tensor->shape).text);
    tensor->name = name;
    tensor->data = data + begin;
done:
    return status;
}

/* ---- Reading: all tensors ---- */

static dlda_status read_tensors(dlda_safetensors *self, const char *data, size_t size)
{
    dlda_status status = DLDA_OK;
    const char *name;
    json_t *item;

    DLDA_TRY(DLDA_TAKE(&self->tensors, json_object_size(self->header), self->path));
    json_object_foreach(self->header, name, item)
    {
        if (strcmp(name, DLDA_METADATA_KEY) == 0) {
            DLDA_TRY(check_metadata(self->path, item));
            continue;
        }
        DLDA_TRY(read_tensor(self->path, name, item, data, size, &self->tensors[self->count]));
        self->count++;
    }
done:
    return status;
}

/* Sorts by offset; an empty tensor precedes the one that begins at the same offset. */
static int compare_places(const void *left, const void *right)
{
    const dlda_tensor *a = left, *b = right;
    size_t a_size = dlda_tensor_bytes(a), b_size = dlda_tensor_bytes(b);

    if (a->data != b->data) return (const char *)a->data < (const char *)b->data ? -1 : 1;
    if (a_size != b_size) return a_size < b_size ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Sorts the tensors by offset; each must begin where the previous one ends, and the last must end with the file. */
static dlda_status check_tiling(dlda_safetensors *self, const char *data, size_t size)
{
    size_t expected = 0;

    qsort(self->tensors, self->count, sizeof *self->tensors, compare_places);
    for (size_t i = 0; i < self->count; i++) {
        const dlda_tensor *tensor = &self->tensors[i];
        size_t begin = (size_t)((const char *)tensor->data - data);
        if (begin != expected)
            return dlda_fail(DLDA_E_FORMAT, "%s: tensor '%s': begins at byte %zu of the data, expected %zu: %s",
                             self->path, dlda_show(tensor->name).text, begin, expected,
                             begin < expected ? "an overlap" : "a gap");
        expected += dlda_tensor_bytes(tensor);
    }
    if (expected != size)
        return dlda_fail(DLDA_E_FORMAT, "%s: %zu bytes of data, expected %zu, where the last tensor ends",
                         self->path, size, expected);
    return DLDA_OK;
}

static int is_aligned(const dlda_tensor *tensor)
{
    size_t bytes = dlda_dtype_bits(tensor->dtype) / 8;
    return bytes == 0 || (uintptr_t)tensor->data % bytes == 0;
}

static size_t rounded_size(const dlda_tensor *tensor)
{
    return (dlda_tensor_bytes(tensor) + DLDA_ALIGNMENT - 1) / DLDA_ALIGNMENT * DLDA_ALIGNMENT;
}

/* Other writers may produce headers of odd length, or a float after a single byte: then all data is moved. */
static dlda_status align_tensors(dlda_safetensors *self)
{
    dlda_status status = DLDA_OK;
    char *moved = NULL;
    size_t size = 0, n_aligned = 0;

    for (size_t i = 0; i < self->count; i++) {
        n_aligned += (size_t)is_aligned(&self->tensors[i]);
        size += rounded_size(&self->tensors[i]);
    }
    if (n_aligned == self->count) goto done;
    DLDA_TRY(DLDA_TAKE(&moved, size, self->path));
    size = 0;
    for (size_t i = 0; i < self->count; i++) {
        memcpy(moved + size, self->tensors[i].data, dlda_tensor_bytes(&self->tensors[i]));
        self->tensors[i].data = moved + size;
        size += rounded_size(&self->tensors[i]);
    }
    dlda_release(self->bytes);
    self->bytes = moved;
done:
    return status;
}

/* Parses self->bytes [size]. */
static dlda_status read_content(dlda_safetensors *self, size_t size)
{
    dlda_status status = DLDA_OK;
    size_t length = 0;

    DLDA_TRY(read_length(self->path, self->bytes, size, &length));
    DLDA_TRY(parse_header(self->path, self->bytes + DLDA_LENGTH_SIZE, length, &self->header));
    const char *data = self->bytes + DLDA_LENGTH_SIZE + length;
    size -= DLDA_LENGTH_SIZE + length;
    DLDA_TRY(read_tensors(self, data, size));
    DLDA_TRY(check_tiling(self, data, size));
    DLDA_TRY(align_tensors(self));
    for (size_t i = 0; i < self->count; i++)
        DLDA_TRY(dlda_tensor_check_finite(self->path, &self->tensors[i], DLDA_E_FORMAT));
done:
    return status;
}

/* Takes ownership of the bytes, also on failure. */
static dlda_status adopt(const char *what, char *bytes, size_t size, dlda_safetensors **file)
{
    dlda_status status = DLDA_OK;
    dlda_safetensors *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, what));
    self->bytes = bytes;
    bytes = NULL;
    DLDA_TRY(dlda_take_text(what, &self->path));
    DLDA_TRY(read_content(self, size));
    *file = self;
    self = NULL;
done:
    dlda_release(bytes);
    dlda_safetensors_destroy(self);
    return status;
}

dlda_status dlda_safetensors_read(const char *path, dlda_safetensors **file)
{
    char *bytes = NULL;
    size_t size = 0;
    dlda_status status = dlda_file_read(path, DLDA_MOST_FILE, &bytes, &size);

    return status == DLDA_OK ? adopt(path, bytes, size, file) : status;
}

dlda_status dlda_safetensors_decode(const char *what, const void *bytes, size_t size, dlda_safetensors **file)
{
    char *copy = NULL;
    dlda_status status = DLDA_TAKE(&copy, size ? size : 1, what);

    if (status != DLDA_OK) return status;
    if (size) memcpy(copy, bytes, size);
    return adopt(what, copy, size, file);
}

void dlda_safetensors_destroy(dlda_safetensors *self)
{
    if (!self) return;
    dlda_release(self->tensors);
    json_decref(self->header);
    dlda_release(self->bytes);
    dlda_release(self->path);
    dlda_release(self);
}

/* ---- Access ---- */

size_t dlda_safetensors_count(const dlda_safetensors *self)
{
    return self->count;
}

const dlda_tensor *dlda_safetensors_at(const dlda_safetensors *self, size_t i)
{
    return i < self->count ? &self->tensors[i] : NULL;
}

const char *dlda_safetensors_metadata(const dlda_safetensors *self, const char *key)
{
    return json_string_value(json_object_get(json_object_get(self->header, DLDA_METADATA_KEY), key));
}

const dlda_tensor *dlda_safetensors_find(const dlda_safetensors *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->tensors[i].name, name) == 0) return &self->tensors[i];
    return NULL;
}

dlda_status dlda_safetensors_require(const dlda_safetensors *self, const char *name, dlda_dtype dtype, size_t rank,
                                     const size_t *shape, const dlda_tensor **tensor)
{
    const dlda_tensor *found = dlda_safetensors_find(self, name);

    if (!found)
        return dlda_fail(DLDA_E_FORMAT, "%s: tensor '%s' is missing, expected %s %s", self->path, name,
                         dlda_dtype_name(dtype), dlda_show_shape(rank, shape).text);
    if (found->dtype != dtype || found->rank != rank ||
        (rank > 0 && memcmp(found->shape, shape, rank * sizeof *shape) != 0))
        return dlda_fail(DLDA_E_FORMAT, "%s: tensor '%s': found %s %s, expected %s %s", self->path, name,
                         dlda_dtype_name(found->dtype), dlda_show_shape(found->rank, found->shape).text,
                         dlda_dtype_name(dtype), dlda_show_shape(rank, shape).text);
    *tensor = found;
    return DLDA_OK;
}
