/* Replays a capsule: memory as before the launch, the launch, and whether memory is then as the program's launch left
 * it. A copy of what was before stays in memory of the device, so that restoring is quick. */

#include "replay_parts.h"

#include <inttypes.h>

enum { CHUNK = PLAYER_PAGES, IN_PARALLEL = 8 }; /* pages taken at a time; so many or more are read in parallel */

/* A range of the capsule in this process. */
struct part {
    const struct memory_range *range;
    uint64_t here;
    uint64_t kept;        /* address of the copy of what was before */
    bool changes;         /* the launch may leave something else than was before */
    struct places places; /* words that stay as the loader made them */
};

struct replay {
    struct player *player;
    const struct capsule *capsule;
    void *module;
    unsigned char *bytes; /* the arguments */
    struct part *parts;   /* those of the capsule's ranges that are here */
    size_t part_count;
    struct moves moves;
    struct backed backed;
    uint64_t kept;                /* address of all copies; 0: none */
    unsigned char *const *varies; /* bits that are not compared, beside those of the capsule; NULL: none */
    double off;
    char near[160]; /* how far results were off that were taken for equal; "" */
};

/* ---- Pages ---- */

enum moment { BEFORE, AFTER, VARIES };

static uint32_t page_at(const struct memory_range *range, enum moment moment, size_t page)
{
    if (moment == VARIES)
        return range->varies ? range->varies[page] : PAGE_ZERO;
    return moment == BEFORE || range->after[page] == PAGE_SAME ? range->before[page] : range->after[page];
}

/* The pages of a range that are being read. */
struct reading {
    const struct replay *replay;
    const struct part *part;
    enum moment moment;
    size_t first, count;
    unsigned char *bytes;
    struct problem problems[CHUNK];
};

static void read_page(void *data, size_t i)
{
    struct reading *reading = data;
    const struct memory_range *range = reading->part->range;
    unsigned char *bytes = reading->bytes + i * CAPSULE_PAGE;
    const uint32_t page = page_at(range, reading->moment, reading->first + i);
    if (capsules_page(reading->replay->player->capsules, page, bytes, &reading->problems[i]) < 0)
        return;
    *reading->problems[i].text = '\0';
    if (reading->moment != VARIES)
        moves_apply(&reading->replay->moves, range->address + (reading->first + i) * CAPSULE_PAGE, bytes, CAPSULE_PAGE);
}

/* Reads pages of a range, with pointers as they are here. */
static int read_pages(const struct replay *replay, const struct part *part, enum moment moment, size_t first,
                      size_t count, unsigned char *bytes, struct problem *problem)
{
    OWNED_MEMORY struct reading *reading = x_calloc(1, sizeof *reading);
    int result = 0;
    *reading = (struct reading){.replay = replay, .part = part, .moment = moment, .first = first, .count = count};
    reading->bytes = bytes;
    if (count >= IN_PARALLEL)
        in_parallel(count, read_page, reading);
    for (size_t i = 0; i < count && result == 0; i++) {
        if (count < IN_PARALLEL)
            read_page(reading, i);
        if (*reading->problems[i].text)
            result = problem_set(problem, "%s", reading->problems[i].text);
    }
    return result;
}

/* Calls do_chunk for all pages of a part, as many at a time as a chunk holds. size is in bytes. */
static int each_chunk(struct replay *replay, struct part *part,
                      int (*do_chunk)(struct replay *replay, struct part *part, size_t first, size_t size, void *data,
                                      struct problem *problem),
                      void *data, struct problem *problem)
{
    const uint64_t most = (uint64_t)CHUNK * CAPSULE_PAGE;
    for (uint64_t at = 0; at < part->range->size; at += most) {
        const uint64_t left = part->range->size - at;
        TRY(do_chunk(replay, part, (size_t)(at / CAPSULE_PAGE), (size_t)(left < most ? left : most), data, problem));
    }
    return 0;
}

/* ---- Opening ---- */

static int load_code(struct replay *replay, unsigned char **code, struct problem *problem)
{
    const struct capsule *capsule = replay->capsule;
    if (capsule->code.size == 0)
        return problem_set(problem, "%s has no machine code: capture it again", capsule->id);
    *code = capsules_blob(replay->player->capsules, &capsule->code, problem);
    if (!*code)
        return -1;
    return player_load(replay->player, capsule, *code, &replay->module, problem);
}

/* Finds where a variable is here. Other code than the program's may do without it: then it gets no part. */
static int add_variable(struct replay *replay, const struct memory_range *range, const struct relocations *relocations,
                        struct problem *problem)
{
    const struct capsule *capsule = replay->capsule;
    uint64_t here, size;
    if (replay->player->device->variable(replay->module, range->variable, &here, &size, problem) < 0)
        return capsule->swapped ? 0 : -1;
    if (size != range->size)
        return problem_set(problem,
                           "variable %s of %s has %" PRIu64 " bytes, but had %" PRIu64
                           " when it was captured: replay it with code that has the same variables",
                           range->variable, capsule->id, size, range->size);
    struct part *part = ARRAY_GROW(replay->parts, replay->part_count);
    *part = (struct part){.range = range, .here = here};
    relocated_words(&part->places, relocations, range->variable);
    *ARRAY_GROW(replay->moves.list, replay->moves.count) = (struct move){range->address, range->size, here};
    return 0;
}

static int find_parts(struct replay *replay, const unsigned char *code, struct problem *problem)
{
    struct relocations *relocations = relocations_open(code, (size_t)replay->capsule->code.size);
    int failed = 0;
    for (size_t i = 0; i < replay->capsule->range_count && failed == 0; i++) {
        const struct memory_range *range = &replay->capsule->ranges[i];
        if (range->size == 0)
            continue;
        if (range->kind != MEMORY_VARIABLE)
            *ARRAY_GROW(replay->parts, replay->part_count) = (struct part){.range = range, .here = range->address};
        else
            failed = add_variable(replay, range, relocations, problem);
    }
    relocations_close(relocations);
    TRY(failed);
    moves_sort(&replay->moves);
    EACH(struct part, part, replay->parts, replay->part_count) {
        part->changes = part->range->kind == MEMORY_SCRATCH;
        for (size_t page = 0; page < pages_of(part->range->size); page++)
            part->changes |= part->range->after[page] != PAGE_SAME || page_at(part->range, VARIES, page) != PAGE_ZERO;
    }
    return 0;
}

/* Whether a word of the program is a pointer to memory that is known here. */
static bool is_known(const struct replay *replay, uint64_t word)
{
    uint64_t here;
    if (moves_find(&replay->moves, word, &here))
        return true;
    return FIND(range, replay->capsule->ranges, replay->capsule->range_count,
                range->kind != MEMORY_VARIABLE && word >= range->address && word - range->address < range->size);
}

/* Keeps the words that only the loader knows, such as addresses of functions: writes them into the copy of the memory
 * before the launch. A word that the program replaced by a pointer to memory is not one of them. */
static int keep_relocated(struct replay *replay, struct part *part, struct problem *problem)
{
    const struct capsule_device *device = replay->player->device;
    size_t kept = 0;
    for (size_t i = 0; i < part->places.count; i++) {
        const uint64_t place = part->places.list[i];
        uint64_t word = 0;
        if (place + sizeof word > part->range->size)
            continue;
        const size_t page = (size_t)(place / CAPSULE_PAGE);
        TRY(capsules_page(replay->player->capsules, part->range->before[page], replay->player->room[0], problem));
        memcpy(&word, replay->player->room[0] + place % CAPSULE_PAGE, sizeof word);
        if (is_known(replay, word))
            continue;
        if (device->read(&word, part->here + place, sizeof word, problem) < 0 ||
            device->write(part->kept + place, &word, sizeof word, problem) < 0)
            return -1;
        part->places.list[kept++] = place;
    }
    part->places.count = kept;
    return 0;
}

static int write_chunk(struct replay *replay, struct part *part, size_t first, size_t size, void *data,
                       struct problem *problem)
{
    (void)data;
    TRY(read_pages(replay, part, BEFORE, first, pages_of(size), replay->player->room[0], problem));
    return replay->player->device->write(part->kept + (uint64_t)first * CAPSULE_PAGE, replay->player->room[0], size,
                                         problem);
}

/* Makes the copy of what was before the launch. */
static int keep_before(struct replay *replay, struct problem *problem)
{
    enum { STEP = 512 };
    const struct capsule_device *device = replay->player->device;
    uint64_t total = 0;
    for (size_t i = 0; i < replay->part_count; i++) {
        replay->parts[i].kept = total;
        total += (replay->parts[i].range->size + STEP - 1) / STEP * STEP;
    }
    if (total > 0 && device->allocate(total, &replay->kept, problem) < 0)
        return -1;
    EACH(struct part, part, replay->parts, replay->part_count) {
        part->kept += replay->kept;
        if (each_chunk(replay, part, write_chunk, NULL, problem) < 0 || keep_relocated(replay, part, problem) < 0)
            return -1;
    }
    return 0;
}

int replay_open(struct replay **opened, struct player *player, const struct capsule *capsule, struct problem *problem)
{
    struct replay *replay = x_calloc(1, sizeof *replay);
    OWNED_MEMORY unsigned char *code = NULL;
    *replay = (struct replay){.player = player, .capsule = capsule};
    replay->bytes = x_calloc(capsule->byte_count + 1, 1);
    int failed = load_code(replay, &code, problem) < 0 || find_parts(replay, code, problem) < 0 ||
                 player_back(player, capsule, &replay->backed, problem) < 0 || keep_before(replay, problem) < 0;
    if (failed) {
        replay_close(replay);
        return -1;
    }
    replay_arguments(replay, capsule->bytes);
    *opened = replay;
    return 0;
}

void replay_arguments(struct replay *replay, const unsigned char *bytes)
{
    const size_t count = replay->capsule->byte_count;
    if (count > 0)
        memcpy(replay->bytes, bytes, count);
    moves_apply(&replay->moves, 0, replay->bytes, count);
}

void replay_close(struct replay *replay)
{
    const struct capsule_device *device = replay->player->device;
    struct problem ignored; /* whatever is wrong is said when something is next asked for */
    if (replay->kept)
        device->free(replay->kept, &ignored);
    player_unback(replay->player, &replay->backed);
    for (size_t i = 0; i < replay->part_count; i++)
        free(replay->parts[i].places.list);
    if (replay->player->last == replay)
        replay->player->last = NULL;
    free(replay->parts);
    free(replay->moves.list);
    free(replay->bytes);
    free(replay);
}

/* ---- Running ---- */

/* What the launch does not change is restored only after another replay. */
int replay_restore(struct replay *replay, struct problem *problem)
{
    const bool whole = replay->player->last != replay;
    replay->player->last = NULL;
    EACH(const struct part, part, replay->parts, replay->part_count)
        if ((whole || part->changes) && !(part->range->kind == MEMORY_SCRATCH && replay->player->ran) &&
            replay->player->device->copy(part->here, part->kept, part->range->size, problem) < 0)
            return -1;
    replay->player->last = replay;
    replay->player->ran = true;
    return player_set_back(replay->player, replay->capsule, replay->module, problem);
}

int replay_clear_around(struct replay *replay, struct problem *problem)
{
    return player_clear_around(replay->player, replay->capsule, &replay->backed, problem);
}

static int launch_step(struct replay *replay, size_t number, struct problem *problem)
{
    const struct capsule *capsule = replay->capsule, step = capsule_launch(capsule, number);
    OWNED_MEMORY unsigned char *bytes = x_calloc(step.byte_count + 1, 1);
    if (step.byte_count > 0)
        memcpy(bytes, step.bytes, step.byte_count);
    for (size_t i = 0; i < step.argument_count; i++)
        if (step.arguments[i].of > 0)
            memcpy(bytes + step.arguments[i].offset,
                   replay->bytes + capsule->arguments[step.arguments[i].of - 1].offset, step.arguments[i].size);
    return replay->player->device->launch(replay->module, &step, bytes, problem);
}

int replay_launch(struct replay *replay, struct problem *problem)
{
    const struct capsule *capsule = replay->capsule;
    if (capsule->step_count == 0)
        return replay->player->device->launch(replay->module, capsule, replay->bytes, problem);
    for (size_t i = 0; i < capsule->step_count; i++)
        TRY(launch_step(replay, i, problem));
    return 0;
}

int replay_wait(struct replay *replay, struct problem *problem)
{
    return replay->player->device->wait(problem);
}

/* ---- Comparing ---- */

/* Returns the address that an argument points to; 0: it is too short to be a pointer. */
static uint64_t pointed_by(const struct capsule *capsule, size_t i)
{
    uint64_t address = 0;
    if (capsule->arguments[i].size == sizeof address)
        memcpy(&address, capsule->bytes + capsule->arguments[i].offset, sizeof address);
    return address;
}

bool capsule_is_exact(const struct capsule *capsule, const struct memory_range *range, uint64_t address)
{
    uint64_t nearest = 0;
    bool exact = false;
    for (size_t i = 0; i < capsule->argument_count; i++) {
        const uint64_t begin = pointed_by(capsule, i);
        if (begin < range->address || begin >= address + TOLERANCE_SPAN || begin < nearest)
            continue;
        exact = capsule->arguments[i].exact || (exact && begin == nearest);
        nearest = begin;
    }
    return exact;
}

/* The bytes that differ, and the first of them. */
struct difference {
    uint64_t bytes;
    const struct part *part;
    uint64_t offset; /* of a word */
    uint32_t expected, actual;
    struct tolerance tolerance;
    unsigned char *varies, *before; /* each for as many pages as a chunk has */
};

static void note_first(struct difference *difference, const struct part *part, uint64_t offset,
                       const unsigned char *expected, const unsigned char *actual, size_t size)
{
    size_t length = size < sizeof difference->expected ? size : sizeof difference->expected;
    difference->part = part;
    difference->offset = offset;
    memcpy(&difference->expected, expected, length);
    memcpy(&difference->actual, actual, length);
}

enum { MASKED = 0xff };

/* Takes what is not compared from the memory itself: words of the loader's, and bits that vary. */
static void leave_out(const struct replay *replay, const struct part *part, uint64_t offset, unsigned char *expected,
                      const unsigned char *actual, const unsigned char *varies, size_t size)
{
    for (size_t i = 0; i < part->places.count; i++) {
        const uint64_t place = part->places.list[i];
        if (place >= offset && place - offset < size)
            memcpy(expected + (place - offset), actual + (place - offset), sizeof(uint64_t));
    }
    const unsigned char *also = replay->varies ? replay->varies[part->range - replay->capsule->ranges] + offset : NULL;
    for (size_t i = 0; also && i < size; i++)
        expected[i] = (unsigned char)((expected[i] & ~also[i]) | (actual[i] & also[i]));
    for (size_t i = 0; part->range->varies && i < size; i++) {
        const unsigned mask = replay->capsule->tolerance > 0 && varies[i] != MASKED ? 0 : varies[i];
        expected[i] = (unsigned char)((expected[i] & ~mask) | (actual[i] & mask));
    }
}

static void tolerate_part(struct difference *difference, const struct capsule *capsule, const struct part *part,
                          uint64_t offset, unsigned char *expected, const unsigned char *actual, size_t size)
{
    for (size_t at = 0; at < size; at += TOLERANCE_SPAN) {
        const size_t left = size - at < TOLERANCE_SPAN ? size - at : TOLERANCE_SPAN;
        difference->tolerance.exact = capsule_is_exact(capsule, part->range, part->range->address + offset + at);
        difference->tolerance.allowed = part->range->varies ? difference->varies + at : NULL;
        tolerate(&difference->tolerance, difference->before + at, expected + at, actual + at, left);
    }
}

static int compare_chunk(struct replay *replay, struct part *part, size_t first, size_t size, void *data,
                         struct problem *problem)
{
    struct difference *difference = data;
    const struct capsule_device *device = replay->player->device;
    const uint64_t offset = (uint64_t)first * CAPSULE_PAGE;
    unsigned char *expected = replay->player->room[0], *actual = replay->player->room[1];
    if (read_pages(replay, part, AFTER, first, pages_of(size), expected, problem) < 0 ||
        (part->range->varies &&
         read_pages(replay, part, VARIES, first, pages_of(size), difference->varies, problem) < 0))
        return -1;
    if (device->read_known) /* what it does not know is as expected */
        memcpy(actual, expected, size);
    TRY((device->read_known ? device->read_known : device->read)(actual, part->here + offset, size, problem));
    leave_out(replay, part, offset, expected, actual, difference->varies, size);
    if (memcmp(expected, actual, size) == 0)
        return 0;
    if (difference->tolerance.most > 0) {
        TRY(read_pages(replay, part, BEFORE, first, pages_of(size), difference->before, problem));
        for (size_t i = 0; part->range->varies && i < size; i++) /* what is not compared is no measure of the rest */
            difference->before[i] = difference->varies[i] == MASKED ? expected[i] : difference->before[i];
        tolerate_part(difference, replay->capsule, part, offset, expected, actual, size);
    }
    for (size_t i = 0; i < size; i++) {
        if (expected[i] == actual[i])
            continue;
        const size_t word = i & ~(size_t)3;
        if (difference->bytes++ == 0)
            note_first(difference, part, offset + word, expected + word, actual + word, size - word);
    }
    return 0;
}

void replay_mask(struct replay *replay, unsigned char *const *varies)
{
    replay->varies = varies;
}

/* Whether the word looks like a float, and not like an integer or an address. */
static bool is_like_float(uint32_t word)
{
    const int exponent = (int)(word >> 23 & 0xff) - 127;
    return word == 0 || (exponent > -60 && exponent < 60);
}

static void say_difference(const struct capsule *capsule, const struct difference *difference, char *why,
                           size_t why_size)
{
    const struct memory_range *range = difference->part->range;
    const struct tolerance *tolerance = &difference->tolerance;
    char place[256], integers[64] = "", values[128] = "", floats[96] = "";
    float is, was;
    const unsigned argument = capsule_argument_before(capsule, range, range->address + difference->offset);
    const uint64_t begin = argument > 0 ? pointed_by(capsule, argument - 1) - range->address : 0;
    memcpy(&is, &difference->actual, sizeof is);
    memcpy(&was, &difference->expected, sizeof was);
    if (is_like_float(difference->actual) && is_like_float(difference->expected))
        snprintf(floats, sizeof floats, " (as f32 %.9g instead of %.9g%s)", (double)is, (double)was,
                 fabsf(is - was) < 1e-3F * fabsf(was) ? RESULT_ROUNDED : "");
    if (range->kind == MEMORY_VARIABLE)
        snprintf(place, sizeof place, "variable %s", range->variable);
    else if (argument > 0)
        snprintf(place, sizeof place, "argument %u", argument);
    else
        snprintf(place, sizeof place, "memory at 0x%" PRIx64, range->address);
    if (tolerance->integers > 0)
        snprintf(integers, sizeof integers, ", including %" PRIu64 " integer%s, which must match bit for bit",
                 tolerance->integers, plural((size_t)tolerance->integers));
    if (tolerance->beyond > 0)
        snprintf(values, sizeof values,
                 ", including %" PRIu64 " %s value%s beyond the tolerance of %g (the worst is off by %.3g)",
                 tolerance->beyond, value_type_name(tolerance->type), plural((size_t)tolerance->beyond),
                 tolerance->most, tolerance->largest);
    snprintf(why, why_size,
             "%s differs from the expected result: byte %" PRIu64 " of %" PRIu64
             " is 0x%08x instead of 0x%08x%s; %" PRIu64 " byte%s%s%s",
             place, difference->offset - begin, range->size - begin, difference->actual, difference->expected, floats,
             difference->bytes, difference->bytes == 1 ? " differs" : "s differ", integers, values);
}

/* The differences that a tolerance allows are told as well. */
static void say_near(struct replay *replay, const struct tolerance *tolerance)
{
    char ulps[96] = "", values[32];
    *replay->near = '\0';
    replay->off = tolerance->off;
    if (tolerance->counted > 0)
        snprintf(ulps, sizeof ulps, " (at most %.3g ULP, root mean square %.3g)", tolerance->ulps,
                 sqrt(tolerance->squares / (double)tolerance->counted));
    if (tolerance->within > 0)
        snprintf(replay->near, sizeof replay->near, "%s %s value%s by at most %.2g of the largest value nearby%s",
                 group_digits((double)tolerance->within, values, sizeof values), value_type_name(tolerance->type),
                 tolerance->within == 1 ? " differs" : "s differ", tolerance->off, ulps);
}

const char *replay_near(const struct replay *replay, double *off)
{
    *off = replay->off;
    return *replay->near ? replay->near : NULL;
}

int replay_compare(struct replay *replay, char *why, size_t why_size, struct problem *problem)
{
    struct difference difference = {
        .tolerance = {.most = replay->capsule->tolerance, .type = replay->capsule->type},
        .varies = replay->player->room[2],
        .before = replay->player->room[3],
    };
    int failed = 0;
    for (size_t i = 0; i < replay->part_count && failed == 0; i++)
        if (replay->parts[i].range->kind != MEMORY_SCRATCH)
            failed = each_chunk(replay, &replay->parts[i], compare_chunk, &difference, problem);
    say_near(replay, &difference.tolerance);
    if (failed == 0 && difference.bytes == 0)
        return player_compare_kept(replay->player, replay->capsule, replay->module, why, why_size, problem);
    if (failed < 0)
        return failed;
    say_difference(replay->capsule, &difference, why, why_size);
    return 1;
}

/* ---- Memory as it is ---- */

static const struct part *part_of(const struct replay *replay, size_t range)
{
    return FIND(part, replay->parts, replay->part_count, part->range == &replay->capsule->ranges[range]);
}

int replay_read(struct replay *replay, size_t range, uint64_t at, void *bytes, size_t size, struct problem *problem)
{
    const struct part *part = part_of(replay, range);
    return part ? replay->player->device->read(bytes, part->here + at, size, problem) : 0;
}

int replay_fill(struct replay *replay, size_t range, uint64_t at, int byte, uint64_t size, struct problem *problem)
{
    const struct part *part = part_of(replay, range);
    replay->player->last = NULL;
    return part ? replay->player->device->fill(part->here + at, byte, (size_t)size, problem) : 0;
}

int replay_write(struct replay *replay, size_t range, uint64_t at, const void *bytes, size_t size,
                 struct problem *problem)
{
    const struct part *part = part_of(replay, range);
    replay->player->last = NULL; /* the next restore is of all */
    return part ? replay->player->device->write(part->here + at, bytes, size, problem) : 0;
}
