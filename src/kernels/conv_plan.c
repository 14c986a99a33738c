/* SPDX-License-Identifier: MIT
 *
 * conv_plan.c - selects the method of a convolution, and sizes its products and scratch memory. In training the
 * method depends only on the shape of the layer. Inference on few images may use another method, since reading the
 * weights then dominates. The number of threads has no influence, so that results do not depend on it.
 */
#include "base/memory.h"
#include "kernels/conv.h"
#include "kernels/winograd.h"

enum {
    COLUMN_BYTES = 256 * 1024, /* im2col matrix of a block: half of a common L2 cache */
    LEAST_BLOCK_PIXELS = 64,
    MOST_BLOCK_PIXELS = 128,      /* for im2col                                          */
    ROWS_PER_BLOCK = 128,         /* for 1x1 convolutions                                */
    LEAST_WINOGRAD_CHANNELS = 16, /* with fewer, the transforms cost more than they save */
    /* Winograd, one thread per block of tiles */
    BLOCK_TILE_BYTES = 640 * 1024, /* V and M of a block of tiles: somewhat more than an L2 cache */
    LEAST_BLOCK_TILES = 18,
    MOST_BLOCK_TILES = 60,
    MOST_GROUPED_WEIGHTS = 128 * 128, /* channels times filters, up to which each group has its own dU */
    SUM_BYTES = 900 * 1024,           /* V and dM of the tiles of one sum in a group                   */
    LEAST_SUM_TILES = 32,
    MOST_SUM_TILES = 48,
    /* Winograd, threads sharing a stretch of tiles */
    LEAST_SHARED_FLOATS = 36 * 256 * 256, /* of U: it does not fit in a cache                  */
    LEAST_STRETCH = 48,
    MOST_STRETCH = 252,
    MOST_GROUPED_BY_8 = 1 << 20, /* weights of im2col and 1x1; adding larger partial sums takes too long */
};

static size_t tiles_of(const dlda_conv *conv, size_t tile)
{
    return ((conv->out_height + tile - 1) / tile) * ((conv->out_width + tile - 1) / tile);
}

/* Multiplications per channel and filter, for one image. */
static size_t winograd_cost(const dlda_conv *conv, size_t tile)
{
    return tiles_of(conv, tile) * dlda_frequencies(tile);
}

static const size_t tile_sizes[] = { 4, 2, 6, 5 };
enum { N_TILE_SIZES = sizeof tile_sizes / sizeof tile_sizes[0], N_BF16_TILE_SIZES = 2 };

/* Large tiles need fewer multiplications per pixel, but waste more at the image border. With bfloat16, tiles of 4 round by 1.1 %
 * of the result (root mean square), tiles of 6 by 5 %. */
static size_t best_tile(const dlda_conv *conv)
{
    size_t best = tile_sizes[0], n = conv->bf16 ? N_BF16_TILE_SIZES : N_TILE_SIZES;

    for (size_t i = 1; i < n; i++)
        if (winograd_cost(conv, tile_sizes[i]) < winograd_cost(conv, best)) best = tile_sizes[i];
    return best;
}

/* The direct sum takes 9 multiplications per pixel. The savings of Winograd must outweigh the transforms. */
static int tiles_pay(const dlda_conv *conv)
{
    return 9 * conv->out_height * conv->out_width * 2 >= 3 * winograd_cost(conv, best_tile(conv));
}

static dlda_conv_method choose(const dlda_conv *conv)
{
    if (conv->kernel == 1 && conv->stride == 1 && conv->pad == 0) return DLDA_CONV_PRODUCT;
    if (conv->kernel == 3 && conv->stride == 1 && conv->pad <= 1 && conv->channels >= LEAST_WINOGRAD_CHANNELS &&
        conv->filters >= LEAST_WINOGRAD_CHANNELS && tiles_pay(conv))
        return DLDA_CONV_WINOGRAD;
    return DLDA_CONV_IM2COL;
}

/* Multiplications of bfloat16 take half the time, but more tiles also take more transforms. Channels that are no multiples of
 * a vector are too rare to be worth it. */
static int suits_bf16(const dlda_conv *conv)
{
    dlda_conv exact = *conv;

    exact.bf16 = 0;
    if (conv->channels % 16 != 0 || conv->filters % 16 != 0) return 0;
    if (conv->method == DLDA_CONV_PRODUCT) return 1;
    return conv->method == DLDA_CONV_WINOGRAD &&
           2 * winograd_cost(conv, best_tile(conv)) <= 3 * winograd_cost(&exact, best_tile(&exact));
}

static size_t clamp(size_t value, size_t least, size_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* ---- im2col and 1x1: rows are output pixels ---- */

static void plan_rows(dlda_conv *conv, size_t rows)
{
    size_t depth = conv->depth, F = conv->filters;

    conv->block = rows;
    conv->groups = depth * F > MOST_GROUPED_BY_8 ? DLDA_CONV_GROUPS / 2 : DLDA_CONV_GROUPS;
    conv->forward = (dlda_product){ .m = rows, .n = F, .k = depth, .lda = depth, .ldc = F, .room = depth };
    conv->data = (dlda_product){ .m = rows, .n = depth, .k = F, .lda = F, .ldc = depth, .room = F };
    conv->weights = (dlda_product){
        .m = depth, .n = F, .k = rows, .lda = depth, .ldb = F, .ldc = F, .a_transposed = 1, .accumulate = 1
    };
}

static void plan_im2col(dlda_conv *conv)
{
    size_t block = COLUMN_BYTES / (conv->depth * sizeof(float)) / 16 * 16;
    plan_rows(conv, clamp(block, LEAST_BLOCK_PIXELS, MOST_BLOCK_PIXELS));
    conv->forward.ldb = conv->filters; /* such layers are small; W stays as it is */
}

/* ---- Winograd: rows are tiles ---- */

/* M [T][F] = V [T][C] U [C][F], U in panels. */
static dlda_product product_of_tiles(size_t T, size_t C, size_t F)
{
    return (dlda_product){ .m = T, .n = F, .k = C, .lda = C, .ldc = F, .room = C };
}

/* Products take six rows at once, in float and in bfloat16. */
static size_t in_sixes(size_t tiles)
{
    return tiles / 6 * 6;
}

/* Each stretch reads U again, but its V and M are to stay in a common L3 cache: they take three quarters of the bytes of U. */
static size_t best_stretch(size_t C, size_t F)
{
    return clamp(in_sixes(3 * C * F / (4 * (C + F))), LEAST_STRETCH, MOST_STRETCH);
}

static void plan_winograd(dlda_conv *conv)
{
    size_t C = conv->channels, F = conv->filters;

    if (conv->tile == 0) conv->tile = best_tile(conv);
    size_t bytes = dlda_frequencies(conv->tile) * (C + F) * sizeof(float); /* V and M of one tile */
    size_t per_image = tiles_of(conv, conv->tile);
    size_t block = clamp(in_sixes(BLOCK_TILE_BYTES / bytes), LEAST_BLOCK_TILES, MOST_BLOCK_TILES);
    size_t stretch = best_stretch(C, F);
    /* forward and backward-data products */
    conv->stretches = dlda_frequencies(conv->tile) * C * F >= LEAST_SHARED_FLOATS;
    size_t T = conv->stretches ? stretch : block;
    conv->adjoint = conv->pad == 0 && per_image <= T;
    conv->forward = product_of_tiles(T, C, F);
    conv->data = product_of_tiles(conv->adjoint ? T / per_image * per_image : T, F, C);
    /* dU [C][F] += V' [C][T] dM [T][F], V and dM in panels: small results as short sums */
    int small = C * F <= MOST_GROUPED_WEIGHTS;
    conv->groups = small ? DLDA_CONV_GROUPS : 1;
    conv->block = small ? clamp(SUM_BYTES / bytes, LEAST_SUM_TILES, MOST_SUM_TILES) : stretch;
    conv->weights = (dlda_product){
        .m = C, .n = F, .k = conv->block, .ldc = F, .room = conv->block, .a_transposed = 1, .accumulate = 1
    };
}

static void set_shape(dlda_conv *conv)
{
    conv->out_height = (conv->height + 2 * conv->pad - conv->kernel) / conv->stride + 1;
    conv->out_width = (conv->width + 2 * conv->pad - conv->kernel) / conv->stride + 1;
    conv->depth = conv->kernel * conv->kernel * conv->channels;
}

void dlda_conv_plan_as(dlda_conv *conv, dlda_conv_method method)
{
    set_shape(conv);
    conv->method = method;
    switch (method) {
    case DLDA_CONV_PRODUCT:
        plan_rows(conv, ROWS_PER_BLOCK);
        conv->weights.lda = conv->weights.ldb = 0; /* copies in panels */
        break;
    case DLDA_CONV_WINOGRAD: plan_winograd(conv); break;
    case DLDA_CONV_IM2COL: plan_im2col(conv); break;
    }
}

void dlda_conv_plan(dlda_conv *conv)
{
    set_shape(conv);
    conv->tile = 0;
    conv->method = choose(conv);
    if (conv->bf16) conv->bf16 = suits_bf16(conv);
    dlda_conv_plan_as(conv, conv->method);
}

/* ---- Few images ---- */

enum { MANY_TILES = 128 }; /* from here on multiplications dominate, and larger tiles are better */

/* Estimates the time from typical multiply-adds per core and memory bandwidth; only their ratio matters. */
static double forward_seconds(double multiplications, double weight_bytes)
{
    return 2 * multiplications / 150e9 + weight_bytes / 25e9;
}

/* Blocks of the same size, so that no thread waits long for another. */
static void share_tiles(dlda_conv *conv, size_t tiles)
{
    enum { LEAST_TILES = 12, MOST_BLOCKS = 4 };
    size_t blocks = clamp(tiles / LEAST_TILES, 1, MOST_BLOCKS), T = (tiles + blocks - 1) / blocks;

    if (T < conv->forward.m) conv->forward.m = T;
}

/* The size of tiles that is fastest for few images; 0: none, the direct sum is. */
static size_t fastest_tile(const dlda_conv *conv, size_t images)
{
    double filters = (double)conv->channels * (double)conv->filters;
    double pixels = (double)images * (double)conv->out_height * (double)conv->out_width;
    double least = forward_seconds(9 * pixels * filters, 36 * filters);
    size_t best = 0;

    for (size_t i = 0; i < N_TILE_SIZES; i++) {
        double multiplications = (double)images * (double)winograd_cost(conv, tile_sizes[i]) * filters;
        double seconds = forward_seconds(multiplications, 4 * (double)dlda_frequencies(tile_sizes[i]) * filters);
        if (seconds < least) {
            least = seconds;
            best = tile_sizes[i];
        }
    }
    return best;
}

void dlda_conv_plan_forward(dlda_conv *conv, size_t images)
{
    if (conv->method != DLDA_CONV_WINOGRAD) return;
    conv->tile = best_tile(conv);
    int few = images * tiles_of(conv, conv->tile) < MANY_TILES;
    if (few) conv->tile = fastest_tile(conv, images);
    dlda_conv_plan_as(conv, conv->tile ? DLDA_CONV_WINOGRAD : DLDA_CONV_IM2COL);
    if (few && conv->tile && !conv->stretches) share_tiles(conv, images * tiles_of(conv, conv->tile));
}

/* ---- Scratch ---- */

size_t dlda_conv_prepared(const dlda_conv *conv)
{
    return conv->method == DLDA_CONV_WINOGRAD ? dlda_frequencies(conv->tile) * conv->channels * conv->filters : 0;
}

size_t dlda_im2col_worker_floats(const dlda_conv *conv)
{
    return (conv->block * conv->depth + 15) / 16 * 16;
}

size_t dlda_conv_copied(const dlda_conv *conv)
{
    return (conv->bf16 ? (conv->block + 1) / 2 : conv->block) * (conv->depth + conv->filters);
}

size_t dlda_conv_group(const dlda_conv *conv, size_t n)
{
    return n < conv->groups ? 1 : (n + conv->groups - 1) / conv->groups;
}

/* Floats per channel and filter: the groups of dW (the transposed W takes less); or U, or the dU of each group,
 * and the rotated filters. */
static size_t floats_per_filter(const dlda_conv *conv)
{
    if (conv->method == DLDA_CONV_WINOGRAD) return dlda_frequencies(conv->tile) * conv->groups + 9;
    return conv->kernel * conv->kernel * conv->groups;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Floats of V and M for some tiles. */
static size_t tile_floats(const dlda_conv *conv, size_t tiles)
{
    return dlda_frequencies(conv->tile) *
           (dlda_frequency_step(tiles, conv->channels) + dlda_frequency_step(tiles, conv->filters));
}

/* Floats of the blocks of all threads. */
static size_t block_floats(const dlda_conv *conv, size_t threads)
{
    size_t tiles = larger(conv->forward.m, conv->data.m);
    if (conv->groups > 1) tiles = larger(tiles, conv->block);
    switch (conv->method) {
    case DLDA_CONV_IM2COL: return threads * dlda_im2col_worker_floats(conv);
    case DLDA_CONV_WINOGRAD:
        if (conv->stretches) threads = 1; /* the threads share the blocks */
        return larger(threads * tile_floats(conv, tiles), tile_floats(conv, conv->block));
    case DLDA_CONV_PRODUCT: return threads * dlda_conv_copied(conv);
    }
    return 0;
}

dlda_status dlda_conv_scratch(const dlda_conv *conv, size_t threads, size_t *bytes)
{
    dlda_status status = DLDA_OK;
    const char *what = "convolution scratch";
    size_t weights = 0, blocks = 0, sums = 0;

    DLDA_TRY(dlda_multiply_sizes(conv->channels, conv->filters, what, &weights));
    DLDA_TRY(dlda_multiply_sizes(weights, floats_per_filter(conv) * sizeof(float), what, &weights));
    DLDA_TRY(dlda_multiply_sizes(block_floats(conv, threads), sizeof(float), what, &blocks));
    DLDA_TRY(dlda_norm_scratch(larger(conv->channels, conv->filters), &sums));
    *bytes = weights + blocks + DLDA_ALIGNMENT + sums; /* the sums of a tally come last */
done:
    return status;
}
