/* SPDX-License-Identifier: MIT
 *
 * answer_lines.c - writes predictions as CSV (RFC 4180) or JSON, one line each.
 *
 *     file,index,class,probability,NAME,NAME,...                                    probabilities of all classes
 *     file,index,class,probability,class_2,probability_2,...                        with top
 *     file,index,class,probability,distance,p_value,rejected,...                    with rejects
 *     file,index,truth,class,probability,...                                        with truths
 */
#include "predict/answer_lines.h"
#include "terminal/csv_out.h"
#include "terminal/json_out.h"
#include "terminal/print.h"

static const char *class_name(const answer_format *self, size_t c)
{
    static char number[24];
    const char *found = self->model ? dlda_model_class_name(self->model, c) : dlda_lda_class_name(self->lda, c);

    snprintf(number, sizeof number, "%zu", c);
    return found ? found : number;
}

static size_t classes_of(const answer_format *self)
{
    return self->model ? dlda_model_classes(self->model) : dlda_lda_classes(self->lda);
}

static size_t classes_shown(const answer_format *self)
{
    size_t classes = classes_of(self);
    return self->top < classes ? self->top : classes;
}

static int is_rejected(const answer_format *self, const answer *one)
{
    return one->p_value <= self->alpha;
}

/* The class after `last` in descending order of scores, ties by index. Scores are compared because different scores
 * can have equal probabilities. `place` counts from 0. */
static size_t next_class(const answer_format *self, const answer *one, size_t place, size_t last)
{
    size_t classes = classes_of(self), best = classes;

    for (size_t c = 0; c < classes; c++) {
        int behind = place == 0 || one->scores[c] < one->scores[last] ||
                     (one->scores[c] == one->scores[last] && c > last);
        if (behind && (best == classes || one->scores[c] > one->scores[best])) best = c;
    }
    return best;
}

/* ---- CSV ---- */

void answer_write_head(const answer_format *self, FILE *file)
{
    if (self->json) return;
    print_to(file, "file,index,%sclass,probability", self->truths ? "truth," : "");
    if (self->rejects) fputs(",distance,p_value,rejected", file);
    for (size_t k = 1; self->top && k < classes_shown(self); k++)
        print_to(file, ",class_%zu,probability_%zu", k + 1, k + 1);
    for (size_t c = 0; !self->top && c < classes_of(self); c++) {
        fputc(',', file);
        csv_text(file, class_name(self, c));
    }
    fputc('\n', file);
}

static void write_csv_top(const answer_format *self, const answer *one, FILE *file)
{
    size_t c = next_class(self, one, 0, 0);

    for (size_t k = 1; k < classes_shown(self); k++) {
        c = next_class(self, one, k, c);
        fputc(',', file);
        csv_text(file, class_name(self, c));
        csv_float(file, one->proba[c]);
    }
}

static void write_csv(const answer_format *self, const answer *one, FILE *file)
{
    csv_text(file, one->file);
    print_to(file, ",%zu,", one->index);
    if (self->truths) {
        csv_text(file, one->truth ? one->truth : "");
        fputc(',', file);
    }
    csv_text(file, class_name(self, (size_t)one->label));
    csv_float(file, one->proba[one->label]);
    if (self->rejects) {
        csv_float(file, (float)one->distance);
        csv_float(file, (float)one->p_value);
        print_to(file, ",%s", is_rejected(self, one) ? "true" : "false");
    }
    if (self->top) write_csv_top(self, one, file);
    for (size_t c = 0; !self->top && c < classes_of(self); c++) csv_float(file, one->proba[c]);
    fputc('\n', file);
}

/* ---- JSON ---- */

static void write_json_class(const answer_format *self, const answer *one, size_t c, json_out *json)
{
    json_key(json, "class");
    json_text(json, class_name(self, c));
    json_key(json, "probability");
    json_float(json, one->proba[c]);
}

static void write_json_top(const answer_format *self, const answer *one, json_out *json)
{
    size_t c = 0;

    json_key(json, "top");
    json_open(json, '[');
    for (size_t k = 0; k < classes_shown(self); k++) {
        c = next_class(self, one, k, c);
        json_open(json, '{');
        write_json_class(self, one, c, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_json_all(const answer_format *self, const answer *one, json_out *json)
{
    json_key(json, "probabilities");
    json_open(json, '{');
    for (size_t c = 0; c < classes_of(self); c++) {
        json_key(json, class_name(self, c));
        json_float(json, one->proba[c]);
    }
    json_close(json, '}');
}

static void write_json(const answer_format *self, const answer *one, FILE *file)
{
    json_out json = { .file = file };

    json_open(&json, '{');
    json_key(&json, "file");
    json_text(&json, one->file);
    json_key(&json, "index");
    json_count(&json, one->index);
    if (self->truths) json_add_text(&json, "truth", one->truth);
    write_json_class(self, one, (size_t)one->label, &json);
    if (self->rejects) {
        json_key(&json, "distance");
        json_float(&json, (float)one->distance);
        json_key(&json, "p_value");
        json_float(&json, (float)one->p_value);
        json_key(&json, "rejected");
        json_raw(&json, is_rejected(self, one) ? "true" : "false");
    }
    if (self->top) write_json_top(self, one, &json);
    else write_json_all(self, one, &json);
    json_close(&json, '}');
    fputc('\n', file);
}

void answer_write(const answer_format *self, const answer *one, FILE *file)
{
    if (self->json) write_json(self, one, file);
    else write_csv(self, one, file);
}
