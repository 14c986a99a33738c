/* SPDX-License-Identifier: MIT
 *
 * model.h - internals of a model: preparation of images, network, weights, LDA head, class names, training options.
 */
#ifndef DLDA_MODEL_MODEL_H
#define DLDA_MODEL_MODEL_H

#include "classify/lda_head.h"
#include "dataset/preparation.h"
#include "network/network.h"

struct dlda_model {
    dlda_preparation *preparation; /* of images; NULL: scaling only */
    dlda_network *network;
    float *weights;                       /* [n_weights]                                     */
    size_t version;                       /* incremented when a trainer replaces the weights */
    float *state;                         /* [n_state]    batch norm's running statistics    */
    dlda_lda *lda;                        /* NULL until fitted                               */
    struct dlda_calibration *calibration; /* NULL: not calibrated */
    size_t classes;
    char **class_names;  /* [classes]                                                         */
    char **columns;      /* [input size]: names of the columns of a table; NULL: none         */
    char *options;       /* JSON                                                              */
    int trained_softmax; /* 1: the network was trained with objective cce or lda-cce */
    int softmax;         /* 1: the features are the logits of a softmax over these classes    */
    int lost_softmax;    /* 1: they were, but the refitted head has other classes             */
    int resized;         /* 1: trained with option resize, so images of any size are accepted */
};

typedef struct dlda_model_spec {
    const char *network_text, *where; /* where: name of the text in errors */
    dlda_shape input;                 /* all zero: as stated in the text   */
    size_t classes;
    const char *const *class_names;
    const char *const *columns; /* [input size]; NULL: they have no names */
    const char *options;
} dlda_model_spec;

/* Creates a model with zero weights and no head. */
dlda_status dlda_model_create(const dlda_model_spec *spec, dlda_model **model);

/* Marks the classes as different from those of the network's softmax. */
void dlda_model_lose_softmax(dlda_model *model);

/* Checks that a model can process a set's images, or its labels; `what` begins the message. */
dlda_status dlda_model_check_images(const dlda_model *model, const dlda_dataset *dataset, const char *what);
/* DLDA_E_RANK if the ranks have different models or data; DLDA_E_ARGUMENT if the data is divided among others. */
dlda_status dlda_model_agree(const dlda_model *model, const dlda_dataset *dataset, const dlda_comm *comm);
dlda_status dlda_model_check_labels(const dlda_model *model, const dlda_dataset *dataset, const char *what);

/* set_features.c: passes the features H [n][features] of all samples of a set to `visit`, portion by portion. */
typedef dlda_status dlda_feature_visit(void *context, const float *H, size_t first, size_t n);
dlda_status dlda_model_visit_features(const dlda_model *model, dlda_workspace *workspace,
                                      const dlda_dataset *dataset, dlda_feature_visit *visit, void *context);

/* The threads of a workspace; its maximum number of images. */
dlda_team *dlda_workspace_team(const dlda_workspace *workspace);
size_t dlda_workspace_batch(const dlda_workspace *workspace);

#endif
