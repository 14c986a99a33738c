/* SPDX-License-Identifier: MIT
 *
 * safetensors.c - types and sizes of tensors, and their form in messages.
 *
 * Texts from a file are truncated and stripped of control characters before they appear in a message.
 */
#include "base/number.h"
#include "model/safetensors_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

unsigned dlda_dtype_bits(dlda_dtype dtype)
{
    return dtypes[dtype].bits;
}

int dlda_dtype_find(const char *name)
{
    for (int i = 0; i < N_DTYPES; i++)
        if (strcmp(name, dtypes[i].name) == 0) return i;
    return -1;
}

size_t dlda_tensor_elements(const dlda_tensor *tensor)
{
    size_t elements = 1;

    for (size_t i = 0; i < tensor->rank; i++) elements *= tensor->shape[i];
    return elements;
}

int dlda_tensor_size(const dlda_tensor *tensor, size_t *bytes)
{
    size_t bits = dtypes[tensor->dtype].bits;

    for (size_t i = 0; i < tensor->rank; i++)
        if (__builtin_mul_overflow(bits, tensor->shape[i], &bits)) return 0;
    *bytes = bits / 8;
    return bits % 8 == 0;
}

size_t dlda_tensor_bytes(const dlda_tensor *tensor)
{
    size_t bytes = 0;

    dlda_tensor_size(tensor, &bytes);
    return bytes;
}

/* ---- Messages ---- */

_Static_assert(sizeof(dlda_shown) >= DLDA_MOST_RANK * 22 + 8, "room for a shape");

dlda_shown dlda_show_json(const json_t *value)
{
    char text[DLDA_SHOWN + 2] = "";

    /* One byte more than is shown, so that truncation is visible; the last byte is zero. */
    json_dumpb(value, text, sizeof text - 1, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
    return dlda_show(text);
}

dlda_shown dlda_show_shape(size_t rank, const size_t *shape)
{
    dlda_shown shown;
    int n = snprintf(shown.text, sizeof shown.text, "[");

    for (size_t i = 0; i < rank && i < DLDA_MOST_RANK; i++)
        n += snprintf(shown.text + n, sizeof shown.text - (size_t)n, "%s%zu", i ? ", " : "", shape[i]);
    snprintf(shown.text + n, sizeof shown.text - (size_t)n, "]");
    return shown;
}

/* ---- Values ---- */

/* Element i of an F32 or F64 tensor. */
static double value_at(const dlda_tensor *tensor, size_t i)
{
    return tensor->dtype == DLDA_F32 ? (double)((const float *)tensor->data)[i] : ((const double *)tensor->data)[i];
}

/* The position of the first value that is not finite, or n. */
static size_t find_not_finite(const dlda_tensor *tensor, size_t n)
{
    return tensor->dtype == DLDA_F32 ? dlda_find_not_finite(tensor->data, n)
                                     : dlda_find_not_finite_double(tensor->data, n);
}

dlda_status dlda_tensor_check_finite(const char *path, const dlda_tensor *tensor, dlda_status failure)
{
    int has_fractions = tensor->dtype == DLDA_F32 || tensor->dtype == DLDA_F64;
    size_t elements = has_fractions ? dlda_tensor_elements(tensor) : 0, i = find_not_finite(tensor, elements);

    if (i == elements) return DLDA_OK;
    return dlda_fail(failure, "%s: tensor '%s': value %g at index %zu of %s, expected finite values", path,
                     dlda_show(tensor->name).text, value_at(tensor, i), i,
                     dlda_show_shape(tensor->rank, tensor->shape).text);
}
