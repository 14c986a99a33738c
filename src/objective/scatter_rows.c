/* SPDX-License-Identifier: MIT
 *
 * scatter_rows.c - adds many rows to a scatter by several threads.
 *
 * The rows are split into lanes, whose number depends only on the shape. Each lane has a scatter of its own; these are
 * merged in order at the end, so the sums do not depend on the number of threads, and refused rows leave no trace.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "objective/scatter.h"

#include <stdio.h>

typedef struct lane {
    dlda_scatter *scatter;
    dlda_status status;
    char message[256];
} lane;

typedef struct adding {
    const dlda_row_block *rows;
    size_t n_lanes;
    lane *lanes; /* [n_lanes] */
} adding;

/* One lane for few rows, where starting threads takes longer than adding; fewer lanes if the matrices are large. */
static size_t lanes_of(const dlda_scatter *scatter, size_t n)
{
    enum { LANES = 8 };
    const double few = 1 << 22;
    const size_t most_values = (size_t)1 << 25;
    size_t D = scatter->D, values = (scatter->pooled ? 1 : scatter->C) * D * D, lanes = LANES;

    if ((double)n * (double)D * (double)D < few || n < LANES * scatter->portion) return 1;
    while (lanes > 1 && lanes * values > most_values) lanes--;
    return lanes;
}

static void add_chunk(void *context, const dlda_chunk *chunk)
{
    adding *self = context;
    lane *to = &self->lanes[chunk->index];
    size_t n = self->rows->n, L = self->n_lanes, l = chunk->index;
    size_t begin = n * l / L, end = n * (l + 1) / L;

    to->status = dlda_scatter_add_new(to->scatter, self->rows, begin, end - begin);
    if (to->status != DLDA_OK) snprintf(to->message, sizeof to->message, "%s", dlda_last_error());
}

static dlda_status add_by_lanes(dlda_scatter *scatter, adding *self)
{
    dlda_status status = DLDA_OK;
    dlda_team *team = NULL;

    DLDA_TRY(DLDA_TAKE(&self->lanes, self->n_lanes, "scatters"));
    for (size_t l = 0; l < self->n_lanes; l++)
        DLDA_TRY(dlda_scatter_create_as(scatter->C, scatter->D, scatter->pooled, scatter->portion,
                                        &self->lanes[l].scatter));
    DLDA_TRY(dlda_team_create(self->rows->threads, &team));
    dlda_parallel_for(team, self->n_lanes, 1, add_chunk, self);
    for (size_t l = 0; l < self->n_lanes; l++)
        if (self->lanes[l].status != DLDA_OK) DLDA_FAIL(self->lanes[l].status, "%s", self->lanes[l].message);
    for (size_t l = 0; l < self->n_lanes; l++) DLDA_TRY(dlda_scatter_merge(scatter, self->lanes[l].scatter));
done:
    dlda_team_destroy(team);
    for (size_t l = 0; self->lanes && l < self->n_lanes; l++) dlda_scatter_destroy(self->lanes[l].scatter);
    dlda_release(self->lanes);
    return status;
}

dlda_status dlda_scatter_add_rows(dlda_scatter *scatter, const dlda_row_block *rows)
{
    DLDA_NEED(scatter, rows);
    if (rows->n == 0) return DLDA_OK;
    DLDA_NEED(rows->labels);
    if (!rows->floats == !rows->doubles)
        return dlda_fail(DLDA_E_ARGUMENT,
                         "scatter: rows in floats and in doubles, or in neither; expected one of them");
    adding self = { .rows = rows, .n_lanes = lanes_of(scatter, rows->n) };

    if (self.n_lanes == 1) return dlda_scatter_add_range(scatter, rows, 0, rows->n);
    return add_by_lanes(scatter, &self);
}
