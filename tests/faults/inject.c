/* SPDX-License-Identifier: MIT
 *
 * inject.c - makes the n-th operation of a kind fail, or kills the process before it. A library for LD_PRELOAD.
 *
 * It turns a program into a server, since starting one (the loader, OpenBLAS) takes longer than most commands: main is
 * entered in a new process for each request. A request is its length (4 bytes) and texts that end with NUL: folder, files
 * for stdout and stderr, KIND:N, a file for the numbers of operations (or nothing), and the arguments from argv[0] on. The
 * answer is the number of the process and its status from wait, 4 bytes each.
 *
 *     alloc, read, write, sync, rename, thread    operation N of this kind, from 1, fails
 *     kill                                        SIGKILL before operation N that changes files
 *
 * Failures are those of a machine that is out of memory, has a bad or full disk, or too many processes. Allocations of
 * OpenBLAS, liblinear and the loader are not counted: these libraries end the process if one fails. Programs that the
 * process starts are not affected. Writing to a stream is an operation of kind `kill` only if it calls the system.
 * tests/faults/run.py runs all commands of deeplda with it.
 */
#undef _FILE_OFFSET_BITS /* open and open64 are both defined below */
#define _GNU_SOURCE
#include <dirent.h>
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
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { ALLOC, READ, WRITE, SYNC, RENAME, THREAD, KILL, N_KINDS };
static const char *const names[N_KINDS] = { "alloc", "read", "write", "sync", "rename", "thread", "kill" };

static atomic_long counts[N_KINDS];
static enum kind chosen = N_KINDS;
static long at = 0;
static const char *counts_path = "";
static int started = 0;

/* ---- Whose allocations are counted ---- */

enum { MOST_RANGES = 64 };
static struct {
    uintptr_t begin, end;
} spared[MOST_RANGES];
static size_t n_spared = 0;

static int note_library(struct dl_phdr_info *info, size_t size, void *context)
{
    static const char *const libraries[] = { "openblas", "libblas", "liblapack", "gomp",
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

static void choose(const char *fault)
{
    const char *colon = strchr(fault, ':');

    for (size_t i = 0; colon && i < N_KINDS; i++)
        if (strlen(names[i]) == (size_t)(colon - fault) && strncmp(names[i], fault, (size_t)(colon - fault)) == 0)
            chosen = (enum kind)i;
    at = colon ? atol(colon + 1) : 0;
}

__attribute__((destructor)) static void end(void)
{
    char text[512];
    int used = 0;

    if (!started || !counts_path[0]) return;
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

/* ---- Streams: a failure sets their error flag, as in glibc. Those in memory have no descriptor and do not fail. ---- */

static int fails_to_read(FILE *stream)
{
    if (fileno(stream) < 0 || !fails(READ)) return 0;
    stream->_flags |= 0x20; /* _IO_ERR_SEEN */
    errno = EIO;
    return 1;
}

size_t fread(void *to, size_t size, size_t n, FILE *stream)
{
    REAL(fread);
    return fails_to_read(stream) ? 0 : real(to, size, n, stream);
}

/* What fread is if the compiler knows the size of `to`. */
size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *stream)
{
    if (size > 0 && n > room / size) abort();
    return fread(to, size, n, stream);
}

char *fgets(char *to, int n, FILE *stream)
{
    REAL(fgets);
    return fails_to_read(stream) ? NULL : real(to, n, stream);
}

int fgetc(FILE *stream)
{
    REAL(fgetc);
    return fails_to_read(stream) ? EOF : real(stream);
}

int fseek(FILE *stream, long offset, int whence)
{
    REAL(fseek);
    return fails_to_read(stream) ? -1 : real(stream, offset, whence);
}

int fseeko64(FILE *stream, off64_t offset, int whence)
{
    REAL(fseeko64);
    return fails_to_read(stream) ? -1 : real(stream, offset, whence);
}

/* Before `more` bytes are written to a stream: does it fail? */
static int fails_to_write(FILE *stream, size_t more)
{
    int file = fileno(stream);

    if (file < 0 || stream == stderr) return 0;
    if (stream != stdout && __fpending(stream) + more > __fbufsize(stream)) maybe_die();
    if (!fails(WRITE)) return 0;
    stream->_flags |= 0x20;
    errno = ENOSPC;
    return 1;
}

size_t fwrite(const void *from, size_t size, size_t n, FILE *stream)
{
    REAL(fwrite);
    return fails_to_write(stream, size * n) ? 0 : real(from, size, n, stream);
}

int fputs(const char *text, FILE *stream)
{
    REAL(fputs);
    return fails_to_write(stream, strlen(text)) ? EOF : real(text, stream);
}

int puts(const char *text)
{
    REAL(puts);
    return fails_to_write(stdout, strlen(text) + 1) ? EOF : real(text);
}

int fputc(int c, FILE *stream)
{
    REAL(fputc);
    return fails_to_write(stream, 1) ? EOF : real(c, stream);
}

int putc(int c, FILE *stream)
{
    return fputc(c, stream);
}

int vfprintf(FILE *stream, const char *format, va_list arguments)
{
    REAL(vfprintf);
    va_list copy;

    va_copy(copy, arguments);
    int n = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    return fails_to_write(stream, n > 0 ? (size_t)n : 0) ? -1 : real(stream, format, arguments);
}

int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments)
{
    (void)flag;
    return vfprintf(stream, format, arguments);
}

#define PRINT(stream)                                                                                              \
    va_list arguments;                                                                                             \
    va_start(arguments, format);                                                                                   \
    int n = vfprintf(stream, format, arguments);                                                                   \
    va_end(arguments);                                                                                             \
    return n

int fprintf(FILE *stream, const char *format, ...)
{
    PRINT(stream);
}

int __fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    (void)flag;
    PRINT(stream);
}

int printf(const char *format, ...)
{
    PRINT(stdout);
}

int __printf_chk(int flag, const char *format, ...)
{
    (void)flag;
    PRINT(stdout);
}

int fflush(FILE *stream)
{
    REAL(fflush);
    if (!stream || fileno(stream) < 0 || stream == stderr) return real(stream);
    if (stream != stdout && __fpending(stream) > 0) maybe_die();
    if (!fails(WRITE)) return real(stream);
    stream->_flags |= 0x20;
    errno = ENOSPC;
    return EOF;
}

int fclose(FILE *stream)
{
    REAL(fclose);
    int file = fileno(stream), writes = file >= 0 && (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY;

    if (writes && __fpending(stream) > 0) maybe_die();
    if (!writes || !fails(WRITE)) return real(stream);
    real(stream);
    errno = ENOSPC;
    return EOF;
}

FILE *fdopen(int file, const char *mode)
{
    REAL(fdopen);
    if (!fails(mode[0] == 'r' ? READ : WRITE)) return real(file, mode);
    errno = EMFILE;
    return NULL;
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

int ftruncate(int file, off_t size)
{
    REAL(ftruncate);
    maybe_die();
    if (!fails(WRITE)) return real(file, size);
    errno = ENOSPC;
    return -1;
}

int syncfs(int file)
{
    REAL(syncfs);
    maybe_die();
    if (!fails(SYNC)) return real(file);
    errno = EIO;
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

int unlinkat(int folder, const char *path, int flags)
{
    REAL(unlinkat);
    maybe_die();
    return real(folder, path, flags);
}

int remove(const char *path)
{
    REAL(remove);
    maybe_die();
    return real(path);
}

int rmdir(const char *path)
{
    REAL(rmdir);
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

/* Opens a file, or fails; `mode` is there only if a file is created. */
static int open_or_fail(const char *path, int flags, va_list arguments)
{
    REAL(open64);
    int creates = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = creates ? va_arg(arguments, mode_t) : 0;

    return fails_to_open(flags) ? -1 : real(path, flags, mode);
}

#define OPEN()                                                                                                     \
    va_list arguments;                                                                                             \
    va_start(arguments, flags);                                                                                    \
    int file = open_or_fail(path, flags, arguments);                                                               \
    va_end(arguments);                                                                                             \
    return file

int open(const char *path, int flags, ...)
{
    OPEN();
}

int open64(const char *path, int flags, ...)
{
    OPEN();
}

int mkstemp64(char *path)
{
    REAL(mkstemp64);
    return fails_to_open(O_WRONLY) ? -1 : real(path);
}

FILE *fopen64(const char *path, const char *mode)
{
    REAL(fopen64);
    return fails_to_open(mode[0] == 'r' ? O_RDONLY : O_WRONLY) ? NULL : real(path, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    return fopen64(path, mode);
}

DIR *opendir(const char *path)
{
    REAL(opendir);
    return fails_to_open(O_RDONLY) ? NULL : real(path);
}

struct dirent64 *readdir64(DIR *folder)
{
    REAL(readdir64);
    if (!fails(READ)) return real(folder);
    errno = EIO;
    return NULL;
}

int scandir64(const char *path, struct dirent64 ***found, int (*is_chosen)(const struct dirent64 *),
              int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
    REAL(scandir64);
    return fails_to_open(O_RDONLY) ? -1 : real(path, found, is_chosen, compare);
}

/* ---- Threads and processes ---- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    REAL(pthread_create);
    if (is_spared(__builtin_return_address(0)) || !fails(THREAD)) return real(thread, attributes, run, argument);
    return EAGAIN;
}

pid_t fork(void)
{
    REAL(fork);
    if (!fails(THREAD)) {
        pid_t process = real();
        if (process == 0) started = 0;
        return process;
    }
    errno = EAGAIN;
    return -1;
}

/* ---- The server ---- */

typedef int main_function(int, char **, char **);
static main_function *program_main = NULL;
enum { MOST_BYTES = 65536, MOST_WORDS = 64, REQUESTS = 0, ANSWERS = 1 };

static void redirect(int descriptor, const char *path, int flags)
{
    int file = open(path, flags, 0666);

    if (file < 0 || dup2(file, descriptor) < 0) _exit(99);
    close(file);
}

/* In the new process: stdin is the file `input` if there is one; stdout and stderr are files. */
static _Noreturn void serve(char **words, int n)
{
    char **environment = environ;

    setsid();
    if (chdir(words[0]) != 0) _exit(99);
    redirect(0, access("input", R_OK) == 0 ? "input" : "/dev/null", O_RDONLY);
    redirect(1, words[1], O_WRONLY | O_CREAT | O_TRUNC);
    redirect(2, words[2], O_WRONLY | O_CREAT | O_TRUNC);
    choose(words[3]);
    counts_path = words[4];
    unsetenv("LD_PRELOAD");
    started = 1;
    exit(program_main(n - 5, words + 5, environment));
}

static int read_all(void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(REQUESTS, (char *)to + done, size - done);
        if (n <= 0) return 0;
        done += (size_t)n;
    }
    return 1;
}

static int serve_all(int argc, char **argv, char **environment)
{
    static char bytes[MOST_BYTES];
    uint32_t size = 0;

    (void)argc;
    (void)argv;
    (void)environment;
    dl_iterate_phdr(note_library, NULL);
    while (read_all(&size, sizeof size) && size <= MOST_BYTES && read_all(bytes, size)) {
        char *words[MOST_WORDS + 1] = { NULL };
        int n = 0, status = 0;
        for (char *word = bytes; word < bytes + size && n < MOST_WORDS; word += strlen(word) + 1) words[n++] = word;
        int process = fork();
        if (process == 0) serve(words, n);
        if (write(ANSWERS, &process, sizeof process) < 0 || waitpid(process, &status, 0) < 0) return 1;
        if (write(ANSWERS, &status, sizeof status) < 0) return 1;
    }
    return 0;
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end)
{
    int (*real)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                void *) = (__typeof__(real))dlsym(RTLD_NEXT, "__libc_start_main");

    program_main = main;
    return real(serve_all, argc, argv, init, fini, loader_fini, stack_end);
}
