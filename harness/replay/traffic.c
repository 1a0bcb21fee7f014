#include "replay.h"

#include "cache.h"

enum { SECTOR_BYTES = 32, SLICES = 128 };

size_t traffic_place(const struct recorder *recorder, uint32_t sector)
{
    BISECT(low, recorder->place_count, i, recorder->places[i].end <= sector);
    return low < recorder->place_count && sector >= recorder->places[low].begin ? low : recorder->place_count;
}

/* The atomics of blocks that an SM has at once: between which sectors they lie, and how many there are. */
struct atomics {
    uint32_t first, last;
    double count; /* a sector of each, further ones of its line a half */
};

/* What the blocks that an SM has at once, a wave of them, load of a place: distinct sectors, and which of them it has
 * not loaded before; and between which they lie. */
struct window {
    double sectors, fresh;
    uint32_t first, last;
};

/* What the recorded warps touch. */
struct touched {
    const struct recorder *recorder;
    struct atomics atomics;          /* of the blocks that are there now */
    struct seen loaded, wave;        /* sectors; of those blocks alone */
    struct window *windows, *window; /* of each wave, each place; of those blocks */
    struct seen stored;
    double bytes; /* that are stored to sectors for the first time */
    /* Of each place, the first sector of this block and of the one before it, UINT32_MAX: it has none; and how far the
     * first sectors of blocks are apart that follow each other on the SM, in the mean of so many of them. */
    uint32_t *first, *before;
    double *apart, *pairs;
};

static void touch_load(struct touched *touched, uint32_t sector)
{
    const size_t place = traffic_place(touched->recorder, sector);
    struct window *window = &touched->window[place];
    bool is_new;
    touched->first[place] = sector < touched->first[place] ? sector : touched->first[place];
    seen_find(&touched->wave, sector, &is_new);
    if (!is_new)
        return;
    window->first = window->sectors == 0 || sector < window->first ? sector : window->first;
    window->last = sector > window->last ? sector : window->last;
    window->sectors++;
    seen_find(&touched->loaded, sector, &is_new);
    window->fresh += is_new;
}

static void touch_store(struct touched *touched, uint32_t number, uint64_t bytes)
{
    bool is_new;
    struct seen_sector *sector = seen_find(&touched->stored, number, &is_new);
    const uint64_t free = SECTOR_BYTES - sector->number;
    sector->number += bytes < free ? bytes : free;
    touched->bytes += (double)(bytes < free ? bytes : free);
}

static void touch(const struct recorded_warp *warp, struct touched *touched)
{
    for (size_t i = 0; i < warp->count; i += 1 + recorded_words(warp->words[i])) {
        const enum recorded_kind kind = recorded_kind(warp->words[i]);
        const unsigned count = recorded_words(warp->words[i]);
        const uint32_t *words = &warp->words[i + 1];
        for (unsigned k = 1; k < count && (kind == RECORDED_LOAD || kind == RECORDED_COPY); k++)
            touch_load(touched, words[k]);
        for (unsigned k = 2; k + 1 < count && kind == RECORDED_BULK_LOAD; k += 2)
            for (uint32_t sector = words[k]; sector < words[k] + words[k + 1]; sector++)
                touch_load(touched, sector);
        for (unsigned k = 2; k + 1 < count && kind == RECORDED_BULK_STORE; k += 2)
            for (uint32_t sector = words[k]; sector < words[k] + words[k + 1]; sector++)
                touch_store(touched, sector, SECTOR_BYTES);
        for (unsigned k = 2; k < count && kind == RECORDED_ATOMIC; k++) {
            struct atomics *atomics = &touched->atomics;
            atomics->first = atomics->count == 0 || words[k] < atomics->first ? words[k] : atomics->first;
            atomics->last = atomics->count == 0 || words[k] > atomics->last ? words[k] : atomics->last;
            atomics->count += k > 2 && words[k] / LINE_SECTORS == words[k - 1] / LINE_SECTORS ? 0.5 : 1;
        }
        for (unsigned k = 1; k < count && kind == RECORDED_STORE; k++)
            touch_store(touched, words[k], words[0] / (count - 1));
    }
}

/* Returns how many of the atomics come one after the other. Other SMs have the blocks between this one's, whose atomics
 * lie between these: where these are neighbours, so are those of all, and a slice of the L2 has a line. */
static double one_by_one(const struct atomics *atomics)
{
    const double lines = (double)(atomics->last - atomics->first) / LINE_SECTORS + 1;
    return atomics->count / fmin(lines, SLICES);
}

/* Ends a block: how far is it from the one before, if that is the SM's last one? */
static void end_block(struct touched *touched, size_t index)
{
    const struct recorder *recorder = touched->recorder;
    const uint64_t number = recorder->blocks[index]->number;
    const uint64_t before = index > 0 ? recorder->blocks[index - 1]->number : number;
    const uint64_t most = 2 * (uint64_t)recorder->sms;
    for (size_t i = 0; i <= recorder->place_count; i++) {
        if (number > before && number - before <= most && touched->first[i] < UINT32_MAX &&
            touched->before[i] < UINT32_MAX) {
            touched->apart[i] += fabs((double)touched->first[i] - touched->before[i]);
            touched->pairs[i] += (double)(number - before) / recorder->sms;
        }
        touched->before[i] = touched->first[i];
        touched->first[i] = UINT32_MAX;
    }
}

/* A launch, by its SM's waves. */
struct waves {
    const struct touched *touched;
    double sms, all, later; /* SMs that work; all instructions, and waves behind the first, of one that is recorded */
    size_t count, places;
    double l2;  /* sectors that the L2 holds */
    bool *lost; /* of each wave: the L2 cannot hold what it loads, nor then what the one before brought */
};

static double place_sectors(const struct recorder *recorder, size_t place)
{
    return place < recorder->place_count ? (double)(recorder->places[place].end - recorder->places[place].begin)
                                         : (double)INFINITY;
}

/* Returns in how many sectors all blocks lie that are there at once: those of other SMs between this one's. */
static double range_of(const struct waves *waves, const struct window *window, size_t place)
{
    const struct touched *touched = waves->touched;
    const double most = place_sectors(touched->recorder, place);
    if (touched->pairs[place] == 0)
        return most;
    const double apart = touched->apart[place] / touched->pairs[place];
    return fmin(most, (double)(window->last - window->first) + 1 + apart * (1 - 1 / waves->sms));
}

/* Returns how many sectors all SMs load in a wave. */
static double wave_sectors(const struct waves *waves, const struct window *window, size_t place)
{
    return window->sectors > 0 ? fmin(window->sectors * waves->sms, range_of(waves, window, place)) : 0;
}

/* Returns which part of a wave's range was the range of the one before. */
static double known_part(const struct waves *waves, const struct window *window, const struct window *before,
                         size_t place)
{
    const double range = range_of(waves, window, place);
    const double end = fmin(window->first + range, before->first + range_of(waves, before, place));
    return before->sectors > 0 ? fmax(0, end - fmax(window->first, before->first)) / range : 0;
}

/* Returns which part of what the SM touches first it brings itself, if the L2 has only what the wave before brought, or
 * not even that. */
static double share_by_waves(const struct waves *waves, size_t place)
{
    double brought = 0, touches = 0;
    for (size_t w = 0; w < waves->count; w++) {
        const struct window *window = &waves->touched->windows[w * waves->places + place];
        const double weight = w ? waves->later : 1;
        if (window->sectors == 0)
            continue;
        const double known = w && !waves->lost[w] ? known_part(waves, window, window - waves->places, place) : 0;
        brought += weight * (1 - known) * wave_sectors(waves, window, place) / waves->sms;
        touches += weight * (waves->lost[w] ? window->sectors : window->fresh);
    }
    return touches > 0 ? fmin(1, brought / touches) : 1;
}

/* Returns how many sectors all SMs touch of a place at most. Where blocks that follow each other are a quarter apart of
 * what each touches, or more, all go through it: there are those before this SM's first and behind its last one. If
 * that is most of the place, or else, they may touch any of it. */
static double touched_sectors(const struct waves *waves, size_t place)
{
    const struct touched *touched = waves->touched;
    const struct recorder *recorder = touched->recorder;
    const double most = place_sectors(recorder, place);
    double first = INFINITY, last = 0, own = 0;
    if (touched->pairs[place] == 0)
        return most;
    for (size_t w = 0; w < waves->count; w++) {
        const struct window *window = &touched->windows[w * waves->places + place];
        first = window->sectors > 0 ? fmin(first, window->first) : first;
        last = fmax(last, window->last);
        own += window->sectors / (double)recorder->count;
    }
    const uint64_t from = recorder->blocks[0]->number, to = recorder->blocks[recorder->count - 1]->number;
    const double others = (double)from + (double)recorder->block_count - 1 - (double)to;
    const double apart = touched->apart[place] / touched->pairs[place] / recorder->sms;
    const double all = last - first + 1 + apart * others;
    return 4 * apart >= own && all < 0.75 * most ? all : most;
}

/* Sets the share of each place. What all SMs touch of an array is not more than that has, nor than lies
 * between them. It comes once if the L2 keeps all that the launch loads; if that is twice as much, what comes again
 * comes from DRAM. */
static void find_shares(const struct waves *waves, double *shares)
{
    const struct touched *touched = waves->touched;
    double loaded = 0;
    OWNED_MEMORY double *touches = x_calloc(waves->places, sizeof *touches);
    for (size_t w = 0; w < waves->count; w++) {
        double traffic = 0;
        for (size_t i = 0; i < waves->places; i++) {
            const struct window *window = &touched->windows[w * waves->places + i];
            touches[i] += window->fresh * waves->all;
            traffic += wave_sectors(waves, window, i);
        }
        waves->lost[w] = traffic > waves->l2;
    }
    for (size_t i = 0; i < waves->places; i++)
        loaded += fmin(touched_sectors(waves, i), touches[i]);
    const double kept = fmin(1, fmax(0, 2 - loaded / waves->l2));
    for (size_t i = 0; i < waves->places; i++) {
        const double once = touches[i] > 0 ? fmin(1, touched_sectors(waves, i) / touches[i]) : 1;
        const double again = touched->pairs[i] > 0 ? share_by_waves(waves, i) : once;
        shares[i] = kept * once + (1 - kept) * again;
    }
}

static double ratio(uint64_t of, uint64_t to)
{
    return to ? (double)of / (double)to : 0;
}

struct traffic replay_traffic(const struct recorder *recorder, const struct timing *timing)
{
    const size_t places = recorder->place_count + 1;
    struct traffic traffic = {.shares = x_calloc(places, sizeof *traffic.shares), .whole = 1};
    struct waves waves = {.sms =
                              recorder->sm_steps ? fmax(1, ratio(recorder->steps, recorder->sm_steps)) : recorder->sms,
                          .all = fmax(1, ratio(recorder->steps, recorder->recorded)),
                          .count = (recorder->count + recorder->resident - 1) / recorder->resident,
                          .places = places,
                          .l2 = timing->l2_mib * (1 << 20) / SECTOR_BYTES};
    const double all = ratio(recorder->sm_steps, recorder->recorded) * (double)waves.count;
    waves.later = waves.count > 1 ? fmax(1, (all - 1) / (double)(waves.count - 1)) : 1;
    struct touched touched = {.recorder = recorder,
                              .windows = x_calloc(waves.count * places + 1, sizeof *touched.windows),
                              .first = x_calloc(places, sizeof *touched.first),
                              .before = x_calloc(places, sizeof *touched.before),
                              .apart = x_calloc(places, sizeof *touched.apart),
                              .pairs = x_calloc(places, sizeof *touched.pairs)};
    waves.touched = &touched;
    waves.lost = x_calloc(waves.count + 1, sizeof *waves.lost);
    memset(touched.first, UINT8_MAX, places * sizeof *touched.first);
    for (size_t b = 0; b < recorder->count; b++) {
        touched.window = &touched.windows[b / recorder->resident * places];
        for (unsigned w = 0; w < recorder->blocks[b]->warp_count; w++)
            touch(&recorder->blocks[b]->warps[w], &touched);
        end_block(&touched, b);
        if ((b + 1) % recorder->resident == 0 || b + 1 == recorder->count) {
            traffic.serial += one_by_one(&touched.atomics);
            touched.atomics = (struct atomics){0};
            seen_release(&touched.wave);
        }
    }
    find_shares(&waves, traffic.shares);
    traffic.serial *= waves.all;
    traffic.stored = touched.bytes * waves.all;
    if (touched.stored.count)
        traffic.whole = touched.bytes / ((double)touched.stored.count * SECTOR_BYTES);
    seen_release(&touched.loaded);
    seen_release(&touched.stored);
    free(touched.windows);
    free(touched.first);
    free(touched.before);
    free(touched.apart);
    free(touched.pairs);
    free(waves.lost);
    return traffic;
}
