/* changes.h - what atomics and reductions make of a number in memory. */
#pragma once

#include <stdint.h>

enum change_kind {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
    ATOMIC_POPC
};
/* Halves and bf16 are two in a word. */
enum number_kind { NUMBER_UNSIGNED, NUMBER_SIGNED, NUMBER_FLOAT, NUMBER_DOUBLE, NUMBER_HALVES, NUMBER_BF16S };

/* Returns what a number of `size` bytes, 4 or 8, becomes. ATOMIC_CAS compares it with value. */
uint64_t change_value(enum change_kind kind, enum number_kind number, unsigned size, uint64_t old, uint64_t value,
                      uint64_t swap);

/* Changes a number of 2, 4 or 8 bytes in memory that other threads change as well. Returns what it was. */
uint64_t change_at_once(enum change_kind kind, enum number_kind number, unsigned size, void *place, uint64_t value,
                        uint64_t swap);

/* Changes numbers in memory one by one, which are `bytes` in all. */
void change_bytes(enum change_kind kind, enum number_kind number, unsigned size, unsigned char *place,
                  const unsigned char *values, uint64_t bytes);
