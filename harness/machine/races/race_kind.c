#include "race_kind.h"

/* What a store is to the words that race: it stores by a choice among them, a change of what was there, or neither. */
enum store { STORE_BLIND, STORE_CHOICE, STORE_UPDATE };

static bool is_global(const struct instruction *one)
{
    return one->traits & (TRAIT_GLOBAL | TRAIT_GENERIC);
}

static bool is_bulk(const struct instruction *one, const char *opcode)
{
    return one->traits & TRAIT_BULK && strncmp(one->opcode, opcode, strlen(opcode)) == 0;
}

bool race_loads(const struct instruction *one)
{
    return one->traits & TRAIT_LOAD || is_bulk(one, "UBLKCP.S.G") || is_bulk(one, "UTMALDG");
}

static bool is_load(const struct code *code, size_t index)
{
    return race_loads(&code->list[index]);
}

/* Whether a load is from where a store goes to, by the same registers. */
static bool is_there(const struct code *code, size_t load, size_t store)
{
    const struct operand *from = operand_of(&code->list[load], OPERAND_ADDRESS),
                         *to = operand_of(&code->list[store], OPERAND_ADDRESS);
    return from && to && from->row == to->row && from->value == to->value &&
           (from->based ? to->based && from->base == to->base : !to->based);
}

static enum store store_of(const struct code *code, size_t store, const bool *own, const bool *racing)
{
    OWNED_MEMORY bool *there = x_calloc(code->count + 1, sizeof *there);
    for (size_t i = 0; i < code->count; i++)
        there[i] = own[i] && is_there(code, i, store);
    struct flows *sums = flows_open(code, there, false), *least = flows_open(code, there, true),
                 *choices = flows_open(code, racing, true);
    const bool updates = flows_into(sums, store),
               chooses = flows_decide(choices, store) || (flows_into(least, store) && !updates);
    flows_close(sums);
    flows_close(least);
    flows_close(choices);
    return updates ? STORE_UPDATE : chooses ? STORE_CHOICE : STORE_BLIND;
}

/* Where the address of a load depends on loads that race, it may follow a chain that others shorten. */
static bool is_chained(const struct code *code, size_t load, const bool *racing)
{
    struct flows *flows = flows_open(code, racing, false);
    const bool chained = flows_into_address(flows, load);
    flows_close(flows);
    return chained;
}

static bool is_kept(const struct code *code, size_t load, const bool *own, const bool *racing)
{
    bool *loads = x_calloc(code->count + 1, sizeof *loads), kept = false;
    loads[load] = true;
    struct flows *flows = flows_open(code, loads, false);
    for (size_t i = 0; i < code->count && !kept; i++) {
        const struct instruction *one = &code->list[i];
        const bool copies = is_bulk(one, "UBLKCP.G.S") || is_bulk(one, "UBLKRED.G") || is_bulk(one, "UTMASTG") ||
                            is_bulk(one, "UTMAREDG"),
                   stores = one->traits & TRAIT_STORE, adds = one->traits & TRAIT_ATOMIC && IS_OF(one, ADD);
        kept = (copies || (is_global(one) && (stores || adds))) && flows_into(flows, i) &&
               (adds || store_of(code, i, own, racing) != STORE_CHOICE);
    }
    flows_close(flows);
    free(loads);
    return kept;
}

enum race_kind race_kind(const struct code *code, size_t one, size_t other, const bool *own, const bool *racing,
                         bool ordered)
{
    const size_t pair[] = {one, other};
    bool updates = true, chooses = true;
    for (size_t k = 0; k < ARRAY_SIZE(pair); k++) {
        if (is_load(code, pair[k]))
            return (ordered || !is_chained(code, pair[k], racing)) && is_kept(code, pair[k], own, racing) ? RACE_READ
                                                                                                          : RACE_MEANT;
        const bool atomic = code->list[pair[k]].traits & TRAIT_ATOMIC;
        const enum store store = atomic ? STORE_BLIND : store_of(code, pair[k], own, racing);
        updates &= store == STORE_UPDATE;
        chooses &= store == STORE_CHOICE || atomic;
    }
    return updates ? RACE_LOST : chooses ? RACE_MEANT : RACE_STORED;
}

bool race_is_decided(const struct code *code, size_t index, const uint32_t *by)
{
    OWNED_MEMORY bool *loads = x_calloc(code->count + 1, sizeof *loads);
    for (size_t i = 0; i < code->count; i++) {
        const struct instruction *one = &code->list[i];
        loads[i] = (!by || *by == i) && is_global(one) &&
                   (one->traits & TRAIT_ATOMIC ? one->output_count > 0 : is_load(code, i) && IS_OF(one, STRONG));
    }
    struct flows *flows = flows_open(code, loads, true);
    const bool decided = flows_decide(flows, index);
    flows_close(flows);
    return decided;
}
