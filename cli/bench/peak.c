/* SPDX-License-Identifier: MIT
 *
 * peak.c - measures the peak multiply-add rate of the machine with a loop in registers, and its memory bandwidth.
 *
 * A multiply-add takes about 4 cycles and two can start per cycle, so a single dependent chain reaches an eighth of
 * the peak. CHAINS independent ones, more than 8 and all in registers, reach it. The widest instructions of the CPU
 * are selected at run time; each loop is compiled for its own.
 */
#include "bench/peak.h"
#include "base/clock.h"
#include "base/parallel.h"

enum { CHAINS = 12, ROUNDS = 100, TURNS = 20000, LOOPS_PER_THREAD = 32 }; /* a round takes about a millisecond */

/* Runs the chains TURNS times. Returns their sum, so that the compiler cannot remove the work. */
typedef float peak_loop(float start);

typedef struct peak_kind {
    peak_loop *loop;
    double lanes; /* floats per instruction */
} peak_kind;

/* x <- x m + a stays near 1 from any start near 1: no overflow and no denormals, which may be slow. */
static const float multiplier = 0.999f, addend = 0.001f;

/* VECTOR has LANES floats; MULTIPLY_ADD(x, m, a) is the measured instruction. The empty asm hides the constants,
 * since the compiler could otherwise solve the recurrence. */
#define PEAK_LOOP(NAME, TARGET, LANES, MULTIPLY_ADD)                                                               \
    TARGET static float NAME(float start)                                                                          \
    {                                                                                                              \
        typedef float vector __attribute__((vector_size(LANES * sizeof(float))));                                  \
        vector x[CHAINS], m = (vector){ 0 } + multiplier, a = (vector){ 0 } + addend;                              \
        float sum = 0;                                                                                             \
                                                                                                                   \
        __asm__ volatile("" : "+m"(m), "+m"(a));                                                                   \
        for (int c = 0; c < CHAINS; c++) x[c] = (vector){ 0 } + (start + 0.01f * (float)c);                        \
        for (int turn = 0; turn < TURNS; turn++) {                                                                 \
            _Pragma("GCC unroll 12") for (int c = 0; c < CHAINS; c++) x[c] = MULTIPLY_ADD(x[c], m, a);             \
        }                                                                                                          \
        for (int c = 0; c < CHAINS; c++)                                                                           \
            for (int lane = 0; lane < LANES; lane++) sum += x[c][lane];                                            \
        return sum;                                                                                                \
    }

#define TWO_INSTRUCTIONS(x, m, a) ((x) * (m) + (a))
PEAK_LOOP(plain_loop, , 4, TWO_INSTRUCTIONS)

#if defined(__x86_64__)
#include <immintrin.h>

#define FMA_256(x, m, a) ((vector)_mm256_fmadd_ps((__m256)(x), (__m256)(m), (__m256)(a)))
#define FMA_512(x, m, a) ((vector)_mm512_fmadd_ps((__m512)(x), (__m512)(m), (__m512)(a)))
PEAK_LOOP(avx2_loop, __attribute__((target("avx2,fma"))), 8, FMA_256)
PEAK_LOOP(avx512_loop, __attribute__((target("avx512f"))), 16, FMA_512)

static peak_kind widest(void)
{
    if (__builtin_cpu_supports("avx512f")) return (peak_kind){ avx512_loop, 16 };
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return (peak_kind){ avx2_loop, 8 };
    return (peak_kind){ plain_loop, 4 };
}
#elif defined(__aarch64__)
#include <arm_neon.h>

#define FMA_128(x, m, a) ((vector)vfmaq_f32((float32x4_t)(a), (float32x4_t)(x), (float32x4_t)(m)))
PEAK_LOOP(neon_loop, , 4, FMA_128)

static peak_kind widest(void)
{
    return (peak_kind){ neon_loop, 4 };
}
#else
static peak_kind widest(void)
{
    return (peak_kind){ plain_loop, 4 };
}
#endif

typedef struct peak_work {
    peak_loop *loop;
    volatile float result; /* written by all threads, read by none */
} peak_work;

static void run_chunk(void *context, const dlda_chunk *chunk)
{
    peak_work *work = context;
    float sum = 0;

    for (size_t i = chunk->begin; i < chunk->end; i++) sum += work->loop(1 + 0.001f * (float)i);
    if (sum == 0) work->result = sum; /* never true, which the compiler does not know */
}

double peak_gflops(dlda_team *team)
{
    peak_kind kind = widest();
    peak_work work = { kind.loop, 0 };
    size_t loops = dlda_team_threads(team) * LOOPS_PER_THREAD;
    double best = 0;

    for (int round = 0; round <= ROUNDS; round++) { /* the first round starts the threads */
        double begin = dlda_seconds_now();
        dlda_parallel_for(team, loops, 1, run_chunk, &work);
        double gflop = 1e-9 * 2 * kind.lanes * (double)CHAINS * TURNS * (double)loops;
        double gflops = gflop / (dlda_seconds_now() - begin);
        if (round > 0 && gflops > best) best = gflops;
    }
    return best;
}

/* ---- Memory ---- */

typedef struct copy_work {
    const float *from;
    float *to;
} copy_work;

static void copy_chunk(void *context, const dlda_chunk *chunk)
{
    const copy_work *work = context;
    const float *restrict from = work->from;
    float *restrict to = work->to;

    for (size_t i = chunk->begin; i < chunk->end; i++)
        to[i] = from[i] * multiplier; /* memcpy would bypass the caches */
}

double peak_bandwidth(dlda_team *team, float *values, size_t n)
{
    enum { COPY_ROUNDS = 8, GRAIN = 65536 };
    size_t half = n / 2;
    copy_work work = { values, values + half };
    double best = 0;

    for (int round = 0; round <= COPY_ROUNDS; round++) {
        double begin = dlda_seconds_now();
        dlda_parallel_for(team, half, GRAIN, copy_chunk, &work);
        double rate = 1e-9 * (double)half * 2 * sizeof(float) / (dlda_seconds_now() - begin);
        if (round > 0 && rate > best) best = rate;
    }
    return best;
}
