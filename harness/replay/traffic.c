#include "replay.h"

#include "cache.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

enum { SECTOR_BYTES = 32, SLICES = 64 };

size_t traffic_place(const struct recorder *recorder, uint32_t sector)
{
    size_t low = 0, high = recorder->place_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (recorder->places[middle].end <= sector)
            low = middle + 1;
        else
            high = middle;
    }
    return low < recorder->place_count && sector >= recorder->places[low].begin ? low : recorder->place_count;
}

/* The atomics of blocks that an SM has at once: between which sectors they lie, and how many there are. */
struct atomics {
    uint32_t first, last;
    double count;
};

/* What the recorded warps touch. */
struct touched {
    struct atomics atomics; /* of the blocks that are there now */
    struct seen loaded, stored;
    uint64_t *own; /* sectors that are loaded, of each place */
    double bytes;  /* that are stored to sectors for the first time */
};

static void touch(const struct recorded_warp *warp, const struct recorder *recorder, struct touched *touched)
{
    for (size_t i = 0; i < warp->count; i += 1 + recorded_words(warp->words[i])) {
        const enum recorded_kind kind = recorded_kind(warp->words[i]);
        const unsigned count = recorded_words(warp->words[i]);
        const uint32_t *words = &warp->words[i + 1];
        bool is_new;
        for (unsigned k = 1; k < count && (kind == RECORDED_LOAD || kind == RECORDED_COPY); k++) {
            seen_find(&touched->loaded, words[k], &is_new);
            touched->own[traffic_place(recorder, words[k])] += is_new;
        }
        for (unsigned k = 2; k < count && kind == RECORDED_ATOMIC; k++) {
            struct atomics *atomics = &touched->atomics;
            atomics->first = atomics->count == 0 || words[k] < atomics->first ? words[k] : atomics->first;
            atomics->last = atomics->count == 0 || words[k] > atomics->last ? words[k] : atomics->last;
            atomics->count += (double)words[0] / (count - 2);
        }
        for (unsigned k = 1; k < count && kind == RECORDED_STORE; k++) {
            struct seen_sector *sector = seen_find(&touched->stored, words[k], &is_new);
            const uint64_t bytes = words[0] / (count - 1), free = SECTOR_BYTES - sector->number;
            sector->number += bytes < free ? bytes : free;
            touched->bytes += (double)(bytes < free ? bytes : free);
        }
    }
}

/* Returns how many of the atomics come one after the other. Other SMs have the blocks between this one's, whose atomics
 * lie between these: where these are neighbours, so are those of all, and a slice of the L2 has a line. */
static double one_by_one(const struct atomics *atomics)
{
    const double lines = (double)(atomics->last - atomics->first) / LINE_SECTORS + 1;
    return atomics->count / fmin(lines, SLICES);
}

struct traffic replay_traffic(const struct recorder *recorder)
{
    struct traffic traffic = {.shares = x_calloc(recorder->place_count + 1, sizeof *traffic.shares), .whole = 1};
    struct touched touched = {.own = x_calloc(recorder->place_count + 1, sizeof *touched.own)};
    for (size_t b = 0; b < recorder->count; b++) {
        for (unsigned w = 0; w < recorder->blocks[b]->warp_count; w++)
            touch(&recorder->blocks[b]->warps[w], recorder, &touched);
        if ((b + 1) % recorder->resident == 0 || b + 1 == recorder->count) {
            traffic.serial += one_by_one(&touched.atomics);
            touched.atomics = (struct atomics){0};
        }
    }
    const double all = recorder->recorded ? fmax(1, (double)recorder->steps / (double)recorder->recorded) : 1;
    for (size_t i = 0; i <= recorder->place_count; i++) {
        const double sectors = i < recorder->place_count ? (double)(recorder->places[i].end - recorder->places[i].begin)
                                                         : (double)INFINITY;
        traffic.shares[i] = touched.own[i] ? fmin(1, sectors / ((double)touched.own[i] * all)) : 1;
    }
    traffic.serial *= all;
    traffic.stored = touched.bytes * all;
    if (touched.stored.count)
        traffic.whole = touched.bytes / ((double)touched.stored.count * SECTOR_BYTES);
    seen_release(&touched.loaded);
    seen_release(&touched.stored);
    free(touched.own);
    return traffic;
}
