/* SPDX-License-Identifier: MIT
 *
 * cmd_data_check.c - `deeplda data check`: reads a whole set and reports its contents and any damage.
 */
#include "data/data.h"
#include "fit.h"
#include "read_data.h"
#include "terminal/json_out.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const name = "data";

enum { PORTION = 64, NAME_COLUMNS = 16, SHOWN_CHANNELS = 4 };

/* ---- Statistics of a part ---- */

typedef struct measures {
    dlda_dataset *dataset;
    size_t *counts;           /* [classes]     */
    double *mean, *deviation; /* [channels]    */
    float least, most;        /* of all values */
} measures;

typedef struct check {
    const cli_arguments *arguments;
    measures parts[2]; /* by dlda_part; dataset is NULL if there is none */
    char **problems;   /* [n_problems]                                   */
    size_t n_problems;
    int misfit;           /* the test part differs from the training part; reported, but not in `problems` */
    int known, published; /* the path names a known set; all its files are as published */
} check;

static const char *const part_names[] = { "training", "test" };

static void note_problem(void *user, const char *message)
{
    check *self = user;
    char **more = realloc(self->problems, (self->n_problems + 1) * sizeof *more);

    complain(name, "%s", message);
    if (!more) return; /* it was printed, at least */
    self->problems = more;
    char *copy = strdup(message);
    if (copy) self->problems[self->n_problems++] = copy;
}

/* What was decided about the data is no damage. */
static void tell_note(void *user, const char *message)
{
    (void)user;
    say_note(name, "%s", message);
}

static void count_classes(measures *part)
{
    for (size_t i = 0; i < dlda_dataset_count(part->dataset); i++) {
        int label = dlda_dataset_label(part->dataset, i);
        if (label >= 0) part->counts[label]++;
    }
}

/* Accumulates sums and sums of squares in mean and deviation. */
static void add_values(measures *part, const float *values, size_t pixels, size_t channels)
{
    for (size_t p = 0; p < pixels; p++)
        for (size_t c = 0; c < channels; c++) {
            float value = values[p * channels + c];
            part->mean[c] += (double)value;
            part->deviation[c] += (double)value * (double)value;
            part->least = fminf(part->least, value);
            part->most = fmaxf(part->most, value);
        }
}

static dlda_status measure_values(measures *part, float *images, size_t pixels)
{
    size_t count = dlda_dataset_count(part->dataset), channels = dlda_dataset_channels(part->dataset);
    double total = (double)count * (double)pixels;

    part->least = INFINITY;
    part->most = -INFINITY;
    for (size_t first = 0; first < count; first += PORTION) {
        size_t n = count - first < PORTION ? count - first : PORTION;
        dlda_status status = dlda_dataset_images(part->dataset, first, n, images);
        if (status != DLDA_OK) return status;
        add_values(part, images, n * pixels, channels);
    }
    for (size_t c = 0; c < channels; c++) {
        part->mean[c] /= total;
        part->deviation[c] = sqrt(fmax(0, part->deviation[c] / total - part->mean[c] * part->mean[c]));
    }
    return DLDA_OK;
}

static int measure(measures *part, const char *path)
{
    size_t channels = dlda_dataset_channels(part->dataset), classes = dlda_dataset_classes(part->dataset);
    size_t pixels = dlda_dataset_height(part->dataset) * dlda_dataset_width(part->dataset);
    float *images = calloc(PORTION * pixels, channels * sizeof *images);
    int code = EXIT_FAILED;

    part->counts = calloc(classes + 1, sizeof *part->counts);
    part->mean = calloc(channels, sizeof *part->mean);
    part->deviation = calloc(channels, sizeof *part->deviation);
    if (images && part->counts && part->mean && part->deviation) {
        count_classes(part);
        code = exit_code_at(name, path, measure_values(part, images, pixels));
    } else {
        complain(name, "%s: no memory", path);
    }
    free(images);
    return code;
}

/* ---- Reading ---- */

static int check_part(check *self, dlda_part part)
{
    dlda_read_spec spec = data_read_spec(self->arguments, part);

    spec.user = self;
    spec.problem = note_problem;
    spec.note = tell_note;
    spec.skip_bad = spec.name_all = 1; /* one bad file does not hide the others */
    data_use_size(&spec, self->parts[DLDA_PART_TRAIN].dataset);
    if (data_open(&spec, &self->parts[part].dataset) != DLDA_OK) {
        note_problem(self, dlda_last_error());
        return EXIT_FAILED;
    }
    return measure(&self->parts[part], spec.path);
}

/* A missing training part is a problem only if there is no test part either. */
static int check_parts(check *self)
{
    const dlda_read_spec train = data_read_spec(self->arguments, DLDA_PART_TRAIN);
    const dlda_read_spec test = data_read_spec(self->arguments, DLDA_PART_TEST);
    int has_test = dlda_dataset_has_part(&test), code = EXIT_OK;

    if ((dlda_dataset_has_part(&train) || !has_test) && check_part(self, DLDA_PART_TRAIN) != EXIT_OK)
        code = EXIT_FAILED;
    if (has_test && check_part(self, DLDA_PART_TEST) != EXIT_OK) code = EXIT_FAILED;
    return code;
}

static int check_that_parts_fit(const check *self)
{
    const dlda_dataset *train = self->parts[DLDA_PART_TRAIN].dataset, *test = self->parts[DLDA_PART_TEST].dataset;
    const char *path = self->arguments->words[1];

    if (!train || !test) return EXIT_OK;
    fit_size wanted = fit_of_training(train);
    int code = fit_images(name, path, "test images", test, &wanted);
    return code == EXIT_OK ? fit_classes(name, path, "test images", test, &wanted) : code;
}

/* The files of a known set must be those published. */
static void verify(check *self)
{
    const char *path = self->arguments->words[1];
    const known_set *set = known_set_find(path);

    self->known = set && access(path, F_OK) != 0 && known_set_is_present(set);
    if (self->known) self->published = known_set_verify(set, self, note_problem) == DLDA_OK;
}

/* ---- Text ---- */

static void print_channels(const char *words, const double *values, size_t channels)
{
    print("  %s", words);
    for (size_t c = 0; c < channels; c++) print(" %.4f", values[c]);
}

static void print_part(const measures *part, const char *what)
{
    const dlda_dataset *data = part->dataset;
    size_t channels = dlda_dataset_channels(data), classes = dlda_dataset_classes(data);

    int is_table = dlda_dataset_height(data) * dlda_dataset_width(data) == 1;

    print("%s part: %zu ", what, dlda_dataset_count(data));
    if (is_table) print("rows of %zu numbers", channels);
    else
        print("images of %zu x %zu x %zu (height, width, channels)", dlda_dataset_height(data),
              dlda_dataset_width(data), channels);
    print(", %zu classes\n", classes);
    print("  values %.6g to %.6g", (double)part->least, (double)part->most);
    if (channels <= SHOWN_CHANNELS) {
        print_channels("mean", part->mean, channels);
        print_channels("deviation", part->deviation, channels);
    }
    fputs("\n  ", stdout);
    table_padded(stdout, "class", NAME_COLUMNS);
    print("  %6s\n", is_table ? "rows" : "images");
    for (size_t c = 0; c < classes; c++) {
        fputs("  ", stdout);
        table_padded(stdout, dlda_dataset_class_name(data, c), NAME_COLUMNS);
        print("  %6zu\n", part->counts[c]);
    }
}

static void print_check(const check *self)
{
    for (int part = 0; part < 2; part++)
        if (self->parts[part].counts) print_part(&self->parts[part], part_names[part]);
    if (self->known) print("files: %s (SHA-256)\n", self->published ? "as published" : "not as published");
    if (self->n_problems > 0) print("problems: %zu, named above\n", self->n_problems);
    else if (!self->misfit) puts("nothing is damaged");
}

/* ---- JSON ---- */

static void write_numbers(json_out *json, const char *key, const double *values, size_t n)
{
    json_key(json, key);
    json_open(json, '[');
    for (size_t i = 0; i < n; i++) json_number(json, values[i]);
    json_close(json, ']');
}

static void write_classes(json_out *json, const measures *part)
{
    json_key(json, "classes");
    json_open(json, '[');
    for (size_t c = 0; c < dlda_dataset_classes(part->dataset); c++) {
        json_open(json, '{');
        json_key(json, "name");
        json_text(json, dlda_dataset_class_name(part->dataset, c));
        json_key(json, "images");
        json_count(json, part->counts[c]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_part(json_out *json, const measures *part, const char *what)
{
    size_t channels = dlda_dataset_channels(part->dataset);

    json_open(json, '{');
    json_key(json, "part");
    json_text(json, what);
    json_key(json, "images");
    json_count(json, dlda_dataset_count(part->dataset));
    json_key(json, "size");
    json_open(json, '[');
    json_count(json, dlda_dataset_height(part->dataset));
    json_count(json, dlda_dataset_width(part->dataset));
    json_count(json, channels);
    json_close(json, ']');
    json_key(json, "least");
    json_float(json, part->least);
    json_key(json, "most");
    json_float(json, part->most);
    write_numbers(json, "mean", part->mean, channels);
    write_numbers(json, "deviation", part->deviation, channels);
    write_classes(json, part);
    json_close(json, '}');
}

static void write_check(const check *self)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_key(&json, "path");
    json_text(&json, self->arguments->words[1]);
    json_key(&json, "parts");
    json_open(&json, '[');
    for (int part = 0; part < 2; part++)
        if (self->parts[part].counts) write_part(&json, &self->parts[part], part_names[part]);
    json_close(&json, ']');
    json_key(&json, "published");
    json_raw(&json, !self->known ? "null" : self->published ? "true" : "false");
    json_key(&json, "problems");
    json_open(&json, '[');
    for (size_t i = 0; i < self->n_problems; i++) json_text(&json, self->problems[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', stdout);
}

/* ---- The verb ---- */

static void release(check *self)
{
    for (int part = 0; part < 2; part++) {
        dlda_dataset_destroy(self->parts[part].dataset);
        free(self->parts[part].counts);
        free(self->parts[part].mean);
        free(self->parts[part].deviation);
    }
    for (size_t i = 0; i < self->n_problems; i++) free(self->problems[i]);
    free(self->problems);
}

int data_check(const cli_arguments *arguments)
{
    check self = { .arguments = arguments };
    int code = check_parts(&self);

    self.misfit = check_that_parts_fit(&self) != EXIT_OK;
    verify(&self);
    if (self.n_problems > 0 || self.misfit) code = EXIT_FAILED;
    if (option_is(arguments->options, "json", "true")) write_check(&self);
    else if (self.parts[DLDA_PART_TRAIN].counts || self.parts[DLDA_PART_TEST].counts) print_check(&self);
    release(&self);
    return code;
}
