/* SPDX-License-Identifier: MIT
 *
 * mistakes.c - sorts samples by how hard they are, and prints the worst mistakes.
 */
#include "eval/mistakes.h"
#include "base/memory.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <stdlib.h>
#include <string.h>

/* ---- The order ---- */

typedef struct hard_sample {
    float truth, predicted; /* probabilities */
    size_t index;
} hard_sample;

static int compare(const void *a, const void *b)
{
    const hard_sample *one = a, *other = b;

    if (one->truth != other->truth) return one->truth < other->truth ? -1 : 1;
    if (one->predicted != other->predicted) return one->predicted > other->predicted ? -1 : 1;
    return one->index < other->index ? -1 : 1;
}

dlda_status hardest_first(const dlda_evaluation *evaluation, const int *truth, size_t most, size_t **order,
                          size_t *count)
{
    dlda_status status = DLDA_OK;
    hard_sample *hard = NULL;
    size_t found = 0;

    DLDA_TRY(DLDA_TAKE(&hard, evaluation->samples, "hardest samples"));
    for (size_t i = 0; i < evaluation->samples; i++)
        if (!truth || evaluation->predicted[i] != truth[i])
            hard[found++] = (hard_sample){ evaluation->p_truth[i], evaluation->confidence[i], i };
    qsort(hard, found, sizeof *hard, compare);
    *count = found < most ? found : most;
    DLDA_TRY(DLDA_TAKE(order, *count, "hardest samples"));
    for (size_t i = 0; i < *count; i++) (*order)[i] = hard[i].index;
done:
    dlda_release(hard);
    return status;
}

/* ---- Printing ---- */

static const char *true_class(const mistake_list *self, size_t sample)
{
    return dlda_model_class_name(self->model, (size_t)dlda_dataset_label(self->samples, sample));
}

static const char *predicted_class(const mistake_list *self, size_t sample)
{
    return dlda_model_class_name(self->model, (size_t)self->evaluation->predicted[sample]);
}

void mistakes_write_json(const mistake_list *self, json_out *json)
{
    json_key(json, "mistakes");
    json_open(json, '[');
    for (size_t i = 0; i < self->count; i++) {
        size_t sample = self->order[i];
        json_open(json, '{');
        json_add_text(json, "file", dlda_dataset_sample_file(self->samples, sample));
        json_add_count(json, "index", dlda_dataset_sample_index(self->samples, sample));
        json_add_text(json, "truth", true_class(self, sample));
        json_add_text(json, "predicted", predicted_class(self, sample));
        json_key(json, "probability");
        json_float(json, self->evaluation->confidence[sample]);
        json_key(json, "probability_of_truth");
        json_float(json, self->evaluation->p_truth[sample]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* The file of a sample, or its index if one file has many. */
static void print_sample(FILE *file, const char *name, size_t index, size_t columns)
{
    if (name) table_padded(file, name, columns);
    else print_to(file, "%*zu", (int)columns, index);
}

/* Columns for the longest name, at least `least`. Bytes are counted, which may be more than characters. */
static size_t widest(size_t least, const char *name)
{
    size_t length = name ? strlen(name) : 0;

    return length > least ? length : least;
}

void mistakes_write_text(const mistake_list *self, FILE *file)
{
    size_t all = self->evaluation->samples - self->evaluation->correct;
    size_t names = strlen("predicted"), files = strlen("index");

    if (self->count == 0) {
        fputs("no mistakes\n", file);
        return;
    }
    for (size_t i = 0; i < self->count; i++) {
        size_t sample = self->order[i];
        files = widest(files, dlda_dataset_sample_file(self->samples, sample));
        names = widest(widest(names, true_class(self, sample)), predicted_class(self, sample));
    }
    print_to(file, "worst %zu of %zu mistakes: the lowest probabilities of the true class\n", self->count, all);
    table_padded(file, dlda_dataset_sample_file(self->samples, 0) ? "file" : "index", files);
    fputs("  ", file);
    table_padded(file, "true", names);
    fputs("  ", file);
    table_padded(file, "predicted", names);
    fputs("  probability  of the true class\n", file);
    for (size_t i = 0; i < self->count; i++) {
        size_t sample = self->order[i];
        print_sample(file, dlda_dataset_sample_file(self->samples, sample),
                     dlda_dataset_sample_index(self->samples, sample), files);
        fputs("  ", file);
        table_padded(file, true_class(self, sample), names);
        fputs("  ", file);
        table_padded(file, predicted_class(self, sample), names);
        print_to(file, "  %11.4f  %17.4g\n", (double)self->evaluation->confidence[sample],
                 (double)self->evaluation->p_truth[sample]);
    }
}
