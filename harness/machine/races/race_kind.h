/* race_kind.h - what two accesses that race do, as the machine code shows. */
#pragma once

#include "machine/sass/sass.h"

/* From the least sure to the surest. */
enum race_kind {
    RACE_MEANT,  /* it may be right whoever comes first, as where algorithms choose a minimum until nothing changes */
    RACE_READ,   /* what is loaded goes into a sum, or into a store that is not a choice */
    RACE_STORED, /* one store replaces the other */
    RACE_LOST,   /* both load the word and change it, and one change is lost */
};

/* Two instructions, loads of that word, and all loads that race in the function, as marks of its instructions.
 * `ordered`: they are meant to be, so that no chain is followed whoever changes it. */
enum race_kind race_kind(const struct code *code, size_t one, size_t other, const bool *own, const bool *racing,
                         bool ordered);

/* Whether an instruction loads from global memory, or copies from there. */
bool race_loads(const struct instruction *one);

/* Whether an atomic's answer, or a volatile load, decides that an instruction is executed; `by`: that one, or any. */
bool race_is_decided(const struct code *code, size_t index, const uint32_t *by);
