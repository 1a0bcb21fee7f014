#include "phases.h"

#include "base/base.h"

static struct phase *find(const struct phases *phases, uint32_t place)
{
    return FIND(one, phases->list, phases->count, one->place == place);
}

void phases_begin(struct phases *phases, uint32_t place, uint64_t wanted)
{
    struct phase *phase = find(phases, place);
    if (!phase)
        phase = ARRAY_GROW(phases->list, phases->count);
    *phase = (struct phase){.place = place, .wanted = wanted, .arrivals = (int64_t)wanted};
}

bool phases_come(struct phases *phases, uint32_t place, int64_t arrivals, int64_t bytes, double when)
{
    struct phase *phase = find(phases, place);
    if (!phase)
        return false;
    phase->arrivals -= arrivals;
    phase->bytes -= bytes;
    phase->latest = when > phase->latest ? when : phase->latest;
    if (phase->arrivals > 0 || phase->bytes != 0)
        return false;
    phase->arrivals = (int64_t)phase->wanted;
    phase->last = phase->latest;
    phase->ended++;
    return true;
}

bool phases_over(const struct phases *phases, uint32_t place, uint32_t parity, double *when)
{
    const struct phase *phase = find(phases, place);
    *when = phase ? phase->last : 0;
    return !phase || (phase->ended & 1) != parity;
}

void phases_release(struct phases *phases)
{
    free(phases->list);
    *phases = (struct phases){0};
}
