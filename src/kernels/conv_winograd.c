/* SPDX-License-Identifier: MIT
 *
 * conv_winograd.c - 3x3 convolutions of stride 1 by Winograd's F(t x t, 3x3); winograd.h explains the method.
 *
 *     forward         Y  = A' [ sum_c U V ] A
 *     backward, data  dX = the same on dY with rotated filters and padding 2 - pad. It gathers, so threads can compute
 *                     tiles independently. Without padding that has more tiles than the forward pass; images with few
 *                     tiles use the adjoint instead: dV = dM U', dX = the sum of B dV B'.
 *     weights         dU = sum over tiles of V' dM, dW = G' dU G
 *
 * If U is small, each thread processes blocks of tiles in its L2 cache. If U is large, it would be reread for each
 * block; then the threads share the frequencies of longer stretches of tiles.
 *
 * With conv->bf16, the operands of the products are rounded to bfloat16 as they are transformed; results are floats.
 *
 * Sums over tiles are taken in fixed groups or in order, so they do not depend on the number of threads.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/bf16.h"
#include "kernels/products.h"
#include "kernels/reductions.h"
#include "kernels/winograd.h"

#include <string.h>

/* Scratch memory holds U, then the arrays of each pass. */
typedef struct winograd_pass {
    const dlda_conv *conv;
    const dlda_product *product;
    dlda_tiling in, out;
    size_t frequencies, tiles; /* of a tile; in all images                              */
    size_t stride;             /* tiles per block or stretch                            */
    size_t V_step, M_step;     /* floats between frequencies                            */
    int adjoint;               /* `in` refers to output tiles, and `out` to input tiles */
    dlda_tile_form form;       /* of the operands of the products                       */
    const float *X, *dY;
    const dlda_view *view; /* of X                                                */
    float *Y;
    float *W, *U;            /* [9][n]; [frequencies][n]                                              */
    const float *prepared;   /* precomputed U of the forward pass                                     */
    float *V, *M;            /* [workers or 1][frequencies][stride][channels or filters], steps apart */
    const dlda_tally *tally; /* of Y; NULL: none                                                      */
    double *partial;         /* [TALLY_PARTS][2][channels of Y], its partial sums                     */
    dlda_tile_block shared;  /* the tiles that all threads share                                      */
    size_t n_groups;         /* weights: groups with at least one tile                                */
} winograd_pass;

/* The partial sums of a tally: those of consecutive blocks, or of a place in all stretches. */
enum { TALLY_PARTS = DLDA_ROW_CHUNKS };

static size_t ceil_div(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

/* Tiles of t x t pixels of the output of a pass, or of its input for an adjoint. */
static winograd_pass new_pass(const dlda_conv *conv, const dlda_exec *exec, size_t t)
{
    winograd_pass pass = { .conv = conv, .frequencies = dlda_frequencies(t) };
    size_t n = conv->channels * conv->filters;

    pass.in = (dlda_tiling){ conv->height, conv->width, conv->channels, conv->pad, t, 0, 0 };
    pass.out = (dlda_tiling){ conv->out_height, conv->out_width, conv->filters, 0, t, 0, 0 };
    pass.U = exec->scratch;
    pass.W = pass.U + conv->groups * dlda_frequencies(conv->tile) * n;
    pass.V = pass.W + 9 * n;
    return pass;
}

static void set_tiles(winograd_pass *pass, size_t N, size_t stride, dlda_tile_form form, dlda_tile_form M_form)
{
    const dlda_tiling *cut = pass->adjoint ? &pass->in : &pass->out;
    size_t rows = ceil_div(cut->height, cut->tile), columns = ceil_div(cut->width, cut->tile);

    pass->in.rows = pass->out.rows = rows;
    pass->in.columns = pass->out.columns = columns;
    pass->tiles = N * rows * columns;
    pass->stride = stride;
    pass->form = form;
    pass->V_step = dlda_frequency_step_of(form, stride, pass->in.channels);
    pass->M_step = dlda_frequency_step_of(M_form, stride, pass->out.channels);
}

/* ---- Weights to frequencies ---- */

typedef struct weights_job {
    size_t tile, n, rows; /* rows: of filters that are paired */
    const float *from;
    float *to;
} weights_job;

static void to_frequencies(void *context, const dlda_chunk *chunk)
{
    const weights_job *job = context;
    dlda_winograd_weights(job->tile, job->n, chunk->begin, chunk->end, job->from, job->to);
}

static void to_paired_frequencies(void *context, const dlda_chunk *chunk)
{
    const weights_job *job = context;
    dlda_winograd_weights_paired(job->tile, job->rows, job->n, chunk->begin, chunk->end, job->from,
                                 (uint32_t *)job->to);
}

static void from_frequencies(void *context, const dlda_chunk *chunk)
{
    const weights_job *job = context;
    dlda_winograd_weights_back(job->tile, job->n, chunk->begin, chunk->end, job->from, job->to);
}

/* Filters W [9][channels][filters] on their way to frequencies. */
typedef struct filters_job {
    const winograd_pass *pass;
    const float *W;
} filters_job;

static void bring_into_panels(void *context, const dlda_chunk *chunk)
{
    const filters_job *job = context;
    size_t C = job->pass->conv->channels, F = job->pass->conv->filters;

    for (size_t k = chunk->begin; k < chunk->end; k++)
        dlda_conv_into_panels(C, F, job->W + k * C * F, job->pass->W + k * C * F);
}

/* Transposes the filters from [k][c][f] to [k][f][c], and rotates them by 180 degrees unless for the adjoint. */
static void turn_filters(void *context, const dlda_chunk *chunk)
{
    const filters_job *job = context;
    const winograd_pass *pass = job->pass;
    size_t C = pass->conv->channels, F = pass->conv->filters;

    for (size_t k = chunk->begin; k < chunk->end; k++) {
        const float *from = job->W + (pass->adjoint ? k : 8 - k) * C * F;
        dlda_conv_transpose(C, F, 0, C, from, !pass->conv->bf16, pass->W + k * C * F);
    }
}

/* ---- Forward, and backward for the data ---- */

/* An adjoint accumulates, so its images are zeroed first. Its blocks are whole images. */
static void clear_images(const winograd_pass *pass, const dlda_tile_block *block)
{
    size_t per_image = pass->out.rows * pass->out.columns;
    size_t size = pass->out.height * pass->out.width * pass->out.channels;

    memset(pass->Y + block->first / per_image * size, 0, block->count / per_image * size * sizeof *pass->Y);
}

static void tiles_in(const winograd_pass *pass, const dlda_tile_block *block, float *V)
{
    if (pass->adjoint) dlda_winograd_gradient(&pass->in, block, pass->X, V);
    else dlda_winograd_input(&pass->in, block, pass->X, pass->view, V);
}

/* The tally as the sums of one part. */
static dlda_tally part_of_tally(const winograd_pass *pass, size_t part)
{
    dlda_tally tally = *pass->tally;

    tally.sums = pass->partial + part * 2 * pass->out.channels;
    return tally;
}

static void tiles_out(const winograd_pass *pass, const dlda_tile_block *block, size_t part, const float *M)
{
    if (pass->adjoint) {
        clear_images(pass, block);
        dlda_winograd_input_back(&pass->out, block, M, pass->Y);
    } else if (pass->tally) {
        dlda_tally tally = part_of_tally(pass, part);
        dlda_winograd_output(&pass->out, block, M, pass->Y, &tally);
    } else dlda_winograd_output(&pass->out, block, M, pass->Y, NULL);
}

/* The operands of the product of a frequency, and its result. */
typedef struct operands {
    const float *A, *B;
    float *C;
} operands;

/* Floats, or words of two bfloat16 numbers, of U of one frequency. */
static size_t filter_step(const winograd_pass *pass)
{
    size_t n = pass->in.channels * pass->out.channels;
    return pass->form == DLDA_TILES_FLOAT ? n : n / 2;
}

static operands product_of(const winograd_pass *pass, size_t q, const float *V, float *M)
{
    return (operands){ V + q * pass->V_step, pass->prepared + q * filter_step(pass), M + q * pass->M_step };
}

/* M = V U with operands of bfloat16. */
static void multiply_rounded(const winograd_pass *pass, size_t begin, size_t end, size_t count, const float *V,
                             float *M)
{
    size_t C = pass->in.channels, F = pass->out.channels;
    const dlda_bf16_product product = {
        .m = count, .n = F, .pairs = C / 2, .a_row = C / 2, .a_step = 1, .ldb = F, .ldc = F
    };

    for (size_t q = begin; q < end; q++) {
        operands now = product_of(pass, q, V, M);
        dlda_bf16_multiply(&product, (const uint32_t *)now.A, (const uint32_t *)now.B, now.C);
    }
}

/* M = V U for frequencies begin .. end-1 of a block of tiles. */
static void multiply(const winograd_pass *pass, size_t begin, size_t end, size_t count, const float *V, float *M)
{
    dlda_product product = *pass->product;

    if (pass->form == DLDA_TILES_BF16) {
        multiply_rounded(pass, begin, end, count, V, M);
        return;
    }
    product.m = count;
    for (size_t q = begin; q < end; q++) {
        operands now = product_of(pass, q, V, M);
        dlda_multiply(&product, now.A, now.B, now.C);
    }
}

/* A worker's V, followed by its M. */
static float *worker_tiles(const winograd_pass *pass, const dlda_chunk *chunk)
{
    return pass->V + chunk->worker * pass->frequencies * (pass->V_step + pass->M_step);
}

/* Block by block: transforms tiles, multiplies, transforms back; V and M belong to the worker. */
static void run_blocks(void *context, const dlda_chunk *chunk)
{
    const winograd_pass *pass = context;
    float *V = worker_tiles(pass, chunk), *M = V + pass->frequencies * pass->V_step;
    size_t T = pass->stride;

    for (size_t first = chunk->begin; first < chunk->end; first += T) {
        const dlda_tile_block block = { first, at_most(chunk->end - first, T), 0, T, pass->form };
        tiles_in(pass, &block, V);
        multiply(pass, 0, pass->frequencies, block.count, V, M);
        tiles_out(pass, &block, chunk->index, M);
    }
}

enum { TILES_AT_ONCE = 8 }; /* tiles of a stretch per task */

static dlda_tile_block part_of_stretch(const winograd_pass *pass, const dlda_chunk *chunk)
{
    return (dlda_tile_block){ pass->shared.first + chunk->begin, chunk->end - chunk->begin, chunk->begin,
                              pass->stride, pass->form };
}

static void stretch_in(void *context, const dlda_chunk *chunk)
{
    const winograd_pass *pass = context;
    const dlda_tile_block part = part_of_stretch(pass, chunk);
    tiles_in(pass, &part, pass->V);
}

static void multiply_stretch(void *context, const dlda_chunk *chunk)
{
    const winograd_pass *pass = context;
    multiply(pass, chunk->begin, chunk->end, pass->shared.count, pass->V, pass->M);
}

static void stretch_out(void *context, const dlda_chunk *chunk)
{
    const winograd_pass *pass = context;
    const dlda_tile_block part = part_of_stretch(pass, chunk);
    tiles_out(pass, &part, chunk->index, pass->M);
}

/* The threads share the tiles of a stretch, then its frequencies. */
static void run_stretches(winograd_pass *pass, const dlda_exec *exec)
{
    size_t T = pass->stride, per_image = pass->in.rows * pass->in.columns;
    size_t images_at_once = pass->adjoint ? ceil_div(TILES_AT_ONCE, per_image) * per_image : TILES_AT_ONCE;

    pass->M = pass->V + pass->frequencies * pass->V_step;
    for (size_t first = 0; first < pass->tiles; first += T) {
        pass->shared = (dlda_tile_block){ first, at_most(pass->tiles - first, T), 0, T, pass->form };
        dlda_parallel_for(exec->team, pass->shared.count, TILES_AT_ONCE, stretch_in, pass);
        dlda_parallel_for(exec->team, pass->frequencies, 2, multiply_stretch, pass);
        dlda_parallel_for(exec->team, pass->shared.count, images_at_once, stretch_out, pass);
    }
}

/* Scratch memory for partial sums lies after V and M. */
static void begin_tally(winograd_pass *pass, const dlda_exec *exec, const dlda_tally *tally)
{
    size_t workers = pass->conv->stretches ? 1 : dlda_team_threads(exec->team);
    char *end = (char *)(pass->V + workers * pass->frequencies * (pass->V_step + pass->M_step));

    pass->tally = tally;
    pass->partial = (double *)(end + (DLDA_ALIGNMENT - (uintptr_t)end % DLDA_ALIGNMENT) % DLDA_ALIGNMENT);
    if (tally) memset(pass->partial, 0, TALLY_PARTS * 2 * pass->out.channels * sizeof *pass->partial);
}

/* U must already be computed. */
static void run_tiles(winograd_pass *pass, const dlda_exec *exec, const dlda_tally *tally)
{
    size_t blocks = ceil_div(pass->tiles, pass->stride);

    begin_tally(pass, exec, tally);
    if (pass->conv->stretches || blocks == 1) run_stretches(pass, exec);
    else dlda_parallel_for(exec->team, pass->tiles, ceil_div(blocks, TALLY_PARTS) * pass->stride, run_blocks, pass);
    if (tally) dlda_add_partial_sums(TALLY_PARTS, 2 * pass->out.channels, pass->partial, tally->sums);
}

/* U of filters W [9][rows][columns]. */
static void to_frequencies_of(const dlda_conv *conv, const dlda_exec *exec, size_t rows, size_t columns,
                              const float *W, float *U)
{
    weights_job job = { conv->tile, conv->bf16 ? columns : rows * columns, rows, W, U };

    if (conv->bf16) dlda_parallel_for(exec->team, rows, 8, to_paired_frequencies, &job);
    else dlda_parallel_for(exec->team, job.n, 4096, to_frequencies, &job);
}

/* U may be that in scratch. The filters are brought into panels first, unless there is one only. */
void dlda_winograd_prepare(const dlda_conv *conv, const dlda_exec *exec, const float *W, float *U)
{
    winograd_pass pass = new_pass(conv, exec, conv->tile);
    filters_job job = { &pass, W };
    int in_panels = !conv->bf16 && conv->filters > DLDA_PANEL;

    if (in_panels) dlda_parallel_for(exec->team, 9, 1, bring_into_panels, &job);
    to_frequencies_of(conv, exec, conv->channels, conv->filters, in_panels ? pass.W : W, U);
}

static dlda_tile_form operand_form(const dlda_conv *conv)
{
    return conv->bf16 ? DLDA_TILES_BF16 : DLDA_TILES_FLOAT;
}

void dlda_winograd_forward_prepared(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X,
                                    const dlda_view *view, const float *U, float *Y, const dlda_tally *tally)
{
    winograd_pass pass = new_pass(conv, exec, conv->tile);

    pass.X = X;
    pass.view = view;
    pass.Y = Y;
    pass.product = &conv->forward;
    pass.prepared = U;
    set_tiles(&pass, N, conv->forward.m, operand_form(conv), DLDA_TILES_FLOAT);
    run_tiles(&pass, exec, tally);
}

void dlda_winograd_forward(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X,
                           const dlda_view *view, const float *W, float *Y, const dlda_tally *tally)
{
    dlda_winograd_prepare(conv, exec, W, exec->scratch); /* the location of U in scratch */
    dlda_winograd_forward_prepared(conv, exec, N, X, view, exec->scratch, Y, tally);
}

void dlda_winograd_backward_data(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *dY,
                                 const float *W, float *dX, const dlda_tally *tally)
{
    winograd_pass pass = new_pass(conv, exec, conv->tile);
    dlda_tiling in = pass.in;

    pass.adjoint = conv->adjoint;
    pass.in = pass.out;
    pass.out = in;
    if (!pass.adjoint) {
        pass.in.pad = 2 - conv->pad;
        pass.out.pad = 0;
    }
    dlda_parallel_for(exec->team, 9, 1, turn_filters, &(filters_job){ &pass, W });
    pass.X = dY;
    pass.Y = dX;
    pass.product = &conv->data;
    set_tiles(&pass, N, conv->data.m, operand_form(conv), DLDA_TILES_FLOAT);
    to_frequencies_of(conv, exec, conv->filters, conv->channels, pass.W, pass.U);
    pass.prepared = pass.U;
    run_tiles(&pass, exec, tally);
}

/* ---- Backward for the weights ---- */

static operands sum_of(const winograd_pass *pass, size_t q, const float *V, const float *M, float *dU)
{
    size_t n = pass->in.channels * pass->out.channels;
    return (operands){ V + q * pass->V_step, M + q * pass->M_step, dU + q * n };
}

/* dU_q += V_q' dM_q with operands of bfloat16: paired rows. */
static void add_rounded_products(const winograd_pass *pass, int first, size_t begin, size_t end, size_t count,
                                 const float *V, const float *M, float *dU)
{
    size_t C = pass->in.channels, F = pass->out.channels;
    const dlda_bf16_product product = {
        .m = C, .n = F, .pairs = (count + 1) / 2, .a_row = 1, .a_step = C, .ldb = F, .ldc = F, .accumulate = !first
    };

    for (size_t q = begin; q < end; q++) {
        operands now = sum_of(pass, q, V, M, dU);
        dlda_bf16_multiply(&product, (const uint32_t *)now.A, (const uint32_t *)now.B, now.C);
    }
}

/* dU_q += V_q' dM_q over `count` tiles, for frequencies begin .. end-1; these are the first tiles, or added to the others. */
static void add_products(const winograd_pass *pass, int first, size_t begin, size_t end, size_t count,
                         const float *V, const float *M, float *dU)
{
    dlda_product product = *pass->product;

    if (pass->form == DLDA_TILES_BF16_PAIRED) {
        add_rounded_products(pass, first, begin, end, count, V, M, dU);
        return;
    }
    product.accumulate = !first;
    product.k = count;
    for (size_t q = begin; q < end; q++) {
        operands now = sum_of(pass, q, V, M, dU);
        dlda_multiply(&product, now.A, now.B, now.C);
    }
}

/* Processes one group of tiles in one thread. */
static void add_group(void *context, const dlda_chunk *chunk)
{
    const winograd_pass *pass = context;
    size_t C = pass->in.channels, F = pass->out.channels, T = pass->stride, n = pass->frequencies * C * F;
    float *V = worker_tiles(pass, chunk), *M = V + pass->frequencies * pass->V_step;
    float *dU = pass->U + chunk->index * n;

    for (size_t first = chunk->begin; first < chunk->end; first += T) {
        const dlda_tile_block block = { first, at_most(chunk->end - first, T), 0, T, pass->form };
        dlda_winograd_input(&pass->in, &block, pass->X, pass->view, V);
        dlda_winograd_gradient(&pass->out, &block, pass->dY, M);
        add_products(pass, first == chunk->begin, 0, pass->frequencies, block.count, V, M, dU);
    }
}

/* Adds all groups to the first group's dU, in order. */
static void add_groups(void *context, const dlda_chunk *chunk)
{
    const winograd_pass *pass = context;
    size_t n = pass->frequencies * pass->in.channels * pass->out.channels;

    for (size_t g = 1; g < pass->n_groups; g++)
        for (size_t i = chunk->begin; i < chunk->end; i++) pass->U[i] += pass->U[g * n + i];
}

static void weights_by_groups(winograd_pass *pass, const dlda_exec *exec)
{
    size_t grain = (pass->tiles + pass->conv->groups - 1) / pass->conv->groups;

    pass->n_groups = dlda_parallel_chunks(pass->tiles, grain);
    dlda_parallel_for(exec->team, pass->tiles, grain, add_group, pass);
    dlda_parallel_for(exec->team, pass->frequencies * pass->in.channels * pass->out.channels, 1 << 14, add_groups,
                      pass);
}

static void transform_tiles(void *context, const dlda_chunk *chunk)
{
    const winograd_pass *pass = context;
    const dlda_tile_block block = part_of_stretch(pass, chunk);

    dlda_winograd_input(&pass->in, &block, pass->X, pass->view, pass->V);
    dlda_winograd_gradient(&pass->out, &block, pass->dY, pass->M);
}

static void add_frequencies(void *context, const dlda_chunk *chunk)
{
    const winograd_pass *pass = context;
    add_products(pass, pass->shared.first == 0, chunk->begin, chunk->end, pass->shared.count, pass->V, pass->M,
                 pass->U);
}

static void weights_by_frequencies(winograd_pass *pass, const dlda_exec *exec)
{
    size_t T = pass->stride;

    pass->M = pass->V + pass->frequencies * pass->V_step;
    for (size_t first = 0; first < pass->tiles; first += T) {
        pass->shared = (dlda_tile_block){ first, at_most(pass->tiles - first, T), 0, T, pass->form };
        dlda_parallel_for(exec->team, pass->shared.count, TILES_AT_ONCE, transform_tiles, pass);
        dlda_parallel_for(exec->team, pass->frequencies, 1, add_frequencies, pass);
    }
}

void dlda_winograd_backward_weights(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X,
                                    const dlda_view *view, const float *dY, float *dW)
{
    winograd_pass pass = new_pass(conv, exec, conv->tile);
    weights_job job = { conv->tile, conv->channels * conv->filters, 0, pass.U, dW };
    dlda_tile_form form = conv->bf16 ? DLDA_TILES_BF16_PAIRED : DLDA_TILES_PANELS;

    pass.X = X;
    pass.view = view;
    pass.dY = dY;
    pass.product = &conv->weights;
    set_tiles(&pass, N, conv->block, form, form);
    if (conv->groups > 1) weights_by_groups(&pass, exec);
    else weights_by_frequencies(&pass, exec);
    dlda_parallel_for(exec->team, job.n, 4096, from_frequencies, &job);
}
