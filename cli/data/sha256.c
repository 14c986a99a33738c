/* SPDX-License-Identifier: MIT
 *
 * sha256.c - SHA-256 as in FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2; the letters are those of the standard.
 */
#include "base/file.h"
#include "base/memory.h"
#include "data/data.h"

#include <errno.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 64, PORTION = 1 << 16 }; /* a portion is a multiple of the block size */

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void fill_schedule(const uint8_t *block, uint32_t W[ROUNDS])
{
    for (int t = 0; t < 16; t++)
        W[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (int t = 16; t < ROUNDS; t++) {
        uint32_t s0 = turn(W[t - 15], 7) ^ turn(W[t - 15], 18) ^ W[t - 15] >> 3;
        uint32_t s1 = turn(W[t - 2], 17) ^ turn(W[t - 2], 19) ^ W[t - 2] >> 10;
        W[t] = s1 + W[t - 7] + s0 + W[t - 16];
    }
}

static void digest_block(uint32_t H[8], const uint8_t *block)
{
    uint32_t W[ROUNDS], v[8]; /* v: the working variables a .. h */

    fill_schedule(block, W);
    memcpy(v, H, sizeof v);
    for (int t = 0; t < ROUNDS; t++) {
        uint32_t S1 = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t T1 = v[7] + S1 + choice + K[t] + W[t];
        uint32_t S0 = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += T1;
        v[0] = T1 + S0 + majority;
    }
    for (int i = 0; i < 8; i++) H[i] += v[i];
}

/* Processes the end of a file of `size` bytes: the last incomplete block, a 1 bit, zeros, and the number of bits in
 * 8 bytes, which fill one or two blocks. */
static void digest_end(uint32_t H[8], const uint8_t *rest, uint64_t size)
{
    uint8_t end[2 * BLOCK] = { 0 };
    size_t n = size % BLOCK, length = n < BLOCK - 8 ? BLOCK : 2 * BLOCK;

    memcpy(end, rest, n);
    end[n] = 0x80;
    for (size_t i = 0; i < 8; i++) end[length - 1 - i] = (uint8_t)(8 * size >> 8 * i);
    for (size_t at = 0; at < length; at += BLOCK) digest_block(H, end + at);
}

dlda_status sha256_of_file(const char *path, char text[SHA256_TEXT])
{
    dlda_status status = DLDA_OK;
    uint32_t H[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
    };
    FILE *file = NULL;
    uint8_t *portion = NULL;
    size_t n = 0, at = 0;
    uint64_t size = 0;

    DLDA_TRY(DLDA_TAKE(&portion, PORTION, path));
    DLDA_TRY(dlda_file_open(path, &file));
    do {
        n = fread(portion, 1, PORTION, file);
        for (at = 0; at + BLOCK <= n; at += BLOCK) digest_block(H, portion + at);
        size += n;
    } while (n == PORTION);
    if (ferror(file)) DLDA_FAIL(DLDA_E_IO, "%s: cannot read: %s", path, strerror(errno));
    digest_end(H, portion + at, size);
    for (size_t i = 0; i < 8; i++) snprintf(text + 8 * i, 9, "%08x", H[i]);
done:
    if (file) fclose(file);
    dlda_release(portion);
    return status;
}
