/* SPDX-License-Identifier: MIT
 *
 * net_text.c - parses network texts (docs/network_format.md): one layer per line; shapes are derived.
 */
#include "base/closest_word.h"
#include "base/memory.h"
#include "base/number.h"
#include "network/network.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 16, MOST_LINE = 256, MOST_LAYERS = 10000, MOST_SIZE = 1 << 20 };

typedef struct parser {
    const char *where;    /* name of the text, for messages     */
    size_t line;          /* from 1                             */
    size_t statement;     /* number of layer lines so far       */
    char copy[MOST_LINE]; /* the current line, split into words */
    const char *words[MOST_WORDS];
    size_t n_words;
    int has_input;
    dlda_shape shape;   /* output shape so far                              */
    size_t classes;     /* what the word `classes` stands for; 0: not known */
    int is_conditional; /* the current line ends in `from N`                */
    int names_classes;  /* the current line has the word `classes`          */
    size_t n_kept;      /* characters of network->text so far               */
    dlda_network *network;
} parser;

/* Reports an error in the current line. */
static void set_syntax_message(const parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void set_syntax_message(const parser *p, const char *format, ...)
{
    char text[MOST_LINE + 128];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dlda_set_message("%s: line %zu: %s", p->where, p->line, text);
}

/* Like dlda_fail, with the line. */
#define syntax(...) (set_syntax_message(__VA_ARGS__), DLDA_E_FORMAT)

/* ---- Words ---- */

/* Splits a line into words; # starts a comment. */
static dlda_status cut_line(parser *p, const char *line, size_t length)
{
    char *rest = NULL;

    if (length >= MOST_LINE) return syntax(p, "%zu characters, expected at most %d", length, MOST_LINE - 1);
    memcpy(p->copy, line, length);
    p->copy[length] = 0;
    p->copy[strcspn(p->copy, "#")] = 0;
    p->n_words = 0;
    for (char *word = strtok_r(p->copy, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
        if (p->n_words == MOST_WORDS) return syntax(p, "more than %d words", MOST_WORDS);
        p->words[p->n_words++] = word;
    }
    return DLDA_OK;
}

/* Parses word i as a whole number from least to most. */
static dlda_status whole(const parser *p, size_t i, const char *what, size_t least, size_t most, size_t *value)
{
    int64_t number = 0;

    if (i >= p->n_words) return syntax(p, "%s: %s is missing, expected %zu to %zu", p->words[0], what, least, most);
    if (!dlda_parse_whole(p->words[i], &number))
        return syntax(p, "%s: %s is '%s', expected a whole number", p->words[0], what, p->words[i]);
    if (number < 0 || (size_t)number < least || (size_t)number > most)
        return syntax(p, "%s: %s is %s, expected %zu to %zu", p->words[0], what, p->words[i], least, most);
    *value = (size_t)number;
    return DLDA_OK;
}

/* Parses word i as a number of outputs; `classes` stands for the number of classes. */
static dlda_status outputs(parser *p, size_t i, const char *what, size_t *value)
{
    if (i >= p->n_words || strcmp(p->words[i], "classes") != 0) return whole(p, i, what, 1, MOST_SIZE, value);
    if (!p->classes)
        return syntax(p, "%s: %s is 'classes', but the number of classes is not known", p->words[0], what);
    p->names_classes = 1;
    *value = p->classes;
    return DLDA_OK;
}

/* An optional argument after the fixed ones: "pad P", "stride S", "linear". */
typedef struct named_argument {
    const char *name;
    size_t least, most;
    size_t *value;
    int is_flag;
} named_argument;

static dlda_status named(const parser *p, size_t first, const named_argument *arguments, size_t count)
{
    dlda_status status = DLDA_OK;
    const char *names[4] = { NULL };
    int seen[4] = { 0 };

    for (size_t j = 0; j < count; j++) names[j] = arguments[j].name;
    for (size_t i = first; i < p->n_words; i++) {
        size_t j = 0;
        while (j < count && strcmp(p->words[i], names[j]) != 0) j++;
        if (j == count) {
            int near = dlda_closest_word(p->words[i], names, count);
            DLDA_TRY(near >= 0 ? syntax(p, "%s: unknown word '%s'; did you mean '%s'?", p->words[0], p->words[i],
                                        names[near])
                               : syntax(p, "%s: unknown word '%s'", p->words[0], p->words[i]));
        }
        if (seen[j]++) DLDA_TRY(syntax(p, "%s: %s is given twice", p->words[0], names[j]));
        if (arguments[j].is_flag) *arguments[j].value = 1;
        else DLDA_TRY(whole(p, ++i, names[j], arguments[j].least, arguments[j].most, arguments[j].value));
    }
done:
    return status;
}

/* ---- Layers ---- */

/* Appends a layer. Its output shape is initialised with its input shape. */
static dlda_status add_layer(parser *p, dlda_layer_kind kind, dlda_layer **layer)
{
    dlda_network *network = p->network;

    if (network->n_layers == MOST_LAYERS) return syntax(p, "more than %d layers", MOST_LAYERS);
    *layer = &network->layers[network->n_layers++];
    (*layer)->kind = kind;
    (*layer)->line = p->line;
    (*layer)->in = (*layer)->out = p->shape;
    return DLDA_OK;
}

/* Assigns the next floats of a block to a parameter. Zero entries of the shape are unused dimensions. */
static dlda_status add_parameter(const parser *p, const char *kind, const char *what, const size_t shape[4],
                                 size_t *block, dlda_parameter *parameter)
{
    dlda_status status = DLDA_OK;
    size_t total = 0;

    snprintf(parameter->name, sizeof parameter->name, "layers.%zu.%s.%s", p->statement, kind, what);
    parameter->count = 1;
    for (size_t i = 0; i < 4 && shape[i]; i++) {
        parameter->shape[parameter->rank++] = shape[i];
        DLDA_TRY(dlda_multiply_sizes(parameter->count, shape[i], parameter->name, &parameter->count));
    }
    /* Each parameter begins at a multiple of 16 floats, so that all are aligned if the block is. */
    parameter->offset = *block;
    total = *block + (parameter->count + 15) / 16 * 16;
    if (total < *block || total > SIZE_MAX / 64) DLDA_FAIL(DLDA_E_MEMORY, "%s: too many weights", parameter->name);
    *block = total;
done:
    return status;
}

static dlda_status add_norm(parser *p)
{
    dlda_status status = DLDA_OK;
    dlda_layer *layer = NULL;
    const size_t shape[4] = { p->shape.channels };

    DLDA_TRY(add_layer(p, DLDA_NORM_LAYER, &layer));
    DLDA_TRY(add_parameter(p, "bn", "scale", shape, &p->network->n_weights, &layer->scale));
    DLDA_TRY(add_parameter(p, "bn", "shift", shape, &p->network->n_weights, &layer->shift));
    DLDA_TRY(add_parameter(p, "bn", "mean", shape, &p->network->n_state, &layer->mean));
    DLDA_TRY(add_parameter(p, "bn", "variance", shape, &p->network->n_state, &layer->variance));
done:
    return status;
}

static dlda_status add_conv(parser *p, dlda_conv conv, const char *kind, int with_bias)
{
    dlda_status status = DLDA_OK;
    dlda_layer *layer = NULL;
    size_t depth = 0, weights = 0;
    const int dense = strcmp(kind, "dense") == 0;
    const size_t conv_shape[4] = { conv.kernel, conv.kernel, conv.channels, conv.filters };
    const size_t dense_shape[4] = { conv.channels, conv.filters };
    const size_t bias_shape[4] = { conv.filters };

    if (__builtin_mul_overflow(conv.kernel * conv.kernel, conv.channels, &depth) ||
        __builtin_mul_overflow(depth, conv.filters, &weights))
        weights = SIZE_MAX;
    if (weights > INT32_MAX) /* 8 GB; more is a mistake */
        DLDA_TRY(syntax(p, "%s: %zu weights, expected at most %d", kind, weights, INT32_MAX));
    DLDA_TRY(add_layer(p, DLDA_CONV_LAYER, &layer));
    DLDA_TRY(
        add_parameter(p, kind, "weight", dense ? dense_shape : conv_shape, &p->network->n_weights, &layer->weight));
    if (with_bias) DLDA_TRY(add_parameter(p, kind, "bias", bias_shape, &p->network->n_weights, &layer->bias));
    dlda_conv_plan(&conv);
    layer->conv = conv;
    layer->out = p->shape = (dlda_shape){ conv.out_height, conv.out_width, conv.filters };
done:
    return status;
}

static dlda_status add_plain(parser *p, dlda_layer_kind kind)
{
    dlda_layer *layer = NULL;
    return add_layer(p, kind, &layer);
}

/* A window of `size` must fit into the padded input. */
static dlda_status check_fits(const parser *p, size_t size, size_t pad)
{
    if (p->shape.height + 2 * pad >= size && p->shape.width + 2 * pad >= size) return DLDA_OK;
    return syntax(p, "%s: size %zu does not fit in %zux%zu with pad %zu", p->words[0], size, p->shape.height,
                  p->shape.width, pad);
}

/* ---- Statements ---- */

static dlda_status no_more_words(const parser *p, size_t expected)
{
    if (p->n_words <= expected) return DLDA_OK;
    return syntax(p, "%s: unexpected '%s'", p->words[0], p->words[expected]);
}

/* What to do about data of another shape than that of the input line. */
static void advise(const dlda_shape *network, const dlda_shape *data, char *text, size_t room)
{
    int is_table = data->height == 1 && data->width == 1;

    if (is_table && data->channels == dlda_shape_size(*network))
        snprintf(text, room, "option resize %zux%zu makes images of the rows", network->height, network->width);
    else if (is_table) snprintf(text, room, "these are rows of numbers; option net mlp takes them");
    else if (network->channels == data->channels)
        snprintf(
            text, room,
            "option resize %zux%zu converts the images, or without the input line the network takes any size that "
            "works",
            network->height, network->width);
    else
        snprintf(text, room, "%soption net cnn takes images of any size, grey or in colour",
                 network->channels == 1 && data->channels == 3   ? "it is for grey images, these have colours; "
                 : network->channels == 3 && data->channels == 1 ? "it is for colour images, these are grey; "
                                                                 : "");
}

static dlda_status read_input(parser *p)
{
    dlda_status status = DLDA_OK;
    dlda_shape shape = { 0, 0, 0 };
    char advice[160];

    if (p->has_input || p->network->n_layers) DLDA_TRY(syntax(p, "input: must be the first line, once"));
    DLDA_TRY(whole(p, 1, "height", 1, 65536, &shape.height));
    DLDA_TRY(whole(p, 2, "width", 1, 65536, &shape.width));
    DLDA_TRY(whole(p, 3, "channels", 1, MOST_SIZE, &shape.channels));
    DLDA_TRY(no_more_words(p, 4));
    if (p->shape.height && memcmp(&shape, &p->shape, sizeof shape) != 0) {
        advise(&shape, &p->shape, advice, sizeof advice);
        DLDA_FAIL(DLDA_E_SHAPE,
                  "%s: line %zu: the network takes images of %zux%zux%zu, the data has %zux%zux%zu; %s", p->where,
                  p->line, shape.height, shape.width, shape.channels, p->shape.height, p->shape.width,
                  p->shape.channels, advice);
    }
    p->shape = shape;
    p->has_input = 1;
done:
    return status;
}

static dlda_status read_conv(parser *p)
{
    dlda_status status = DLDA_OK;
    size_t linear = 0;
    dlda_conv conv = {
        .height = p->shape.height, .width = p->shape.width, .channels = p->shape.channels, .stride = 1
    };
    const named_argument arguments[] = { { "pad", 0, 254, &conv.pad, 0 },
                                         { "stride", 1, 255, &conv.stride, 0 },
                                         { "linear", 0, 0, &linear, 1 } };

    DLDA_TRY(outputs(p, 1, "filters", &conv.filters));
    DLDA_TRY(whole(p, 2, "kernel", 1, 255, &conv.kernel));
    DLDA_TRY(named(p, 3, arguments, 3));
    if (conv.pad >= conv.kernel)
        DLDA_TRY(syntax(p, "conv: pad %zu, expected less than the kernel (%zu)", conv.pad, conv.kernel));
    DLDA_TRY(check_fits(p, conv.kernel, conv.pad));
    DLDA_TRY(add_conv(p, conv, "conv", linear != 0));
    if (!linear) {
        DLDA_TRY(add_norm(p));
        DLDA_TRY(add_plain(p, DLDA_RELU_LAYER));
    }
done:
    return status;
}

static dlda_status read_dense(parser *p)
{
    dlda_status status = DLDA_OK;
    dlda_conv conv = { .height = 1, .width = 1, .channels = dlda_shape_size(p->shape), .kernel = 1, .stride = 1 };

    DLDA_TRY(outputs(p, 1, "width", &conv.filters));
    DLDA_TRY(no_more_words(p, 2));
    DLDA_TRY(add_conv(p, conv, "dense", 1));
done:
    return status;
}

static dlda_status read_maxpool(parser *p)
{
    dlda_status status = DLDA_OK;
    dlda_layer *layer = NULL;
    dlda_pool pool = { 0, 0 };
    const named_argument arguments[] = { { "stride", 1, 255, &pool.stride, 0 } };

    DLDA_TRY(whole(p, 1, "size", 1, 16, &pool.size)); /* positions in a window are stored in a byte */
    pool.stride = pool.size;
    DLDA_TRY(named(p, 2, arguments, 1));
    DLDA_TRY(check_fits(p, pool.size, 0));
    DLDA_TRY(add_layer(p, DLDA_POOL_LAYER, &layer));
    layer->pool = pool;
    p->shape.height = (p->shape.height - pool.size) / pool.stride + 1;
    p->shape.width = (p->shape.width - pool.size) / pool.stride + 1;
    layer->out = p->shape;
done:
    return status;
}

static dlda_status read_dropout(parser *p)
{
    dlda_status status = DLDA_OK;
    dlda_layer *layer = NULL;
    double rate = 0;

    if (p->n_words < 2 || !dlda_parse_real(p->words[1], &rate) || !(rate >= 0 && rate < 1))
        DLDA_TRY(syntax(p, "dropout: rate is %s, expected a number from 0 to below 1",
                        p->n_words > 1 ? p->words[1] : "missing"));
    DLDA_TRY(no_more_words(p, 2));
    DLDA_TRY(add_layer(p, DLDA_DROPOUT_LAYER, &layer));
    layer->rate = rate;
done:
    return status;
}

static dlda_status read_bn(parser *p)
{
    dlda_status status = no_more_words(p, 1);
    return status == DLDA_OK ? add_norm(p) : status;
}

static dlda_status read_relu(parser *p)
{
    dlda_status status = no_more_words(p, 1);
    return status == DLDA_OK ? add_plain(p, DLDA_RELU_LAYER) : status;
}

static dlda_status read_gap(parser *p)
{
    dlda_status status = no_more_words(p, 1);
    dlda_layer *layer = NULL;

    if (status == DLDA_OK) status = add_layer(p, DLDA_GAP_LAYER, &layer);
    if (status == DLDA_OK) layer->out = p->shape = (dlda_shape){ 1, 1, p->shape.channels };
    return status;
}

static const struct {
    const char *word;
    dlda_status (*read)(parser *p);
} statements[] = { { "input", read_input },     { "conv", read_conv },       { "dense", read_dense },
                   { "maxpool", read_maxpool }, { "dropout", read_dropout }, { "bn", read_bn },
                   { "relu", read_relu },       { "gap", read_gap } };

enum { N_STATEMENTS = sizeof statements / sizeof statements[0] };

static dlda_status unknown_word(const parser *p)
{
    const char *words[N_STATEMENTS];

    for (size_t i = 0; i < N_STATEMENTS; i++) words[i] = statements[i].word;
    int near = dlda_closest_word(p->words[0], words, N_STATEMENTS);
    if (near >= 0) return syntax(p, "unknown layer '%s'; did you mean '%s'?", p->words[0], words[near]);
    return syntax(p, "unknown layer '%s', expected input, conv, dense, maxpool, dropout, bn, relu or gap",
                  p->words[0]);
}

/* Removes a final `from N` from the words: the line is used if the images' shorter side has at least N pixels. */
static dlda_status read_condition(parser *p, int *used)
{
    dlda_status status = DLDA_OK;
    dlda_shape images = p->network->n_layers ? p->network->layers[0].in : p->shape;
    size_t side = images.height < images.width ? images.height : images.width, least = 0;

    *used = 1;
    p->is_conditional = p->n_words > 2 && strcmp(p->words[p->n_words - 2], "from") == 0;
    if (!p->is_conditional) return DLDA_OK;
    if (strcmp(p->words[0], "input") == 0) DLDA_TRY(syntax(p, "input: unexpected 'from'"));
    DLDA_TRY(whole(p, p->n_words - 1, "from", 1, MOST_SIZE, &least));
    p->n_words -= 2;
    *used = side >= least;
done:
    return status;
}

static dlda_status read_statement(parser *p)
{
    size_t i = 0;

    while (i < N_STATEMENTS && strcmp(statements[i].word, p->words[0]) != 0) i++;
    if (i == N_STATEMENTS) return unknown_word(p);
    if (statements[i].read != read_input && !p->shape.height)
        return syntax(p,
                      "the size of the images is not known: an 'input HEIGHT WIDTH CHANNELS' line must come first");
    dlda_status status = statements[i].read(p);
    if (statements[i].read != read_input) p->statement++;
    return status;
}

/* ---- The whole text ---- */

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

/* The text that is kept states the input shape and the number of outputs, and has only the lines that are used: a model
 * file needs nothing else. */
static dlda_status begin_text(parser *p, const char *text)
{
    size_t size = strlen(text) + 32 * count_lines(text) + 64;

    return DLDA_TAKE(&p->network->text, size, "network text");
}

/* If the text has no input line, puts one in front. */
static void state_input(const parser *p)
{
    dlda_network *network = p->network;
    char line[64];
    int length = snprintf(line, sizeof line, "input %zu %zu %zu\n", network->input.height, network->input.width,
                          network->input.channels);

    if (p->has_input) return;
    memmove(network->text + length, network->text, p->n_kept + 1);
    memcpy(network->text, line, (size_t)length);
}

/* Appends a line that is used, `length` characters with its newline; without `from`, and with a number for `classes`. */
static void keep_line(parser *p, const char *line, size_t length)
{
    char *end = p->network->text + p->n_kept;
    size_t n = 0;

    if (!p->is_conditional && !p->names_classes) {
        memcpy(end, line, length);
        n = length;
    } else
        for (size_t i = 0; i < p->n_words; i++) {
            int is_number = p->names_classes && i == 1;
            if (is_number) n += (size_t)sprintf(end + n, "%zu", p->classes);
            else n += (size_t)sprintf(end + n, "%s", p->words[i]);
            end[n++] = i + 1 < p->n_words ? ' ' : '\n';
        }
    p->n_kept += n;
}

static dlda_status read_line(parser *p, const char *line, size_t length)
{
    dlda_status status = DLDA_OK;
    int used = 1;

    p->line++;
    p->is_conditional = p->names_classes = 0;
    DLDA_TRY(cut_line(p, line, strcspn(line, "\n")));
    if (p->n_words) DLDA_TRY(read_condition(p, &used));
    if (p->n_words && used) DLDA_TRY(read_statement(p));
    if (used) keep_line(p, line, length);
done:
    return status;
}

static dlda_status read_lines(parser *p, const char *text)
{
    dlda_status status = DLDA_OK;

    while (*text) {
        size_t length = strcspn(text, "\n");
        length += text[length] == '\n';
        DLDA_TRY(read_line(p, text, length));
        text += length;
    }
done:
    return status;
}

dlda_status dlda_network_parse(const char *text, const char *where, dlda_shape input, size_t classes,
                               dlda_network **network)
{
    dlda_status status = DLDA_OK;
    parser p = { .where = where, .shape = input, .classes = classes };
    dlda_network *self = NULL;
    size_t most_layers = 3 * count_lines(text); /* a conv line makes up to three layers */

    if ((!input.height != !input.width) || (!input.height != !input.channels))
        DLDA_FAIL(DLDA_E_ARGUMENT, "%s: images of %zux%zux%zu, expected all sizes or none", where, input.height,
                  input.width, input.channels);
    DLDA_TRY(DLDA_TAKE(&self, 1, "network"));
    DLDA_TRY(DLDA_TAKE(&self->layers, most_layers < MOST_LAYERS ? most_layers : MOST_LAYERS, "network layers"));
    p.network = self;
    DLDA_TRY(begin_text(&p, text));
    DLDA_TRY(read_lines(&p, text));
    if (self->n_layers == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: no layers", where);
    self->input = self->layers[0].in;
    self->output = self->layers[self->n_layers - 1].out;
    self->features = dlda_shape_size(self->output);
    if (self->n_weights == 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: no layer has weights: there is nothing to train", where);
    state_input(&p);
    *network = self;
    self = NULL;
done:
    dlda_network_destroy(self);
    return status;
}
