/* host_like.h - backends of tests that measure as the host does, but for what the test says. */
#pragma once

#include "worker/backend.h"

/* HOST_LIKE(load_slow, collector.measure = measure_slow) is how such a backend is loaded. */
#define HOST_LIKE(load, difference)                                                                                    \
    static const struct collector *load(unsigned what, struct problem *problem)                                        \
    {                                                                                                                  \
        static struct collector collector;                                                                             \
        (void)what, (void)problem;                                                                                     \
        collector = host_collector;                                                                                    \
        difference;                                                                                                    \
        return &collector;                                                                                             \
    }                                                                                                                  \
    _Static_assert(true, "")
