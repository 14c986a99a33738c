/* SPDX-License-Identifier: MIT
 *
 * eval_side.c - reads test data in the form a model takes, and computes its predictions.
 *
 * Two models may need different image sizes and class orders, so each reads the data for itself. The order of the
 * samples is that of the data, so sample i is the same for both.
 */
#include "eval/eval_side.h"
#include "find_model.h"
#include "fit.h"
#include "ranks.h"
#include "read_data.h"

const char eval_name[] = "eval";

static int load_model(eval_side *self)
{
    int code = model_open(eval_name, self->path, &self->model);

    if (code == EXIT_OK && self->kind == DLDA_PROBABILITY_SOFTMAX)
        code = exit_code_at(eval_name, self->path, dlda_model_require_softmax(self->model));
    return code;
}

int eval_side_open(eval_side *self)
{
    if (!answers_is_file(self->path)) return load_model(self);
    return answers_read(&self->answers, eval_name, self->path, ANSWERS_PREDICTED);
}

static int check_fit(const eval_side *self, const char *data, const char *what, const dlda_dataset *set)
{
    fit_size wanted = fit_of_model(self->model);
    int code = fit_images(eval_name, data, what, set, &wanted);

    return code == EXIT_OK ? fit_classes(eval_name, data, what, set, &wanted) : code;
}

int eval_side_read_part(const eval_side *self, const char *data, dlda_part part, const char *what,
                        dlda_dataset **set)
{
    dlda_read_spec spec = data_spec(eval_name, self->run ? self->run->reading : self->options, data, part);

    dlda_read_spec_use_model(&spec, self->model);
    int code = exit_code_of(eval_name, data_open(&spec, set));
    return code == EXIT_OK ? check_fit(self, data, what, *set) : code;
}

int eval_side_read(eval_side *self)
{
    if (!self->model) return EXIT_OK;
    if (!self->run) return eval_side_read_part(self, self->data, DLDA_PART_TEST, "images", &self->test);
    if (run_data_read_test(self->run, self->model, &self->test) == DLDA_OK)
        return check_fit(self, self->data, "images", self->test);
    complain(eval_name, "%s; these are the data of the run %s, others can be named: deeplda eval %s DATA",
             dlda_last_error(), self->run->folder, self->run->folder);
    return EXIT_FAILED;
}

int eval_side_workspace(const eval_side *self, dlda_workspace **workspace)
{
    size_t batch = option_batch(self->options, dlda_dataset_count(self->test));
    size_t threads = (size_t)option_number(self->options, "threads");

    return exit_code_of(eval_name, dlda_workspace_create(self->model, batch, threads, workspace));
}

int eval_side_evaluate(eval_side *self)
{
    dlda_workspace *workspace = NULL;

    if (!self->model) return EXIT_OK;
    int code = eval_side_workspace(self, &workspace);
    if (code == EXIT_OK)
        code = exit_code_at(eval_name, self->data,
                            dlda_model_evaluate_over(ranks_comm(), self->model, workspace, self->test, self->kind,
                                                     &self->evaluation));
    if (code == EXIT_OK)
        code = answers_of_model(&self->answers, eval_name, self->model, self->test, self->evaluation);
    dlda_workspace_destroy(workspace);
    return code;
}

void eval_side_release(eval_side *self)
{
    answers_release(&self->answers);
    dlda_evaluation_destroy(self->evaluation);
    dlda_dataset_destroy(self->test);
    dlda_model_destroy(self->model);
}
