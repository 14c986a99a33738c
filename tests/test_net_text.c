/* SPDX-License-Identifier: MIT
 *
 * test_net_text.c - networks as text: the built-in ones, every kind of mistake, and texts that are no networks.
 */
#define _GNU_SOURCE
#include "check.h"

#include "base/memory.h"
#include "network/network.h"

#include <unistd.h>

static const dlda_shape as_written = { 0, 0, 0 }, digits = { 28, 28, 1 };

static dlda_network *parse(const char *text, dlda_shape input)
{
    dlda_network *network = NULL;

    CHECK_OK(dlda_network_parse(text, "test.net", input, 10, &network));
    return network;
}

/* ---- The networks of the library ---- */

/* Outputs of all layers that change the shape, as "HxWxC HxWxC ...". */
static void list_shapes(const dlda_network *network, char *list, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < network->n_layers; i++) {
        const dlda_layer *layer = &network->layers[i];
        if (layer->kind != DLDA_CONV_LAYER && layer->kind != DLDA_POOL_LAYER && layer->kind != DLDA_GAP_LAYER)
            continue;
        used += (size_t)snprintf(list + used, size - used, "%s%zux%zux%zu", used ? " " : "", layer->out.height,
                                 layer->out.width, layer->out.channels);
    }
}

static dlda_status add_count(void *context, const dlda_parameter *parameter, int in_state)
{
    ((size_t *)context)[in_state] += parameter->count;
    return DLDA_OK;
}

/* The paper's table 1, by hand. Each conv has K*K*C*F weights and 2 F of batch norm, each dense I*F + F. */
static const struct {
    const char *name;
    dlda_shape input;
    size_t weights, state, features;
    const char *shapes;
} builtin[] = {
    { "mnist",
      { 28, 28, 1 },
      (9 * 1 * 64 + 128) + (9 * 64 * 64 + 128) + (9 * 64 * 96 + 192) + (9 * 96 * 96 + 192) + (9 * 96 * 256 + 512) +
          (256 * 256 + 512) + (256 * 10 + 20),
      2 * (64 + 64 + 96 + 96 + 256 + 256 + 10),
      10,
      "28x28x64 28x28x64 14x14x64 14x14x96 14x14x96 7x7x96 5x5x256 5x5x256 5x5x10 1x1x10" },
    { "cifar10",
      { 32, 32, 3 },
      5749204,
      6932,
      10,
      "32x32x64 32x32x64 16x16x64 16x16x128 16x16x128 8x8x128 8x8x256 8x8x256 8x8x256 8x8x256 4x4x256 2x2x1024 "
      "2x2x1024 2x2x10 1x1x10" },
    { "stl10",
      { 96, 96, 3 },
      5749204,
      6932,
      10,
      "96x96x64 96x96x64 48x48x64 48x48x128 48x48x128 24x24x128 24x24x256 24x24x256 24x24x256 24x24x256 12x12x256 "
      "10x10x1024 10x10x1024 10x10x10 1x1x10" },
    { "mlp",
      { 28, 28, 1 },
      (784 * 256 + 256) + 512 + (256 * 128 + 128) + 256 + (128 * 10 + 10),
      2 * (256 + 128),
      10,
      "1x1x256 1x1x128 1x1x10" },
};

static void test_builtin_networks(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char *text = NULL, shapes[400];
        size_t counts[2] = { 0, 0 };
        CHECK_OK(dlda_network_text_read(builtin[i].name, &text));
        assert_string_equal(text, dlda_network_builtin(builtin[i].name));
        dlda_network *network = parse(text, builtin[i].input);
        CHECK_OK(dlda_network_visit(network, add_count, counts));
        list_shapes(network, shapes, sizeof shapes);
        assert_string_equal(shapes, builtin[i].shapes);
        assert_int_equal(counts[0], builtin[i].weights);
        assert_int_equal(counts[1], builtin[i].state);
        assert_int_equal(network->features, builtin[i].features);
        dlda_network_destroy(network);
        dlda_text_destroy(text);
    }
    assert_int_equal(builtin[0].weights, 466644);
    assert_null(dlda_network_builtin("Mnist"));
    assert_null(dlda_network_builtin(""));
}

/* The network for pictures of any size: what is used of it, from one pixel to large pictures. */
static void test_network_follows_the_data(void **state)
{
    static const struct {
        dlda_shape input;
        size_t classes;
        const char *shapes;
    } cases[] = {
        { { 1, 1, 1 }, 2, "1x1x32 1x1x32 1x1x2 1x1x2" },
        { { 11, 40, 3 }, 3, "11x40x32 11x40x32 11x40x3 1x1x3" },
        { { 12, 12, 1 }, 4, "12x12x32 12x12x32 6x6x32 6x6x64 6x6x64 6x6x4 1x1x4" },
        { { 28, 28, 1 }, 10, "28x28x32 28x28x32 14x14x32 14x14x64 14x14x64 7x7x64 7x7x128 7x7x128 7x7x10 1x1x10" },
        { { 48, 64, 3 },
          5,
          "48x64x32 48x64x32 24x32x32 24x32x64 24x32x64 12x16x64 12x16x128 12x16x128 6x8x128 6x8x256 6x8x256 6x8x5 "
          "1x1x5" },
        { { 96, 96, 3 },
          10,
          "48x48x32 48x48x32 48x48x32 24x24x32 24x24x64 24x24x64 12x12x64 12x12x128 12x12x128 6x6x128 6x6x256 "
          "6x6x256 "
          "6x6x10 1x1x10" },
        { { 400, 600, 3 },
          2,
          "200x300x16 100x150x16 50x75x32 50x75x32 50x75x32 25x37x32 25x37x64 25x37x64 12x18x64 12x18x128 "
          "12x18x128 "
          "6x9x128 6x9x256 6x9x256 6x9x2 1x1x2" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dlda_network *network = NULL, *again = NULL;
        char shapes[400];
        CHECK_OK(
            dlda_network_parse(dlda_network_builtin("cnn"), "cnn", cases[i].input, cases[i].classes, &network));
        list_shapes(network, shapes, sizeof shapes);
        assert_string_equal(shapes, cases[i].shapes);
        /* the text of a model needs neither the data nor the number of classes */
        CHECK_OK(dlda_network_parse(network->text, "kept", as_written, 0, &again));
        assert_string_equal(again->text, network->text);
        assert_int_equal(again->n_weights, network->n_weights);
        dlda_network_destroy(network);
        dlda_network_destroy(again);
    }
}

static void test_kept_text(void **state)
{
    dlda_network *network = NULL;

    (void)state;
    CHECK_OK(dlda_network_parse("# a\n conv  4 3 pad 1 from 28 # b\nmaxpool 2 from 29\n\ndense classes", "test.net",
                                digits, 1234, &network));
    assert_string_equal(network->text, "input 28 28 1\n# a\nconv 4 3 pad 1\n\ndense 1234\n");
    dlda_network_destroy(network);
    network = NULL;
    CHECK_STATUS(dlda_network_parse("dense classes", "test.net", digits, 0, &network), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("test.net: line 1: dense: width is 'classes', but the number of classes is not known");
    assert_null(network);
}

typedef struct place_list {
    const dlda_parameter *places[64];
    int in_state[64];
    size_t count;
} place_list;

static dlda_status list_place(void *context, const dlda_parameter *parameter, int in_state)
{
    place_list *list = context;

    assert_true(list->count < 64);
    list->in_state[list->count] = in_state;
    list->places[list->count++] = parameter;
    return DLDA_OK;
}

static void check_place(const dlda_network *network, const place_list *list, size_t i)
{
    const dlda_parameter *a = list->places[i];
    size_t count = 1, block = list->in_state[i] ? network->n_state : network->n_weights;

    for (size_t r = 0; r < a->rank; r++) count *= a->shape[r];
    assert_int_equal(a->count, count);
    assert_int_equal(a->offset % 16, 0);
    assert_true(a->offset + a->count <= block);
    for (size_t j = 0; j < i; j++) {
        const dlda_parameter *b = list->places[j];
        assert_string_not_equal(a->name, b->name);
        if (list->in_state[i] == list->in_state[j])
            assert_true(a->offset + a->count <= b->offset || b->offset + b->count <= a->offset);
    }
}

static void test_parameters_have_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        place_list list = { .count = 0 };
        dlda_network *network = parse(dlda_network_builtin(builtin[i].name), builtin[i].input);
        CHECK_OK(dlda_network_visit(network, list_place, &list));
        assert_true(list.count >= 10);
        for (size_t j = 0; j < list.count; j++) check_place(network, &list, j);
        dlda_network_destroy(network);
    }
}

/* ---- Mistakes ---- */

#define IN "input 9 8 3\n"

static const struct {
    const char *text;
    size_t line;
    const char *words;
} mistakes[] = {
    { "conv 8 3", 1, "the size of the images is not known: an 'input HEIGHT WIDTH CHANNELS' line must come first" },
    { "# a comment\n\n  relu", 3, "the size of the images is not known" },
    { "input", 1, "input: height is missing, expected 1 to 65536" },
    { "input 9 8", 1, "input: channels is missing, expected 1 to 1048576" },
    { "input 9 8 3 1", 1, "input: unexpected '1'" },
    { "input 0 8 3", 1, "input: height is 0, expected 1 to 65536" },
    { "input 9 -8 3", 1, "input: width is -8, expected 1 to 65536" },
    { "input 9 8 x", 1, "input: channels is 'x', expected a whole number" },
    { "input 65537 1 1", 1, "input: height is 65537, expected 1 to 65536" },
    { "input 9 8 99999999999999999999999999", 1, "input: channels is 99999999999999999999999999, expected 1 to" },
    { "input 9 8 -99999999999999999999999999", 1, "input: channels is -99999999999999999999999999, expected 1 to" },
    { IN IN "relu", 2, "input: must be the first line, once" },
    { IN "relu\n" IN, 3, "input: must be the first line, once" },
    { IN "\nconvv 8 3", 3, "unknown layer 'convv'; did you mean 'conv'?" },
    { IN "Conv 8 3", 2, "unknown layer 'Conv'; did you mean 'conv'?" },
    { IN "transformer", 2,
      "unknown layer 'transformer', expected input, conv, dense, maxpool, dropout, bn, relu or gap" },
    { IN "conv", 2, "conv: filters is missing, expected 1 to 1048576" },
    { IN "conv 8", 2, "conv: kernel is missing, expected 1 to 255" },
    { IN "conv 0 3", 2, "conv: filters is 0, expected 1 to 1048576" },
    { IN "conv 8 0", 2, "conv: kernel is 0, expected 1 to 255" },
    { IN "conv 8 256", 2, "conv: kernel is 256, expected 1 to 255" },
    { IN "conv 8 3.0", 2, "conv: kernel is '3.0', expected a whole number" },
    { IN "conv 8 3x3", 2, "conv: kernel is '3x3', expected a whole number" },
    { IN "conv 8 3 1", 2, "conv: unknown word '1'" },
    { IN "conv 8 3 pad", 2, "conv: pad is missing, expected 0 to 254" },
    { IN "conv 8 3 pad stride 2", 2, "conv: pad is 'stride', expected a whole number" },
    { IN "conv 8 3 pad -1", 2, "conv: pad is -1, expected 0 to 254" },
    { IN "conv 8 3 stride 0", 2, "conv: stride is 0, expected 1 to 255" },
    { IN "conv 8 3 strid 2", 2, "conv: unknown word 'strid'; did you mean 'stride'?" },
    { IN "conv 8 3 lineer", 2, "conv: unknown word 'lineer'; did you mean 'linear'?" },
    { IN "conv 8 3 pad 3", 2, "conv: pad 3, expected less than the kernel (3)" },
    { IN "conv 8 9", 2, "conv: size 9 does not fit in 9x8 with pad 0" },
    { IN "conv 8 13 pad 2", 2, "conv: size 13 does not fit in 9x8 with pad 2" },
    { IN "maxpool 8\nconv 8 3", 3, "conv: size 3 does not fit in 1x1 with pad 0" },
    { IN "conv 1048576 1\nconv 1048576 1", 3, "conv: 1099511627776 weights, expected at most 2147483647" },
    { IN "dense", 2, "dense: width is missing, expected 1 to 1048576" },
    { IN "dense 0", 2, "dense: width is 0, expected 1 to 1048576" },
    { IN "dense 5 6", 2, "dense: unexpected '6'" },
    { "input 65536 65536 1048576\ndense 1", 2, "dense: 4503599627370496 weights, expected at most 2147483647" },
    { IN "maxpool", 2, "maxpool: size is missing, expected 1 to 16" },
    { IN "maxpool 17", 2, "maxpool: size is 17, expected 1 to 16" },
    { IN "maxpool 2 pad 1", 2, "maxpool: unknown word 'pad'" },
    { IN "maxpool 2 stride 0", 2, "maxpool: stride is 0, expected 1 to 255" },
    { IN "maxpool 9", 2, "maxpool: size 9 does not fit in 9x8 with pad 0" },
    { IN "dropout", 2, "dropout: rate is missing, expected a number from 0 to below 1" },
    { IN "dropout 1", 2, "dropout: rate is 1, expected a number from 0 to below 1" },
    { IN "dropout -0.1", 2, "dropout: rate is -0.1, expected" },
    { IN "dropout nan", 2, "dropout: rate is nan, expected" },
    { IN "dropout 0.5x", 2, "dropout: rate is 0.5x, expected" },
    { IN "dropout 0.5 0.5", 2, "dropout: unexpected '0.5'" },
    { IN "conv 8 3 from", 2, "conv: unknown word 'from'" },
    { IN "conv 8 3 from x", 2, "conv: from is 'x', expected a whole number" },
    { IN "conv 8 3 from 0", 2, "conv: from is 0, expected 1 to 1048576" },
    { IN "conv 8 classes", 2, "conv: kernel is 'classes', expected a whole number" },
    { "input 9 8 2 from 3\ndense 3", 1, "input: unexpected 'from'" },
    { IN "bn 3", 2, "bn: unexpected '3'" },
    { IN "relu 3", 2, "relu: unexpected '3'" },
    { IN "gap 3", 2, "gap: unexpected '3'" },
    { IN "conv 8 3 pad 1 pad 1 pad 1 pad 1 pad 1 pad 1 pad 1", 2, "more than 16 words" },
};

static void check_mistake(const char *text, dlda_shape input, dlda_status expected, size_t line, const char *words)
{
    dlda_network *network = NULL;
    size_t live = dlda_memory_count().live;
    char prefix[64] = "test.net: ";

    if (line) snprintf(prefix, sizeof prefix, "test.net: line %zu: ", line);
    dlda_status status = dlda_network_parse(text, "test.net", input, 10, &network);
    const char *message = dlda_last_error();
    if (status != expected || strncmp(message, prefix, strlen(prefix)) != 0 ||
        strncmp(message + strlen(prefix), words, strlen(words)) != 0)
        fail_msg("'%.60s': status %d, '%s'; expected %d, '%s%s'", text, status, message, expected, prefix, words);
    assert_null(network);
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        check_mistake(mistakes[i].text, as_written, DLDA_E_FORMAT, mistakes[i].line, mistakes[i].words);
    check_mistake("", digits, DLDA_E_FORMAT, 0, "no layers");
    check_mistake("# nothing\n\n", digits, DLDA_E_FORMAT, 0, "no layers");
    check_mistake("input 28 28 1\n", as_written, DLDA_E_FORMAT, 0, "no layers");
    check_mistake("relu\ngap", digits, DLDA_E_FORMAT, 0, "no layer has weights: there is nothing to train");
    check_mistake("dropout 0.5\ninput 9 9 1\n", digits, DLDA_E_FORMAT, 2, "input: must be the first line, once");
    check_mistake("\ninput 32 32 3\ndense 2", digits, DLDA_E_SHAPE, 2,
                  "the network takes images of 32x32x3, the data has 28x28x1; choose another network");
}

/* A shape with only some zeros is neither the data's nor "as written". */
static void test_impossible_shapes(void **state)
{
    static const dlda_shape shapes[] = { { 5, 0, 1 }, { 5, 5, 0 }, { 0, 5, 1 }, { 0, 0, 1 } };
    char *table = NULL;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        dlda_status status = dlda_network_text_describe("dense 3", "test.net", shapes[i].height, shapes[i].width,
                                                        shapes[i].channels, &table);
        if (status == DLDA_OK)
            fail_msg("%zux%zux%zu is taken", shapes[i].height, shapes[i].width, shapes[i].channels);
    }
}

static void test_limits(void **state)
{
    enum { MOST = 10000 };
    char *text = check_memory(5 * (MOST + 2) + 300);

    (void)state;
    for (size_t i = 0; i <= MOST; i++) memcpy(text + 5 * i, "relu\n", 6);
    check_mistake(text, digits, DLDA_E_FORMAT, MOST + 1, "more than 10000 layers");
    memcpy(text + 5 * (MOST - 1), "bn", 3);
    dlda_network *network = parse(text, digits);
    assert_int_equal(network->n_layers, MOST);
    dlda_network_destroy(network);

    memset(text, ' ', 256); /* 255 characters are a line */
    memcpy(text, "bn #", 4);
    memcpy(text + 255, "\nrelu", 6);
    dlda_network_destroy(parse(text, digits));
    memcpy(text + 256, "\nrelu", 6);
    text[255] = 'x';
    check_mistake(text, digits, DLDA_E_FORMAT, 1, "256 characters, expected at most 255");
    free(text);
}

/* ---- Ways to write the same ---- */

static void test_same_network_written_differently(void **state)
{
    static const char *const texts[] = {
        "input 28 28 1\nconv 4 3 pad 1\nmaxpool 2\ndense 3\n",
        "input 28 28 1\r\n\r\nconv 4 3 pad 1\r\nmaxpool 2\r\ndense 3",
        "# one\n\n  input\t28 28 1#two\n\tconv 4  3 stride 1 pad 1 # three\n\n#\nmaxpool 2 stride 2\ndense 3\n\n\n",
        "conv 4 3 pad 1\nmaxpool 2\ndense 3",
    };
    dlda_network *first = parse(texts[0], as_written);

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        dlda_network *network = parse(texts[i], digits), *again = NULL;
        assert_int_equal(network->n_layers, 5);
        assert_int_equal(network->n_weights, first->n_weights);
        for (size_t j = 0; j < 5; j++) {
            assert_string_equal(network->layers[j].weight.name, first->layers[j].weight.name);
            assert_memory_equal(&network->layers[j].out, &first->layers[j].out, sizeof first->input);
        }
        again = parse(network->text, as_written); /* the text that is kept says its input by itself */
        assert_memory_equal(&again->input, &digits, sizeof digits);
        assert_string_equal(again->text, network->text);
        dlda_network_destroy(network);
        dlda_network_destroy(again);
    }
    assert_string_equal(first->layers[0].weight.name, "layers.0.conv.weight");
    assert_string_equal(first->layers[4].bias.name, "layers.2.dense.bias");
    dlda_network_destroy(first);
}

/* ---- Texts that are no networks, and memory that runs out ---- */

static void parse_anything(const char *text, dlda_shape input)
{
    dlda_network *network = NULL;
    size_t live = dlda_memory_count().live;
    dlda_status status = dlda_network_parse(text, "test.net", input, 10, &network);

    if (status != DLDA_OK && status != DLDA_E_FORMAT && status != DLDA_E_SHAPE)
        fail_msg("'%s': status %d, %s", text, status, dlda_last_error());
    assert_true((status == DLDA_OK) == (network != NULL));
    dlda_network_destroy(network);
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_every_prefix(void **state)
{
    const char *whole = dlda_network_builtin("mnist");
    char *text = check_memory(strlen(whole) + 1);

    (void)state;
    for (size_t n = 0; n <= strlen(whole); n++) {
        memcpy(text, whole, n);
        text[n] = 0;
        parse_anything(text, as_written);
        parse_anything(text, digits);
    }
    free(text);
}

static size_t below(size_t n, uint64_t *seed)
{
    return (size_t)(fabs(check_uniform(seed)) * (double)n) % n;
}

static void test_changed_bytes(void **state)
{
    static const char likely[] = "0123456789 \n#-e.";
    const char *whole =
        "input 12 12 2\nconv 6 3 pad 1 stride 2\nmaxpool 2 stride 1\ndropout 0.25\ndense 10\nbn\ngap\n";
    char text[128];
    size_t n = strlen(whole);
    uint64_t seed = 11;

    (void)state;
    for (int trial = 0; trial < 3000; trial++) {
        memcpy(text, whole, n + 1);
        for (int changes = trial % 3; changes >= 0; changes--)
            text[below(n, &seed)] = trial % 2 ? (char)below(256, &seed) : likely[below(strlen(likely), &seed)];
        parse_anything(text, as_written);
    }
}

static void test_without_memory(void **state)
{
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live, n = 1;

    (void)state;
    for (; status != DLDA_OK; n++) {
        char *text = NULL, *table = NULL;
        assert_true(n < 20);
        dlda_memory_fail_at(n);
        status = dlda_network_text_read("mlp", &text);
        if (status == DLDA_OK) status = dlda_network_text_describe(text, "mlp", 28, 28, 1, &table);
        dlda_memory_fail_at(0);
        assert_true(status == DLDA_OK || (status == DLDA_E_MEMORY && !table));
        dlda_text_destroy(text);
        dlda_text_destroy(table);
        assert_int_equal(dlda_memory_count().live, live);
    }
    assert_true(n > 4);
}

/* ---- Tables, names and files ---- */

static void test_describe(void **state)
{
    static const char *const rows[] = { "input 12 x 10 x 2",
                                        "conv 6 3x3 pad 1 stride 2 6 x 5 x 6 108 0.006",
                                        "batch norm 6 x 5 x 6 12 0.000",
                                        "relu 6 x 5 x 6 0",
                                        "maxpool 2 stride 2 3 x 2 x 6 0",
                                        "dropout 0.25 3 x 2 x 6 0",
                                        "dense 7 1 x 1 x 7 259 0.001",
                                        "global average pooling 1 x 1 x 7 0",
                                        "features 7 379 0.007" };
    char *table = NULL, *to = NULL;

    (void)state;
    CHECK_OK(dlda_network_text_describe("conv 6 3 pad 1 stride 2\nmaxpool 2\ndropout 0.25\ndense 7\ngap", "x", 12,
                                        10, 2, &table));
    to = table;
    for (const char *from = table; *from; from++) /* single blanks, so that widths may change */
        if (*from != ' ' || (from[1] != ' ' && from[1] != '\n')) *to++ = *from;
    *to = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strstr(table, rows[i])) fail_msg("'%s' is not in\n%s", rows[i], table);
    dlda_text_destroy(table);
    CHECK_STATUS(dlda_network_text_describe("relu\nrelo", "x.net", 1, 1, 1, &table), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("x.net: line 2: unknown layer 'relo'; did you mean 'relu'?");
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");

    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static void test_files(void **state)
{
    char path[] = "/tmp/test_net_text-XXXXXX", *text = NULL, *giant = check_memory((1 << 20) + 1);
    int file = mkstemp(path);

    (void)state;
    assert_true(file >= 0);
    close(file);
    write_bytes(path, "dense 3\n", 8);
    CHECK_OK(dlda_network_text_read(path, &text));
    assert_string_equal(text, "dense 3\n");
    dlda_text_destroy(text);
    text = NULL;
    write_bytes(path, "dense 3\n\0", 9);
    CHECK_STATUS(dlda_network_text_read(path, &text), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("holds zero bytes, expected the text of a network");
    memset(giant, ' ', (1 << 20) + 1);
    write_bytes(path, giant, (1 << 20) + 1);
    CHECK_STATUS(dlda_network_text_read(path, &text), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("1048577 bytes, expected at most 1048576");
    CHECK_STATUS(dlda_network_text_read("/tmp", &text), DLDA_E_IO);
    CHECK_STATUS(dlda_network_text_read("mnsit", &text), DLDA_E_OPTION);
    CHECK_ERROR_SAYS(
        "network 'mnsit': neither a file nor one of mnist, cifar10, stl10, cnn, mlp; did you mean 'mnist'?");
    CHECK_STATUS(dlda_network_text_read("/nonexistent/deep.net", &text), DLDA_E_OPTION);
    assert_null(strstr(dlda_last_error(), "did you mean"));
    assert_null(text);
    unlink(path);
    free(giant);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin_networks),
        cmocka_unit_test(test_network_follows_the_data),
        cmocka_unit_test(test_kept_text),
        cmocka_unit_test(test_parameters_have_places),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_impossible_shapes),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_same_network_written_differently),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
