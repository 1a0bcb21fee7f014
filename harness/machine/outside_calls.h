/* outside_calls.h - functions that kernels call and that are not in their machine code: the driver has them. */
#pragma once

struct function;
struct machine;

#include <stdbool.h>

/* Prepares for a launch of the function. False: there is no memory. */
bool outside_begin(const struct function *function);

/* Has kernels that are counted call these functions too, and read clocks, as those of programs do. */
void outside_allow(struct machine *machine);
/* Returns what was noted since the last call, such as "counts exclude printf"; NULL: nothing. Caller
 * frees. */
char *outside_noted(struct machine *machine);

/* Prints what kernels have printed since the last call, in the order of their blocks. */
void outside_print(struct machine *machine);
/* Forgets it. */
void outside_forget(struct machine *machine);
