/* SPDX-License-Identifier: MIT
 *
 * ranks.h - the processes of a job started by mpirun or srun, for commands with --mpi.
 *
 * libdeeplda_mpi is loaded when --mpi asks for it, so that the program runs where there is no MPI. Rank 0 alone prints and
 * writes files: the output of the other ranks is discarded, and what they complain of is printed by rank 0; by themselves if
 * rank 0 does not listen for too long.
 */
#ifndef DEEPLDA_CLI_RANKS_H
#define DEEPLDA_CLI_RANKS_H

#include "cli.h"
#include "deeplda_comm.h"

/* Joins the ranks of the job if --mpi is given; else does nothing. Divides the cores of a machine among its ranks unless
 * --threads is given. Returns an exit code. */
int ranks_open(const char *command, cli_options *options);

/* All ranks; NULL without --mpi. */
const dlda_comm *ranks_comm(void);
/* 1 on rank 0, and without --mpi. */
int ranks_writes(void);

/* Leaves the job. A failure, which is a `code` other than EXIT_OK and those of signals, ends the work of all ranks. Returns the
 * code, or EXIT_FAILED if another rank has failed since. */
int ranks_close(const char *command, int code);

#endif
