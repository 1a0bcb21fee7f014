/* tensor.h - the part of tensor.c that tests use, beside its table of opcodes. */
#ifndef TENSOR_H
#define TENSOR_H

#include <stdint.h>

/* Computes the wavefronts of reading or writing matrices of 8 rows of 16 bytes. Each matrix takes as many as the most
 * distinct words that a bank has; ideal is one. `addresses` are those of the rows, and `lanes` says which lanes have
 * one. */
void ldsm_wavefronts(const uint32_t *addresses, uint32_t lanes, unsigned matrices, unsigned *wavefronts,
                     unsigned *ideal);

#endif
