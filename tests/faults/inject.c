/* SPDX-License-Identifier: MIT
 *
 * inject.c - makes the n-th operation of a kind fail, or kills the process before it. A library for LD_PRELOAD.
 *
 *     DEEPLDA_FAULT=KIND:N        alloc, read, write, sync, rename or thread number N (from 1) fails
 *     DEEPLDA_FAULT=kill:N        SIGKILL before the N-th operation that changes files
 *     DEEPLDA_FAULT_COUNTS=FILE   writes how many operations of each kind there were
 *
 * Failures are those of a machine that is out of memory, has a bad or full disk, or too many threads. Allocations of
 * OpenBLAS, libxsmm, liblinear and the loader are not counted: these libraries end the process if one fails. Programs
 * that the process starts are not affected. tests/faults/run.py runs all commands of deeplda with it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { ALLOC, READ, WRITE, SYNC, RENAME, THREAD, KILL, N_KINDS };
static const char *const names[N_KINDS] = { "alloc", "read", "write", "sync", "rename", "thread", "kill" };

static atomic_long counts[N_KINDS];
static enum kind chosen = N_KINDS;
static long at = 0;
static const char *counts_path = NULL;
static int started = 0;

/* ---- Whose allocations are counted ---- */

enum { MOST_RANGES = 64 };
static struct {
    uintptr_t begin, end;
} spared[MOST_RANGES];
static size_t n_spared = 0;

static int note_library(struct dl_phdr_info *info, size_t size, void *context)
{
    static const char *const libraries[] = { "openblas", "libblas", "liblapack", "xsmm",    "gomp",
                                             "gfortran", "linear",  "stdc++",    "ld-linux" };
    int spare = 0;

    (void)size;
    (void)context;
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        spare |= strstr(info->dlpi_name, libraries[i]) != NULL;
    for (int i = 0; spare && i < info->dlpi_phnum && n_spared < MOST_RANGES; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
        spared[n_spared].begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        spared[n_spared].end = spared[n_spared].begin + info->dlpi_phdr[i].p_memsz;
        n_spared++;
    }
    return 0;
}

static int is_spared(const void *caller)
{
    for (size_t i = 0; i < n_spared; i++)
        if ((uintptr_t)caller >= spared[i].begin && (uintptr_t)caller < spared[i].end) return 1;
    return 0;
}

/* ---- Counting ---- */

__attribute__((constructor)) static void begin(void)
{
    const char *fault = getenv("DEEPLDA_FAULT"), *colon = fault ? strchr(fault, ':') : NULL;

    for (size_t i = 0; colon && i < N_KINDS; i++)
        if (strlen(names[i]) == (size_t)(colon - fault) && strncmp(names[i], fault, (size_t)(colon - fault)) == 0)
            chosen = (enum kind)i;
    at = colon ? atol(colon + 1) : 0;
    counts_path = getenv("DEEPLDA_FAULT_COUNTS");
    if (counts_path) counts_path = strdup(counts_path);
    unsetenv("LD_PRELOAD");
    dl_iterate_phdr(note_library, NULL);
    started = 1;
}

__attribute__((destructor)) static void end(void)
{
    char text[512];
    int used = 0;

    if (!counts_path) return;
    for (size_t i = 0; i < N_KINDS; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %ld\n", names[i], (long)counts[i]);
    started = 0;
    int file = open(counts_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file >= 0 && write(file, text, (size_t)used) == used) close(file);
}

/* 1 if this operation is to fail. */
static int fails(enum kind kind)
{
    if (!started) return 0;
    return atomic_fetch_add(&counts[kind], 1) + 1 == at && kind == chosen;
}

/* Before an operation that changes files. */
static void maybe_die(void)
{
    if (fails(KILL)) raise(SIGKILL);
}

#define REAL(function) __typeof__(&function) real = (__typeof__(&function))dlsym(RTLD_NEXT, #function)

/* ---- Memory: the names that glibc has for its own functions, since dlsym allocates ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int no_memory(const void *caller)
{
    if (!started || is_spared(caller) || !fails(ALLOC)) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

void *reallocarray(void *memory, size_t count, size_t size)
{
    size_t bytes = 0;

    if (no_memory(__builtin_return_address(0)) || __builtin_mul_overflow(count, size, &bytes)) return NULL;
    return __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (no_memory(__builtin_return_address(0))) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

/* ---- Streams: a failure sets their error flag, as in glibc ---- */

static void set_error(FILE *stream, int number)
{
    stream->_flags |= 0x20; /* _IO_ERR_SEEN */
    errno = number;
}

size_t fread(void *to, size_t size, size_t n, FILE *stream)
{
    REAL(fread);
    if (!fails(READ)) return real(to, size, n, stream);
    set_error(stream, EIO);
    return 0;
}

char *fgets(char *to, int n, FILE *stream)
{
    REAL(fgets);
    if (!fails(READ)) return real(to, n, stream);
    set_error(stream, EIO);
    return NULL;
}

size_t fwrite(const void *from, size_t size, size_t n, FILE *stream)
{
    REAL(fwrite);
    if (stream == stderr) return real(from, size, n, stream);
    if (stream != stdout) maybe_die();
    if (!fails(WRITE)) return real(from, size, n, stream);
    set_error(stream, ENOSPC);
    return 0;
}

int fflush(FILE *stream)
{
    REAL(fflush);
    if (!stream || stream == stderr) return real(stream);
    if (stream != stdout) maybe_die();
    if (!fails(WRITE)) return real(stream);
    set_error(stream, ENOSPC);
    return EOF;
}

int fclose(FILE *stream)
{
    REAL(fclose);
    int writes = (fcntl(fileno(stream), F_GETFL) & O_ACCMODE) != O_RDONLY;

    if (writes) maybe_die();
    if (!writes || !fails(WRITE)) return real(stream);
    real(stream);
    errno = ENOSPC;
    return EOF;
}

/* ---- Files ---- */

ssize_t read(int file, void *to, size_t n)
{
    REAL(read);
    if (!fails(READ)) return real(file, to, n);
    errno = EIO;
    return -1;
}

ssize_t write(int file, const void *from, size_t n)
{
    REAL(write);
    if (file != 1 && file != 2) maybe_die();
    if (file == 2 || !fails(WRITE)) return real(file, from, n);
    errno = ENOSPC;
    return -1;
}

int fsync(int file)
{
    REAL(fsync);
    maybe_die();
    if (!fails(SYNC)) return real(file);
    errno = EIO;
    return -1;
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    maybe_die();
    if (!fails(RENAME)) return real(from, to);
    errno = EACCES;
    return -1;
}

int unlink(const char *path)
{
    REAL(unlink);
    maybe_die();
    return real(path);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir);
    maybe_die();
    if (!fails(WRITE)) return real(path, mode);
    errno = ENOSPC;
    return -1;
}

static int fails_to_open(int flags)
{
    int writes = (flags & O_ACCMODE) != O_RDONLY;

    if (writes) maybe_die();
    if (!fails(writes ? WRITE : READ)) return 0;
    errno = writes ? ENOSPC : EMFILE;
    return 1;
}

int open(const char *path, int flags, ...)
{
    REAL(open);
    va_list arguments;

    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fails_to_open(flags) ? -1 : real(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(fopen);
    return fails_to_open(mode[0] == 'r' ? O_RDONLY : O_WRONLY) ? NULL : real(path, mode);
}

/* ---- Threads ---- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    REAL(pthread_create);
    if (is_spared(__builtin_return_address(0)) || !fails(THREAD)) return real(thread, attributes, run, argument);
    return EAGAIN;
}
