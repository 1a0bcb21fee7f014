/* memory_limit.h - ends a process that touches more memory than it may, with words, before the kernel of the machine
 * kills what it likes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { MEMORY_EXIT = 77 }; /* a process that was ended so exits with it */
#define MEMORY_TAKEN "it takes more memory than "

/* Lets this process, and each that it starts, touch one part of so many of this machine's memory, or of its
 * container's. A lower `ulimit -m` stays. It is held to that where it calls memory_watch(). */
void memory_limit(size_t part);

/* Returns how many more bytes this process may touch: by the machine, its container, and `ulimit -m`. */
uint64_t memory_left(void);
double memory_taken(void); /* bytes so far */

/* Looks from now on whether it has any left. If not, calls `end`, which may be NULL, and ends the process. */
void memory_watch(void (*end)(void *self), void *self);

/* Says that a process was ended so: MEMORY_TAKEN and the limit. Caller frees. */
char *memory_words(void);
