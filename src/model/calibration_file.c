/* SPDX-License-Identifier: MIT
 *
 * calibration_file.c - writes and reads the calibration of a model file.
 *
 * A model that is calibrated has `calibration.temperature` and `calibration.samples`; those for the rejection are all
 * there or none, `calibration.appearance.*` only where the images have such statistics.
 */
#include "model/calibration_file.h"
#include "base/memory.h"
#include "model/calibration.h"

#include <math.h>
#include <string.h>

static const char temperature_name[] = "calibration.temperature", samples_name[] = "calibration.samples",
                  units_name[] = "calibration.units", tail_name[] = "calibration.tail",
                  mean_name[] = "calibration.appearance.mean", inverse_name[] = "calibration.appearance.inverse";

static const double least_temperature = 1e-6, most_temperature = 1e6, most_value = 1e100;

size_t dlda_calibration_tensors(const dlda_model *model, dlda_calibration_values *values,
                                dlda_tensor tensors[DLDA_CALIBRATION_TENSORS])
{
    const dlda_calibration *self = model->calibration;

    if (!self) return 0;
    size_t p = self->appearance.count, count = 2;
    *values = (dlda_calibration_values){ { model->lda->temperature, self->softmax_temperature },
                                         { (double)self->samples, self->kept },
                                         { self->distance_unit, self->appearance_unit } };
    tensors[0] = (dlda_tensor){ temperature_name, DLDA_F64, 1, { 2 }, values->temperature };
    tensors[1] = (dlda_tensor){ samples_name, DLDA_F64, 1, { 2 }, values->samples };
    if (self->tail.count) {
        tensors[count++] = (dlda_tensor){ units_name, DLDA_F64, 1, { 2 }, values->units };
        tensors[count++] = (dlda_tensor){ tail_name, DLDA_F64, 2, { self->tail.count, 2 }, self->tail.rows };
    }
    if (self->tail.count && p) {
        tensors[count++] = (dlda_tensor){ mean_name, DLDA_F64, 1, { p }, self->appearance.mean };
        tensors[count++] = (dlda_tensor){ inverse_name, DLDA_F64, 2, { p, p }, self->appearance.inverse };
    }
    return count;
}

/* ---- Presence and shapes ---- */

typedef struct found {
    const dlda_tensor *temperature, *samples, *units, *tail, *mean, *inverse; /* NULL: not in the file */
    size_t count;
} found;

static dlda_status find(const dlda_safetensors *file, const char *name, size_t rank, const size_t *shape,
                        const dlda_tensor **tensor, found *all)
{
    dlda_status status = dlda_safetensors_require(file, name, DLDA_F64, rank, shape, tensor);

    all->count += status == DLDA_OK;
    return status;
}

static dlda_status find_rejection(const dlda_safetensors *file, const char *path, dlda_shape input, found *all)
{
    dlda_status status = DLDA_OK;
    const dlda_tensor *tail = dlda_safetensors_find(file, tail_name);
    size_t rows = tail && tail->rank == 2 ? tail->shape[0] : 0, p = dlda_appearance_count(input);
    const size_t pair = 2, table[] = { rows, 2 }, square[] = { p, p };

    if (rows < 2 || rows > DLDA_TAIL_ROWS)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %s: %zu rows, expected 2 to %d", path, tail_name, rows, DLDA_TAIL_ROWS);
    DLDA_TRY(find(file, tail_name, 2, table, &all->tail, all));
    DLDA_TRY(find(file, units_name, 1, &pair, &all->units, all));
    if (!p) goto done;
    DLDA_TRY(find(file, mean_name, 1, &p, &all->mean, all));
    DLDA_TRY(find(file, inverse_name, 2, square, &all->inverse, all));
done:
    return status;
}

static dlda_status find_all(const dlda_safetensors *file, const char *path, dlda_shape input, found *all)
{
    dlda_status status = DLDA_OK;
    const size_t pair = 2;

    if (!dlda_safetensors_find(file, temperature_name)) return DLDA_OK;
    DLDA_TRY(find(file, temperature_name, 1, &pair, &all->temperature, all));
    DLDA_TRY(find(file, samples_name, 1, &pair, &all->samples, all));
    if (dlda_safetensors_find(file, tail_name)) DLDA_TRY(find_rejection(file, path, input, all));
done:
    return status;
}

dlda_status dlda_calibration_check(const dlda_safetensors *file, const char *path, dlda_shape input, size_t *used)
{
    found all = { .count = 0 };
    dlda_status status = find_all(file, path, input, &all);

    *used = all.count;
    return status;
}

/* ---- Values ---- */

static dlda_status check_range(const double *values, size_t n, double least, double most, const char *path,
                               const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!(values[i] >= least && values[i] <= most))
            return dlda_fail(DLDA_E_FORMAT, "%s: %s: value %zu is %g, expected %g to %g", path, name, i, values[i],
                             least, most);
    return DLDA_OK;
}

static dlda_status check_samples(const double *samples, const char *path)
{
    if (samples[0] >= 1 && samples[0] <= 0x1p53 && samples[0] == floor(samples[0]) &&
        (samples[1] == 0 || samples[1] == 1))
        return DLDA_OK;
    return dlda_fail(DLDA_E_FORMAT, "%s: %s: found %g and %g, expected a number of samples, and 0 or 1", path,
                     samples_name, samples[0], samples[1]);
}

/* Values rise, shares fall; between them logarithms are interpolated. */
static dlda_status check_tail(const dlda_tail *tail, const char *path)
{
    for (size_t i = 0; i < tail->count; i++) {
        const double *row = tail->rows[i], *before = i ? tail->rows[i - 1] : NULL;
        int good = row[0] >= 1e-300 && row[0] <= most_value && row[1] > 0 && row[1] <= 1;
        if (good && (!before || (row[0] > before[0] && row[1] < before[1]))) continue;
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: %s: row %zu is %g, %g, expected values above 0 that rise and shares, 1 or less, that "
                         "fall",
                         path, tail_name, i, row[0], row[1]);
    }
    return DLDA_OK;
}

static dlda_status load_rejection(const found *all, const char *path, size_t p, dlda_calibration *self)
{
    dlda_status status = DLDA_OK;
    const double *units = all->units->data;

    DLDA_TRY(check_range(units, 2, 1e-100, most_value, path, units_name));
    self->distance_unit = units[0];
    self->appearance_unit = units[1];
    self->tail.count = all->tail->shape[0];
    memcpy(self->tail.rows, all->tail->data, self->tail.count * sizeof self->tail.rows[0]);
    DLDA_TRY(check_tail(&self->tail, path));
    if (!p) goto done;
    DLDA_TRY(check_range(all->mean->data, p, -most_value, most_value, path, mean_name));
    DLDA_TRY(check_range(all->inverse->data, p * p, -most_value, most_value, path, inverse_name));
    const dlda_appearance given = { p, (double *)all->mean->data, (double *)all->inverse->data };
    DLDA_TRY(dlda_appearance_copy(&given, &self->appearance));
done:
    return status;
}

dlda_status dlda_calibration_load(const dlda_safetensors *file, const char *path, dlda_model *model)
{
    dlda_status status = DLDA_OK;
    dlda_shape input = model->network->input;
    dlda_calibration *self = NULL;
    found all = { .count = 0 };

    DLDA_TRY(find_all(file, path, input, &all));
    if (!all.temperature) return DLDA_OK;
    const double *temperature = all.temperature->data, *samples = all.samples->data;
    DLDA_TRY(check_range(temperature, 2, least_temperature, most_temperature, path, temperature_name));
    DLDA_TRY(check_samples(samples, path));
    DLDA_TRY(DLDA_TAKE(&self, 1, "calibration"));
    self->samples = (size_t)samples[0];
    self->kept = samples[1] == 1;
    self->softmax_temperature = temperature[1];
    if (all.tail) DLDA_TRY(load_rejection(&all, path, dlda_appearance_count(input), self));
    dlda_lda_set_temperature(model->lda, temperature[0]);
    model->calibration = self;
    self = NULL;
done:
    dlda_calibration_destroy(self);
    return status;
}
