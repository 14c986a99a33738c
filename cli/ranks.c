/* SPDX-License-Identifier: MIT
 *
 * ranks.c - the processes of a job: loads libdeeplda_mpi, keeps all ranks but one silent, divides the cores.
 */
#define _GNU_SOURCE
#include "ranks.h"
#include "terminal/print.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char library[] = "libdeeplda_mpi.so.0";

typedef int open_function(dlda_comm *comm, char *why, size_t room);
typedef void close_function(dlda_comm *comm);

static dlda_comm comm;
static close_function *close_comm; /* NULL: there are no ranks */
static int loud = -1;              /* standard error of a rank that is silent */

const dlda_comm *ranks_comm(void)
{
    return close_comm ? &comm : NULL;
}

int ranks_writes(void)
{
    return !close_comm || comm.rank == 0;
}

/* A core of its own is worth more than a half: a rank takes the cores that the launcher gives it, but no more than its part
 * of the machine, since launchers may bind several ranks to one socket. */
static int divide_cores(cli_options *options)
{
    cpu_set_t mine;
    char text[24];
    long all = sysconf(_SC_NPROCESSORS_ONLN);

    if (option_is_given(options, "threads") || sched_getaffinity(0, sizeof mine, &mine) != 0) return EXIT_OK;
    long available = CPU_COUNT(&mine);
    if (available > all / (long)comm.local_size) available = all / (long)comm.local_size;
    snprintf(text, sizeof text, "%ld", available < 1 ? 1 : available);
    return exit_code_of(NULL, option_set(options, "threads", text));
}

static int be_silent(const char *command)
{
    loud = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)) return EXIT_OK;
    complain(command, "--mpi: cannot open /dev/null");
    return EXIT_FAILED;
}

int ranks_open(const char *command, cli_options *options)
{
    char why[512];
    cli_option mpi;

    if (!option_find("mpi", &mpi) || !option_belongs(&mpi, command) || !option_is(options, "mpi", "true"))
        return EXIT_OK;
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL); /* global: parts of MPI look for its symbols */
    if (!handle) {
        complain(command, "--mpi: %s; it comes with deeplda if it is built where MPI is installed (libopenmpi-dev)",
                 dlerror());
        return EXIT_FAILED;
    }
    open_function *open_comm = (open_function *)dlsym(handle, "dlda_mpi_open");
    close_function *found = (close_function *)dlsym(handle, "dlda_mpi_close");
    if (!open_comm || !found) {
        complain(command, "--mpi: %s lacks a function; it is of another version than this program, %s", library,
                 dlda_version());
        return EXIT_FAILED;
    }
    if (open_comm(&comm, why, sizeof why)) {
        complain(command, "--mpi: %s", why);
        return EXIT_FAILED;
    }
    close_comm = found;
    setenv("NO_COLOR", "1", 1); /* mpirun gives rank 0 a terminal as its output, also if its own goes to a file */
    if (comm.rank > 0 && be_silent(command) != EXIT_OK) return EXIT_FAILED;
    return divide_cores(options);
}

/* On the standard error that this rank had before it became silent. */
static void report_loudly(size_t rank)
{
    FILE *file = fdopen(loud, "w");

    if (!file) return;
    print_to(file, "rank %zu: %s\n", rank, last_complaint());
    fclose(file);
    loud = -1;
}

int ranks_close(const char *command, int code)
{
    int failed_here = 0, failed = code != EXIT_OK && code < EXIT_SIGNAL;
    size_t rank = comm.rank;

    if (!close_comm) return code;
    if (failed && !comm.error(comm.user)[0]) comm.fail(comm.user, last_complaint());
    if (!failed && comm.sum(comm.user, NULL, 0)) { /* another rank has failed at the end of its work */
        complain(command, "%s", comm.error(comm.user));
        code = EXIT_FAILED;
    }
    fflush(stdout);
    fflush(stderr);
    failed_here = comm.error(comm.user)[0] && strncmp(comm.error(comm.user), "rank ", 5) != 0;
    close_comm(&comm);
    close_comm = NULL;
    /* Rank 0 prints the cause and ends, and the launcher ends this rank. If it is still there, rank 0 has not heard of it. */
    if (failed_here && loud >= 0) report_loudly(rank);
    return code;
}
