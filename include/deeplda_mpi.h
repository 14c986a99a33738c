/* SPDX-License-Identifier: MIT
 *
 * deeplda_mpi.h - a dlda_comm over MPI, in a small library of its own, libdeeplda_mpi. libdeeplda never needs MPI.
 *
 *     char why[256];
 *     dlda_comm comm;
 *     if (dlda_mpi_open(&comm, why, sizeof why)) ...          all ranks of the job
 *     dlda_trainer_create_over(&comm, options, train, NULL, &trainer); ...
 *     dlda_mpi_close(&comm);
 *
 * It needs MPI with MPI_THREAD_SERIALIZED or more. While sums are under way, a thread of its own moves them along.
 */
#ifndef DEEPLDA_MPI_H
#define DEEPLDA_MPI_H

#include "deeplda_comm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a comm of all ranks of the job (MPI_COMM_WORLD). Initialises MPI unless that was done. Returns 0; or another value,
 * with a sentence in `why`. */
DLDA_API int dlda_mpi_open(dlda_comm *comm, char *why, size_t room);

/* The same for another communicator: `communicator` points to an MPI_Comm. Called by all its ranks. */
DLDA_API int dlda_mpi_open_for(const void *communicator, dlda_comm *comm, char *why, size_t room);

/* Ends the comm, and MPI if dlda_mpi_open has initialised it; all ranks call it. After a failure it waits up to 20 seconds
 * for the others to end too, and then aborts the job. */
DLDA_API void dlda_mpi_close(dlda_comm *comm);

#ifdef __cplusplus
}
#endif

#endif
