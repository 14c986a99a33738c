/* SPDX-License-Identifier: MIT
 *
 * write_rows.c - rows of floats as .npy or .csv. Numbers in CSV have 9 digits, which give back the same float, and a
 * decimal point in every locale.
 */
#include "dataset/write_rows.h"
#include "base/number.h"
#include "dataset/npy.h"

#include <string.h>

dlda_status dlda_row_format_of(const char *path, dlda_row_format *format)
{
    format->csv = dlda_path_ends(path, ".csv");
    if (format->csv || dlda_path_ends(path, ".npy")) return DLDA_OK;
    return dlda_fail(DLDA_E_ARGUMENT, "%s: expected a file name that ends in .npy or .csv", path);
}

dlda_status dlda_rows_begin(const dlda_row_format *format, size_t rows, dlda_file_writer *writer)
{
    dlda_status status = DLDA_OK;
    char header[DLDA_NPY_HEADER];

    if (!format->csv) {
        dlda_npy_make_header(rows, format->columns, header);
        return dlda_file_writer_add(writer, header, sizeof header);
    }
    for (size_t k = 0; k < format->columns; k++)
        DLDA_TRY(dlda_file_writer_print(writer, "%s%s%zu", k ? "," : "", format->prefix, k + 1));
    DLDA_TRY(dlda_file_writer_print(writer, "%s\n", format->has_classes ? ",class" : ""));
done:
    return status;
}

/* A text as in RFC 4180: in quotes if it needs them. */
static dlda_status add_text(const char *text, dlda_file_writer *writer)
{
    dlda_status status = DLDA_OK;
    size_t length = strlen(text);
    int plain = length > 0 && !strpbrk(text, ",;\t\"\r\n") && text[0] != ' ' && text[length - 1] != ' ';

    if (plain) return dlda_file_writer_add(writer, text, length);
    DLDA_TRY(dlda_file_writer_add(writer, "\"", 1));
    for (; *text; text++) {
        DLDA_TRY(dlda_file_writer_add(writer, text, 1));
        if (*text == '"') DLDA_TRY(dlda_file_writer_add(writer, text, 1));
    }
    DLDA_TRY(dlda_file_writer_add(writer, "\"", 1));
done:
    return status;
}

static dlda_status add_csv_row(const dlda_row_format *format, const float *z, const char *class,
                               dlda_file_writer *writer)
{
    dlda_status status = DLDA_OK;
    char number[40];

    for (size_t k = 0; k < format->columns; k++) {
        if (!dlda_print_real((double)z[k], 9, number)) DLDA_FAIL(DLDA_E_MEMORY, "rows: no memory for a locale");
        DLDA_TRY(dlda_file_writer_print(writer, "%s%s", k ? "," : "", number));
    }
    if (format->has_classes) {
        DLDA_TRY(dlda_file_writer_add(writer, ",", 1));
        DLDA_TRY(add_text(class ? class : "", writer));
    }
    DLDA_TRY(dlda_file_writer_add(writer, "\n", 1));
done:
    return status;
}

dlda_status dlda_rows_add(const dlda_row_format *format, const float *Z, const char *const *classes, size_t n,
                          dlda_file_writer *writer)
{
    dlda_status status = DLDA_OK;

    if (!format->csv) return dlda_file_writer_add(writer, Z, n * format->columns * sizeof *Z);
    for (size_t i = 0; status == DLDA_OK && i < n; i++)
        status = add_csv_row(format, Z + i * format->columns, classes ? classes[i] : NULL, writer);
    return status;
}
