/* SPDX-License-Identifier: MIT
 *
 * npy.c - .npy headers of versions 1 to 3, and conversion of their elements.
 *
 * A file is: "\x93NUMPY", two version bytes, the length of the header (u16, from version 2 on u32, little-endian),
 * a Python dictionary as text,
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), }
 * and the elements. descr is byte order, kind and size of an element. Arrays of Python objects are refused: they
 * are pickles, which execute code when loaded.
 */
#include "dataset/npy.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[6] = { '\x93', 'N', 'U', 'M', 'P', 'Y' };

/* ---- The dictionary ---- */

typedef struct header_text {
    const char *name; /* of the file, for messages */
    const char *at;   /* the next character; a zero byte ends the text */
    char descr[32];
    int has_descr, has_order, has_shape, fortran;
    size_t n_dimensions, dimension[DLDA_NPY_DIMENSIONS];
} header_text;

static dlda_status bad_header(const header_text *self, const char *expected)
{
    return dlda_fail(DLDA_E_FORMAT, "%s: the .npy header has '%.20s', expected %s", self->name, self->at, expected);
}

static void skip_blanks(header_text *self)
{
    self->at += strspn(self->at, " \t\r\n");
}

/* If `word` comes next, skips it and returns 1. */
static int comes(header_text *self, const char *word)
{
    skip_blanks(self);
    if (strncmp(self->at, word, strlen(word)) != 0) return 0;
    self->at += strlen(word);
    return 1;
}

/* A Python string without escapes: 'descr'. */
static dlda_status read_string(header_text *self, char *text, size_t size)
{
    skip_blanks(self);
    char quote = *self->at;
    if (quote != '\'' && quote != '"') return bad_header(self, "a quoted word");
    const char *end = strchr(self->at + 1, quote);
    size_t length = end ? (size_t)(end - self->at - 1) : size;
    if (length >= size) return bad_header(self, "a short quoted word");
    memcpy(text, self->at + 1, length);
    text[length] = '\0';
    self->at = end + 1;
    return DLDA_OK;
}

static dlda_status read_dimension(header_text *self, size_t number, size_t *value)
{
    unsigned long long whole = 0;

    skip_blanks(self);
    size_t digits = strspn(self->at, "0123456789");
    if (*self->at == '-')
        return dlda_fail(DLDA_E_FORMAT, "%s: dimension %zu is negative (%.12s), expected at least 1", self->name,
                         number, self->at);
    if (digits == 0) return bad_header(self, "a whole number in 'shape'");
    if (digits > 18)
        return dlda_fail(DLDA_E_FORMAT, "%s: dimension %zu is %.24s, expected below 10^18", self->name, number,
                         self->at);
    whole = strtoull(self->at, NULL, 10);
    if (whole == 0)
        return dlda_fail(DLDA_E_FORMAT, "%s: dimension %zu is 0, expected at least 1", self->name, number);
    *value = (size_t)whole;
    self->at += digits;
    if (*self->at == 'L') self->at++; /* written by Python 2 */
    return DLDA_OK;
}

static dlda_status read_shape(header_text *self)
{
    dlda_status status = DLDA_OK;

    if (!comes(self, "(")) return bad_header(self, "the shape in parentheses");
    while (!comes(self, ")")) {
        if (self->n_dimensions == DLDA_NPY_DIMENSIONS)
            return dlda_fail(DLDA_E_FORMAT, "%s: more than %d dimensions", self->name, DLDA_NPY_DIMENSIONS);
        DLDA_TRY(read_dimension(self, self->n_dimensions + 1, &self->dimension[self->n_dimensions]));
        self->n_dimensions++;
        if (!comes(self, ",") && (skip_blanks(self), *self->at != ')')) return bad_header(self, "',' or ')'");
    }
done:
    return status;
}

static dlda_status read_descr(header_text *self)
{
    skip_blanks(self);
    if (*self->at == '[')
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: an array of records, expected plain numbers; save each of its fields on its own",
                         self->name);
    return read_string(self, self->descr, sizeof self->descr);
}

static dlda_status read_entry(header_text *self)
{
    dlda_status status = DLDA_OK;
    char key[32];

    DLDA_TRY(read_string(self, key, sizeof key));
    if (!comes(self, ":")) return bad_header(self, "':'");
    if (strcmp(key, "descr") == 0 && !self->has_descr++) DLDA_TRY(read_descr(self));
    else if (strcmp(key, "shape") == 0 && !self->has_shape++) DLDA_TRY(read_shape(self));
    else if (strcmp(key, "fortran_order") == 0 && !self->has_order++) {
        self->fortran = comes(self, "True");
        if (!self->fortran && !comes(self, "False")) DLDA_TRY(bad_header(self, "True or False"));
    } else DLDA_FAIL(DLDA_E_FORMAT, "%s: the .npy header has an entry '%s' too many", self->name, key);
    comes(self, ",");
done:
    return status;
}

static dlda_status read_dictionary(header_text *self)
{
    dlda_status status = DLDA_OK;

    if (!comes(self, "{")) return bad_header(self, "'{'");
    while (!comes(self, "}")) DLDA_TRY(read_entry(self));
    if (!self->has_descr || !self->has_order || !self->has_shape)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: the .npy header lacks '%s'", self->name,
                  !self->has_descr   ? "descr"
                  : !self->has_shape ? "shape"
                                     : "fortran_order");
    skip_blanks(self);
    if (*self->at) return bad_header(self, "nothing behind '}'");
done:
    return status;
}

/* ---- Interpretation ---- */

static int type_is_known(const dlda_npy *npy)
{
    size_t item = npy->item;

    if (npy->kind == 'u' || npy->kind == 'i') return item == 1 || item == 2 || item == 4 || item == 8;
    if (npy->kind == 'f') return item == 4 || item == 8;
    return (npy->kind == 'U' && item >= 4) || (npy->kind == 'S' && item >= 1);
}

/* "<f4": order, kind, size. '=' is native order, '|' means that order does not apply. */
static dlda_status read_type(const header_text *text, dlda_npy *npy)
{
    const char *descr = text->descr;
    int little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    size_t digits = descr[0] && descr[1] ? strspn(descr + 2, "0123456789") : 0;

    if (strchr("<>=|", descr[0]) && descr[1] == 'O')
        return dlda_fail(
            DLDA_E_FORMAT,
            "%s: holds Python objects (pickled), which are not read, since reading would run what is in "
            "them; save plain numbers: np.save(file, x.astype('float32'))",
            text->name);
    if (descr[0] && strchr("<>=|", descr[0]) && digits >= 1 && digits <= 6 && !descr[2 + digits]) {
        npy->kind = descr[1];
        npy->item = strtoul(descr + 2, NULL, 10) * (npy->kind == 'U' ? 4 : 1);
        npy->swapped = npy->item > 1 && npy->kind != 'S' && descr[0] == (little ? '>' : '<');
        if (type_is_known(npy)) return DLDA_OK;
    }
    return dlda_fail(DLDA_E_FORMAT,
                     "%s: elements of type '%s', expected whole numbers or f4 or f8; convert them: "
                     "x.astype('uint8'), x.astype('float32')",
                     text->name, descr);
}

static dlda_status count_elements(const header_text *text, dlda_npy *npy)
{
    npy->count = 1;
    npy->n_dimensions = text->n_dimensions;
    for (size_t i = 0; i < text->n_dimensions; i++) {
        npy->dimension[i] = text->dimension[i];
        if (__builtin_mul_overflow(npy->count, npy->dimension[i], &npy->count))
            return dlda_fail(DLDA_E_FORMAT, "%s: the header promises more than 2^64 elements", text->name);
    }
    if (__builtin_mul_overflow(npy->count, npy->item, &npy->bytes))
        return dlda_fail(DLDA_E_FORMAT, "%s: the header promises more than 2^64 bytes", text->name);
    if (text->fortran && npy->n_dimensions > 1)
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: in Fortran order, expected C order: np.save(file, np.ascontiguousarray(x))",
                         text->name);
    return DLDA_OK;
}

static dlda_status get_all(dlda_flow *flow, void *to, size_t n)
{
    size_t got = 0;
    dlda_status status = dlda_flow_get(flow, to, n, &got);

    if (status == DLDA_OK && got < n)
        status = dlda_fail(DLDA_E_FORMAT, "%s: ends after %zu bytes, expected a whole .npy header", flow->name,
                           flow->given);
    return status;
}

/* Reads magic, version and the length of the dictionary. */
static dlda_status read_start(dlda_flow *flow, size_t *length)
{
    enum { MOST = 1 << 20 };
    dlda_status status = DLDA_OK;
    uint8_t start[8], size[4] = { 0 };

    DLDA_TRY(get_all(flow, start, sizeof start));
    if (memcmp(start, magic, sizeof magic) != 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: does not start as an .npy file does, expected \\x93NUMPY", flow->name);
    if (start[6] < 1 || start[6] > 3)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: .npy version %d.%d, expected 1.0, 2.0 or 3.0", flow->name, start[6],
                  start[7]);
    DLDA_TRY(get_all(flow, size, start[6] == 1 ? 2 : 4));
    *length = (size_t)size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
    if (*length > MOST)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: an .npy header of %zu bytes, expected at most %d", flow->name, *length, MOST);
done:
    return status;
}

dlda_status dlda_npy_read_header(dlda_flow *flow, dlda_npy *npy)
{
    dlda_status status = DLDA_OK;
    header_text text = { .name = flow->name };
    char *bytes = NULL;
    size_t length = 0;

    DLDA_TRY(read_start(flow, &length));
    DLDA_TRY(DLDA_TAKE(&bytes, length + 1, flow->name));
    DLDA_TRY(get_all(flow, bytes, length));
    text.at = bytes;
    DLDA_TRY(read_dictionary(&text));
    *npy = (dlda_npy){ .start = flow->given };
    DLDA_TRY(read_type(&text, npy));
    DLDA_TRY(count_elements(&text, npy));
done:
    dlda_release(bytes);
    return status;
}

/* ---- Elements ---- */

const char *dlda_npy_type(const dlda_npy *npy)
{
    static _Thread_local char text[24];

    snprintf(text, sizeof text, "%c%zu", npy->kind, npy->kind == 'U' ? npy->item / 4 : npy->item);
    return text;
}

int dlda_npy_is_whole(const dlda_npy *npy)
{
    return npy->kind == 'u' || npy->kind == 'i';
}

/* The bits of an element of up to 8 bytes, in native order. */
static uint64_t element_bits(const dlda_npy *npy, const uint8_t *at)
{
    uint64_t bits = 0;
    int reversed = npy->swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

    for (size_t i = 0; i < npy->item; i++) bits |= (uint64_t)at[reversed ? npy->item - 1 - i : i] << 8 * i;
    return bits;
}

static int64_t whole_of(const dlda_npy *npy, const uint8_t *at)
{
    uint64_t bits = element_bits(npy, at);
    unsigned unused = 64 - 8 * (unsigned)npy->item;

    /* Shifting left and back extends the sign. */
    return npy->kind == 'i' ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

static float float_of(const dlda_npy *npy, const uint8_t *at)
{
    uint64_t bits = element_bits(npy, at);
    uint32_t low = (uint32_t)bits;
    float single;
    double real;

    if (npy->kind != 'f') return npy->kind == 'u' ? (float)bits : (float)whole_of(npy, at);
    memcpy(&single, &low, sizeof single);
    memcpy(&real, &bits, sizeof real);
    return npy->item == 4 ? single : (float)real;
}

static void doubles_to_floats(const uint8_t *from, size_t n, float *values)
{
    for (size_t i = 0; i < n; i++) {
        double value;
        memcpy(&value, from + i * sizeof value, sizeof value);
        values[i] = (float)value;
    }
}

void dlda_npy_to_floats(const dlda_npy *npy, const void *elements, size_t n, float *values)
{
    const uint8_t *from = elements;

    if (npy->kind == 'f' && npy->item == 4 && !npy->swapped) memcpy(values, from, n * sizeof *values);
    else if (npy->kind == 'f' && npy->item == 8 && !npy->swapped) doubles_to_floats(from, n, values);
    else
        for (size_t i = 0; i < n; i++) values[i] = float_of(npy, from + i * npy->item);
}

void dlda_npy_to_wholes(const dlda_npy *npy, const void *elements, size_t n, int64_t *values)
{
    const uint8_t *from = elements;

    for (size_t i = 0; i < n; i++) values[i] = whole_of(npy, from + i * npy->item);
}

/* ---- Text ---- */

static char *put_utf8(uint32_t code, char *to)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)((0xF00 >> (tail + 1) & 0xFF) | code >> 6 * tail); /* 110..., 1110..., 11110... */
    while (tail-- > 0) *to++ = (char)(0x80 | (code >> 6 * tail & 0x3F));
    return to;
}

dlda_status dlda_npy_to_text(const dlda_npy *npy, const uint8_t *elements, size_t i, char **text)
{
    const uint8_t *at = elements + i * npy->item;
    dlda_npy character = { .kind = 'u', .item = npy->kind == 'U' ? 4 : 1, .swapped = npy->swapped };
    dlda_status status = DLDA_TAKE(text, npy->item + 1, "text");

    if (status != DLDA_OK) return status;
    char *to = *text;
    for (size_t k = 0; k < npy->item; k += character.item) {
        uint32_t code = (uint32_t)element_bits(&character, at + k);
        if (code == 0) break; /* shorter texts are padded with zeros */
        if (npy->kind == 'S') *to++ = (char)code;
        else to = put_utf8(code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? 0xFFFD : code, to);
    }
    return DLDA_OK;
}

/* ---- Writing ---- */

/* Pads the header with blanks and a line end, like NumPy. */
void dlda_npy_make_header(size_t rows, size_t columns, char header[DLDA_NPY_HEADER])
{
    enum { START = sizeof magic + 4 };
    char text[DLDA_NPY_HEADER];
    int n = snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }", rows,
                     columns);

    memset(header, ' ', DLDA_NPY_HEADER);
    memcpy(header, magic, sizeof magic);
    memcpy(header + sizeof magic, (const char[4]){ 1, 0, DLDA_NPY_HEADER - START, 0 }, 4);
    memcpy(header + START, text, (size_t)n);
    header[DLDA_NPY_HEADER - 1] = '\n';
}
