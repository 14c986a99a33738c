/* SPDX-License-Identifier: MIT
 *
 * sample_answers.c - writes, reads and compares the predictions of classifiers for the samples of a set.
 */
#include "eval/sample_answers.h"
#include "terminal/csv_out.h"
#include "terminal/output.h"
#include "terminal/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int take(sample_answers *self, const char *command, size_t count)
{
    self->files = calloc(count + 1, sizeof *self->files);
    self->truths = calloc(count + 1, sizeof *self->truths);
    self->predicted = calloc(count + 1, sizeof *self->predicted);
    if (self->files && self->truths && self->predicted) return EXIT_OK;
    complain(command, "no memory for the answers to %zu samples", count);
    return EXIT_FAILED;
}

void answers_release(sample_answers *self)
{
    free(self->files);
    free(self->truths);
    free(self->predicted);
    free(self->text);
    *self = (sample_answers){ 0 };
}

int answers_is_file(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".csv") == 0;
}

int answers_of_model(sample_answers *self, const char *command, const dlda_model *model,
                     const dlda_dataset *samples, const dlda_evaluation *evaluation)
{
    *self = (sample_answers){ 0 };
    int code = take(self, command, evaluation->samples);

    for (size_t i = 0; code == EXIT_OK && i < evaluation->samples; i++) {
        const char *file = dlda_dataset_sample_file(samples, i);
        self->files[i] = file ? file : "";
        self->truths[i] = dlda_model_class_name(model, (size_t)dlda_dataset_label(samples, i));
        self->predicted[i] = dlda_model_class_name(model, (size_t)evaluation->predicted[i]);
        self->count++;
    }
    return code;
}

/* ---- Writing ---- */

static void write_lines(FILE *file, const sample_answers *self, const dlda_evaluation *evaluation,
                        const sample_answers *svm)
{
    print_to(file, "index,file,truth,%s,probability%s\n", ANSWERS_PREDICTED, svm ? "," ANSWERS_SVM : "");
    for (size_t i = 0; i < self->count; i++) {
        print_to(file, "%zu,", i);
        csv_text(file, self->files[i]);
        fputc(',', file);
        csv_text(file, self->truths[i]);
        fputc(',', file);
        csv_text(file, self->predicted[i]);
        csv_float(file, evaluation->confidence[i]);
        if (svm) fputc(',', file);
        if (svm) csv_text(file, svm->predicted[i]);
        fputc('\n', file);
    }
}

int answers_write(const char *command, const char *path, const sample_answers *self,
                  const dlda_evaluation *evaluation, const sample_answers *svm)
{
    cli_output output;
    int code = output_open(&output, command, path);

    if (code != EXIT_OK) return code;
    write_lines(output.file, self, evaluation, svm);
    return output_close(&output);
}

/* ---- Reading ---- */

enum { INDEX, FILE_NAME, TRUTH, ANSWER, N_COLUMNS, MOST_FIELDS = 32 };

typedef struct answers_reader {
    const char *command, *path;
    char *at;    /* unread text         */
    size_t line; /* line number, from 1 */
    char *fields[MOST_FIELDS];
    size_t n_fields;         /* of the current line                         */
    size_t width;            /* fields in the first line                    */
    size_t place[N_COLUMNS]; /* index of each known column among the fields */
} answers_reader;

static int complain_line(const answers_reader *self, const char *found)
{
    complain(self->command, "%s: line %zu: %s; expected what 'deeplda eval --answers' writes", self->path,
             self->line, found);
    return EXIT_FAILED;
}

/* Reads a whole file as text, with room for one more byte. */
static int read_text(const char *command, const char *path, char **text)
{
    FILE *file = fopen(path, "re");
    size_t used = 0, room = 0, got = 1;
    char *bytes = NULL;

    while (file && got > 0 && !ferror(file)) {
        char *more = room - used < 2 ? realloc(bytes, room = 2 * room + 65536) : bytes;
        if (!more) break;
        bytes = more;
        used += got = fread(bytes + used, 1, room - used - 1, file);
    }
    int good = file && got == 0 && !ferror(file);
    if (!good) complain(command, "%s: cannot read: %s", path, strerror(errno));
    if (file) fclose(file);
    if (good) bytes[used] = '\0';
    if (good && strlen(bytes) != used) {
        complain(command, "%s: not a text; expected what 'deeplda eval --answers' writes", path);
        good = 0;
    }
    if (good) *text = bytes;
    else free(bytes);
    return good ? EXIT_OK : EXIT_FAILED;
}

/* Copies a field to its start, without its quotes. */
static char *unquote(answers_reader *self, char *out)
{
    char *at = self->at;

    if (*at != '"') {
        while (*at && *at != ',' && *at != '\n' && !(at[0] == '\r' && at[1] == '\n')) *out++ = *at++;
    } else {
        for (at++; *at && !(at[0] == '"' && at[1] != '"'); *out++ = *at++)
            if (*at == '"') at++;
        at += *at == '"';
    }
    self->at = at;
    return out;
}

/* Splits the next line into fields. */
static int next_line(answers_reader *self)
{
    char end = ',';

    self->line++;
    for (self->n_fields = 0; end == ','; self->n_fields++) {
        char *field = self->at, *out = unquote(self, field);
        if (self->at[0] == '\r' && self->at[1] == '\n') self->at++;
        end = *self->at;
        if (end && end != ',' && end != '\n') return complain_line(self, "text behind a closing quote");
        if (end) self->at++;
        *out = '\0';
        if (self->n_fields == MOST_FIELDS) return complain_line(self, "too many fields");
        self->fields[self->n_fields] = field;
    }
    return EXIT_OK;
}

static int read_head(answers_reader *self, const char *answer)
{
    const char *const names[N_COLUMNS] = { "index", "file", "truth", answer };
    int code = next_line(self);

    self->width = self->n_fields;
    for (size_t c = 0; code == EXIT_OK && c < N_COLUMNS; c++) {
        size_t k = 0;
        while (k < self->width && strcmp(self->fields[k], names[c]) != 0) k++;
        self->place[c] = k;
        if (k < self->width) continue;
        complain(self->command, "%s: no column '%s'; expected what 'deeplda eval --answers%s' writes", self->path,
                 names[c], strcmp(names[c], ANSWERS_SVM) == 0 ? " --svm" : "");
        code = EXIT_FAILED;
    }
    return code;
}

static int read_answer(answers_reader *reader, sample_answers *self)
{
    char index[32];
    int code = next_line(reader);

    if (code != EXIT_OK) return code;
    if (reader->n_fields != reader->width) return complain_line(reader, "not as many fields as in the first line");
    snprintf(index, sizeof index, "%zu", self->count);
    if (strcmp(reader->fields[reader->place[INDEX]], index) != 0)
        return complain_line(reader, "the index does not count the samples from 0");
    self->files[self->count] = reader->fields[reader->place[FILE_NAME]];
    self->truths[self->count] = reader->fields[reader->place[TRUTH]];
    self->predicted[self->count] = reader->fields[reader->place[ANSWER]];
    self->count++;
    return EXIT_OK;
}

static size_t count_lines(const char *text)
{
    size_t lines = 1;

    for (; *text; text++) lines += *text == '\n';
    return lines;
}

int answers_read(sample_answers *self, const char *command, const char *path, const char *column)
{
    answers_reader reader = { .command = command, .path = path };

    *self = (sample_answers){ 0 };
    int code = read_text(command, path, &self->text);
    if (code == EXIT_OK) code = take(self, command, count_lines(self->text));
    reader.at = self->text;
    if (code == EXIT_OK) code = read_head(&reader, column);
    while (code == EXIT_OK && *reader.at) code = read_answer(&reader, self);
    if (code == EXIT_OK && self->count == 0) {
        complain(command, "%s: no answers in this file", path);
        code = EXIT_FAILED;
    }
    if (code != EXIT_OK) answers_release(self);
    return code;
}

/* ---- Comparing ---- */

static int complain_sample(const char *command, const answers_pair *pair, size_t i, const char *what,
                           const char *const values[2])
{
    complain(command,
             "%s, %s: sample %zu has the %s '%s' in one and '%s' in the other; a pair needs the same samples",
             pair->first_name, pair->second_name, i, what, values[0], values[1]);
    return EXIT_FAILED;
}

static int check_sample(const char *command, const answers_pair *pair, size_t i)
{
    const char *const files[] = { pair->first->files[i], pair->second->files[i] };
    const char *const truths[] = { pair->first->truths[i], pair->second->truths[i] };

    if (strcmp(files[0], files[1]) != 0) return complain_sample(command, pair, i, "file", files);
    if (strcmp(truths[0], truths[1]) != 0) return complain_sample(command, pair, i, "true class", truths);
    return EXIT_OK;
}

static int is_right(const sample_answers *self, size_t i)
{
    return strcmp(self->predicted[i], self->truths[i]) == 0;
}

int answers_compare(const char *command, const answers_pair *pair, stat_pairs *counts)
{
    int code = EXIT_OK;

    if (pair->first->count != pair->second->count) {
        complain(command, "%s has answers to %zu samples, %s to %zu; a pair needs the same samples",
                 pair->first_name, pair->first->count, pair->second_name, pair->second->count);
        return EXIT_FAILED;
    }
    *counts = (stat_pairs){ 0 };
    for (size_t i = 0; code == EXIT_OK && i < pair->first->count; i++) {
        code = check_sample(command, pair, i);
        stat_pairs_add(counts, is_right(pair->first, i), is_right(pair->second, i));
    }
    return code;
}
