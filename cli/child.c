/* SPDX-License-Identifier: MIT
 *
 * child.c - runs another program by posix_spawn and waits for it.
 */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Gives 0 or an error number. */
static int prepare(posix_spawn_file_actions_t *actions, const char *folder)
{
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    if (!error) error = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_addchdir_np(actions, folder);
    return error;
}

static int start(const cli_child *child, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error) return error;
    error = prepare(&actions, child->folder);
    /* The words are not changed; the type of argv is older than const. */
    if (!error) error = posix_spawnp(pid, child->argv[0], &actions, NULL, (char *const *)child->argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void wait_a_moment(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
}

int child_run(const cli_child *child)
{
    pid_t pid = 0, ended = 0;
    int status = 0, error = start(child, &pid);

    if (error) {
        errno = error;
        return -1;
    }
    while ((ended = waitpid(pid, &status, child->tick ? WNOHANG : 0)) != pid) {
        if (ended < 0 && errno != EINTR) return -1;
        if (ended == 0) wait_a_moment();
        if (child->tick) child->tick(child->user);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
