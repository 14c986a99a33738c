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
    size_t version; /* of the weights: a trainer replaces them by better ones */
    float *state;   /* [n_state]    batch norm's running statistics    */
    dlda_lda *lda;  /* NULL until it is fitted                         */
    size_t classes;
    char **class_names; /* [classes] */
    char *options;      /* JSON      */
    int softmax;        /* 1: the features are the inputs of a softmax on these classes          */
    int lost_softmax;   /* 1: they were, but the head was refitted and has other classes now     */
    int resized;        /* 1 if it was trained with the option resize: images of any size are welcome */
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

/* From now on the classes are not those of the network's softmax. */
void dlda_model_lose_softmax(dlda_model *model);

/* Whether a model can take a set's images, and its labels; `what` begins the message. */
dlda_status dlda_model_check_images(const dlda_model *model, const dlda_dataset *dataset, const char *what);
dlda_status dlda_model_check_labels(const dlda_model *model, const dlda_dataset *dataset, const char *what);

/* set_features.c: shows `visit` the features H [n][features] of all samples of a set, portion by portion. */
typedef dlda_status dlda_feature_visit(void *context, const float *H, size_t first, size_t n);
dlda_status dlda_model_visit_features(const dlda_model *model, dlda_workspace *workspace,
                                      const dlda_dataset *dataset, dlda_feature_visit *visit, void *context);

/* The threads of a workspace, and how many images it takes at once. */
dlda_team *dlda_workspace_team(const dlda_workspace *workspace);
size_t dlda_workspace_batch(const dlda_workspace *workspace);

#endif
