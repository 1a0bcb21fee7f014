/* not_simulated.h - for cudart_not_simulated.c, which cannot include CUDA's headers, because it declares their
 * functions otherwise. */
#pragma once

/* Notes that a function of CUDA was called that is not simulated. Returns the error for it. */
int function_not_simulated(const char *name);
/* Returns the result of a function of CUDA that has nothing to do. */
int function_of_nothing(void);
