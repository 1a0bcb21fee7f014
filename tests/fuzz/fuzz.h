/* fuzz.h - what fuzz targets have alike: their entry, and the word for what must hold. */
#pragma once

#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool holds, const char *what)
{
    if (!holds)
        BUG("%s", what);
}
