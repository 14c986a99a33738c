/* SPDX-License-Identifier: MIT
 *
 * child.c - runs another program and waits for it.
 *
 * It uses fork and exec, since posix_spawn cannot make a child die with its parent.
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

/* ---- Signals for the child ---- */

static const int passed_on[] = { SIGINT, SIGTERM };
enum { N_PASSED = sizeof passed_on / sizeof passed_on[0] };

static volatile sig_atomic_t noted_signal, running_child;

/* Signals from the terminal reach the whole foreground process group, including the child; those sent by a process
 * only reach us and are passed on. */
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
        /* Signals that are ignored, as under nohup, remain ignored. */
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

/* In the new process: executes the program; on failure writes the error number to `report`. */
static _Noreturn void become(const cli_child *child, pid_t parent, const sigset_t *mask, int report)
{
    if (child->stopped)
        for (int i = 0; i < N_PASSED; i++) {
            struct sigaction now;
            if (sigaction(passed_on[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
                signal(passed_on[i], SIG_DFL);
        }
    sigprocmask(SIG_SETMASK, mask, NULL);
    /* argv is not modified; execvp lacks const for historical reasons. */
    if (prepare(child, parent)) execvp(child->argv[0], (char *const *)child->argv);
    int error = errno;
    _exit(write(report, &error, sizeof error) == sizeof error ? 127 : 126);
}

/* Returns 0 or an error number. */
static int start(const cli_child *child, pid_t *pid)
{
    int report[2], error = 0;
    pid_t parent = getpid();
    sigset_t all, before;

    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);           /* until the handler knows the child */
    if (child->stopped && noted_signal) error = EINTR; /* arrived before */
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
