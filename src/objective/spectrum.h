/* SPDX-License-Identifier: MIT
 *
 * spectrum.h - the LDA objectives as functions of the eigenvalues: f(v_1 .. v_K), to be maximised.
 */
#ifndef DLDA_OBJECTIVE_SPECTRUM_H
#define DLDA_OBJECTIVE_SPECTRUM_H

#include "deeplda_lda.h"

/* f of the K >= 1 eigenvalues v, and weights w_j = df/dv_j. Only DLDA_OBJECTIVE_LDA uses `epsilon`. */
double dlda_spectrum_separation(dlda_objective_kind kind, const double *v, size_t K, double epsilon, double *w);

#endif
