/* SPDX-License-Identifier: MIT
 *
 * child.c - runs another program and waits for it.
 *
 * By fork and exec, since posix_spawn cannot say that a child is to die with its parent.
 */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Signals that are for the child ---- */

static const int passed_on[] = { SIGINT, SIGTERM };
enum { N_PASSED = sizeof passed_on / sizeof passed_on[0] };

static volatile sig_atomic_t noted_signal, running_child;

/* What a terminal sends goes to all programs in its foreground, so to the child as well; what a process sends to us
 * does not. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    noted_signal = number;
    if (running_child && info->si_code <= 0) kill((pid_t)running_child, number);
}

static void watch_signals(struct sigaction before[N_PASSED])
{
    struct sigaction ours = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };

    noted_signal = 0;
    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < N_PASSED; i++) {
        sigaction(passed_on[i], NULL, &before[i]);
        /* One that is ignored, as under nohup, stays ignored. */
        if (before[i].sa_handler != SIG_IGN) sigaction(passed_on[i], &ours, NULL);
    }
}

static void leave_signals(const struct sigaction before[N_PASSED])
{
    for (int i = 0; i < N_PASSED; i++) sigaction(passed_on[i], &before[i], NULL);
}

/* ---- Starting ---- */

static int redirect(int from, const char *path, int flags)
{
    int file = open(path, flags);

    if (file < 0 || dup2(file, from) < 0) return 0;
    if (file != from) close(file);
    return 1;
}

static int prepare(const cli_child *child, pid_t parent)
{
    if (child->dies_with_us && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)) return 0;
    if (!redirect(STDIN_FILENO, "/dev/null", O_RDONLY)) return 0;
    if (child->output ? dup2(child->output, STDOUT_FILENO) < 0 : !redirect(STDOUT_FILENO, "/dev/null", O_WRONLY))
        return 0;
    return !child->folder || chdir(child->folder) == 0;
}

/* In the new process, until it becomes another program; if it cannot, `report` gets the error number. */
static _Noreturn void become(const cli_child *child, pid_t parent, const sigset_t *mask, int report)
{
    if (child->stopped)
        for (int i = 0; i < N_PASSED; i++) {
            struct sigaction now;
            if (sigaction(passed_on[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
                signal(passed_on[i], SIG_DFL);
        }
    sigprocmask(SIG_SETMASK, mask, NULL);
    /* The words are not changed; the type of argv is older than const. */
    if (prepare(child, parent)) execvp(child->argv[0], (char *const *)child->argv);
    int error = errno;
    _exit(write(report, &error, sizeof error) == sizeof error ? 127 : 126);
}

/* Gives 0 or an error number. */
static int start(const cli_child *child, pid_t *pid)
{
    int report[2], error = 0;
    pid_t parent = getpid();
    sigset_t all, before;

    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);           /* until it is known to whom signals go */
    if (child->stopped && noted_signal) error = EINTR; /* one came before */
    else *pid = fork();
    if (!error && *pid == 0) become(child, parent, &before, report[1]);
    if (*pid < 0) error = errno;
    else if (!error) running_child = (sig_atomic_t)*pid;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(report[1]);
    if (!error && read(report[0], &error, sizeof error) == sizeof error) waitpid(*pid, NULL, 0);
    close(report[0]);
    return error;
}

/* ---- Waiting ---- */

static void wait_a_moment(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
}

static int wait_for(const cli_child *child, pid_t pid)
{
    pid_t ended = 0;
    int status = 0;

    while ((ended = waitpid(pid, &status, child->tick ? WNOHANG : 0)) != pid) {
        if (ended < 0 && errno != EINTR) return -1;
        if (ended == 0) wait_a_moment();
        if (child->tick) child->tick(child->user);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int child_run(const cli_child *child)
{
    struct sigaction before[N_PASSED];
    pid_t pid = 0;

    if (child->stopped) watch_signals(before);
    int error = start(child, &pid), status = error ? -1 : wait_for(child, pid);
    running_child = 0;
    if (child->stopped) {
        leave_signals(before);
        *child->stopped = noted_signal;
    }
    if (error) errno = error;
    return status;
}
