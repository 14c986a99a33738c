/* SPDX-License-Identifier: MIT
 *
 * safetensors.c - reads and writes the container of models: header length, JSON header, data.
 *
 * A file is an 8-byte little-endian length n, n bytes of JSON that map each name to
 * {"dtype", "shape", "data_offsets": [begin, end]}, and the data, which the tensors tile without a gap.
 * Reading goes from the outside to the inside: length, JSON, each tensor by itself, the tiling, the values.
 * Texts from a file are shortened and freed of control characters before they enter a message.
 */
#include "model/safetensors.h"
#include "base/file.h"
#include "base/memory.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "safetensors data is used as it lies in the file");

enum { LENGTH_SIZE = 8, MOST_HEADER = 100 * 1000 * 1000, SHOWN = 64 };
static const size_t most_file = UINT32_MAX - 1u; /* 4 GB: far above any model, far below a mistake's size */
static const char metadata_key[] = "__metadata__";

struct dlda_safetensors {
    char *path;           /* for messages                                    */
    char *bytes;          /* the file; or its data, moved to aligned places  */
    json_t *header;       /* owns the names and the metadata                 */
    dlda_tensor *tensors; /* [count]                                         */
    size_t count;
};

/* ---- Types and sizes ---- */

static const struct {
    const char *name;
    unsigned bits;
} dtypes[] = {
    [DLDA_F32] = { "F32", 32 },
    [DLDA_F64] = { "F64", 64 },
    [DLDA_I64] = { "I64", 64 },
    [DLDA_DTYPE_FOREIGN] = { "BOOL", 8 },
    { "U8", 8 },
    { "I8", 8 },
    { "I16", 16 },
    { "U16", 16 },
    { "I32", 32 },
    { "U32", 32 },
    { "U64", 64 },
    { "F16", 16 },
    { "BF16", 16 },
    { "C64", 64 },
    { "F8_E5M2", 8 },
    { "F8_E4M3", 8 },
    { "F8_E8M0", 8 },
    { "F6_E2M3", 6 },
    { "F6_E3M2", 6 },
    { "F4", 4 },
};

enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0] };

const char *dlda_dtype_name(dlda_dtype dtype)
{
    return (size_t)dtype < N_DTYPES ? dtypes[dtype].name : "?";
}

size_t dlda_tensor_elements(const dlda_tensor *tensor)
{
    size_t elements = 1;

    for (size_t i = 0; i < tensor->rank; i++) elements *= tensor->shape[i];
    return elements;
}

/* 1, and the size of a tensor's data; 0 if it does not fit a size_t or is no whole number of bytes. */
static int data_size(const dlda_tensor *tensor, size_t *bytes)
{
    size_t bits = dtypes[tensor->dtype].bits;

    for (size_t i = 0; i < tensor->rank; i++)
        if (__builtin_mul_overflow(bits, tensor->shape[i], &bits)) return 0;
    *bytes = bits / 8;
    return bits % 8 == 0;
}

/* The same for a tensor that was checked. */
static size_t checked_data_size(const dlda_tensor *tensor)
{
    size_t bytes = 0;

    data_size(tensor, &bytes);
    return bytes;
}

/* ---- Messages ---- */

/* Returned by value: it lives until the call that prints it is complete. */
typedef struct shown_text {
    char text[DLDA_MOST_RANK * 22 + 8];
} shown_text;

_Static_assert(sizeof(shown_text) > SHOWN + 4, "room for the text and its dots");

/* A text from a file for a message: at most 64 bytes, cut between characters, nothing that moves a cursor. */
static shown_text show(const char *text)
{
    shown_text shown;
    size_t n = strnlen(text, SHOWN + 1);
    int cut = n > SHOWN;

    if (cut)
        for (n = SHOWN; n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80;) n--;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        shown.text[i] = c < ' ' || c == 127 ? '?' : text[i];
    }
    strcpy(shown.text + n, cut ? "..." : "");
    return shown;
}

static shown_text show_json(const json_t *value)
{
    char text[SHOWN + 2] = "";

    /* One byte more than is shown, so that a cut is seen as one; the last byte stays zero. */
    json_dumpb(value, text, sizeof text - 1, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
    return show(text);
}

static shown_text show_shape(size_t rank, const size_t *shape)
{
    shown_text shown;
    int n = snprintf(shown.text, sizeof shown.text, "[");

    for (size_t i = 0; i < rank && i < DLDA_MOST_RANK; i++)
        n += snprintf(shown.text + n, sizeof shown.text - (size_t)n, "%s%zu", i ? ", " : "", shape[i]);
    snprintf(shown.text + n, sizeof shown.text - (size_t)n, "]");
    return shown;
}

/* ---- Values ---- */

/* Value i of a tensor of F32 or F64. */
static double value_at(const dlda_tensor *tensor, size_t i)
{
    return tensor->dtype == DLDA_F32 ? (double)((const float *)tensor->data)[i] : ((const double *)tensor->data)[i];
}

static dlda_status check_finite(const char *path, const dlda_tensor *tensor, dlda_status failure)
{
    size_t elements = tensor->dtype == DLDA_F32 || tensor->dtype == DLDA_F64 ? dlda_tensor_elements(tensor) : 0;

    for (size_t i = 0; i < elements; i++)
        if (!isfinite(value_at(tensor, i)))
            return dlda_fail(failure, "%s: tensor '%s': value %g at index %zu of %s, expected finite values", path,
                             show(tensor->name).text, value_at(tensor, i), i,
                             show_shape(tensor->rank, tensor->shape).text);
    return DLDA_OK;
}

/* ---- Writing ---- */

static dlda_status check_tensor(const char *path, const dlda_tensor *tensor)
{
    const char *name = tensor->name;
    size_t bytes = 0;

    if (strcmp(name, metadata_key) == 0)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': the name is reserved", path, name);
    if (tensor->dtype >= DLDA_DTYPE_FOREIGN)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': type %s, expected F32, F64 or I64", path,
                         show(name).text, dlda_dtype_name(tensor->dtype));
    if (tensor->rank > DLDA_MOST_RANK)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': rank %zu, expected at most %d", path, show(name).text,
                         tensor->rank, DLDA_MOST_RANK);
    if (!data_size(tensor, &bytes) || bytes > most_file)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': %s %s, expected at most %zu bytes", path,
                         show(name).text, dlda_dtype_name(tensor->dtype),
                         show_shape(tensor->rank, tensor->shape).text, most_file);
    if (bytes > 0 && !tensor->data) return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': no data", path, name);
    return check_finite(path, tensor, DLDA_E_NUMERIC);
}

static dlda_status describe_metadata(const char *path, const dlda_metadata_entry *metadata, size_t n,
                                     json_t *header)
{
    json_t *texts = json_object();

    if (!texts || json_object_set_new(header, metadata_key, texts) != 0)
        return dlda_fail(DLDA_E_MEMORY, "%s: no memory for the header", path);
    for (size_t i = 0; i < n; i++) {
        const char *key = metadata[i].key;
        if (json_object_get(texts, key))
            return dlda_fail(DLDA_E_ARGUMENT, "%s: metadata '%s': used twice", path, show(key).text);
        if (json_object_set_new(texts, key, json_string(metadata[i].value)) != 0)
            return dlda_fail(DLDA_E_ARGUMENT, "%s: metadata '%s': not valid UTF-8", path, show(key).text);
    }
    return DLDA_OK;
}

/* {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}; NULL without memory. */
static json_t *tensor_to_json(const dlda_tensor *tensor, size_t begin)
{
    json_int_t end = (json_int_t)(begin + checked_data_size(tensor));
    json_t *shape = json_array();

    for (size_t i = 0; i < tensor->rank; i++)
        if (json_array_append_new(shape, json_integer((json_int_t)tensor->shape[i])) != 0) {
            json_decref(shape);
            return NULL;
        }
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", dlda_dtype_name(tensor->dtype), "shape", shape,
                     "data_offsets", (json_int_t)begin, end);
}

static dlda_status describe_tensor(const char *path, const dlda_tensor *tensor, size_t begin, json_t *header)
{
    if (json_object_get(header, tensor->name))
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': the name is used twice", path, show(tensor->name).text);
    if (json_object_set_new(header, tensor->name, tensor_to_json(tensor, begin)) != 0)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': the name is not valid UTF-8", path,
                         show(tensor->name).text);
    return DLDA_OK;
}

/* The data of 8-byte types lies before that of 4-byte types: so each tensor is aligned and none is padded. */
static int is_wide(const dlda_tensor *tensor)
{
    return dtypes[tensor->dtype].bits == 64;
}

static dlda_status describe_tensors(const char *path, const dlda_tensor *tensors, size_t count, json_t *header)
{
    dlda_status status = DLDA_OK;
    size_t wide = 0, narrow = 0, total = 0; /* wide, narrow: where the next one of each kind begins */

    for (size_t i = 0; i < count; i++) {
        DLDA_TRY(check_tensor(path, &tensors[i]));
        if (is_wide(&tensors[i])) narrow += checked_data_size(&tensors[i]);
        total += checked_data_size(&tensors[i]);
        if (total > most_file - MOST_HEADER - LENGTH_SIZE)
            DLDA_FAIL(DLDA_E_ARGUMENT, "%s: more than %zu bytes of tensors", path,
                      most_file - MOST_HEADER - LENGTH_SIZE);
    }
    for (size_t i = 0; i < count; i++) {
        size_t *next = is_wide(&tensors[i]) ? &wide : &narrow;
        DLDA_TRY(describe_tensor(path, &tensors[i], *next, header));
        *next += checked_data_size(&tensors[i]);
    }
done:
    return status;
}

/* Length field and JSON text, padded with spaces so that the data begins at a multiple of 64. */
static dlda_status encode_header(const char *path, const json_t *header, char **bytes, size_t *size)
{
    dlda_status status = DLDA_OK;
    size_t used = json_dumpb(header, NULL, 0, JSON_COMPACT);

    if (used == 0) DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for the header", path);
    if (used > MOST_HEADER - DLDA_ALIGNMENT)
        DLDA_FAIL(DLDA_E_ARGUMENT, "%s: a header of %zu bytes, expected at most %d", path, used,
                  MOST_HEADER - DLDA_ALIGNMENT);
    *size = (LENGTH_SIZE + used + DLDA_ALIGNMENT - 1) / DLDA_ALIGNMENT * DLDA_ALIGNMENT;
    DLDA_TRY(DLDA_TAKE(bytes, *size, path));
    uint64_t length = *size - LENGTH_SIZE;
    memset(*bytes, ' ', *size);
    memcpy(*bytes, &length, LENGTH_SIZE);
    if (json_dumpb(header, *bytes + LENGTH_SIZE, used, JSON_COMPACT) != used)
        DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for the header", path);
done:
    return status;
}

static dlda_status write_data(dlda_file_writer *writer, const dlda_tensor *tensors, size_t count, int wide)
{
    dlda_status status = DLDA_OK;

    for (size_t i = 0; i < count; i++)
        if (is_wide(&tensors[i]) == wide)
            DLDA_TRY(dlda_file_writer_add(writer, tensors[i].data, checked_data_size(&tensors[i])));
done:
    return status;
}

dlda_status dlda_safetensors_write(const char *path, const dlda_tensor *tensors, size_t count,
                                   const dlda_metadata_entry *metadata, size_t n_metadata)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;
    char *bytes = NULL;
    size_t size = 0;
    json_t *header = json_object();

    if (!header) DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for the header", path);
    if (n_metadata > 0) DLDA_TRY(describe_metadata(path, metadata, n_metadata, header));
    DLDA_TRY(describe_tensors(path, tensors, count, header));
    DLDA_TRY(encode_header(path, header, &bytes, &size));
    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(dlda_file_writer_add(writer, bytes, size));
    DLDA_TRY(write_data(writer, tensors, count, 1));
    DLDA_TRY(write_data(writer, tensors, count, 0));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    dlda_release(bytes);
    json_decref(header);
    return status;
}

/* ---- Reading: the header ---- */

static dlda_status read_length(const char *path, const char *bytes, size_t size, size_t *length)
{
    uint64_t found = 0;

    if (size < LENGTH_SIZE)
        return dlda_fail(DLDA_E_FORMAT, "%s: %zu bytes, expected at least %d for the header length", path, size,
                         LENGTH_SIZE);
    memcpy(&found, bytes, LENGTH_SIZE);
    if (found > MOST_HEADER)
        return dlda_fail(DLDA_E_FORMAT, "%s: header length %llu, expected at most %d: not a safetensors file?",
                         path, (unsigned long long)found, MOST_HEADER);
    if (found > size - LENGTH_SIZE)
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: header length %llu, expected at most the %zu bytes that follow: cut off?", path,
                         (unsigned long long)found, size - LENGTH_SIZE);
    *length = (size_t)found;
    return DLDA_OK;
}

static dlda_status parse_header(const char *path, const char *text, size_t length, json_t **header)
{
    json_error_t error;

    while (length > 0 && text[length - 1] == ' ') length--;
    if (length < 2)
        return dlda_fail(DLDA_E_FORMAT, "%s: header: %zu bytes of JSON, expected at least 2", path, length);
    if (text[0] != '{' || text[length - 1] != '}')
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: header: first byte 0x%02x and last 0x%02x, expected '{' and '}' and spaces", path,
                         (unsigned char)text[0], (unsigned char)text[length - 1]);
    *header = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (*header) return DLDA_OK;
    if (json_error_code(&error) == json_error_out_of_memory)
        return dlda_fail(DLDA_E_MEMORY, "%s: no memory for the header", path);
    return dlda_fail(DLDA_E_FORMAT, "%s: header: %s, at byte %d; expected a JSON object", path,
                     show(error.text).text, error.position + LENGTH_SIZE);
}

static dlda_status check_metadata(const char *path, json_t *metadata)
{
    const char *key;
    json_t *value;

    if (!json_is_object(metadata))
        return dlda_fail(DLDA_E_FORMAT, "%s: %s: found %s, expected an object", path, metadata_key,
                         show_json(metadata).text);
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value))
            return dlda_fail(DLDA_E_FORMAT, "%s: %s: '%s': found %s, expected a string", path, metadata_key,
                             show(key).text, show_json(value).text);
    }
    return DLDA_OK;
}

/* ---- Reading: one tensor ---- */

static dlda_status bad_tensor(const char *path, const char *name, const char *what, const json_t *found,
                              const char *expected)
{
    return dlda_fail(DLDA_E_FORMAT, "%s: tensor '%s': %s %s, expected %s", path, show(name).text, what,
                     found ? show_json(found).text : "is missing", expected);
}

/* An object with the keys dtype, shape and data_offsets, and no other. */
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
                             show(name).text, show(key).text);
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

    for (size_t i = 0; text && i < N_DTYPES; i++)
        if (strcmp(dtypes[i].name, text) == 0) {
            *dtype = (dlda_dtype)i;
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
                         show(name).text, *end, size);
    return DLDA_OK;
}

/* Data has `size` bytes; the tensor's lie inside, and are as many as its type and shape need. */
static dlda_status read_tensor(const char *path, const char *name, json_t *item, const char *data, size_t size,
                               dlda_tensor *tensor)
{
    dlda_status status = DLDA_OK;
    size_t begin = 0, end = 0, bytes = 0;

    DLDA_TRY(check_keys(path, name, item));
    DLDA_TRY(read_dtype(path, name, json_object_get(item, "dtype"), &tensor->dtype));
    DLDA_TRY(read_shape(path, name, json_object_get(item, "shape"), tensor));
    DLDA_TRY(read_offsets(path, name, json_object_get(item, "data_offsets"), size, &begin, &end));
    if (!data_size(tensor, &bytes))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: tensor '%s': %s %s, expected a size that fits in whole bytes", path,
                  show(name).text, dlda_dtype_name(tensor->dtype), show_shape(tensor->rank, tensor->shape).text);
    if (bytes != end - begin)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: tensor '%s': data_offsets [%zu, %zu] hold %zu bytes, expected %zu for %s %s",
                  path, show(name).text, begin, end, end - begin, bytes, dlda_dtype_name(tensor->dtype),
                  show_shape(tensor->rank, tensor->shape).text);
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
        if (strcmp(name, metadata_key) == 0) {
            DLDA_TRY(check_metadata(self->path, item));
            continue;
        }
        DLDA_TRY(read_tensor(self->path, name, item, data, size, &self->tensors[self->count]));
        self->count++;
    }
done:
    return status;
}

/* By place; an empty tensor comes before the one that begins where it lies. */
static int compare_places(const void *left, const void *right)
{
    const dlda_tensor *a = left, *b = right;
    size_t a_size = checked_data_size(a), b_size = checked_data_size(b);

    if (a->data != b->data) return (const char *)a->data < (const char *)b->data ? -1 : 1;
    if (a_size != b_size) return a_size < b_size ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Sorts the tensors by place; each must begin where the one before it ends, and the last end with the file. */
static dlda_status check_tiling(dlda_safetensors *self, const char *data, size_t size)
{
    size_t expected = 0;

    qsort(self->tensors, self->count, sizeof *self->tensors, compare_places);
    for (size_t i = 0; i < self->count; i++) {
        const dlda_tensor *tensor = &self->tensors[i];
        size_t begin = (size_t)((const char *)tensor->data - data);
        if (begin != expected)
            return dlda_fail(DLDA_E_FORMAT, "%s: tensor '%s': begins at byte %zu of the data, expected %zu: %s",
                             self->path, show(tensor->name).text, begin, expected,
                             begin < expected ? "an overlap" : "a gap");
        expected += checked_data_size(tensor);
    }
    if (expected != size)
        return dlda_fail(DLDA_E_FORMAT, "%s: %zu bytes of data, expected %zu, where the last tensor ends",
                         self->path, size, expected);
    return DLDA_OK;
}

static int is_aligned(const dlda_tensor *tensor)
{
    size_t bytes = dtypes[tensor->dtype].bits / 8;
    return bytes == 0 || (uintptr_t)tensor->data % bytes == 0;
}

static size_t rounded_size(const dlda_tensor *tensor)
{
    return (checked_data_size(tensor) + DLDA_ALIGNMENT - 1) / DLDA_ALIGNMENT * DLDA_ALIGNMENT;
}

/* Other writers may leave headers of odd length, or a float behind a byte: then all data moves. */
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
        memcpy(moved + size, self->tensors[i].data, checked_data_size(&self->tensors[i]));
        self->tensors[i].data = moved + size;
        size += rounded_size(&self->tensors[i]);
    }
    dlda_release(self->bytes);
    self->bytes = moved;
done:
    return status;
}

static dlda_status read_content(dlda_safetensors *self)
{
    dlda_status status = DLDA_OK;
    size_t size = 0, length = 0;

    DLDA_TRY(dlda_file_read(self->path, most_file, &self->bytes, &size));
    DLDA_TRY(read_length(self->path, self->bytes, size, &length));
    DLDA_TRY(parse_header(self->path, self->bytes + LENGTH_SIZE, length, &self->header));
    const char *data = self->bytes + LENGTH_SIZE + length;
    size -= LENGTH_SIZE + length;
    DLDA_TRY(read_tensors(self, data, size));
    DLDA_TRY(check_tiling(self, data, size));
    DLDA_TRY(align_tensors(self));
    for (size_t i = 0; i < self->count; i++) DLDA_TRY(check_finite(self->path, &self->tensors[i], DLDA_E_FORMAT));
done:
    return status;
}

dlda_status dlda_safetensors_read(const char *path, dlda_safetensors **file)
{
    dlda_status status = DLDA_OK;
    dlda_safetensors *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, path));
    DLDA_TRY(dlda_take_text(path, &self->path));
    DLDA_TRY(read_content(self));
    *file = self;
    self = NULL;
done:
    dlda_safetensors_destroy(self);
    return status;
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
    return json_string_value(json_object_get(json_object_get(self->header, metadata_key), key));
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
                         dlda_dtype_name(dtype), show_shape(rank, shape).text);
    if (found->dtype != dtype || found->rank != rank ||
        (rank > 0 && memcmp(found->shape, shape, rank * sizeof *shape) != 0))
        return dlda_fail(DLDA_E_FORMAT, "%s: tensor '%s': found %s %s, expected %s %s", self->path, name,
                         dlda_dtype_name(found->dtype), show_shape(found->rank, found->shape).text,
                         dlda_dtype_name(dtype), show_shape(rank, shape).text);
    *tensor = found;
    return DLDA_OK;
}
