/* SPDX-License-Identifier: MIT
 *
 * model.h - the inside of a model: preparation of images, network, weights, LDA head, class names, and the options it came from.
 */
#ifndef DLDA_MODEL_MODEL_H
#define DLDA_MODEL_MODEL_H

#include "classify/lda_head.h"
#include "dataset/preparation.h"
#include "network/network.h"

struct dlda_model {
    dlda_preparation *preparation; /* of images; NULL: scale alone */
    dlda_network *network;
    float *weights; /* [n_weights]                                     */
    float *state;   /* [n_state]    batch norm's running statistics    */
    dlda_lda *lda;  /* NULL until it is fitted                         */
    size_t classes;
    char **class_names; /* [classes] */
    char *options;      /* JSON      */
};

typedef struct dlda_model_spec {
    const char *network_text, *where; /* where: name of the text in errors */
    dlda_shape input;                 /* all zero: as the text says        */
    size_t classes;
    const char *const *class_names;
    const char *options;
} dlda_model_spec;

/* A model with zero weights and no head. */
dlda_status dlda_model_create(const dlda_model_spec *spec, dlda_model **model);

/* model_file.c: the class names as a JSON array, to be released with free; NULL if one of them is not valid UTF-8. */
char *dlda_model_names_to_json(const dlda_model *model);

#endif
