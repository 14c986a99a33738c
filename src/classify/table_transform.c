/* SPDX-License-Identifier: MIT
 *
 * table_transform.c - projects a table on the directions of an LDA, block by block into an .npy or .csv file.
 */
#include "base/file.h"
#include "base/memory.h"
#include "classify/lda_head.h"
#include "dataset/feature_table.h"
#include "dataset/write_rows.h"

enum { BLOCK = 2048, GRAIN = 64 };

typedef struct projection {
    const dlda_lda *lda;
    const float *X;       /* [BLOCK][D] */
    float *Z;             /* [BLOCK][K] */
    const char **classes; /* [BLOCK]: their names */
    dlda_row_format format;
} projection;

static void project_rows(void *context, const dlda_chunk *chunk)
{
    const projection *job = context;

    /* Cannot fail: the rows are known to be finite. */
    dlda_lda_transform(job->lda, job->X + chunk->begin * job->lda->D, chunk->end - chunk->begin,
                       job->Z + chunk->begin * job->lda->K);
}

static dlda_status write_rows(dlda_table *table, dlda_team *team, const projection *job, float *X, int *labels,
                              dlda_file_writer *writer)
{
    dlda_status status = DLDA_OK;
    size_t n = 0;

    DLDA_TRY(dlda_table_next(table, team, BLOCK, X, labels, &n));
    while (n > 0) {
        dlda_parallel_for(team, n, GRAIN, project_rows, (void *)job);
        for (size_t i = 0; i < n && job->format.has_classes; i++)
            job->classes[i] = dlda_table_class_name(table, (size_t)labels[i]);
        DLDA_TRY(dlda_rows_add(&job->format, job->Z, job->classes, n, writer));
        DLDA_TRY(dlda_table_next(table, team, BLOCK, X, labels, &n));
    }
done:
    return status;
}

dlda_status dlda_table_transform(dlda_table *table, const dlda_lda *lda, size_t threads, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_team *team = NULL;
    dlda_file_writer *writer = NULL;
    float *X = NULL, *Z = NULL;
    const char **classes = NULL;
    dlda_row_format format = { .prefix = "LD" };
    int *labels = NULL;

    DLDA_NEED(table, lda, path);
    if (lda->D != dlda_table_features(table))
        DLDA_FAIL(DLDA_E_SHAPE, "table: %zu features, expected %zu as the LDA has", dlda_table_features(table),
                  lda->D);
    DLDA_TRY(dlda_row_format_of(path, &format));
    format.columns = lda->K;
    format.has_classes = dlda_table_classes(table) > 0;
    DLDA_TRY(dlda_team_create(threads, &team));
    DLDA_TRY(DLDA_TAKE(&classes, BLOCK, "rows"));
    DLDA_TRY(DLDA_TAKE(&X, BLOCK * lda->D, "rows"));
    DLDA_TRY(DLDA_TAKE(&Z, BLOCK * lda->K, "rows"));
    DLDA_TRY(DLDA_TAKE(&labels, BLOCK, "rows"));
    DLDA_TRY(dlda_table_rewind(table));
    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(dlda_rows_begin(&format, dlda_table_rows(table), writer));
    DLDA_TRY(write_rows(table, team, &(projection){ lda, X, Z, classes, format }, X, labels, writer));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    dlda_team_destroy(team);
    dlda_release(X);
    dlda_release(Z);
    dlda_release(classes);
    dlda_release(labels);
    return status;
}
