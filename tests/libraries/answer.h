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

/* What launches, by the value of an expression. */
#define LAUNCH(name, ...)                                                                                              \
    static int launch_##name(void *state)                                                                              \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        return __VA_ARGS__;                                                                                            \
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

/* A variant of the name of its function, a family of which nothing else goes wrong, and the library of all families. */
#define VARIANT(name_)                                                                                                 \
    {                                                                                                                  \
        .name = #name_, .doc = #name_, .launch = launch_##name_, .bytes = 8                                            \
    }
#define FAMILY(name_, kind_)                                                                                           \
    static const struct cugate_family name_ = {.name = #name_,                                                         \
                                               .doc = #name_,                                                          \
                                               .kind = kind_,                                                          \
                                               .open = open_nothing,                                                   \
                                               .restore = restore,                                                     \
                                               .verify = verify,                                                       \
                                               .close = close_nothing,                                                 \
                                               .variants = name_##_variants,                                           \
                                               .variant_count = sizeof name_##_variants / sizeof *name_##_variants}
#define LIBRARY(...)                                                                                                   \
    const struct cugate_library *cugate_library(void)                                                                  \
    {                                                                                                                  \
        static const struct cugate_family *const families[] = {__VA_ARGS__};                                           \
        static const struct cugate_library library = {                                                                 \
            CUGATE_KERNEL_ABI, "cc", "", families, sizeof families / sizeof *families, synchronize, error_text,        \
        };                                                                                                             \
        return &library;                                                                                               \
    }
