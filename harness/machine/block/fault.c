/* Makes a block fail. The message has the place of the instruction that it is executing. */
#include "block.h"

char *block_place(const struct block *block)
{
    OWNED_TEXT place = code_place(block->grid->function, block->now ? block->now->index : 0);
    return x_sprintf("%s (block %u,%u,%u)", place, block->index[0], block->index[1], block->index[2]);
}

static void describe(struct problem *problem, const struct block *block, const char *prefix, const char *format,
                     va_list list)
{
    char text[400];
    vsnprintf(text, sizeof text, format, list);
    OWNED_TEXT place = block_place(block);
    problem_set(problem, "%s%s at %s", prefix, text, place);
}

__attribute__((noreturn)) static void fail(struct block *block, const char *prefix, const char *format, va_list list)
{
    describe(block->problem, block, prefix, format, list);
    if (block->grid->client)
        block->fails(block);
    longjmp(*block->failed, 1);
}

#define FAILS(name, fault_, prefix, ...)                                                                               \
    void name(__VA_ARGS__, const char *format, ...)                                                                    \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, format);                                                                                        \
        *block->fault = fault_;                                                                                        \
        fail(block, prefix, format, list);                                                                             \
    }
FAILS(block_fault, FAULT_OTHER, "", struct block *block)
FAILS(block_fault_of, fault, "", struct block *block, enum fault fault)
FAILS(block_not_simulated, FAULT_NONE, "not simulated: ", struct block *block)

void block_doubt_of(struct block *block, enum doubt_kind kind, const char *format, ...)
{
    struct doubt *doubt = block->grid->doubt;
    if (block->doubted >> kind & 1)
        return;
    block->doubted |= 1u << kind;
    va_list list;
    va_start(list, format);
    if (!doubt) {
        *block->fault = FAULT_OTHER;
        fail(block, "", format, list);
    }
    pthread_mutex_lock(&block->machine->doubts);
    struct doubt_of *of = &doubt->of[kind];
    if (!of->any || block->number < of->block) {
        describe(&of->problem, block, "", format, list);
        of->block = block->number;
        doubt->any = of->any = true;
    }
    pthread_mutex_unlock(&block->machine->doubts);
    va_end(list);
}

bool outside_note(struct machine *machine, const char *words)
{
    pthread_mutex_lock(&machine->lock);
    const size_t i = FIRST(k, machine->noted_count, machine->noted[k] == words);
    if (i == machine->noted_count)
        *ARRAY_GROW(machine->noted, machine->noted_count) = words;
    pthread_mutex_unlock(&machine->lock);
    return machine->allows_outside;
}
