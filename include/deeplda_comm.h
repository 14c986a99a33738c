/* SPDX-License-Identifier: MIT
 *
 * deeplda_comm.h - several processes, called ranks, that work on one training or one data set.
 *
 * A dlda_comm is a small table of functions through which the ranks add and exchange numbers. libdeeplda calls them and
 * starts nothing itself. libdeeplda_mpi (deeplda_mpi.h) makes one of an MPI communicator; any other way of sending bytes
 * can provide one. Wherever the library takes a dlda_comm, NULL stands for a single process.
 *
 * All ranks call the same functions of the library in the same order, with the same options and the same data. The
 * objective is that of the whole batch (docs/scaling.md): only sums travel, and each of them is the sum over all rows.
 */
#ifndef DEEPLDA_COMM_H
#define DEEPLDA_COMM_H

#include "deeplda.h"
#include "deeplda_lda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each of the functions that return int gives 0, or another value when this or any other rank has failed; from then on
 * all of them do, and error() says which rank and why. `sum` leaves the same bits on all ranks. All but `exchange` are
 * called from one thread; `exchange` may run beside them, from another one. */
typedef struct dlda_comm {
    void *user;        /* first argument of each function                      */
    size_t rank, size; /* this process, from 0, and their number               */
    size_t local_size; /* ranks on this machine, which share its cores         */
    /* Replaces values [n] by their sums over all ranks. n may be 0: the ranks wait for each other. */
    int (*sum)(void *user, double *values, size_t n);
    /* The same for floats, in the background: the values must not be touched until end_sums has returned, which waits
     * for all sums that were begun. */
    int (*begin_sum)(void *user, float *values, size_t n);
    int (*end_sums)(void *user);
    /* Copies the bytes [n] of rank 0 to all ranks. */
    int (*broadcast)(void *user, void *bytes, size_t n);
    /* Sends to[r] bytes to each rank r and receives from[r] bytes from it; both arrays are in the order of the ranks. */
    int (*exchange)(void *user, const void *sent, const size_t *to, void *received, const size_t *from);
    /* Makes the calls of all other ranks fail with "rank R: message". May wait some seconds until they know. */
    void (*fail)(void *user, const char *message);
    /* Why a call failed; "" if none has. Valid as long as the comm. */
    const char *(*error)(void *user);
    /* Seconds that this rank has waited for others so far. */
    double (*waited)(void *user);
} dlda_comm;

/* As dlda_trainer_create, for a training by all ranks, each of which then calls the same functions of its trainer. The rows
 * of each batch are divided among the ranks. Rank 0 alone writes a record and should alone print. The comm must outlive the
 * trainer; NULL: one process. */
DLDA_API dlda_status dlda_trainer_create_over(const dlda_comm *comm, const dlda_options *options,
                                              const dlda_dataset *train, const dlda_dataset *validation,
                                              dlda_trainer **trainer);

/* Keeps a share of the images in the memory of each rank, of a set that all ranks have read alike, and of all sets that share
 * its images. From then on, images that a rank needs for a batch come from the rank that has them. Labels and sizes remain
 * those of the whole set; dlda_dataset_images is for samples of this rank only. No other thread may use these sets during
 * the call. `comm` may be NULL: one process. */
DLDA_API dlda_status dlda_dataset_keep_share(dlda_dataset *dataset, const dlda_comm *comm);

/* As dlda_model_evaluate and dlda_model_write_features: ranks divide the samples, and all get the result; rank 0 writes the
 * file. The features are written of data that every rank holds whole. `comm` may be NULL: one process. */
DLDA_API dlda_status dlda_model_evaluate_over(const dlda_comm *comm, const dlda_model *model,
                                              dlda_workspace *workspace, const dlda_dataset *dataset,
                                              dlda_probability kind, dlda_evaluation **evaluation);
DLDA_API dlda_status dlda_model_write_features_over(const dlda_comm *comm, const dlda_model *model,
                                                    dlda_workspace *workspace, const dlda_dataset *dataset, int raw,
                                                    const char *path);

/* As dlda_table_open, for a table whose rows are divided among the ranks in their order: whole files or, with fewer files
 * than ranks, rows of a file. Then dlda_table_fit_lda and dlda_table_transform work over all ranks, each of which calls them:
 * all get the same result, rank 0 writes the file. Numbers of rows and classes are those of all ranks; dlda_table_read gives
 * the rows of this one. The comm must outlive the table; NULL: one process. */
DLDA_API dlda_status dlda_table_open_over(const dlda_comm *comm, const dlda_table_spec *spec, dlda_table **table);

#ifdef __cplusplus
}
#endif

#endif
