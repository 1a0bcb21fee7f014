/* The same launch on inputs that nobody knew: what it reads is drawn anew, what it writes is filled with a pattern that
 * was drawn, and the capsule's own code says what is right then. */
#include "draw.h"
#include "prove_parts.h"
#include "replay_parts.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a range that one argument points to, up to where another one does. */
struct array {
    size_t range;
    uint64_t at, size;
    unsigned argument; /* its number, from 1; 0: none */
    bool filled;       /* what the launch changes there is filled before it */
};

struct drawing {
    const struct draw_request *request;
    const struct capsules *capsules;
    const struct capsule *capsule;
    const struct capsule_device *device;
    struct replay *replay;
    struct problem *problem;
    struct array *arrays;
    size_t array_count;
    struct memory before;      /* what is written before the launch, with pointers as the program had them */
    struct memory found;       /* what the launch found, with pointers as they are here */
    struct memory left, other; /* what it left, and what another launch left */
    struct memory base, again; /* what it found on the captured inputs, and what a launch in another order left */
    struct memory varies;      /* bits in which launches differ */
    bool has_varied;
};

/* ---- Arrays ---- */

static unsigned argument_to(const struct capsule *capsule, uint64_t begin)
{
    uint64_t address;
    for (unsigned i = 0; i < capsule->argument_count; i++)
        if (capsule->arguments[i].size == sizeof address &&
            memcmp(&begin, memcpy(&address, capsule->bytes + capsule->arguments[i].offset, sizeof address),
                   sizeof address) == 0)
            return i + 1;
    return 0;
}

/* Parts a range where arguments point into it, at a multiple of what an array is drawn in. */
static void list_arrays(struct drawing *drawing, size_t number)
{
    const struct capsule *capsule = drawing->capsule;
    const struct memory_range *range = &capsule->ranges[number];
    uint64_t *begins = x_calloc(capsule->argument_count + 2, sizeof *begins), address;
    size_t count = 1;
    for (size_t i = 0; i < capsule->argument_count; i++) {
        if (capsule->arguments[i].size != sizeof address)
            continue;
        memcpy(&address, capsule->bytes + capsule->arguments[i].offset, sizeof address);
        if (address > range->address && address - range->address < range->size)
            begins[count++] = (address - range->address) / WORD * WORD;
    }
    qsort(begins, count, sizeof *begins, compare_words);
    begins[count] = range->size;
    for (size_t i = 0; i < count; i++)
        if (begins[i + 1] > begins[i])
            *ARRAY_GROW(drawing->arrays, drawing->array_count) = (struct array){
                number, begins[i], begins[i + 1] - begins[i], argument_to(capsule, range->address + begins[i]), false};
    free(begins);
}

static bool is_drawn(const struct memory_range *range)
{
    return range->kind != MEMORY_VARIABLE && range->size > 0;
}

/* Whether a word points to memory of the launch, or right behind it. */
static bool points(const void *self, uint64_t word)
{
    const struct capsule *capsule = self;
    for (size_t i = 0; i < capsule->range_count; i++)
        if (word >= capsule->ranges[i].address && word - capsule->ranges[i].address <= capsule->ranges[i].size)
            return true;
    return false;
}

/* ---- Launches ---- */

/* Takes the pages of a range into memory, as they were before the program's launch, or the bits that vary. */
static int take_pages(struct drawing *drawing, size_t number, const uint32_t *pages, const struct memory *memory)
{
    const struct memory_range *range = &drawing->capsule->ranges[number];
    unsigned char bytes[CAPSULE_PAGE];
    for (size_t page = 0; page < pages_of(range->size); page++) {
        const uint64_t at = (uint64_t)page * CAPSULE_PAGE, left = range->size - at;
        if (pages[page] == PAGE_ZERO)
            continue;
        if (capsules_page(drawing->capsules, pages[page], bytes, drawing->problem) < 0)
            return -1;
        memcpy(memory->ranges[number] + at, bytes, left < CAPSULE_PAGE ? (size_t)left : CAPSULE_PAGE);
    }
    return 0;
}

/* Writes what is another before the launch than before the program's, and nothing else: pointers that the replay moved
 * stay. */
static int write_page(struct drawing *drawing, size_t number, size_t page)
{
    const struct memory_range *range = &drawing->capsule->ranges[number];
    const uint64_t at = (uint64_t)page * CAPSULE_PAGE, left = range->size - at;
    const size_t size = left < CAPSULE_PAGE ? (size_t)left : CAPSULE_PAGE;
    const unsigned char *now = drawing->before.ranges[number] + at;
    unsigned char was[CAPSULE_PAGE];
    if (capsules_page(drawing->capsules, range->before[page], was, drawing->problem) < 0)
        return -1;
    for (size_t from = 0, to; from < size; from = to + WORD) {
        while (from < size && memcmp(now + from, was + from, size - from < WORD ? size - from : WORD) == 0)
            from += WORD;
        for (to = from; to < size && memcmp(now + to, was + to, size - to < WORD ? size - to : WORD) != 0;)
            to += WORD;
        if (from < size && replay_write(drawing->replay, number, at + from, now + from, (to < size ? to : size) - from,
                                        drawing->problem) < 0)
            return -1;
    }
    return 0;
}

/* Launches the capsule's code on what is drawn, and takes what it left. */
static int launch(struct drawing *drawing, const struct memory *left)
{
    const struct capsule *capsule = drawing->capsule;
    if (replay_restore(drawing->replay, drawing->problem) < 0 ||
        replay_clear_around(drawing->replay, drawing->problem) < 0)
        return -1;
    for (size_t i = 0; i < capsule->range_count; i++)
        for (size_t page = 0; is_drawn(&capsule->ranges[i]) && page < pages_of(capsule->ranges[i].size); page++)
            if (write_page(drawing, i, page) < 0)
                return -1;
    return memory_read(&drawing->found, drawing->replay, drawing->capsule, drawing->problem) < 0 ||
                   replay_launch(drawing->replay, drawing->problem) < 0 ||
                   replay_wait(drawing->replay, drawing->problem) < 0
               ? -1
               : memory_read(left, drawing->replay, drawing->capsule, drawing->problem);
}

/* Whether two launches left the same, but for what varies. With `note` what differs varies from then on. */
static bool is_same(struct drawing *drawing, bool note)
{
    bool same = true;
    for (size_t i = 0; i < drawing->capsule->range_count; i++) {
        const unsigned char *a = drawing->left.ranges[i], *b = drawing->other.ranges[i];
        unsigned char *varies = drawing->varies.ranges[i];
        const uint64_t size = drawing->capsule->ranges[i].size;
        for (uint64_t at = 0; at < size; at++) {
            if (((a[at] ^ b[at]) & ~varies[at]) == 0)
                continue;
            same = false;
            if (note)
                memset(varies + at / WORD * WORD, 0xff, size - at / WORD * WORD < WORD ? (size_t)(size % WORD) : WORD);
        }
    }
    return same;
}

/* ---- What it writes ---- */

/* Fills the words of an array that the launch changed with a pattern. Returns how many they are. */
static size_t fill(struct drawing *drawing, const struct array *array, uint64_t *state)
{
    const unsigned char *found = drawing->found.ranges[array->range], *left = drawing->left.ranges[array->range];
    size_t count = 0;
    for (uint64_t at = array->at; at + WORD <= array->at + array->size; at += WORD) {
        const uint64_t pattern = draw_next(state);
        if (memcmp(found + at, left + at, WORD) == 0)
            continue;
        memcpy(drawing->before.ranges[array->range] + at, &pattern, WORD);
        count++;
    }
    return count;
}

static void copy(const struct array *array, const struct memory *to, const struct memory *from)
{
    memcpy(to->ranges[array->range] + array->at, from->ranges[array->range] + array->at, (size_t)array->size);
}

static bool has_changed(const struct drawing *drawing, const struct array *array)
{
    return memcmp(drawing->before.ranges[array->range] + array->at, drawing->left.ranges[array->range] + array->at,
                  (size_t)array->size) != 0;
}

/* Fills what the launch changed, as far as it then leaves the same: what it reads before it writes stays. All arrays
 * are tried together, then each. */
static int fill_outputs(struct drawing *drawing, uint64_t *state, struct drawn *drawn)
{
    struct memory kept, found;
    int failed = 0;
    memory_make(&kept, drawing->capsule);
    memory_make(&found, drawing->capsule);
    for (size_t i = 0; i < drawing->array_count; i++) {
        copy(&drawing->arrays[i], &kept, &drawing->before);
        copy(&drawing->arrays[i], &found, &drawing->found);
    }
    for (size_t i = 0; i <= drawing->array_count && failed == 0; i++) {
        const size_t first = i == 0 ? 0 : i - 1, end = i == 0 ? drawing->array_count : i;
        size_t words = 0;
        for (size_t k = first; k < end; k++) {
            copy(&drawing->arrays[k], &drawing->found, &found);
            words += fill(drawing, &drawing->arrays[k], state);
        }
        if (words == 0)
            continue;
        failed = launch(drawing, &drawing->other);
        const bool same = failed == 0 && is_same(drawing, false);
        drawn->filled += same ? words * WORD : 0;
        for (size_t k = first; k < end && same; k++)
            drawing->arrays[k].filled = has_changed(drawing, &drawing->arrays[k]);
        if (same && i == 0)
            break;
        for (size_t k = first; k < end && !same; k++)
            copy(&drawing->arrays[k], &drawing->before, &kept);
    }
    memory_release(&kept, drawing->capsule);
    memory_release(&found, drawing->capsule);
    return failed;
}

/* Fills the zeros that stayed zeros in arrays of which something is filled, such as what a mask or a ReLU leaves: what
 * is a zero again then was written. Returns -1 with drawing->problem. */
static int fill_zeros(struct drawing *drawing, uint64_t *state, struct drawn *drawn)
{
    static const unsigned char zeros[WORD];
    struct memory kept;
    size_t words = 0;
    memory_make(&kept, drawing->capsule);
    for (size_t i = 0; i < drawing->array_count; i++) {
        const struct array *array = &drawing->arrays[i];
        unsigned char *before = drawing->before.ranges[array->range];
        const unsigned char *left = drawing->left.ranges[array->range];
        copy(array, &kept, &drawing->before);
        for (uint64_t at = array->at; array->filled && at + WORD <= array->at + array->size; at += WORD) {
            const uint64_t pattern = draw_next(state);
            if (memcmp(before + at, zeros, WORD) != 0 || memcmp(left + at, zeros, WORD) != 0)
                continue;
            memcpy(before + at, &pattern, WORD);
            words++;
        }
    }
    int failed = words > 0 ? launch(drawing, &drawing->other) : 0;
    size_t written = 0;
    for (size_t i = 0; i < drawing->array_count && words > 0 && failed == 0; i++) {
        const struct array *array = &drawing->arrays[i];
        for (uint64_t at = array->at; array->filled && at + WORD <= array->at + array->size; at += WORD) {
            unsigned char *before = drawing->before.ranges[array->range] + at;
            const unsigned char *was = kept.ranges[array->range] + at;
            if (memcmp(before, was, WORD) == 0)
                continue;
            if (memcmp(drawing->other.ranges[array->range] + at, zeros, WORD) == 0)
                written++;
            else
                memcpy(before, was, WORD);
        }
    }
    if (written > 0 && failed == 0 && (failed = launch(drawing, &drawing->other)) == 0) {
        const bool same = is_same(drawing, false);
        drawn->filled += same ? written * WORD : 0;
        for (size_t i = 0; i < drawing->array_count && !same; i++)
            copy(&drawing->arrays[i], &drawing->before, &kept);
    }
    memory_release(&kept, drawing->capsule);
    return failed;
}

/* ---- The capsule ---- */

/* Makes the pages of a range: bytes where they are not those of `unless`, which may be NULL. */
static uint32_t *pages(struct capsule_writer *writer, const unsigned char *bytes, const unsigned char *unless,
                       uint64_t size)
{
    uint32_t *list = x_calloc(pages_of(size) + 1, sizeof *list);
    for (size_t page = 0; page < pages_of(size); page++) {
        const uint64_t at = (uint64_t)page * CAPSULE_PAGE;
        const size_t length = size - at < CAPSULE_PAGE ? (size_t)(size - at) : CAPSULE_PAGE;
        list[page] = unless && memcmp(bytes + at, unless + at, length) == 0
                         ? PAGE_SAME
                         : capsule_writer_page(writer, bytes + at, length);
    }
    return list;
}

/* Makes what the launch left such as the program would have it: what it did not change is as before, since a pointer
 * may be another here. */
static void take_unchanged(struct drawing *drawing, size_t number)
{
    const unsigned char *before = drawing->before.ranges[number], *found = drawing->found.ranges[number];
    unsigned char *left = drawing->left.ranges[number];
    for (uint64_t at = 0; at < drawing->capsule->ranges[number].size; at++)
        if (left[at] == found[at])
            left[at] = before[at];
}

static int write_capsule(struct drawing *drawing, struct capsule_writer *writer)
{
    const struct capsule *capsule = drawing->capsule;
    struct capsule drawn = *capsule;
    unsigned char *code = capsules_blob(drawing->capsules, &capsule->code, drawing->problem);
    if (!code)
        return -1;
    drawn.id = (char *)drawing->request->id;
    drawn.proof = drawing->has_varied ? PROOF_VARIES : PROOF_IDENTICAL;
    drawn.code = capsule_writer_blob(writer, code, capsule->code.size);
    drawn.ranges = x_calloc(capsule->range_count + 1, sizeof *drawn.ranges);
    for (size_t i = 0; i < capsule->range_count; i++) {
        struct memory_range *range = &drawn.ranges[i];
        *range = capsule->ranges[i];
        take_unchanged(drawing, i);
        range->before = pages(writer, drawing->before.ranges[i], NULL, range->size);
        range->after = pages(writer, drawing->left.ranges[i], drawing->before.ranges[i], range->size);
        range->varies = drawing->has_varied ? pages(writer, drawing->varies.ranges[i], NULL, range->size) : NULL;
    }
    int failed = capsule_writer_add(writer, &drawn);
    if (failed < 0)
        problem_set(drawing->problem, "%s", writer->problem.text);
    ranges_release(drawn.ranges, capsule->range_count);
    blob_release(&drawn.code);
    free(code);
    return failed;
}

/* ---- What the reference bears ---- */

static unsigned char *bytes_of(const struct array *array, const struct memory *memory)
{
    return memory->ranges[array->range] + array->at;
}

/* Words that the launch changes, and of them infinities and NaNs as arithmetic makes them, by the upper half, of
 * whichever type of float it is one; and those that are less than 2^-100, as integers are, and what underflows. */
struct numbers {
    uint64_t words, special, tiny;
};

static bool is_special(uint32_t word)
{
    const unsigned half = word >> 16, magnitude = half & 0x7fff;
    return magnitude == 0x7c00 || magnitude == 0x7e00 || magnitude == 0x7f80 || magnitude == 0x7fc0 || half == 0x7fff;
}

static struct numbers count_numbers(const struct drawing *drawing, const struct memory *found,
                                    const struct memory *left)
{
    struct numbers numbers = {0, 0, 0};
    for (size_t i = 0; i < drawing->capsule->range_count; i++)
        for (uint64_t at = 0; at + 4 <= drawing->capsule->ranges[i].size; at += 4) {
            uint32_t was, is;
            memcpy(&was, found->ranges[i] + at, sizeof was);
            memcpy(&is, left->ranges[i] + at, sizeof is);
            numbers.words += was != is;
            numbers.special += was != is && is_special(is);
            numbers.tiny += was != is && (is & 0x7fffffff) < 0x0d800000 && is << 1 != 0;
        }
    return numbers;
}

/* Whether there are clearly more that say nothing. */
static bool has_more_specials(const struct numbers *numbers, const struct drawn *drawn)
{
    return numbers->special > 2 * drawn->special + numbers->words / 16 ||
           numbers->tiny > 2 * drawn->tiny + numbers->words / 1024;
}

/* Whether a launch that found something else left another result, of which inputs that nobody writes are no part. */
static bool has_moved(const struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->capsule->range_count; i++) {
        const unsigned char *left = drawing->left.ranges[i], *other = drawing->other.ranges[i];
        const unsigned char *found[] = {drawing->base.ranges[i], drawing->found.ranges[i]};
        for (uint64_t at = 0; at < drawing->capsule->ranges[i].size; at++)
            if (((left[at] ^ other[at]) & ~drawing->varies.ranges[i][at]) != 0 &&
                (left[at] != found[0][at] || other[at] != found[1][at]))
                return true;
    }
    return false;
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
    const int failed = launch(drawing, &drawing->again);
    if (drawing->device->turn)
        drawing->device->turn(false);
    return failed < 0 ? -1 : (int64_t)differences(drawing, left, &drawing->again);
}

static void draw_one(const struct drawing *drawing, size_t number, enum draw_way way, bool last, uint64_t seed,
                     struct drawn_array *drawn)
{
    const struct array *array = &drawing->arrays[number];
    const struct draw draw = {.seed = seed,
                              .way = way,
                              .last = last,
                              .narrow = drawing->request->narrow,
                              .points = points,
                              .self = drawing->capsule};
    const enum drawn_kind kind = draw_array(&draw, bytes_of(array, &drawing->before), (size_t)array->size);
    if (drawn)
        drawn->kind = kind;
}

/* Finds how boldly an array can be drawn alone, and whether the result moves with it. varying: words that vary on the
 * captured inputs already. */
static int try_array(struct drawing *drawing, size_t number, int64_t varying, uint64_t seed, const struct drawn *drawn,
                     struct drawn_array *found)
{
    const struct draw_request *request = drawing->request;
    const struct array *array = &drawing->arrays[number];
    unsigned char *before = bytes_of(array, &drawing->before), *kept = x_calloc(array->size + 1, 1);
    int failed = 0;
    memcpy(kept, before, array->size);
    for (; found->way < DRAW_KEPT && failed == 0; found->way++) {
        request->tries(request->self, number, found->way);
        draw_one(drawing, number, found->way, true, seed, NULL);
        if (memcmp(before, kept, array->size) == 0)
            continue;
        failed = launch(drawing, &drawing->other);
        const struct numbers numbers = count_numbers(drawing, &drawing->found, &drawing->other);
        found->moves = failed == 0 && has_moved(drawing);
        const bool may_race = found->kind < DRAWN_FEW;
        const int64_t varies = failed == 0 && may_race ? launch_otherwise(drawing, &drawing->other) : failed;
        failed = varies < 0 ? -1 : failed;
        memcpy(before, kept, array->size);
        if (failed == 0 && varies <= 2 * varying + (varying > 0 ? (int64_t)numbers.words / 16 : 0) &&
            !has_more_specials(&numbers, drawn))
            break;
    }
    found->moves &= found->way < DRAW_KEPT;
    request->tries(request->self, DRAWN_MOST, DRAW_KEPT);
    memcpy(before, kept, array->size);
    free(kept);
    return failed;
}

/* Of what fails together. */
static void be_careful(struct drawn_array *array)
{
    const enum draw_way least = array->kind == DRAWN_OFFSETS ? DRAW_KEPT
                                : array->kind < DRAWN_FEW    ? DRAW_CALMLY
                                                             : DRAW_NARROWLY;
    array->way = array->way < least ? least : array->way;
}

/* Finds it of all arrays, on the captured inputs. Zeros that are written, but not filled, are where sums begin. */
static int try_arrays(struct drawing *drawing, uint64_t *state, struct drawn *drawn)
{
    const struct draw_request *request = drawing->request;
    if (launch(drawing, &drawing->left) < 0)
        return -1;
    for (size_t i = 0; i < drawing->capsule->range_count; i++)
        memcpy(drawing->base.ranges[i], drawing->found.ranges[i], (size_t)drawing->capsule->ranges[i].size);
    const struct numbers numbers = count_numbers(drawing, &drawing->base, &drawing->left);
    drawn->special = numbers.special;
    drawn->tiny = numbers.tiny;
    const int64_t varying = launch_otherwise(drawing, &drawing->left);
    int failed = varying < 0 ? -1 : 0;
    drawn->count = drawing->array_count < DRAWN_MOST ? drawing->array_count : DRAWN_MOST;
    for (size_t i = 0; i < drawn->count && failed == 0; i++) {
        const struct array *array = &drawing->arrays[i];
        const bool changed = memcmp(bytes_of(array, &drawing->base), bytes_of(array, &drawing->left), array->size) != 0;
        struct drawn_array *found = &drawn->arrays[i];
        *found = (struct drawn_array){.argument = array->argument, .size = array->size, .way = request->ways[i]};
        draw_one(drawing, i, DRAW_KEPT, true, 0, found);
        found->asked = array->argument > 0 && array->argument <= 64 && request->keep >> (array->argument - 1) & 1;
        if (request->care >= DRAW_ONCE)
            be_careful(found);
        if (found->asked || (request->care >= DRAW_FLOATS && found->kind < DRAWN_FEW) ||
            (found->kind == DRAWN_ZEROS && changed))
            found->way = DRAW_KEPT;
        failed = try_array(drawing, i, varying, draw_next(state), drawn, found);
        if ((array->filled && !found->moves) || (found->kind == DRAWN_ZEROS && changed))
            *found = (struct drawn_array){.way = DRAW_KEPT}; /* it is only written, or where sums begin */
    }
    return failed;
}

/* ---- Drawing ---- */

static void draw_all(struct drawing *drawing, uint64_t *state, const struct drawn *drawn)
{
    for (size_t i = 0; i < drawing->array_count && i < drawn->count; i++)
        draw_one(drawing, i, drawn->arrays[i].way, drawing->request->last, draw_next(state), NULL);
}

/* A variable has another address in each process, so what the launch leaves there is not known in the program's. */
static bool changes_variable(const struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->capsule->range_count; i++)
        if (drawing->capsule->ranges[i].kind == MEMORY_VARIABLE &&
            memcmp(drawing->found.ranges[i], drawing->left.ranges[i], (size_t)drawing->capsule->ranges[i].size) != 0)
            return true;
    return false;
}

static int draw(struct drawing *drawing, struct capsule_writer *writer, struct drawn *drawn, char *why, size_t why_size)
{
    uint64_t state = drawing->request->seed;
    for (size_t i = 0; i < drawing->capsule->range_count; i++) {
        const struct memory_range *range = &drawing->capsule->ranges[i];
        if (take_pages(drawing, i, range->before, &drawing->before) < 0 ||
            (range->varies && take_pages(drawing, i, range->varies, &drawing->varies) < 0))
            return -1;
        drawing->has_varied |= range->varies != NULL;
        if (is_drawn(range))
            list_arrays(drawing, i);
    }
    if (drawing->request->inputs)
        draw_all(drawing, &state, drawn);
    if (launch(drawing, &drawing->left) < 0)
        return -1;
    if (changes_variable(drawing)) {
        snprintf(why, why_size, "it changes a variable of its machine code");
        return 1;
    }
    if ((drawing->request->care < DRAW_UNFILLED &&
         (fill_outputs(drawing, &state, drawn) < 0 || fill_zeros(drawing, &state, drawn) < 0)) ||
        (!drawing->request->inputs && try_arrays(drawing, &state, drawn) < 0) || launch(drawing, &drawing->left) < 0 ||
        launch(drawing, &drawing->other) < 0)
        return -1;
    const struct numbers numbers = count_numbers(drawing, &drawing->found, &drawing->left);
    if (!drawing->request->inputs && numbers.special > numbers.words / 2) {
        snprintf(why, why_size, "most of what it leaves is an infinity or not a number");
        return 1;
    }
    if (has_more_specials(&numbers, drawn))
        return problem_set(drawing->problem, "it leaves more that is infinite, next to nothing, or not a number");
    if (!is_same(drawing, true)) {
        if (drawing->request->last && drawing->request->care == DRAW_ALL)
            return problem_set(drawing->problem, "it varies on integers that come twice");
        drawing->has_varied = true;
    }
    return write_capsule(drawing, writer);
}

int capsule_draw(struct player *player, const struct capsule *capsule, const struct draw_request *request,
                 struct capsule_writer *writer, struct drawn *drawn, char *why, size_t why_size,
                 struct problem *problem)
{
    struct drawing drawing = {.request = request,
                              .capsules = player->capsules,
                              .capsule = capsule,
                              .device = player->device,
                              .problem = problem};
    struct memory *const memories[] = {&drawing.before, &drawing.found, &drawing.left,  &drawing.other,
                                       &drawing.base,   &drawing.again, &drawing.varies};
    if (replay_open(&drawing.replay, player, capsule, problem) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(memories); i++)
        memory_make(memories[i], capsule);
    const int result = draw(&drawing, writer, drawn, why, why_size);
    for (size_t i = 0; i < ARRAY_SIZE(memories); i++)
        memory_release(memories[i], capsule);
    replay_close(drawing.replay);
    free(drawing.arrays);
    return result;
}
