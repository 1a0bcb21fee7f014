/* encoding.h - what the 16 bytes of an instruction say by themselves, and whether its text says the same. */
#ifndef ENCODING_H
#define ENCODING_H

#include "machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INSTRUCTION_BYTES = 16 };

/* The word that an instruction has for an immediate, if it has one. false: the function has no such bytes. */
bool encoding_word(const struct function *function, size_t index, uint32_t *word);

/* Whether code that was read from text is that of the function's bytes: predicates, immediates, places of constants.
 * -1 with *problem, "not simulated: ...", at the first instruction where it is not. */
int encoding_check(const struct function *function, const struct code *code, struct problem *problem);

#endif
