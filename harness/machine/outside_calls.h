/* outside_calls.h - functions that kernels call and that are not in their machine code: the driver has them. */
#ifndef OUTSIDE_CALLS_H
#define OUTSIDE_CALLS_H

#include "module.h"

#include <stdbool.h>
#include <stdint.h>

/* Prepares for a launch of the function. False: there is no memory. */
bool outside_begin(const struct function *function);

/* Prints what kernels have printed since the last call, in the order of their blocks. */
void outside_print(void);

/* Names who sets the number of a handle, which kernels ask for by cudaGraphSetConditional(). It returns false where
 * there is no such handle. */
typedef bool set_number(uint64_t handle, unsigned value);
void outside_conditions(set_number *set);

#endif
