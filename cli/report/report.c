/* SPDX-License-Identifier: MIT
 *
 * report.c - creates a report: runs are added, then figures and the page are written.
 */
#include "report/report.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 5 };

dlda_status report_create(const report_spec *spec, training_report **report)
{
    dlda_status status = DLDA_OK;
    training_report *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "report"));
    DLDA_TRY(dlda_take_text(spec->folder, &self->folder));
    DLDA_TRY(dlda_path_join(spec->folder, "figures", &self->figures_folder));
    if (spec->title) self->title = display_clean(spec->title, 120);
    self->directions = spec->directions ? spec->directions : DIRECTIONS;
    if (self->directions < 2) self->directions = 2;
    self->threads = spec->threads;
    self->refresh = spec->refresh;
    self->user = spec->user;
    self->problem = spec->problem;
    *report = self;
    self = NULL;
done:
    report_destroy(self);
    return status;
}

static void release_item(report_item *item)
{
    run_folder_release(&item->folder);
    test_answers_destroy(item->answers);
    hardest_release(&item->hardest);
    dlda_release(item->eigenvalues);
    *item = (report_item){ 0 };
}

void report_destroy(training_report *self)
{
    if (!self) return;
    for (size_t r = 0; r < self->n_runs; r++) release_item(&self->runs[r]);
    dlda_release(self->runs);
    dlda_release(self->figures);
    dlda_release(self->folder);
    dlda_release(self->figures_folder);
    dlda_release(self);
}

/* ---- Runs ---- */

/* The last component of a path, without trailing slashes; the whole path if that is not a name. */
static display_text name_of(const char *folder)
{
    display_text path = display_clean(folder, 200);
    size_t n = strlen(path.text);

    while (n > 1 && path.text[n - 1] == '/') path.text[--n] = '\0';
    const char *last = dlda_path_name(path.text);
    return strcmp(last, ".") == 0 || strcmp(last, "..") == 0 || !last[0] ? path : display_format("%s", last);
}

/* Those of the model; without one, those of the selected epoch, or else of the last. */
static dlda_status find_eigenvalues(report_item *item, const dlda_model *model)
{
    dlda_status status = DLDA_OK;
    const number_table *table = &item->folder.eigenvalues;
    size_t count = 0, row = table->rows;
    const double *values = model ? dlda_lda_eigenvalues(dlda_model_lda(model), &count) : NULL;

    if (!values && table->rows > 0 && table->columns > 1) {
        double kept = run_folder_at(&item->folder, item->folder.kept, "epoch");
        while (row > 1 && number_table_at(table, row - 1, 0) != kept) row--;
        if (number_table_at(table, row - 1, 0) != kept) row = table->rows;
        values = table->values + (row - 1) * table->columns + 1;
        while (count + 1 < table->columns && !isnan(values[count])) count++;
    }
    DLDA_TRY(DLDA_TAKE(&item->eigenvalues, count + 1, "eigenvalues"));
    if (values) memcpy(item->eigenvalues, values, count * sizeof *values);
    item->n_eigenvalues = count;
done:
    return status;
}

static dlda_status test_model(const training_report *self, const report_run *run, report_item *item)
{
    dlda_status status = DLDA_OK;
    const test_answers_spec spec = { run->model, run->samples, run->part ? run->part : "test", self->threads };

    if (!run->model || !run->samples) {
        item->no_answers = display_clean(
            run->no_samples ? run->no_samples : "There are no samples to test the model on.", 400);
        return DLDA_OK;
    }
    status = test_answers_create(&spec, &item->answers);
    if (status == DLDA_E_SHAPE ||
        status == DLDA_E_NUMERIC) { /* incompatible data: the rest of the report is possible */
        item->no_answers = display_clean(dlda_last_error(), 400);
        return dlda_name_list_add(&item->folder.problems, item->no_answers.text, strlen(item->no_answers.text));
    }
    return status == DLDA_OK ? hardest_find(item->answers, run->samples, &item->hardest) : status;
}

static void tell_problems(const training_report *self, const report_item *item)
{
    for (size_t i = 0; self->problem && i < item->folder.problems.count; i++)
        self->problem(self->user, dlda_name_list_at(&item->folder.problems, i));
}

dlda_status report_add(training_report *self, const report_run *run)
{
    dlda_status status = DLDA_OK;
    report_item item = { 0 };

    DLDA_TRY(run_folder_read(run->folder, &item.folder));
    item.name = run->name ? display_clean(run->name, 120) : name_of(run->folder);
    DLDA_TRY(find_eigenvalues(&item, run->model));
    DLDA_TRY(test_model(self, run, &item));
    if (self->n_runs == self->room) {
        DLDA_TRY(DLDA_ENLARGE(&self->runs, self->n_runs, 2 * self->room + 4, "runs"));
        self->room = 2 * self->room + 4;
    }
    tell_problems(self, &item);
    self->runs[self->n_runs++] = item;
    item = (report_item){ 0 };
done:
    release_item(&item);
    return status;
}

int report_is_running(const training_report *self)
{
    for (size_t r = 0; r < self->n_runs; r++)
        if (self->runs[r].folder.end == RUN_END_RUNNING || self->runs[r].folder.end == RUN_END_BEGUN) return 1;
    return 0;
}

/* ---- Figures ---- */

static figure_maker *const of_all_runs[] = { figure_learning_curves, figure_structure };
static figure_maker *const of_each_run[] = { figure_mean_eigenvalue, figure_eigenvalues, figure_confusion,
                                             figure_reliability,     figure_projection,  figure_histograms };
enum { N_ALL = sizeof of_all_runs / sizeof of_all_runs[0], N_EACH = sizeof of_each_run / sizeof of_each_run[0] };

static dlda_status write_hardest(const training_report *self, size_t r)
{
    dlda_status status = DLDA_OK;
    const report_item *item = &self->runs[r];
    char *picture = NULL, *table = NULL;
    display_text name = self->n_runs > 1 ? display_format("run%zu-hardest", r + 1) : display_format("hardest");

    if (!item->answers) return DLDA_OK;
    DLDA_TRY(dlda_path_join(self->figures_folder, display_format("%s.png", name.text).text, &picture));
    DLDA_TRY(dlda_path_join(self->figures_folder, display_format("%s.csv", name.text).text, &table));
    if (item->hardest.pictures) DLDA_TRY(hardest_write_sheet(&item->hardest, item->answers, picture));
    DLDA_TRY(hardest_write_table(&item->hardest, item->answers, table));
done:
    dlda_release(picture);
    dlda_release(table);
    return status;
}

static void make_title(training_report *self)
{
    display_text title = display_format("%s", self->n_runs == 1 ? "Run " : "Runs ");

    if (self->title.text[0]) return;
    for (size_t r = 0; r < self->n_runs; r++)
        title = display_format("%s%s%s", title.text, r ? ", " : "",
                               display_clean(self->runs[r].name.text, 40).text);
    self->title = display_clean(title.text, 120);
}

dlda_status report_write_figures(training_report *self)
{
    dlda_status status = DLDA_OK;

    if (self->n_runs == 0) DLDA_FAIL(DLDA_E_ARGUMENT, "report: 0 runs, expected at least 1");
    make_title(self);
    DLDA_TRY(report_prepare_folder(self->folder));
    dlda_release(self->figures);
    self->n_figures = 0;
    DLDA_TRY(DLDA_TAKE(&self->figures, N_ALL + self->n_runs * N_EACH, "figures"));
    for (size_t i = 0; i < N_ALL + self->n_runs * N_EACH; i++) {
        report_figure *figure = &self->figures[i];
        figure->run = i < N_ALL ? ALL_RUNS : (int)((i - N_ALL) / N_EACH);
        DLDA_TRY(i < N_ALL ? of_all_runs[i](self, figure) : of_each_run[(i - N_ALL) % N_EACH](self, figure));
        self->n_figures = i + 1;
    }
    for (size_t r = 0; r < self->n_runs; r++) DLDA_TRY(write_hardest(self, r));
done:
    return status;
}

const char *report_figure_name(const training_report *self, size_t i)
{
    for (size_t f = 0; f < self->n_figures; f++)
        if (!self->figures[f].missing.text[0] && !self->figures[f].omitted && i-- == 0)
            return self->figures[f].name;
    return NULL;
}

dlda_status report_write_page(const training_report *self)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    if (self->n_figures == 0) DLDA_FAIL(DLDA_E_ARGUMENT, "report: figures must be written before the page");
    DLDA_TRY(dlda_path_join(self->folder, "report.html", &path));
    DLDA_TRY(report_write_html(self, path));
done:
    dlda_release(path);
    return status;
}
