/* SPDX-License-Identifier: MIT
 *
 * read_idx.c - reads IDX files, the format of MNIST, plain or gzip (detected by its magic number).
 *
 * An IDX file is: two zero bytes, the type of an element (8: u8), the number of dimensions, each dimension as a
 * big-endian u32, then the elements.
 */
#include "dataset/byte_flow.h"

/* ---- IDX ---- */

enum { MAGIC_LABELS = 0x801, MAGIC_IMAGES = 0x803, MAGIC_CHANNELS = 0x804, MOST_DIMENSIONS = 4 };

typedef struct idx_header {
    size_t n_dimensions, dimension[MOST_DIMENSIONS];
    size_t promised; /* bytes after the header: the product of the dimensions */
} idx_header;

static dlda_status get_u32(dlda_flow *from, uint32_t *value)
{
    uint8_t b[4] = { 0 };
    size_t got = 0;
    dlda_status status = dlda_flow_get(from, b, sizeof b, &got);

    if (status != DLDA_OK) return status;
    if (got < sizeof b)
        return dlda_fail(DLDA_E_FORMAT, "%s: ends after %zu bytes, expected a whole IDX header", from->name,
                         from->given);
    *value = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    return DLDA_OK;
}

static dlda_status check_magic(const char *name, uint32_t magic, int labels)
{
    if (labels && magic != MAGIC_LABELS)
        return dlda_fail(DLDA_E_FORMAT, "%s: magic 0x%08x, expected 0x%08x (u8 labels)", name, magic, MAGIC_LABELS);
    if (!labels && magic != MAGIC_IMAGES && magic != MAGIC_CHANNELS)
        return dlda_fail(DLDA_E_FORMAT, "%s: magic 0x%08x, expected 0x%08x (u8 images) or 0x%08x (with channels)",
                         name, magic, MAGIC_IMAGES, MAGIC_CHANNELS);
    return DLDA_OK;
}

static dlda_status read_header(dlda_flow *from, int labels, idx_header *header)
{
    dlda_status status = DLDA_OK;
    uint32_t word = 0;

    DLDA_TRY(get_u32(from, &word));
    DLDA_TRY(check_magic(from->name, word, labels));
    header->n_dimensions = word & 0xff;
    header->promised = 1;
    for (size_t i = 0; i < header->n_dimensions; i++) {
        DLDA_TRY(get_u32(from, &word));
        if (word == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: dimension %zu is 0, expected at least 1", from->name, i + 1);
        header->dimension[i] = word;
        if (__builtin_mul_overflow(header->promised, (size_t)word, &header->promised))
            DLDA_FAIL(DLDA_E_FORMAT, "%s: the header promises more than 2^64 bytes", from->name);
    }
done:
    return status;
}

static dlda_status read_idx(const dlda_input *input, int labels, idx_header *header, uint8_t **payload)
{
    dlda_status status = DLDA_OK;
    dlda_flow from = { 0 };

    DLDA_TRY(dlda_flow_open(input, &from));
    DLDA_TRY(read_header(&from, labels, header));
    DLDA_TRY(dlda_flow_expect(&from, header->promised, labels ? 0 : header->dimension[0]));
    DLDA_TRY(dlda_flow_read_rest(&from, header->promised, payload));
done:
    dlda_flow_close(&from);
    return status;
}

dlda_status dlda_idx_read_images(const dlda_input *input, dlda_raw_images *images)
{
    idx_header header = { 0 };
    uint8_t *bytes = NULL;
    dlda_status status = read_idx(input, 0, &header, &bytes);
    const size_t *n = header.dimension;
    size_t channels = header.n_dimensions == 4 ? n[3] : 1;

    if (status == DLDA_OK) *images = (dlda_raw_images){ n[0], n[1], n[2], channels, bytes };
    return status;
}

dlda_status dlda_idx_read_labels(const dlda_input *input, uint8_t **labels, size_t *count)
{
    idx_header header = { 0 };
    dlda_status status = read_idx(input, 1, &header, labels);

    if (status == DLDA_OK) *count = header.dimension[0];
    return status;
}
