/* SPDX-License-Identifier: MIT
 *
 * table_transform.c - projects a table on the directions of an LDA, block by block into an .npy or .csv file.
 *
 * Rank 0 writes the file: first its own rows, then those of each other rank, which sends them in blocks.
 */
#include "base/comm.h"
#include "base/file.h"
#include "base/memory.h"
#include "classify/lda_head.h"
#include "dataset/feature_table.h"
#include "dataset/write_rows.h"

enum { BLOCK = 2048, GRAIN = 64 };

typedef struct projection {
    const dlda_lda *lda;
    float *X;             /* [BLOCK][D] */
    float *Z;             /* [BLOCK][K] */
    int *labels;          /* [BLOCK]    */
    const char **classes; /* [BLOCK]: their names */
    dlda_row_format format;
    const dlda_comm *comm;
    size_t *to, *from; /* [ranks]: bytes to send and to receive, 0 between calls */
} projection;

static void project_rows(void *context, const dlda_chunk *chunk)
{
    const projection *job = context;

    /* Cannot fail: the rows are known to be finite. */
    dlda_lda_transform(job->lda, job->X + chunk->begin * job->lda->D, chunk->end - chunk->begin,
                       job->Z + chunk->begin * job->lda->K);
}

/* From a rank other than 0 to rank 0; the others take part with nothing. */
static dlda_status send(const projection *job, size_t rank, void *bytes, size_t n)
{
    int sends = dlda_comm_rank(job->comm) == rank, receives = dlda_comm_rank(job->comm) == 0;
    char none = 0;

    if (sends) job->to[0] = n;
    if (receives) job->from[rank] = n;
    dlda_status status = dlda_comm_exchange(job->comm, sends ? bytes : &none, job->to, receives ? bytes : &none,
                                            job->from);
    job->to[0] = job->from[rank] = 0;
    return status;
}

/* The next rows of a rank, projected: there and on rank 0. All ranks get their number, 0 behind the last. */
static dlda_status project_block(dlda_table *table, dlda_team *team, const projection *job, size_t rank, size_t *n)
{
    dlda_status status = DLDA_OK;
    double count = 0;

    if (dlda_comm_rank(job->comm) == rank) {
        DLDA_TRY(dlda_table_next(table, team, BLOCK, job->X, job->labels, n));
        dlda_parallel_for(team, *n, GRAIN, project_rows, (void *)job);
        count = (double)*n;
    }
    DLDA_TRY(dlda_comm_sum(job->comm, &count, 1));
    *n = (size_t)count;
    if (*n > 0 && rank > 0) {
        DLDA_TRY(send(job, rank, job->Z, *n * job->lda->K * sizeof *job->Z));
        DLDA_TRY(send(job, rank, job->labels, *n * sizeof *job->labels));
    }
done:
    return status;
}

/* `writer` is NULL on all ranks but 0. */
static dlda_status write_rows(dlda_table *table, dlda_team *team, const projection *job, dlda_file_writer *writer)
{
    dlda_status status = DLDA_OK;

    if (writer) DLDA_TRY(dlda_rows_begin(&job->format, dlda_table_rows(table), writer));
    for (size_t rank = 0; rank < dlda_comm_size(job->comm); rank++)
        for (size_t n = 1; n > 0;) {
            DLDA_TRY(project_block(table, team, job, rank, &n));
            if (!writer || n == 0) continue;
            for (size_t i = 0; i < n && job->format.has_classes; i++)
                job->classes[i] = dlda_table_class_name(table, (size_t)job->labels[i]);
            DLDA_TRY(dlda_rows_add(&job->format, job->Z, job->classes, n, writer));
        }
done:
    return status;
}

static dlda_status take_room(projection *self)
{
    dlda_status status = DLDA_OK;
    size_t ranks = dlda_comm_size(self->comm);

    DLDA_TRY(DLDA_TAKE(&self->classes, BLOCK, "rows"));
    DLDA_TRY(DLDA_TAKE(&self->X, BLOCK * self->lda->D, "rows"));
    DLDA_TRY(DLDA_TAKE(&self->Z, BLOCK * self->lda->K, "rows"));
    DLDA_TRY(DLDA_TAKE(&self->labels, BLOCK, "rows"));
    DLDA_TRY(DLDA_TAKE(&self->to, ranks, "rows"));
    DLDA_TRY(DLDA_TAKE(&self->from, ranks, "rows"));
done:
    return status;
}

static void release_room(projection *self)
{
    dlda_release(self->classes);
    dlda_release(self->X);
    dlda_release(self->Z);
    dlda_release(self->labels);
    dlda_release(self->to);
    dlda_release(self->from);
}

dlda_status dlda_table_transform(dlda_table *table, const dlda_lda *lda, size_t threads, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_team *team = NULL;
    dlda_file_writer *writer = NULL;

    DLDA_NEED(table, lda, path);
    projection job = { .lda = lda, .format = { .prefix = "LD" }, .comm = dlda_table_comm(table) };
    if (lda->D != dlda_table_features(table))
        DLDA_FAIL(DLDA_E_SHAPE, "table: %zu features, expected %zu as the LDA has", dlda_table_features(table),
                  lda->D);
    DLDA_TRY(dlda_row_format_of(path, &job.format));
    job.format.columns = lda->K;
    job.format.has_classes = dlda_table_classes(table) > 0;
    DLDA_TRY(dlda_team_create(threads, &team));
    DLDA_TRY(take_room(&job));
    DLDA_TRY(dlda_table_rewind(table));
    if (dlda_comm_rank(job.comm) == 0) DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(write_rows(table, team, &job, writer));
    if (writer) DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    dlda_team_destroy(team);
    release_room(&job);
    return status == DLDA_OK ? status : dlda_comm_fail(job.comm, status);
}
