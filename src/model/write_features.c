/* SPDX-License-Identifier: MIT
 *
 * write_features.c - writes the features of a data set: as NumPy files, rows of features, and labels in a second file; or
 * as one CSV file with a column of classes.
 *
 * Both NumPy files are replaced together, so that labels are never next to features of other data.
 */
#include "base/file.h"
#include "base/file_guard.h"
#include "base/memory.h"
#include "base/number.h"
#include "dataset/dataset.h"
#include "dataset/npy.h"
#include "dataset/write_rows.h"
#include "dataset/writers.h"
#include "model/model.h"

#include <string.h>
#include <unistd.h>

typedef struct feature_rows {
    const dlda_model *model;
    dlda_workspace *workspace;
    const dlda_dataset *dataset;
    int raw;
    size_t batch, columns;
    float *images;        /* [batch][input]   */
    float *rows;          /* [block][columns] */
    const char **classes; /* [block]: their names */
    dlda_row_format format;
    const dlda_comm *comm; /* NULL: one rank                                      */
    size_t block;          /* rows of all ranks at a time                          */
} feature_rows;

static dlda_status check_size(const dlda_model *model, const dlda_dataset *dataset)
{
    dlda_shape in = model->network->input;

    if (dlda_dataset_height(dataset) == in.height && dlda_dataset_width(dataset) == in.width &&
        dlda_dataset_channels(dataset) == in.channels)
        return DLDA_OK;
    return dlda_fail(DLDA_E_SHAPE, "features: images of %zu x %zu x %zu, the model takes %zu x %zu x %zu",
                     dlda_dataset_height(dataset), dlda_dataset_width(dataset), dlda_dataset_channels(dataset),
                     in.height, in.width, in.channels);
}

static dlda_status take_room(feature_rows *self)
{
    dlda_status status = DLDA_OK;
    size_t images = 0, rows = 0;

    DLDA_TRY(dlda_multiply_sizes(self->batch, dlda_shape_size(self->model->network->input), "images", &images));
    DLDA_TRY(dlda_multiply_sizes(self->block, self->columns, "features", &rows));
    DLDA_TRY(DLDA_TAKE(&self->images, images, "images"));
    DLDA_TRY(DLDA_TAKE(&self->rows, rows, "features"));
    DLDA_TRY(DLDA_TAKE(&self->classes, self->block, "features"));
done:
    return status;
}

/* Computes rows first .. first+n-1: each rank some of them, and the others come from the other ranks. */
static dlda_status compute(feature_rows *self, size_t first, size_t n)
{
    dlda_status status = DLDA_OK;
    size_t ranks = dlda_comm_size(self->comm);
    dlda_rows mine = dlda_rows_of_rank(n, ranks, dlda_comm_rank(self->comm), ranks);
    float *rows = self->rows + mine.first * self->columns;
    dlda_answers wanted = { .features = self->raw ? rows : NULL, .projections = self->raw ? NULL : rows };

    if (ranks > 1) memset(self->rows, 0, n * self->columns * sizeof *rows);
    if (mine.count > 0) {
        DLDA_TRY(dlda_dataset_images(self->dataset, first + mine.first, mine.count, self->images));
        DLDA_TRY(dlda_model_answer(self->model, self->workspace, self->images, mine.count, DLDA_PROBABILITY_PAPER,
                                   &wanted));
    }
    DLDA_TRY(dlda_comm_begin_sum(self->comm, self->rows, n * self->columns));
    DLDA_TRY(dlda_comm_end_sums(self->comm));
done:
    return status;
}

static dlda_status add_portion(feature_rows *self, size_t first, size_t n, dlda_file_writer *writer)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(compute(self, first, n));
    size_t bad = dlda_find_not_finite(self->rows, n * self->columns);
    if (bad < n * self->columns)
        DLDA_FAIL(DLDA_E_NUMERIC, "features: sample %zu, column %zu is %g, expected a finite value",
                  first + bad / self->columns, bad % self->columns, (double)self->rows[bad]);
    for (size_t i = 0; self->format.has_classes && i < n; i++)
        self->classes[i] = dlda_model_class_name(self->model, (size_t)dlda_dataset_label(self->dataset, first + i));
    if (writer) DLDA_TRY(dlda_rows_add(&self->format, self->rows, self->classes, n, writer));
done:
    return status;
}

/* `writer` is NULL on all ranks but 0. */
static dlda_status add_rows(feature_rows *self, dlda_file_writer *writer)
{
    dlda_status status = DLDA_OK;
    size_t count = dlda_dataset_count(self->dataset);

    if (writer) DLDA_TRY(dlda_rows_begin(&self->format, count, writer));
    for (size_t first = 0; first < count; first += self->block) {
        size_t n = count - first < self->block ? count - first : self->block;
        DLDA_TRY(add_portion(self, first, n, writer));
    }
done:
    return status;
}

static dlda_status write_both(feature_rows *self, const char *path, const char *labels_path)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *files[2] = { NULL }; /* rows, labels */
    const int *numbers = dlda_dataset_labels(self->dataset);

    if (dlda_comm_rank(self->comm) > 0) return add_rows(self, NULL);
    if (!self->format.csv) DLDA_TRY(dlda_file_guard_replace(labels_path));
    DLDA_TRY(dlda_file_writer_open(path, &files[0]));
    DLDA_TRY(add_rows(self, files[0]));
    if (self->format.csv) DLDA_TRY(dlda_file_writer_finish(files[0]));
    else if (numbers) {
        DLDA_TRY(dlda_file_writer_open(labels_path, &files[1]));
        DLDA_TRY(dlda_npy_add_labels(files[1], numbers, dlda_dataset_count(self->dataset)));
        DLDA_TRY(dlda_file_writers_finish(files, 2, NULL));
    } else DLDA_TRY(dlda_file_writers_finish(files, 1, labels_path)); /* labels of other data */
done:
    dlda_file_writer_destroy(files[0]);
    dlda_file_writer_destroy(files[1]);
    return status;
}

dlda_status dlda_model_write_features(const dlda_model *model, dlda_workspace *workspace,
                                      const dlda_dataset *dataset, int raw, const char *path)
{
    DLDA_NEED(model, workspace, dataset, path);
    return dlda_model_write_features_over(NULL, model, workspace, dataset, raw, path);
}

dlda_status dlda_model_write_features_over(const dlda_comm *comm, const dlda_model *model,
                                           dlda_workspace *workspace, const dlda_dataset *dataset, int raw,
                                           const char *path)
{
    DLDA_NEED(model, workspace, dataset, path);
    dlda_status status = DLDA_OK;
    feature_rows self = { .model = model, .workspace = workspace, .dataset = dataset, .raw = raw, .comm = comm };
    char *labels = NULL;

    self.batch = dlda_workspace_batch(workspace);
    DLDA_TRY(dlda_multiply_sizes(self.batch, dlda_comm_size(comm), "features", &self.block));
    self.columns = raw ? model->network->features : model->lda->K;
    self.format = (dlda_row_format){ .columns = self.columns,
                                     .prefix = raw ? "F" : "LD",
                                     .has_classes = dlda_dataset_labels(dataset) != NULL };
    DLDA_TRY(dlda_row_format_of(path, &self.format));
    DLDA_TRY(check_size(model, dataset));
    DLDA_TRY(dlda_model_agree(model, dataset, comm));
    DLDA_TRY(take_room(&self));
    DLDA_TRY(dlda_npy_labels_name(path, &labels));
    DLDA_TRY(write_both(&self, path, labels));
done:
    dlda_release(self.images);
    dlda_release(self.rows);
    dlda_release(self.classes);
    dlda_release(labels);
    return status == DLDA_OK ? status : dlda_comm_fail(comm, status);
}
