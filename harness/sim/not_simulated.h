/* not_simulated.h - for the file that knows none of CUDA's headers, because it says their names otherwise. */
#ifndef NOT_SIMULATED_H
#define NOT_SIMULATED_H

/* Notes that a function of CUDA was called; returns the error for it. */
int function_not_simulated(const char *name);

#endif
