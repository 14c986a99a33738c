/* SPDX-License-Identifier: MIT
 *
 * cmd_predict.c - `deeplda predict`: prints classes and probabilities of images, as CSV or JSON lines.
 *
 * Images come from files, folders, the standard input, or files listed there. A file that cannot be used is
 * reported on stderr, the others are processed, and the exit code is 1. If none can be used there is no
 * output, not even a header.
 */
#include "info/file_kind.h"
#include "lda/apply_lda.h"
#include "predict/predictor.h"
#include "read_data.h"
#include "terminal/line_reader.h"
#include "terminal/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const name = "predict";
static const char *const standard_input = "standard input";

/* ---- Files ---- */

/* 1 for the output of an earlier call in a folder that is searched. A picture is none: it is read, and then refused as
 * output. */
static int is_earlier_output(const predictor *self, const char *path)
{
    const char *format = NULL;
    dlda_read_spec spec = data_spec(name, self->options, path, DLDA_PART_TEST);

    if (!output_is(&self->output, path)) return 0;
    return dlda_dataset_format(&spec, &format) != DLDA_OK || strcmp(format, "picture") != 0;
}

static void predict_folder(predictor *self, const char *folder)
{
    path_list files = { 0 };
    int code = paths_add_folder(&files, name, folder);

    if (code == EXIT_OK && files.count == 0) {
        complain(name, "%s: no pictures in this folder, expected at least 1", folder);
        code = EXIT_FAILED;
    }
    if (code != EXIT_OK) self->failed = 1;
    for (size_t i = 0; i < files.count && !self->lost; i++)
        if (!is_earlier_output(self, files.paths[i])) predictor_add_picture(self, files.paths[i]);
    paths_release(&files);
}

static void tell_bad(void *user, const char *message)
{
    predictor *self = user;

    complain(name, "%s", message);
    self->failed = 1;
}

static void predict_dataset(predictor *self, const char *path)
{
    dlda_dataset *images = NULL;
    dlda_read_spec spec = data_spec(name, self->options, path, DLDA_PART_TEST);

    dlda_read_spec_use_model(&spec, self->model);
    spec.skip_bad = 1;
    spec.user = self;
    spec.problem = tell_bad;
    spec.note = NULL;
    int labelled = option_is(self->options, "truth", "true") && dlda_dataset_has_labels(&spec);
    dlda_status status = labelled ? data_open(&spec, &images) : data_open_images(&spec, &images);
    if (exit_code_of(name, status) == EXIT_OK) predictor_add_dataset(self, path, images);
    else self->failed = 1;
    dlda_dataset_destroy(images);
}

static void predict_path(predictor *self, const char *path)
{
    const char *format = NULL;
    dlda_read_spec spec = data_spec(name, self->options, path, DLDA_PART_TEST);

    if (exit_code_of(name, data_format(&spec, &format)) != EXIT_OK) self->failed = 1;
    else if (strcmp(format, "picture") == 0) predictor_add_picture(self, path);
    else if (strcmp(format, "folder") == 0) predict_folder(self, path);
    else predict_dataset(self, path);
}

/* ---- The standard input ---- */

/* Reads the standard input into new memory; NULL with a message on failure. */
static char *read_all(size_t *size)
{
    const size_t most = (size_t)1 << 30;
    size_t room = 1 << 16;
    char *bytes = malloc(room);
    ssize_t n = 1;

    for (*size = 0; bytes && n > 0 && *size<most; *size += n> 0 ? (size_t)n : 0) {
        if (*size == room) {
            char *larger = realloc(bytes, room *= 2);
            if (!larger) free(bytes);
            bytes = larger;
        }
        do n = bytes ? read(STDIN_FILENO, bytes + *size, room - *size) : 0;
        while (n < 0 && errno == EINTR);
    }
    if (bytes && n == 0) return bytes;
    complain(name, "%s: %s", standard_input, !bytes ? "no memory" : n < 0 ? strerror(errno) : "more than 1 GB");
    free(bytes);
    return NULL;
}

static void predict_input(predictor *self)
{
    size_t size = 0;
    char *bytes = read_all(&size);

    if (bytes) predictor_add_bytes(self, standard_input, "-", bytes, size);
    else self->failed = 1;
    free(bytes);
}

static void complain_nul(const char *line)
{
    complain(name, "%s: a NUL byte after '%s', expected a file name on each line; with --null, names end with NUL",
             standard_input, line);
}

/* Reads file names, one per line. All names that have arrived are processed together before it waits for more. */
static int predict_list(predictor *self)
{
    line_reader *lines = calloc(1, sizeof *lines);
    char *line = NULL;

    if (!lines) {
        complain(name, "no memory to read the list of files");
        return EXIT_FAILED;
    }
    lines->descriptor = STDIN_FILENO;
    lines->end_mark = option_is(self->options, "null", "true") ? '\0' : '\n';
    while (!self->lost && ((line = line_next(lines, self->pictures.count == 0)) || self->pictures.count > 0)) {
        if (!line) {
            predictor_flush(self);
            predictor_report_unfit(self); /* whoever sends names waits for what becomes of them */
        } else if (lines->too_long) {
            complain(name, "%s: a line of more than %d bytes: %.40s...", standard_input, LINE_ROOM, line);
            self->failed = 1;
        } else if (strlen(line) < lines->length) {
            complain_nul(line);
            self->failed = 1;
        } else if (line[0]) predict_path(self, line);
    }
    int code = EXIT_OK;
    if (lines->error) {
        complain(name, "%s: cannot read the list of files: %s", standard_input, strerror(lines->error));
        code = EXIT_FAILED;
    }
    free(lines);
    return code;
}

/* ---- The command ---- */

/* "-" and --list both read the standard input, which can be read only once. */
static int check_words(const cli_arguments *arguments)
{
    int list = option_is(arguments->options, "list", "true");
    size_t inputs = (size_t)list;

    for (size_t i = 1; i < arguments->n_words; i++) inputs += strcmp(arguments->words[i], "-") == 0;
    if (!list && option_is(arguments->options, "null", "true"))
        return complain_usage(name, "--null is for --list, expected both");
    if (arguments->n_words < 2 && !list) return complain_usage(name, "expected MODEL FILE..., or MODEL --list");
    if (inputs > 1)
        return complain_usage(name, "the %s can be read once only, by '-' or by --list", standard_input);
    return EXIT_OK;
}

/* With --truth. */
static void tell_truth(const predictor *self)
{
    size_t known = self->known;

    if (!self->format.truths || !self->begun) return;
    if (known > 0)
        print_to(stderr, "%zu of %zu images with a known class were predicted correctly (%.2f %%)\n", self->right,
                 known, 100 * (double)self->right / (double)known);
    if (self->unknown > 0)
        print_to(stderr, "%zu images have no label and are in no folder named after a class of the model\n",
                 self->unknown);
}

static int predict_all(predictor *self, const cli_arguments *arguments)
{
    int code = output_open(&self->output, name, option_text(arguments->options, "output"));

    if (code != EXIT_OK) return code;
    for (size_t i = 1; i < arguments->n_words && !self->lost; i++) {
        if (strcmp(arguments->words[i], "-") == 0) predict_input(self);
        else predict_path(self, arguments->words[i]);
    }
    if (option_is(arguments->options, "list", "true")) code = predict_list(self);
    predictor_flush(self);
    predictor_report_unfit(self);
    tell_truth(self);
    if (self->failed) code = EXIT_FAILED;
    if (!self->begun) {
        output_discard(&self->output);
        return code;
    }
    int closed = output_close(&self->output);
    return closed != EXIT_OK ? closed : code;
}

static int run_predict(const cli_arguments *arguments)
{
    predictor self = { 0 };
    int code = check_words(arguments);

    if (code == EXIT_OK && file_kind_of(arguments->words[0]) == FILE_KIND_LDA)
        return apply_lda_to_tables(arguments, arguments->words[0]);
    if (code == EXIT_OK) code = predictor_open(&self, name, arguments->words[0], arguments->options);
    if (code == EXIT_OK) code = predict_all(&self, arguments);
    predictor_release(&self);
    return code;
}

const cli_command predict_command = {
    .name = "predict",
    .operands = "MODEL FILE...",
    .least = 1,
    .most = (size_t)-1,
    .summary = "Classify pictures or table rows; print CSV or JSON lines.",
    .details =
        "MODEL is a model file or a run folder. FILE is a PNG or JPEG picture, a folder of pictures (searched "
        "recursively), an array of images "
        "(IDX, .npy), or anything that train takes; - is one picture on the standard input. With --list, "
        "file names are read from the standard input, one per line (with --null: each followed by a NUL byte, as "
        "'find -print0' writes them), and each prediction is printed as "
        "soon as it is available.\n"
        "Each line has the file, the index of the image in it, the class, its probability, and the "
        "probabilities of all classes, or with --top those of the most probable ones. --reject adds the "
        "squared distance to the nearest class and whether the image is too far from all classes. Images "
        "are converted to the model's channels, and resized if the model was trained with --resize, or on "
        "pictures of different sizes, or if --resize is given; otherwise they must have the model's size. A file "
        "that cannot be used is "
        "reported, the others are processed, and the exit status is 1. --truth adds the true class, from the name "
        "of a picture's folder or the labels of a set, and counts the correct predictions.\n"
        "MODEL may also be an LDA of 'deeplda lda --save'; then each FILE is a table of rows to classify.",
    .examples = "deeplda predict run seven.png\n"
                "deeplda predict run photos/ --json --top 3 --reject 0.001\n"
                "deeplda predict run photos/test --truth > answers.csv\n"
                "deeplda predict run/model.safetensors - < seven.png\n"
                "deeplda predict run --list < names.txt > answers.csv\n"
                "find photos -name '*.jpg' -print0 | deeplda predict run --list -0",
    .run = run_predict,
};
