/* SPDX-License-Identifier: MIT
 *
 * cmd_bench.c - `deeplda bench`: measures training and inference on this machine, and where the time is spent.
 *
 * docs/performance.md explains each figure.
 */
#include "bench/benchmark.h"
#include "ranks.h"
#include "terminal/json_out.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const name = "bench";

static const char *const phase_names[BENCH_PHASES] = { [DLDA_PHASE_GATHER] = "gather",
                                                       [DLDA_PHASE_FORWARD] = "forward",
                                                       [DLDA_PHASE_OBJECTIVE] = "objective",
                                                       [DLDA_PHASE_BACKWARD] = "backward",
                                                       [DLDA_PHASE_OPTIMISER] = "optimiser" };

/* ---- JSON ---- */

static void write_number(json_out *json, const char *key, double number)
{
    json_key(json, key);
    json_number(json, number);
}

static void write_count(json_out *json, const char *key, size_t count)
{
    json_key(json, key);
    json_count(json, count);
}

static void write_word(json_out *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text);
}

static void write_shape(json_out *json, const char *key, const size_t sizes[3])
{
    json_key(json, key);
    json_open(json, '[');
    for (int i = 0; i < 3; i++) json_count(json, sizes[i]);
    json_close(json, ']');
}

static void write_pass(json_out *json, const char *key, const bench_pass *pass)
{
    json_key(json, key);
    json_open(json, '{');
    write_number(json, "seconds", pass->seconds);
    write_number(json, "gflops", pass->gflops);
    write_number(json, "bytes", pass->bytes);
    json_close(json, '}');
}

static void write_layer(json_out *json, const bench_layer *layer)
{
    json_open(json, '{');
    write_count(json, "number", layer->number);
    write_word(json, "name", layer->name);
    write_word(json, "kind", layer->kind);
    write_word(json, "method", layer->method);
    write_shape(json, "in", layer->in);
    write_shape(json, "out", layer->out);
    write_pass(json, "forward", &layer->forward);
    write_pass(json, "backward_data", &layer->backward_data);
    write_pass(json, "backward_weights", &layer->backward_weights);
    json_close(json, '}');
}

static void write_phases(json_out *json, const bench_result *b)
{
    json_key(json, "phases");
    json_open(json, '{');
    for (int i = 0; i < BENCH_PHASES; i++) write_number(json, phase_names[i], b->phase_seconds[i]);
    json_close(json, '}');
}

static void write_json(const cli_options *options, const bench_result *b)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    write_word(&json, "version", dlda_version());
    write_word(&json, "net", option_text(options, "net"));
    write_word(&json, "objective", option_text(options, "objective"));
    write_word(&json, "precision", option_text(options, "precision"));
    write_count(&json, "batch", b->batch);
    write_count(&json, "norm_group", (size_t)option_number(options, "norm-group"));
    write_count(&json, "micro_batch", (size_t)option_number(options, "micro-batch"));
    write_count(&json, "threads", b->threads);
    write_count(&json, "repeats", b->repeats);
    write_word(&json, "kernels", b->kernels);
    write_number(&json, "machine_peak_gflops", b->machine_peak_gflops);
    write_number(&json, "machine_gigabytes_per_second", b->machine_gigabytes_per_second);
    write_count(&json, "ranks", ranks_comm() ? ranks_comm()->size : 1);
    write_number(&json, "step_seconds", b->step_seconds);
    write_number(&json, "waited_seconds", b->waited_seconds);
    write_number(&json, "images_per_second", b->images_per_second);
    write_number(&json, "step_gflop", b->step_gflop);
    write_phases(&json, b);
    write_number(&json, "loader_seconds", b->loader_seconds);
    write_count(&json, "peak_bytes", b->peak_bytes);
    write_count(&json, "base_bytes", b->base_bytes);
    write_count(&json, "plan_bytes", b->plan_bytes);
    write_number(&json, "inference_images_per_second", b->inference_images_per_second);
    write_number(&json, "single_images_per_second", b->single_images_per_second);
    json_key(&json, "layers");
    json_open(&json, '[');
    for (size_t i = 0; i < b->n_layers; i++) write_layer(&json, &b->layers[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', stdout);
}

/* ---- Text ---- */

static void print_step(const bench_result *b)
{
    double gflops = b->step_gflop / b->step_seconds;

    print("\ntraining step  %.4g s: %.1f images/s, %.1f GFLOPS (%.0f %% of the peak)\n", b->step_seconds,
          b->images_per_second, gflops, 100 * gflops / b->machine_peak_gflops);
    for (int i = 0; i < BENCH_PHASES; i++)
        print("  %-10s   %10.3f ms  %5.1f %%\n", phase_names[i], 1e3 * b->phase_seconds[i],
              100 * b->phase_seconds[i] / b->step_seconds);
    if (ranks_comm())
        print("  waiting      %10.3f ms of these, of rank 0 of %zu for the others\n", 1e3 * b->waited_seconds,
              ranks_comm()->size);
    print("  loader       %10.3f ms of a thread of its own, beside the step: %.2f %% of its %zu threads' time\n",
          1e3 * b->loader_seconds, 100 * b->loader_seconds / (b->step_seconds * (double)b->threads), b->threads);
    print("memory         %.1f MB resident at most (%.1f MB before), of which the network plan has %.1f MB\n",
          1e-6 * (double)b->peak_bytes, 1e-6 * (double)b->base_bytes, 1e-6 * (double)b->plan_bytes);
}

static void print_pass(const bench_pass *pass)
{
    print(" %9.3f %7.1f %6.1f", 1e3 * pass->seconds, pass->gflops, 1e-9 * pass->bytes / pass->seconds);
}

static void print_layers(const bench_result *b)
{
    char shape[48];

    print("\n%-45s %24s %24s %24s\n", "layers alone (GFLOPS as of the direct sum)", "forward", "backward data",
          "backward weights");
    print("%2s %-20s %-12s %-8s", "", "layer", "input", "method");
    for (int p = 0; p < 3; p++) print(" %9s %7s %6s", "ms", "GFLOPS", "GB/s");
    for (size_t i = 0; i < b->n_layers; i++) {
        const bench_layer *layer = &b->layers[i];
        snprintf(shape, sizeof shape, "%zux%zux%zu", layer->in[0], layer->in[1], layer->in[2]);
        print("\n%2zu %-20s %-12s %-8s", layer->number, layer->name, shape, layer->method);
        print_pass(&layer->forward);
        print_pass(&layer->backward_data);
        print_pass(&layer->backward_weights);
    }
    putchar('\n');
}

static void write_text(const cli_options *options, const bench_result *b)
{
    print("network %s, objective %s, batch %zu", option_text(options, "net"), option_text(options, "objective"),
          b->batch);
    if (option_number(options, "norm-group") > 0)
        print(" in norm groups of %s", option_text(options, "norm-group"));
    if (option_number(options, "micro-batch") > 0)
        print(" and micro-batches of %s", option_text(options, "micro-batch"));
    if (!option_is(options, "precision", "float")) print(", precision %s", option_text(options, "precision"));
    print(", %zu threads, medians of %zu\n", b->threads, b->repeats);
    print("machine peak   %.1f GFLOPS (multiply-adds of floats), memory %.1f GB/s; kernels for %s\n",
          b->machine_peak_gflops, b->machine_gigabytes_per_second, b->kernels);
    if (!isnan(b->step_seconds)) print_step(b);
    if (!isnan(b->inference_images_per_second))
        print("\ninference      %.1f images/s with %zu at once, %.1f images/s one by one\n",
              b->inference_images_per_second, b->batch, b->single_images_per_second);
    else if (!isnan(b->single_images_per_second))
        print("\ninference      %.1f images/s one by one\n", b->single_images_per_second);
    if (b->n_layers > 0) print_layers(b);
}

static void write_result(const cli_options *options, const bench_result *b)
{
    if (option_is(options, "json", "true")) write_json(options, b);
    else write_text(options, b);
}

/* ---- The command ---- */

static bench_part part_of(const cli_options *options)
{
    static const char *const names[] = {
        [BENCH_STEP] = "step", [BENCH_LAYERS] = "layers", [BENCH_INFERENCE] = "inference", [BENCH_SINGLE] = "single"
    };

    for (int part = BENCH_STEP; part <= BENCH_SINGLE; part++)
        if (option_is(options, "part", names[part])) return (bench_part)part;
    return BENCH_ALL;
}

/* --paced: prints what was measured and waits for a line of the standard input, whose end is the end. */
static int next_turn(const void *user, const bench_result *measured)
{
    int c;

    if (measured) write_json(user, measured);
    else puts("ready");
    fflush(stdout);
    while ((c = getchar()) != EOF)
        if (c == '\n') return 1;
    return 0;
}

static int run_bench(const cli_arguments *arguments)
{
    const cli_options *options = arguments->options;
    bench_result *benchmark = NULL;
    bench_spec spec = {
        .net = option_text(options, "net"),
        .batch = (size_t)option_number(options, "batch"),
        .threads = (size_t)option_number(options, "threads"),
        .repeats = (size_t)option_number(options, "repeats"),
        .objective = option_text(options, "objective"),
        .part = part_of(options),
        .precision = option_text(options, "precision"),
        .prepare = option_text(options, "prepare"),
        .flip = option_is(options, "flip", "true"),
        .shift = (size_t)option_number(options, "shift"),
        .norm_group = (size_t)option_number(options, "norm-group"),
        .micro_batch = (size_t)option_number(options, "micro-batch"),
        .comm = ranks_comm(),
        .turn = option_is(options, "paced", "true") ? next_turn : NULL,
        .user = options,
    };

    int code = exit_code_of(name, bench_run(&spec, &benchmark));
    if (code == EXIT_OK && !spec.turn) write_result(options, benchmark);
    bench_destroy(benchmark);
    return code;
}

const cli_command bench_command = {
    .name = "bench",
    .operands = "",
    .least = 0,
    .most = 0,
    .summary = "Measure how fast a network trains and infers on this machine.",
    .details = "Trains on random images and prints seconds per phase, images per second and memory; then the "
               "time of each convolution alone, and of inference. docs/performance.md explains the figures. To "
               "measure a single layer, use a network of one line, such as `conv 64 3 pad 1` after `input 28 28 "
               "64`, with --part layers.",
    .examples = "deeplda bench --net mnist --batch 1000\n"
                "deeplda bench --net cifar10 --batch 100 --threads 2 --json\n"
                "deeplda bench --net stl10 --batch 1000 --norm-group 40 --micro-batch 40 --part step\n"
                "deeplda bench --net layer.net --batch 100 --part layers",
    .run = run_bench,
};
