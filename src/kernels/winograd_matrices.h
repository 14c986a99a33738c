/* SPDX-License-Identifier: MIT
 *
 * winograd_matrices.h - the matrices of Winograd's F(m x m, 3x3) for m = 2, 4, 5 and 6.
 *
 * Cook and Toom: two polynomials are multiplied by their values at m + 1 points and infinity. The points are 0, 1, -1 for
 * m = 2; 0, 3/4, -3/4, 3/2, -3/2 for m = 4; 0, 1, -1, 2, -2, 1/2 for m = 5, and also -1/2 for m = 6. These keep rounding
 * errors small (Lavin, Gray 2015; Barabasz et al. 2020). Row k of A has the powers of point k; row k of G the same over the product of its distances to the
 * other points; row k of B' the coefficients of the product of (x - other points). Here, the rows of points a and -a
 * in A and B' are given as half their sum and half their difference, from which a sum and a difference make both.
 * A and B are exact in float. tools/winograd-matrices made the tables.
 */
#ifndef DLDA_KERNELS_WINOGRAD_MATRICES_H
#define DLDA_KERNELS_WINOGRAD_MATRICES_H

/* clang-format off */
static const float b2[4 * 4] = {
    -1,  0,  1,  0,
     0,  0,  1,  0,
     0,  1,  0,  0,
     0, -1,  0,  1,
};
static const float a2[4 * 2] = {
    1, 0,
    1, 0,
    0, 1,
    0, 1,
};
static const float g2[4 * 3] = {
       -1,     0,     0,
     0.5f,  0.5f,  0.5f,
     0.5f, -0.5f,  0.5f,
        0,     0,     1,
};

static const float b4[6 * 6] = {
    1.265625f,         0,  -2.8125f,         0,         1,         0,
            0,         0,    -2.25f,         0,         1,         0,
            0,  -1.6875f,         0,     0.75f,         0,         0,
            0,         0,  -0.5625f,         0,         1,         0,
            0, -0.84375f,         0,      1.5f,         0,         0,
            0, 1.265625f,         0,  -2.8125f,         0,         1,
};
static const float a4[6 * 4] = {
            1,         0,         0,         0,
            1,         0,   0.5625f,         0,
            0,     0.75f,         0, 0.421875f,
            1,         0,     2.25f,         0,
            0,      1.5f,         0,    3.375f,
            0,         0,         0,         1,
};
static const float g4[6 * 3] = {
       64.0f / 81,             0,             0,
    -128.0f / 243,   -32.0f / 81,    -8.0f / 27,
    -128.0f / 243,    32.0f / 81,    -8.0f / 27,
      32.0f / 243,    16.0f / 81,     8.0f / 27,
      32.0f / 243,   -16.0f / 81,     8.0f / 27,
                0,             0,             1,
};

static const float b5[7 * 7] = {
       -2,     4,  2.5f,    -5, -0.5f,     1,     0,
        0,     0,     2,    -4, -0.5f,     1,     0,
        0,     2,    -4, -0.5f,     1,     0,     0,
        0,     0,  0.5f,    -1, -0.5f,     1,     0,
        0,     1,    -2,    -1,     2,     0,     0,
        0,     4,     0,    -5,     0,     1,     0,
        0,    -2,     4,  2.5f,    -5, -0.5f,     1,
};
static const float a5[7 * 5] = {
          1,       0,       0,       0,       0,
          1,       0,       1,       0,       1,
          0,       1,       0,       1,       0,
          1,       0,       4,       0,      16,
          0,       2,       0,       8,       0,
          1,    0.5f,   0.25f,  0.125f, 0.0625f,
          0,       0,       0,       0,       1,
};
static const float g5[7 * 3] = {
         -0.5f,          0,          0,
     -1.0f / 3,  -1.0f / 3,  -1.0f / 3,
      1.0f / 9,  -1.0f / 9,   1.0f / 9,
     1.0f / 36,  1.0f / 18,   1.0f / 9,
    -1.0f / 60,  1.0f / 30, -1.0f / 15,
    32.0f / 45, 16.0f / 45,  8.0f / 45,
             0,          0,          1,
};

static const float b6[8 * 8] = {
        -1,      0,  5.25f,      0, -5.25f,      0,      1,      0,
         0,      0,      1,      0, -4.25f,      0,      1,      0,
         0,      1,      0, -4.25f,      0,      1,      0,      0,
         0,      0,  0.25f,      0, -1.25f,      0,      1,      0,
         0,   0.5f,      0,  -2.5f,      0,      2,      0,      0,
         0,      0,      4,      0,     -5,      0,      1,      0,
         0,      2,      0,  -2.5f,      0,   0.5f,      0,      0,
         0,     -1,      0,  5.25f,      0, -5.25f,      0,      1,
};
static const float a6[8 * 6] = {
           1,        0,        0,        0,        0,        0,
           1,        0,        1,        0,        1,        0,
           0,        1,        0,        1,        0,        1,
           1,        0,        4,        0,       16,        0,
           0,        2,        0,        8,        0,       32,
           1,        0,    0.25f,        0,  0.0625f,        0,
           0,     0.5f,        0,   0.125f,        0, 0.03125f,
           0,        0,        0,        0,        0,        1,
};
static const float g6[8 * 3] = {
             -1,           0,           0,
      -2.0f / 9,   -2.0f / 9,   -2.0f / 9,
      -2.0f / 9,    2.0f / 9,   -2.0f / 9,
      1.0f / 90,   1.0f / 45,   2.0f / 45,
      1.0f / 90,  -1.0f / 45,   2.0f / 45,
     32.0f / 45,  16.0f / 45,   8.0f / 45,
     32.0f / 45, -16.0f / 45,   8.0f / 45,
              0,           0,           1,
};
/* clang-format on */

#endif
