/* tensor.h - what tests see of tensor.c beside its table. */
#ifndef TENSOR_H
#define TENSOR_H

#include <stdint.h>

/* What reading or writing so many matrices of 8 rows of 16 bytes takes: of each matrix the most distinct words that a
 * bank has. Ideal: one a matrix. `addresses` has those of the rows, `lanes` says of which lanes' rows. */
void ldsm_wavefronts(const uint32_t *addresses, uint32_t lanes, unsigned matrices, unsigned *wavefronts,
                     unsigned *ideal);

#endif
