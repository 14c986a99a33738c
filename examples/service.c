/* SPDX-License-Identifier: MIT
 *
 * service.c - a model in a server: several threads answer requests with one shared model and without locks.
 *
 *     ./service MODEL THREADS PICTURE...
 *
 * A request is the bytes of a picture, here read from a file. The model is loaded once and is const, so all threads
 * share it. Each thread has its own workspace, created before the first request. An answer takes no lock and
 * allocates only the pixels of the picture.
 */
#include <deeplda_lda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Whoever sends pictures does not decide how much memory a thread takes: 4 MB for the file, and for its pixels 40 MB. */
enum { MOST_THREADS = 64, MOST_BYTES = 1 << 22, MOST_PIXELS = 1 << 22, MOST_SCANS = 20 };

typedef struct request {
    const char *name;
    int label; /* -1: failed; `message` has the reason */
    double distance;
    char message[256];
} request;

typedef struct service {
    const dlda_model *model;
    double limit; /* images farther than this from every class belong to none */
    request *requests;
    size_t count;
    atomic_size_t next;
} service;

/* State of one thread. */
typedef struct worker {
    const service *service;
    dlda_workspace *workspace;
    float *image;
    char *bytes; /* of the current request */
} worker;

static size_t receive(const char *name, char *bytes)
{
    FILE *file = fopen(name, "rb");
    size_t size = file ? fread(bytes, 1, MOST_BYTES, file) : 0;

    if (file) fclose(file);
    return size;
}

static void answer(worker *self, request *one)
{
    const dlda_model *model = self->service->model;
    const dlda_read_spec spec = { .path = one->name, /* for messages */
                                  .most_pixels = MOST_PIXELS,
                                  .most_scans = MOST_SCANS };
    const dlda_answers wanted = { .labels = &one->label, .distances = &one->distance };
    size_t size = receive(one->name, self->bytes);
    dlda_status status = dlda_model_decode_picture(model, &spec, self->bytes, size, self->image);

    if (status == DLDA_OK)
        status = dlda_model_answer(model, self->workspace, self->image, 1, DLDA_PROBABILITY_BAYES, &wanted);
    if (status == DLDA_OK) return;
    one->label = -1;
    snprintf(one->message, sizeof one->message, "%s", dlda_last_error()); /* messages are per thread */
}

static int worker_open(worker *self, const service *of)
{
    *self = (worker){ .service = of };
    self->image = calloc(dlda_model_image_size(of->model), sizeof *self->image);
    self->bytes = malloc(MOST_BYTES);
    return self->image && self->bytes && dlda_workspace_create(of->model, 1, 1, &self->workspace) == DLDA_OK;
}

static void worker_close(worker *self)
{
    dlda_workspace_destroy(self->workspace);
    free(self->image);
    free(self->bytes);
}

static void *work(void *context)
{
    service *of = context;
    worker self;

    if (worker_open(&self, of))
        for (size_t i; (i = atomic_fetch_add(&of->next, 1)) < of->count;) answer(&self, &of->requests[i]);
    worker_close(&self);
    return NULL;
}

static void run(service *self, size_t threads)
{
    pthread_t others[MOST_THREADS];
    size_t n = 0;

    while (n + 1 < threads && pthread_create(&others[n], NULL, work, self) == 0) n++;
    work(self); /* this thread takes part too */
    while (n > 0) pthread_join(others[--n], NULL);
}

static int print_answers(const service *self)
{
    int failed = 0;

    for (const request *one = self->requests; one < self->requests + self->count; one++) {
        if (one->label < 0) fprintf(stderr, "service: %s\n", one->message[0] ? one->message : "no memory");
        else
            printf("%s: %s%s\n", one->name, dlda_model_class_name(self->model, (size_t)one->label),
                   one->distance > self->limit ? ", or nothing that is known" : "");
        failed |= one->label < 0;
    }
    return failed;
}

int main(int argc, char **argv)
{
    dlda_model *model = NULL;
    service self = { 0 };
    size_t threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    if (argc < 4 || threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: service MODEL THREADS PICTURE...\n");
        return 2;
    }
    if (dlda_model_load(argv[1], &model) || dlda_lda_distance_limit(dlda_model_lda(model), 1e-6, &self.limit)) {
        fprintf(stderr, "service: %s\n", dlda_last_error());
        dlda_model_destroy(model);
        return 1;
    }
    self.model = model;
    self.count = (size_t)argc - 3;
    self.requests = calloc(self.count, sizeof *self.requests);
    int failed = self.requests == NULL;
    for (size_t i = 0; !failed && i < self.count; i++)
        self.requests[i] = (request){ .name = argv[i + 3], .label = -1 };
    if (!failed) run(&self, threads);
    if (!failed) failed = print_answers(&self);
    free(self.requests);
    dlda_model_destroy(model);
    return failed;
}
