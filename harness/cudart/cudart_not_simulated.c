/* Functions that a kernel library may call but nothing here stands for: they fail with a message. They are all
 * functions of CUDA 13.0 and 12.9 that the other files of this room lack. If a name were missing, a library that uses
 * it could not be loaded at all. To simulate a function, remove its row. */
#include "not_simulated.h"

/* The arguments do not matter: callers leave them in registers, or remove them from the stack themselves. */
#define NO(name)                                                                                                       \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return function_not_simulated(#name);                                                                          \
    }

/* Functions that only succeed: how the host waits, where managed memory lies and what a cache keeps change no count,
 * and all work is done already. */
#define NOTHING(name)                                                                                                  \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return function_of_nothing();                                                                                  \
    }

#include "cudart_not_simulated.txt"
