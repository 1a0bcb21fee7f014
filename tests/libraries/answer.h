/* answer.h - what kernel libraries of tests have alike, in plain C: their state is a number, and 42 is right. */
#pragma once

#include "cugate/kernel.h"

#include <stdio.h>

enum { MADE_UP_ERROR = 700 };

static double output;

static inline int open_nothing(const struct cugate_family *self, void **state)
{
    (void)self;
    *state = &output;
    return 0;
}

static inline int restore(void *state)
{
    *(double *)state = -1;
    return 0;
}

static inline int launch_good(void *state)
{
    *(double *)state = 42;
    return 0;
}

static inline int verify(void *state, const struct cugate_variant *variant, char *why, size_t why_size)
{
    (void)variant;
    if (*(double *)state == 42)
        return 0;
    snprintf(why, why_size, "expected 42, found %g", *(double *)state);
    return CUGATE_WRONG;
}

static inline void close_nothing(void *state)
{
    (void)state;
}

static inline int synchronize(void)
{
    return 0;
}

static inline const char *error_text(int code)
{
    return code == MADE_UP_ERROR ? "made-up illegal address" : "made-up error";
}
