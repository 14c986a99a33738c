/* SPDX-License-Identifier: MIT
 *
 * safetensors_write.c - writes safetensors files. The same input gives the same bytes.
 */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "model/safetensors_internal.h"

#include <stdlib.h>
#include <string.h>

static dlda_status check_tensor(const char *path, const dlda_tensor *tensor)
{
    const char *name = tensor->name;
    size_t bytes = 0;

    if (strcmp(name, DLDA_METADATA_KEY) == 0)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': the name is reserved", path, name);
    if (tensor->dtype >= DLDA_DTYPE_FOREIGN)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': type %s, expected F32, F64 or I64", path,
                         dlda_show(name).text, dlda_dtype_name(tensor->dtype));
    if (tensor->rank > DLDA_MOST_RANK)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': rank %zu, expected at most %d", path,
                         dlda_show(name).text, tensor->rank, DLDA_MOST_RANK);
    if (!dlda_tensor_size(tensor, &bytes) || bytes > DLDA_MOST_FILE)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': %s %s, expected at most %zu bytes", path,
                         dlda_show(name).text, dlda_dtype_name(tensor->dtype),
                         dlda_show_shape(tensor->rank, tensor->shape).text, DLDA_MOST_FILE);
    if (bytes > 0 && !tensor->data) return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': no data", path, name);
    return dlda_tensor_check_finite(path, tensor, DLDA_E_NUMERIC);
}

static dlda_status describe_metadata(const char *path, const dlda_metadata_entry *metadata, size_t n,
                                     json_t *header)
{
    json_t *texts = json_object();

    if (!texts || json_object_set_new(header, DLDA_METADATA_KEY, texts) != 0)
        return dlda_fail(DLDA_E_MEMORY, "%s: no memory for the header", path);
    for (size_t i = 0; i < n; i++) {
        const char *key = metadata[i].key;
        if (json_object_get(texts, key))
            return dlda_fail(DLDA_E_ARGUMENT, "%s: metadata '%s': used twice", path, dlda_show(key).text);
        if (!dlda_is_utf8(key) || !dlda_is_utf8(metadata[i].value))
            return dlda_fail(DLDA_E_ARGUMENT, "%s: metadata '%s': not valid UTF-8", path, dlda_show(key).text);
        dlda_status status = dlda_json_set(texts, key, json_string(metadata[i].value), path);
        if (status != DLDA_OK) return status;
    }
    return DLDA_OK;
}

/* {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}; NULL if out of memory. */
static json_t *tensor_to_json(const dlda_tensor *tensor, size_t begin)
{
    size_t end = begin + dlda_tensor_bytes(tensor);
    json_t *shape = json_array();

    for (size_t i = 0; i < tensor->rank; i++)
        if (json_array_append_new(shape, json_integer((json_int_t)tensor->shape[i])) != 0) {
            json_decref(shape);
            return NULL;
        }
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", dlda_dtype_name(tensor->dtype), "shape", shape,
                     "data_offsets", (json_int_t)begin, (json_int_t)end);
}

static dlda_status describe_tensor(const char *path, const dlda_tensor *tensor, size_t begin, json_t *header)
{
    if (json_object_get(header, tensor->name))
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': the name is used twice", path,
                         dlda_show(tensor->name).text);
    if (!dlda_is_utf8(tensor->name))
        return dlda_fail(DLDA_E_ARGUMENT, "%s: tensor '%s': the name is not valid UTF-8", path,
                         dlda_show(tensor->name).text);
    return dlda_json_set(header, tensor->name, tensor_to_json(tensor, begin), path);
}

/* 8-byte types are written before 4-byte types, so that each tensor is aligned without padding. */
static int is_wide(const dlda_tensor *tensor)
{
    return dlda_dtype_bits(tensor->dtype) == 64;
}

static dlda_status describe_tensors(const char *path, const dlda_tensor *tensors, size_t count, json_t *header)
{
    dlda_status status = DLDA_OK;
    size_t wide = 0, narrow = 0, total = 0; /* wide, narrow: offset of the next tensor of each kind */

    for (size_t i = 0; i < count; i++) {
        DLDA_TRY(check_tensor(path, &tensors[i]));
        if (is_wide(&tensors[i])) narrow += dlda_tensor_bytes(&tensors[i]);
        total += dlda_tensor_bytes(&tensors[i]);
        if (total > DLDA_MOST_FILE - DLDA_MOST_HEADER - DLDA_LENGTH_SIZE)
            DLDA_FAIL(DLDA_E_ARGUMENT, "%s: more than %zu bytes of tensors", path,
                      DLDA_MOST_FILE - DLDA_MOST_HEADER - DLDA_LENGTH_SIZE);
    }
    for (size_t i = 0; i < count; i++) {
        size_t *next = is_wide(&tensors[i]) ? &wide : &narrow;
        DLDA_TRY(describe_tensor(path, &tensors[i], *next, header));
        *next += dlda_tensor_bytes(&tensors[i]);
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
    if (used > DLDA_MOST_HEADER - DLDA_ALIGNMENT)
        DLDA_FAIL(DLDA_E_ARGUMENT, "%s: a header of %zu bytes, expected at most %d", path, used,
                  DLDA_MOST_HEADER - DLDA_ALIGNMENT);
    *size = (DLDA_LENGTH_SIZE + used + DLDA_ALIGNMENT - 1) / DLDA_ALIGNMENT * DLDA_ALIGNMENT;
    DLDA_TRY(DLDA_TAKE(bytes, *size, path));
    uint64_t length = *size - DLDA_LENGTH_SIZE;
    memset(*bytes, ' ', *size);
    memcpy(*bytes, &length, DLDA_LENGTH_SIZE);
    if (json_dumpb(header, *bytes + DLDA_LENGTH_SIZE, used, JSON_COMPACT) != used)
        DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for the header", path);
done:
    return status;
}

/* Cannot overflow: describe_tensors has checked the sum. */
static size_t data_size(const dlda_tensor *tensors, size_t count)
{
    size_t sum = 0;

    for (size_t i = 0; i < count; i++) sum += dlda_tensor_bytes(&tensors[i]);
    return sum;
}

static char *put_data(char *to, const dlda_tensor *tensors, size_t count, int wide)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = dlda_tensor_bytes(&tensors[i]);
        if (is_wide(&tensors[i]) != wide || size == 0) continue;
        memcpy(to, tensors[i].data, size);
        to += size;
    }
    return to;
}

/* Checks everything; the header as bytes. */
static dlda_status make_header(const char *what, const dlda_tensor *tensors, size_t count,
                               const dlda_metadata_entry *metadata, size_t n_metadata, char **bytes, size_t *size)
{
    dlda_status status = DLDA_OK;
    json_t *header = json_object();

    if (!header) DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for the header", what);
    if (n_metadata > 0) DLDA_TRY(describe_metadata(what, metadata, n_metadata, header));
    DLDA_TRY(describe_tensors(what, tensors, count, header));
    DLDA_TRY(encode_header(what, header, bytes, size));
done:
    json_decref(header);
    return status;
}

dlda_status dlda_safetensors_encode(const char *what, const dlda_tensor *tensors, size_t count,
                                    const dlda_metadata_entry *metadata, size_t n_metadata, char **bytes,
                                    size_t *size)
{
    dlda_status status = DLDA_OK;
    char *text = NULL;
    size_t header_size = 0;

    DLDA_TRY(make_header(what, tensors, count, metadata, n_metadata, &text, &header_size));
    size_t whole = header_size + data_size(tensors, count);
    DLDA_TRY(DLDA_TAKE(bytes, whole, what));
    memcpy(*bytes, text, header_size);
    put_data(put_data(*bytes + header_size, tensors, count, 1), tensors, count, 0);
    *size = whole;
done:
    dlda_release(text);
    return status;
}

static dlda_status write_data(dlda_file_writer *writer, const dlda_tensor *tensors, size_t count, int wide)
{
    dlda_status status = DLDA_OK;

    for (size_t i = 0; i < count; i++)
        if (is_wide(&tensors[i]) == wide)
            DLDA_TRY(dlda_file_writer_add(writer, tensors[i].data, dlda_tensor_bytes(&tensors[i])));
done:
    return status;
}

/* Without a copy of the tensors: a checkpoint has three times the weights. */
dlda_status dlda_safetensors_write(const char *path, const dlda_tensor *tensors, size_t count,
                                   const dlda_metadata_entry *metadata, size_t n_metadata)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;
    char *header = NULL;
    size_t size = 0;

    DLDA_TRY(make_header(path, tensors, count, metadata, n_metadata, &header, &size));
    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(dlda_file_writer_add(writer, header, size));
    DLDA_TRY(write_data(writer, tensors, count, 1));
    DLDA_TRY(write_data(writer, tensors, count, 0));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    dlda_release(header);
    return status;
}
