/* SPDX-License-Identifier: MIT
 *
 * blas_core.h - OpenBLAS on processors that are newer than it is.
 */
#ifndef DEEPLDA_BLAS_CORE_H
#define DEEPLDA_BLAS_CORE_H

/* Where OpenBLAS knows the processor too little to use its vectors, starts the program again with a hint that it
 * obeys. Returns if there is nothing to improve, or if that fails: everything works without it, only slower. */
void blas_core_improve(char **argv);

#endif
