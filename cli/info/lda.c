/* SPDX-License-Identifier: MIT
 *
 * lda.c - describes the file of an LDA without a network.
 */
#include "info/info.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <math.h>
#include <stdio.h>

static const char *const name = "info";

static void write_class_json(json_out *json, const dlda_lda *lda, size_t c)
{
    const char *class_name = dlda_lda_class_name(lda, c);

    json_open(json, '{');
    json_key(json, "name");
    if (class_name) json_text(json, class_name);
    else json_raw(json, "null");
    json_key(json, "rows");
    json_count(json, (size_t)dlda_lda_view_of(lda)->counts[c]);
    json_key(json, "prior");
    json_number(json, dlda_lda_prior(lda, c));
    json_close(json, '}');
}

static void write_json(const dlda_lda *lda)
{
    const dlda_lda_view *view = dlda_lda_view_of(lda);
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_key(&json, "kind");
    json_text(&json, "lda");
    json_key(&json, "features");
    json_count(&json, view->features);
    json_key(&json, "lambda");
    json_number(&json, view->lambda);
    json_key(&json, "classes");
    json_open(&json, '[');
    for (size_t c = 0; c < view->classes; c++) write_class_json(&json, lda, c);
    json_close(&json, ']');
    json_key(&json, "eigenvalues");
    json_open(&json, '[');
    for (size_t k = 0; k < view->n_directions; k++) json_number(&json, view->eigenvalues[k]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', stdout);
}

static void write_text(const dlda_lda *lda, const char *path)
{
    const dlda_lda_view *view = dlda_lda_view_of(lda);

    print("%s: an LDA without a network\n", path);
    print("features    %zu\n", view->features);
    if (isnan(view->lambda)) print("lambda      not known\n");
    else print("lambda      %g\n", view->lambda);
    print("classes     %zu\n\n", view->classes);
    for (size_t c = 0; c < view->classes; c++) {
        if (dlda_lda_class_name(lda, c)) table_full_name(stdout, dlda_lda_class_name(lda, c));
        else print("%zu", c);
        print(": %.0f rows%s\n", view->counts[c], view->counts[c] < 2 ? ", too few to be recognised" : "");
    }
    fputc('\n', stdout);
    table_separation(stdout, lda);
}

int info_show_lda(const char *path, const cli_options *options)
{
    dlda_lda *lda = NULL;
    int code = exit_code_of(name, dlda_lda_load(path, &lda));

    if (code == EXIT_OK && info_is_json(options)) write_json(lda);
    else if (code == EXIT_OK) write_text(lda, path);
    dlda_lda_destroy(lda);
    return code;
}
