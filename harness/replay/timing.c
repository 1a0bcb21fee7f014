#include "timing.h"

#include "base/base.h"

void timing_default(struct timing *timing)
{
    *timing = (struct timing){
#define TIMING_VALUE(name, value, error, what) .name = (value),
        TIMINGS(TIMING_VALUE)
#undef TIMING_VALUE
    };
}

/* FNV-1a, of the numbers as text. */
static uint32_t add_number(uint32_t hash, double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g ", number);
    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    return hash;
}

unsigned chip_hash(const struct chip *chip)
{
    struct timing timing = chip->timing;
    const double others[] = {chip->sms, chip->clock, chip->dram, chip->l1_bytes, chip->shared_bytes};
    uint32_t hash = 2166136261u;
    struct timing_row row;
    for (size_t i = 0; timing_row(i, &row); i++)
        hash = add_number(hash, *timing_place(&timing, &row));
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        hash = add_number(hash, others[i]);
    return hash;
}

bool timing_row(size_t number, struct timing_row *row)
{
    static const struct timing_row rows[] = {
#define TIMING_ROW(name, value, error, what) {offsetof(struct timing, name), #name, what, error},
        TIMINGS(TIMING_ROW)
#undef TIMING_ROW
    };
    if (number >= ARRAY_SIZE(rows))
        return false;
    *row = rows[number];
    return true;
}
