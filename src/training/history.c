/* SPDX-License-Identifier: MIT
 *
 * history.c - the results of all epochs, and the CSV files they are written to.
 */
#include "training/history.h"
#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

dlda_status dlda_history_create(size_t epochs, size_t eigenvalues, dlda_history **history)
{
    dlda_status status = DLDA_OK;
    dlda_history *self = NULL;
    size_t count = 0;

    DLDA_TRY(dlda_multiply_sizes(epochs, eigenvalues, "history", &count));
    DLDA_TRY(DLDA_TAKE(&self, 1, "history"));
    self->room = epochs;
    self->eigenvalues = eigenvalues;
    DLDA_TRY(DLDA_TAKE(&self->epochs, epochs, "history"));
    DLDA_TRY(DLDA_TAKE(&self->values, count, "history"));
    *history = self;
    self = NULL;
done:
    dlda_history_destroy(self);
    return status;
}

void dlda_history_destroy(dlda_history *self)
{
    if (!self) return;
    dlda_release(self->epochs);
    dlda_release(self->values);
    dlda_release(self);
}

void dlda_history_add(dlda_history *self, const dlda_epoch *epoch)
{
    double *values = self->values + self->count * self->eigenvalues;

    for (size_t k = 0; k < epoch->n_eigenvalues; k++) values[k] = epoch->eigenvalues[k];
    self->epochs[self->count] = *epoch;
    self->epochs[self->count].eigenvalues = values;
    self->count++;
}

/* A missing number is an empty field, which CSV readers take as missing. */
static dlda_status write_number(dlda_file_writer *writer, double value)
{
    return isnan(value) ? dlda_file_writer_print(writer, ",") : dlda_file_writer_print(writer, ",%.9g", value);
}

static dlda_status write_epoch(dlda_file_writer *writer, const dlda_epoch *epoch)
{
    dlda_status status = DLDA_OK;
    const double numbers[] = { epoch->loss, epoch->separation, epoch->rate, epoch->train_accuracy,
                               epoch->validation_accuracy };

    DLDA_TRY(dlda_file_writer_print(writer, "%zu", epoch->epoch));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) DLDA_TRY(write_number(writer, numbers[i]));
    DLDA_TRY(dlda_file_writer_print(writer, ",%d\n", epoch->best));
done:
    return status;
}

dlda_status dlda_history_write(const dlda_history *self, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;

    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(
        dlda_file_writer_print(writer, "epoch,loss,separation,rate,train_accuracy,validation_accuracy,best\n"));
    for (size_t i = 0; i < self->count; i++) DLDA_TRY(write_epoch(writer, &self->epochs[i]));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    return status;
}

dlda_status dlda_history_write_eigenvalues(const dlda_history *self, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;

    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(dlda_file_writer_print(writer, "epoch"));
    for (size_t k = 0; k < self->eigenvalues; k++) DLDA_TRY(dlda_file_writer_print(writer, ",v%zu", k + 1));
    for (size_t i = 0; i < self->count; i++) {
        DLDA_TRY(dlda_file_writer_print(writer, "\n%zu", self->epochs[i].epoch));
        for (size_t k = 0; k < self->eigenvalues; k++)
            DLDA_TRY(
                write_number(writer, k < self->epochs[i].n_eigenvalues ? self->epochs[i].eigenvalues[k] : NAN));
    }
    DLDA_TRY(dlda_file_writer_print(writer, "\n"));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    return status;
}
