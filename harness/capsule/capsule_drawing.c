/* Memory and launches of a capsule whose inputs are drawn. */
#include "draw.h"
#include "drawing.h"

#include "base/base.h"

int drawing_take(struct drawing *drawing, size_t number, const uint32_t *pages, const struct memory *memory)
{
    const struct memory_range *range = &drawing->capsule->ranges[number];
    unsigned char bytes[CAPSULE_PAGE];
    for (size_t page = 0; page < pages_of(range->size); page++) {
        const uint64_t at = (uint64_t)page * CAPSULE_PAGE, left = range->size - at;
        if (pages[page] == PAGE_ZERO)
            continue;
        TRY(capsules_page(drawing->capsules, pages[page], bytes, drawing->problem));
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
    TRY(capsules_page(drawing->capsules, range->before[page], was, drawing->problem));
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

/* Each launch finds other values there, so that a result which depends on them varies. */
static void fill_scratch(struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->capsule->range_count; i++) {
        const struct memory_range *range = &drawing->capsule->ranges[i];
        for (uint64_t at = 0; range->kind == MEMORY_SCRATCH && at < range->size; at += WORD) {
            const uint64_t word = draw_next(&drawing->scratch);
            memcpy(drawing->before.ranges[i] + at, &word, range->size - at < WORD ? (size_t)(range->size - at) : WORD);
        }
    }
}

int drawing_launch(struct drawing *drawing, const struct memory *left)
{
    const struct capsule *capsule = drawing->capsule;
    if (replay_restore(drawing->replay, drawing->problem) < 0 ||
        replay_clear_around(drawing->replay, drawing->problem) < 0)
        return -1;
    fill_scratch(drawing);
    for (size_t i = 0; i < capsule->range_count; i++)
        for (size_t page = 0; capsule->ranges[i].kind != MEMORY_VARIABLE && page < pages_of(capsule->ranges[i].size);
             page++)
            TRY(write_page(drawing, i, page));
    replay_arguments(drawing->replay, drawing->arguments);
    return memory_read(&drawing->found, drawing->replay, drawing->capsule, drawing->problem) < 0 ||
                   replay_launch(drawing->replay, drawing->problem) < 0 ||
                   replay_wait(drawing->replay, drawing->problem) < 0
               ? -1
               : memory_read(left, drawing->replay, drawing->capsule, drawing->problem);
}
