/* SPDX-License-Identifier: MIT
 *
 * blas_core.h - makes OpenBLAS use vector instructions on processors it does not know.
 */
#ifndef DEEPLDA_BLAS_CORE_H
#define DEEPLDA_BLAS_CORE_H

/* If OpenBLAS does not know the processor, restarts the program with OPENBLAS_CORETYPE set. Returns if there is
 * nothing to improve, or if it fails: everything works without it, only slower. */
void blas_core_improve(char **argv);

#endif
