/* What the reference bears: each input is drawn alone, and the launch must not fail, nor vary more, nor leave what says
 * less. */
#include "draw.h"
#include "drawing.h"
#include "replay_parts.h"

#include "base/base.h"

#include <fenv.h>

bool drawing_points(const void *self, uint64_t word)
{
    const struct capsule *capsule = self;
    return ANY(i, capsule->range_count,
               word >= capsule->ranges[i].address && word - capsule->ranges[i].address <= capsule->ranges[i].size);
}

/* Whether the upper half of a word is an infinity below or above 0, or a NaN, as arithmetic makes it of any type. */
static bool is_special(uint32_t word, enum special kind)
{
    const unsigned half = word >> 16, magnitude = half & 0x7fff;
    if (kind == SPECIAL_NAN)
        return magnitude == 0x7e00 || magnitude == 0x7fc0 || half == 0x7fff;
    return (magnitude == 0x7c00 || magnitude == 0x7f80) && half >> 15 == (kind == SPECIAL_BELOW);
}

static bool is_exact(const struct drawing *drawing, size_t range, uint64_t at)
{
    const struct memory_range *of = &drawing->capsule->ranges[range];
    return capsule_is_exact(drawing->capsule, of, of->address + at);
}

/* Counts those of a span, which a tolerance takes for integers where all are tiny, or such below 0. What is said to be
 * integers has none of these. */
static void count_span(struct numbers *numbers, bool exact, const unsigned char *found, const unsigned char *left,
                       size_t size)
{
    uint64_t tiny = 0, others = 0;
    for (size_t at = 0; at + 4 <= size; at += 4) {
        uint32_t was, is;
        memcpy(&was, found + at, sizeof was);
        memcpy(&is, left + at, sizeof is);
        if (was == is)
            continue;
        const bool is_tiny = (is & 0x7fffffff) < 0x0d800000 || is > -(UINT32_C(1) << 25);
        numbers->words++;
        numbers->zeros += is == 0;
        for (enum special kind = 0; kind < SPECIALS && !exact; kind++)
            numbers->special[kind] += is_special(is, kind) || is_special(is << 16, kind);
        tiny += is_tiny && is << 1 != 0 && is != UINT32_MAX; /* which stands for "none" */
        others += !is_tiny;
    }
    numbers->tiny += others == 0 && !exact ? tiny : 0;
}

struct numbers drawing_count(const struct drawing *drawing, const struct memory *found, const struct memory *left)
{
    struct numbers numbers = {.words = 0};
    for (size_t i = 0; i < drawing->capsule->range_count; i++)
        for (uint64_t at = 0, size = drawing->capsule->ranges[i].size; at < size; at += TOLERANCE_SPAN)
            count_span(&numbers, is_exact(drawing, i, at), found->ranges[i] + at, left->ranges[i] + at,
                       size - at < TOLERANCE_SPAN ? (size_t)(size - at) : TOLERANCE_SPAN);
    return numbers;
}

bool drawing_says_less(const struct numbers *numbers, const struct drawn *drawn)
{
    enum { CHANCE = 8 }; /* lower halves look like anything */
    bool more = numbers->tiny > 2 * drawn->tiny + numbers->words / 1024;
    for (enum special kind = 0; kind < SPECIALS; kind++) /* -inf may be the result of an empty row */
        more |= numbers->special[kind] > (drawn->special[kind] > numbers->words / 1024
                                              ? numbers->words / 2
                                              : 2 * drawn->special[kind] + numbers->words / 64 + CHANCE);
    return more;
}

/* Returns which kinds of overflow a launch leaves in a span that are not among the known ones. `masked`, which may be
 * NULL, gets the bits of those values. Adds to counts: all values, and those. */
static unsigned overflows_of(const struct draw_request *request, unsigned known, const unsigned char *found,
                             const unsigned char *left, size_t size, unsigned char *masked, uint64_t counts[2])
{
    const size_t step = value_sizes[request->type];
    unsigned kinds = 0;
    if (holds_integers(request->type, found, left, size))
        return 0;
    for (size_t at = 0; at + step <= size; at += step) {
        const unsigned kind = value_overflow(request->type, left + at) & ~known;
        if (memcmp(found + at, left + at, step) == 0)
            continue;
        if (kind && masked)
            memset(masked + at, 0xff, step);
        kinds |= kind;
        counts[0]++;
        counts[1] += kind != 0;
    }
    return kinds;
}

bool drawing_overflows(struct drawing *drawing, const struct memory *base, const struct memory *captured,
                       const struct memory *left, bool masks)
{
    const struct draw_request *request = drawing->request;
    bool most = false;
    for (size_t i = 0; request->tolerance > 0 && i < drawing->capsule->range_count; i++) {
        uint64_t counts[2] = {0, 0}, ignored[2] = {0, 0};
        unsigned known = 0;
        for (unsigned pass = 0; pass < 2; pass++)
            for (uint64_t at = 0, size = drawing->capsule->ranges[i].size; at < size; at += TOLERANCE_SPAN) {
                const size_t part = size - at < TOLERANCE_SPAN ? (size_t)(size - at) : TOLERANCE_SPAN;
                if (is_exact(drawing, i, at))
                    continue;
                if (pass == 0)
                    known |=
                        overflows_of(request, 0, base->ranges[i] + at, captured->ranges[i] + at, part, NULL, ignored);
                else
                    overflows_of(request, known, drawing->found.ranges[i] + at, left->ranges[i] + at, part,
                                 masks ? drawing->varies.ranges[i] + at : NULL, counts);
            }
        most |= 2 * counts[1] > counts[0];
        drawing->has_masked |= masks && counts[1] > 0;
    }
    return most;
}

/* Copies what a launch left to `actual`, but for what is as the other left it: bits that vary, and inputs that nobody
 * writes, which are no part of a result. */
static void take_result(const struct drawing *drawing, size_t range, uint64_t at, unsigned char *actual, size_t size)
{
    const unsigned char *left = drawing->left.ranges[range] + at, *other = drawing->other.ranges[range] + at;
    const unsigned char *base = drawing->base.ranges[range] + at, *found = drawing->found.ranges[range] + at;
    const unsigned char *varies = drawing->varies.ranges[range] + at;
    for (size_t i = 0; i < size; i++)
        actual[i] = left[i] == base[i] && other[i] == found[i]
                        ? left[i]
                        : (unsigned char)((other[i] & ~varies[i]) | (left[i] & varies[i]));
}

/* Compares what a launch left that found something else. */
static enum drawn_effect effect_of(const struct drawing *drawing)
{
    struct tolerance tolerance = {.most = drawing->request->tolerance, .type = drawing->request->type};
    enum drawn_effect effect = EFFECT_NONE;
    for (size_t i = 0; i < drawing->capsule->range_count; i++)
        for (uint64_t at = 0; at < drawing->capsule->ranges[i].size; at += TOLERANCE_SPAN) {
            const uint64_t rest = drawing->capsule->ranges[i].size - at;
            const size_t size = rest < TOLERANCE_SPAN ? (size_t)rest : TOLERANCE_SPAN;
            unsigned char expected[TOLERANCE_SPAN] = {0}, actual[TOLERANCE_SPAN] = {0};
            memcpy(expected, drawing->left.ranges[i] + at, size);
            take_result(drawing, i, at, actual, size);
            if (memcmp(expected, actual, size) == 0)
                continue;
            effect = EFFECT_WITHIN;
            if (tolerance.most > 0)
                tolerate(&tolerance, drawing->base.ranges[i] + at, expected, actual, size);
            if (memcmp(expected, actual, size) != 0)
                return EFFECT_SEEN;
        }
    return effect;
}

/* How many words two launches left otherwise. */
static uint64_t differences(const struct drawing *drawing, const struct memory *a, const struct memory *b)
{
    uint64_t count = 0;
    for (size_t i = 0; i < drawing->capsule->range_count; i++)
        for (uint64_t at = 0; at + WORD <= drawing->capsule->ranges[i].size; at += WORD)
            count += memcmp(a->ranges[i] + at, b->ranges[i] + at, WORD) != 0;
    return count;
}

/* Launches once more with blocks in another order, where the device has one, and returns in how many words that leaves
 * something else than `left`; -1 with drawing->problem. */
static int64_t launch_otherwise(struct drawing *drawing, const struct memory *left)
{
    if (drawing->device->turn)
        drawing->device->turn(true);
    const int failed = drawing_launch(drawing, &drawing->again);
    if (drawing->device->turn)
        drawing->device->turn(false);
    return failed < 0 ? -1 : (int64_t)differences(drawing, left, &drawing->again);
}

void drawing_draw(const struct drawing *drawing, size_t number, enum draw_way way, bool last, uint64_t seed,
                  struct drawn_array *drawn)
{
    const struct array *array = &drawing->arrays[number];
    const struct draw draw = {.seed = seed,
                              .way = way > DRAW_KEPT ? DRAW_BOLDLY : way,
                              .last = last,
                              .far = way > DRAW_KEPT,
                              .exact = drawing->request->tolerance == 0,
                              .infinite = way == DRAW_FAR,
                              .constants = drawing->constants,
                              .constant_count = drawing->constant_count,
                              .nans = drawing->nans,
                              .special = drawing->special,
                              .integers = has_integers(drawing, array),
                              .hot = drawing->request->inputs && drawing->request->care < DRAW_ANEW,
                              .stale = drawing->request->inputs && !last,
                              .narrow = drawing->request->narrow,
                              .place = drawing->request->place,
                              .points = drawing_points,
                              .self = drawing->capsule};
    unsigned char *bytes = bytes_of(drawing, array, &drawing->before);
    const enum drawn_kind kind =
        (array->range == (size_t)NO_RANGE ? draw_scalar : draw_array)(&draw, bytes, (size_t)array->size);
    if (drawn)
        drawn->kind = kind;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    return size > 0 && *bytes == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* Launches with floats that moved by last places, and puts them back. */
static int launch_nudged(struct drawing *drawing, const struct drawn *drawn, unsigned by, uint64_t seed,
                         const struct memory *kept, const struct memory *left)
{
    for (size_t i = drawing->scalar_count; i < drawn->count; i++) {
        const struct array *array = &drawing->arrays[i];
        unsigned char *bytes = bytes_of(drawing, array, &drawing->before);
        memcpy(bytes_of(drawing, array, kept), bytes, (size_t)array->size);
        if (drawn->arrays[i].way < DRAW_KEPT && drawn->arrays[i].kind >= DRAWN_FEW)
            draw_nudged(seed + i, by, bytes, bytes_of(drawing, array, &drawing->base), (size_t)array->size);
    }
    const int failed = drawing_launch(drawing, left);
    for (size_t i = drawing->scalar_count; i < drawn->count; i++)
        memcpy(bytes_of(drawing, &drawing->arrays[i], &drawing->before), bytes_of(drawing, &drawing->arrays[i], kept),
               (size_t)drawing->arrays[i].size);
    return failed;
}

/* Launches once more with all rounded up, or down, by the simulator: a GPU rounds as always. */
static int launch_rounded(struct drawing *drawing, int way, const struct memory *left)
{
    OWNED_TEXT mode = x_sprintf("%d", way);
    setenv("CUGATE_SIM_ROUNDING", mode, 1);
    const int failed = drawing_launch(drawing, left);
    unsetenv("CUGATE_SIM_ROUNDING");
    return failed;
}

/* Values that are written, those of them that go further than the tolerance, and as far as parts of what is drawn are
 * apart. */
struct going {
    uint64_t all, beyond, far;
};

/* Notes how far values of a span may be off: they go from what was left to `far`, and half as far at most to `near`. */
static void allow_span(const struct draw_request *request, const unsigned char *found, const unsigned char *left,
                       const unsigned char *near, const unsigned char *far, unsigned char *allowed, size_t size,
                       struct going *going)
{
    enum { MOST = 1 << 12 };
    const size_t step = value_sizes[request->type];
    unsigned char within[TOLERANCE_SPAN], within_most[TOLERANCE_SPAN];
    struct tolerance least = {.most = request->tolerance, .type = request->type}, most = least;
    most.most *= MOST;
    memcpy(within, left, size);
    memcpy(within_most, left, size);
    tolerate(&least, found, within, far, size);
    tolerate(&most, found, within_most, far, size);
    for (size_t i = 0; i + step <= size && least.integers == 0; i += step) {
        if (memcmp(found + i, left + i, step) == 0)
            continue;
        going->all++;
        if (memcmp(within + i, far + i, step) != 0 &&
            tolerance_allow(request->type, allowed + i, left + i, near + i, far + i)) {
            going->beyond++;
            going->far += memcmp(within_most + i, far + i, step) != 0;
        }
    }
}

int drawing_allow_rounding(struct drawing *drawing, const struct drawn *drawn, uint64_t *state)
{
    enum { NUDGED, ROUNDED, KINDS, TIMES = 2, NEAR = 4, FAR = 64, FEW = 8 };
    static const int ways[TIMES] = {FE_UPWARD, FE_DOWNWARD};
    const struct capsule *capsule = drawing->capsule;
    struct memory kept, near, allowed[KINDS], found = drawing->found;
    struct memory *const own[] = {&kept, &near, &allowed[NUDGED], &allowed[ROUNDED], &drawing->found};
    bool most = false;
    int failed = 0;
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        memory_make(own[i], capsule);
    for (unsigned kind = 0; kind < KINDS && failed == 0; kind++) {
        struct going going = {.all = 0};
        for (unsigned time = 0; time < TIMES && failed == 0; time++) {
            const uint64_t seed = draw_next(state);
            failed = kind == ROUNDED ? launch_rounded(drawing, ways[time], &drawing->other)
                     : launch_nudged(drawing, drawn, NEAR, seed, &kept, &near) < 0
                         ? -1
                         : launch_nudged(drawing, drawn, FAR, seed, &kept, &drawing->other);
            for (size_t i = 0; i < capsule->range_count && failed == 0; i++)
                for (uint64_t at = 0, size = capsule->ranges[i].size; at < size; at += TOLERANCE_SPAN)
                    if (!is_exact(drawing, i, at))
                        allow_span(drawing->request, found.ranges[i] + at, drawing->left.ranges[i] + at,
                                   (kind == ROUNDED ? &drawing->left : &near)->ranges[i] + at,
                                   drawing->other.ranges[i] + at, allowed[kind].ranges[i] + at,
                                   size - at < TOLERANCE_SPAN ? (size_t)(size - at) : TOLERANCE_SPAN, &going);
        }
        /* Many that go with all rounding one way are long sums, for which whatever code adds takes both ways. */
        const bool too_many = kind == ROUNDED ? going.beyond > going.all / FEW : 4 * going.far > going.all;
        most |= kind == NUDGED && too_many;
        const size_t step = value_sizes[drawing->request->type];
        for (size_t i = 0; i < capsule->range_count && failed == 0 && !too_many; i++)
            for (uint64_t at = 0; at + step <= capsule->ranges[i].size; at += step)
                if (is_zero(drawing->varies.ranges[i] + at, step) && !is_zero(allowed[kind].ranges[i] + at, step)) {
                    memcpy(drawing->varies.ranges[i] + at, allowed[kind].ranges[i] + at, step);
                    drawing->has_masked = true;
                }
    }
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        memory_release(own[i], capsule);
    drawing->found = found;
    return failed < 0 ? -1 : most;
}

/* Finds which parts of an array that is drawn change the result alone, and whether groups can be in another order:
 * offsets can hardly, nor be drawn in part. kept: as it is. */
static int try_parts(struct drawing *drawing, size_t number, uint64_t seed, const struct drawn *drawn,
                     const unsigned char *kept, struct drawn_array *found)
{
    const struct draw_request *request = drawing->request;
    const size_t size = (size_t)drawing->arrays[number].size, part = size / DRAWN_PARTS / WORD * WORD;
    unsigned char *before = bytes_of(drawing, &drawing->arrays[number], &drawing->before);
    enum { DRAWN_TRIES = 3 };
    const bool is_offsets = found->kind == DRAWN_OFFSETS;
    request->tries(request->self, number,
                   (enum draw_way)((found->way | DRAW_WHOLE | (request->ways[number] & DRAW_NEAR)) - 1));
    if (is_offsets && found->way < DRAW_CALMLY && draw_are_groups(before, size)) {
        drawing_draw(drawing, number, DRAW_CALMLY, false, seed, NULL);
        TRY(drawing_launch(drawing, &drawing->other));
        const struct numbers numbers = drawing_count(drawing, &drawing->found, &drawing->other);
        found->reorders = effect_of(drawing) == EFFECT_SEEN && !drawing_says_less(&numbers, drawn);
    }
    found->in_parts = part > 0 && !is_offsets;
    for (size_t i = 0; i < (size_t)DRAWN_PARTS * DRAWN_TRIES && found->in_parts; i++) {
        const size_t k = i % DRAWN_PARTS, from = k * part, to = k + 1 < DRAWN_PARTS ? from + part : size;
        if (found->parts >> k & 1)
            continue;
        memcpy(before, kept, size);
        drawing_draw(drawing, number, found->way, i < DRAWN_PARTS, seed + i / DRAWN_PARTS,
                     NULL); /* as each draw does */
        memcpy(before, kept, from);
        memcpy(before + to, kept + to, size - to);
        if (memcmp(before, kept, size) == 0)
            continue;
        TRY(drawing_launch(drawing, &drawing->other));
        found->parts |= effect_of(drawing) != EFFECT_NONE ? 1U << k : 0;
    }
    return 0;
}

/* Finds whether an array that can be drawn boldly can be drawn far: if that leaves nothing infinite, and not mostly 0,
 * which says nothing of the other inputs. */
static int try_far(struct drawing *drawing, size_t number, int64_t varying, uint64_t seed, const struct drawn *drawn,
                   const unsigned char *kept, struct drawn_array *found)
{
    const struct draw_request *request = drawing->request;
    enum { CHANCE = 8, PART = 1 << 12 }; /* lower halves look like anything */
    static const bool kinds[DRAWN_KINDS] = {
        [DRAWN_SCALAR] = true, [DRAWN_UNKNOWN] = true, [DRAWN_INTEGERS] = true, [DRAWN_FLOATS] = true};
    const enum draw_care most = number < drawing->scalar_count ? DRAW_FEW_FAR : DRAW_ANEW;
    if (!kinds[found->kind] || found->way != DRAW_BOLDLY || request->care > most || request->ways[number] & DRAW_NEAR)
        return 0;
    request->tries(request->self, number, (enum draw_way)((request->ways[number] | DRAW_NEAR) - 1));
    int64_t varies = 0;
    for (enum draw_way way = DRAW_FAR; way <= DRAW_FINITE && varies == 0 && !found->far; way++) {
        memcpy(bytes_of(drawing, &drawing->arrays[number], &drawing->before), kept, drawing->arrays[number].size);
        drawing_draw(drawing, number, way, false, seed, NULL);
        TRY(drawing_launch(drawing, &drawing->other));
        const struct numbers numbers = drawing_count(drawing, &drawing->found, &drawing->other);
        bool bears = !drawing_says_less(&numbers, drawn) && numbers.zeros <= 2 * drawn->zeros + numbers.words / 4 &&
                     !drawing_overflows(drawing, &drawing->base, &drawing->left, &drawing->other, false);
        for (enum special kind = 0; kind < SPECIALS; kind++)
            bears &= numbers.special[kind] <= drawn->special[kind] + CHANCE + numbers.words / PART;
        varies = bears && found->kind != DRAWN_FLOATS ? launch_otherwise(drawing, &drawing->other) : 0;
        found->far = bears && varies <= 2 * varying ? way : 0;
    }
    return varies < 0 ? -1 : 0;
}

/* Finds whether an integer that may become more is a size all the same: where it is less, less is written. Only the
 * grid of the reference then keeps it from what is beyond the arrays, and that of other code may not. */
static int try_less(struct drawing *drawing, size_t number, uint64_t seed, const struct drawn *drawn,
                    const unsigned char *kept, struct drawn_array *found)
{
    const struct draw_request *request = drawing->request;
    struct drawn_array less = *found;
    uint64_t value = 0;
    memcpy(&value, kept, drawing->arrays[number].size <= sizeof value ? drawing->arrays[number].size : 0);
    if (value <= 1 || request->ways[number] & DRAW_WHOLE) /* 0 and 1 become no less, and an array has no less */
        return 0;
    request->tries(request->self, number, (enum draw_way)((DRAW_WHOLE | (request->ways[number] & DRAW_NEAR)) - 1));
    less.way = DRAW_NARROWLY;
    memcpy(bytes_of(drawing, &drawing->arrays[number], &drawing->before), kept, drawing->arrays[number].size);
    drawing_draw(drawing, number, less.way, false, seed, &less);
    TRY(drawing_launch(drawing, &drawing->other));
    const struct numbers numbers = drawing_count(drawing, &drawing->found, &drawing->other);
    less.effect = effect_of(drawing);
    if (less.kind == DRAWN_SIZE && numbers.words < drawn->words - drawn->words / 512 &&
        !drawing_says_less(&numbers, drawn))
        *found = less;
    else
        found->less = less.effect == EFFECT_SEEN && !drawing_says_less(&numbers, drawn);
    return 0;
}

/* Finds how boldly an array can be drawn alone, and whether the result moves with it; of a scalar the first way in
 * which it does, or the last that is borne. varying: words that vary on the captured inputs already. */
static int try_array(struct drawing *drawing, size_t number, int64_t varying, uint64_t seed, const struct drawn *drawn,
                     struct drawn_array *found)
{
    const struct draw_request *request = drawing->request;
    const struct array *array = &drawing->arrays[number];
    struct drawn_array best = *found;
    unsigned char *before = bytes_of(drawing, array, &drawing->before), *kept = x_calloc(array->size + 1, 1);
    int failed = 0;
    best.way = DRAW_KEPT;
    memcpy(kept, before, array->size);
    for (; found->way < DRAW_KEPT && failed == 0; found->way++) {
        request->tries(request->self, number, found->way);
        drawing_draw(drawing, number, found->way, number >= drawing->scalar_count, seed, found);
        if (memcmp(before, kept, array->size) == 0)
            continue;
        failed = drawing_launch(drawing, &drawing->other);
        const struct numbers numbers = drawing_count(drawing, &drawing->found, &drawing->other);
        found->effect = failed == 0 ? effect_of(drawing) : EFFECT_NONE;
        const bool may_race = found->kind < DRAWN_FEW;
        const int64_t varies = failed == 0 && may_race ? launch_otherwise(drawing, &drawing->other) : failed;
        failed = varies < 0 ? -1 : failed;
        memcpy(before, kept, array->size);
        if (failed < 0 || varies > 2 * varying + (varying > 0 ? (int64_t)numbers.words / 16 : 0) ||
            drawing_says_less(&numbers, drawn) ||
            drawing_overflows(drawing, &drawing->base, &drawing->left, &drawing->other, false))
            continue;
        best = best.way == DRAW_KEPT || found->effect >= best.effect ? *found : best;
        if ((number >= drawing->scalar_count && found->kind != DRAWN_LENGTHS) || found->effect == EFFECT_SEEN)
            break;
    }
    if (failed == 0 && best.kind == DRAWN_SCALAR && best.way == DRAW_BOLDLY)
        failed = try_less(drawing, number, seed, drawn, kept, &best);
    if (failed == 0 && best.effect == EFFECT_SEEN)
        failed = try_far(drawing, number, varying, seed, drawn, kept, &best);
    memcpy(before, kept, array->size);
    if (failed == 0 && number >= drawing->scalar_count && best.effect == EFFECT_SEEN &&
        !(request->ways[number] & DRAW_WHOLE))
        failed = try_parts(drawing, number, seed, drawn, kept, &best);
    best.kind = best.way < DRAW_KEPT ? best.kind : found->kind;
    *found = best;
    if (failed == 0)
        request->tries(request->self, DRAWN_MOST, DRAW_KEPT);
    memcpy(before, kept, array->size);
    free(kept);
    return failed;
}

/* Of what fails together. */
static void be_careful(struct drawn_array *array)
{
    static const enum draw_way least[DRAWN_KINDS] = {
        [DRAWN_SCALAR] = DRAW_KEPT,     [DRAWN_SIZE] = DRAW_KEPT,         [DRAWN_OFFSETS] = DRAW_KEPT,
        [DRAWN_UNKNOWN] = DRAW_CALMLY,  [DRAWN_INTEGERS] = DRAW_IN_BYTES, [DRAWN_FEW] = DRAW_NARROWLY,
        [DRAWN_FLOATS] = DRAW_NARROWLY,
    };
    array->way = array->way < least[array->kind] ? least[array->kind] : array->way;
}

int drawing_try(struct drawing *drawing, uint64_t *state, struct drawn *drawn)
{
    const struct draw_request *request = drawing->request;
    TRY(drawing_launch(drawing, &drawing->left));
    for (size_t i = 0; i < drawing->capsule->range_count; i++)
        memcpy(drawing->base.ranges[i], drawing->found.ranges[i], (size_t)drawing->capsule->ranges[i].size);
    const struct numbers numbers = drawing_count(drawing, &drawing->base, &drawing->left);
    memcpy(drawn->special, numbers.special, sizeof drawn->special);
    drawn->tiny = numbers.tiny;
    drawn->zeros = numbers.zeros;
    drawn->words = numbers.words;
    const int64_t varying = launch_otherwise(drawing, &drawing->left);
    int failed = varying < 0 ? -1 : 0;
    drawn->count = drawing->array_count < DRAWN_MOST - DRAW_FORMS ? drawing->array_count : DRAWN_MOST - DRAW_FORMS;
    for (size_t i = 0; i < drawn->count && failed == 0; i++) {
        const struct array *array = &drawing->arrays[i];
        const bool changed = memcmp(bytes_of(drawing, array, &drawing->base), bytes_of(drawing, array, &drawing->left),
                                    array->size) != 0;
        struct drawn_array *found = &drawn->arrays[i];
        *found = (struct drawn_array){
            .argument = array->argument, .size = array->size, .way = request->ways[i] % DRAW_WHOLE};
        drawing_draw(drawing, i, DRAW_KEPT, true, 0, found);
        found->asked = array->argument > 0 && array->argument <= 64 && request->keep >> (array->argument - 1) & 1;
        if (request->care >= DRAW_ONCE)
            be_careful(found);
        else if (request->care == DRAW_MILDLY && found->kind == DRAWN_FLOATS && found->way < DRAW_NARROWLY)
            found->way = DRAW_NARROWLY;
        found->of_grid = array->of_grid;
        if (found->asked || found->of_grid || (request->care >= DRAW_FLOATS && found->kind < DRAWN_FEW) ||
            (found->kind == DRAWN_ZEROS && changed))
            found->way = DRAW_KEPT;
        failed = try_array(drawing, i, varying, draw_next(state), drawn, found);
        const bool zeros = found->kind == DRAWN_ZEROS && found->effect == EFFECT_NONE && found->way < DRAW_KEPT &&
                           is_zero(bytes_of(drawing, array, &drawing->other), array->size);
        if ((array->filled && found->effect == EFFECT_NONE) || (found->kind == DRAWN_ZEROS && changed) || zeros)
            *found = (struct drawn_array){.way = DRAW_KEPT, .written = zeros}; /* written only, or where sums begin */
        if (i < drawing->scalar_count && array->size == sizeof found->value && found->effect == EFFECT_NONE &&
            memcmp(drawing->arguments + array->at, &(uint64_t){0}, sizeof found->value) == 0)
            *found = (struct drawn_array){.way = DRAW_KEPT}; /* no pointer, and unused: such as Triton's last ones */
        found->is_scalar = i < drawing->scalar_count && array->size <= sizeof found->value;
        if (found->is_scalar)
            memcpy(&found->value, drawing->arguments + array->at, (size_t)array->size);
    }
    return failed;
}
