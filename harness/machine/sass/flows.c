#include "flows.h"

#include "base/base.h"

/* Registers, behind them predicates, and memory of the block. */
enum { MEMORY = ROWS + MASKS, NOWHERE, PLACES, WORDS = (PLACES + 63) / 64, WAYS = 2, MATRIX_ROWS = 4 };

struct places {
    uint64_t bits[WORDS];
};

struct flows {
    const struct code *code;
    const bool *loads;
    bool chosen;
    struct places *before;
};

static bool has(const struct places *places, size_t place)
{
    return places->bits[place / 64] >> place % 64 & 1;
}

static void set(struct places *places, size_t place, bool depends)
{
    const uint64_t bit = UINT64_C(1) << place % 64;
    places->bits[place / 64] = depends ? places->bits[place / 64] | bit : places->bits[place / 64] & ~bit;
}

static size_t place_of(const struct operand *operand)
{
    const unsigned char kind = operand->kind;
    const bool row =
        (kind == OPERAND_ROW && operand->space == SPACE_WARP) || kind == OPERAND_ADDRESS || kind == OPERAND_SIGN;
    const size_t place = row ? operand->row / ROW_BYTES : kind == OPERAND_PREDICATE ? ROWS + operand->row / 4 : NOWHERE;
    const bool fixed = place == ROW_ZERO || place == ROW_UNIFORM_ZERO || (place >= ROW_SINK && place < ROWS);
    return fixed ? NOWHERE : place;
}

/* Whether any of the rows that an operand has depends. */
static bool reads(const struct places *places, const struct operand *operand, unsigned rows)
{
    const size_t place = place_of(operand);
    bool depends = place != NOWHERE && has(places, place);
    for (unsigned k = 1; k < rows && place + k < ROW_ZERO; k++)
        depends |= has(places, place + k);
    if (operand->kind == OPERAND_ADDRESS && operand->based)
        depends |= has(places, operand->base / ROW_BYTES);
    return depends;
}

static unsigned rows_of(const struct instruction *one, const struct operand *operand)
{
    if (one->traits & (TRAIT_LOAD | TRAIT_STORE | TRAIT_ATOMIC) && operand->kind == OPERAND_ROW)
        return one->size > 4 ? one->size / 4u : 1;
    return operand->wide ? 2 : strstr(one->opcode, "MMA") ? MATRIX_ROWS : 1;
}

size_t branch_target(const struct code *code, const struct instruction *branch)
{
    for (unsigned i = branch->operand_count; i-- > 0;)
        if (branch->operands[i].kind == OPERAND_TARGET ||
            (branch->operands[i].kind == OPERAND_ROW && branch->operands[i].immediate))
            return (size_t)branch->operands[i].value / INSTRUCTION_BYTES;
    return code->count;
}

static bool is_branch(const struct instruction *one)
{
    return one->control == CONTROL_BRANCH || one->control == CONTROL_BRANCH_DIVERGENT ||
           one->control == CONTROL_BRANCH_ANY || one->control == CONTROL_CALL;
}

/* Sets which instructions may follow one; code->count: none. A call goes on behind it too. */
static void next_of(const struct code *code, size_t i, size_t ways[WAYS])
{
    const struct instruction *one = &code->list[i];
    const bool asks = one->guarded || operand_of(one, OPERAND_PREDICATE) || one->control != CONTROL_BRANCH,
               ends = one->control == CONTROL_EXIT || one->control == CONTROL_RETURN ||
                      one->control == CONTROL_BRANCH_INDEXED;
    ways[0] = (is_branch(one) && !asks) || (ends && !one->guarded) ? code->count : i + 1;
    ways[1] = is_branch(one) ? branch_target(code, one) : code->count;
}

static bool is_minimum(const struct instruction *one)
{
    return strstr(one->opcode, "MNMX") != NULL;
}

/* Sets what depends behind an instruction. */
static void pass(const struct flows *flows, size_t i, struct places *places)
{
    const struct instruction *one = &flows->code->list[i];
    const bool own = one->traits & (TRAIT_SHARED | TRAIT_LOCAL), loads = one->traits & TRAIT_LOAD;
    bool depends = (flows->chosen && one->guarded && has(places, ROWS + one->guard / 4)) ||
                   (has(places, MEMORY) && ((own && loads) || strstr(one->opcode, "GMMA")));
    for (unsigned k = one->output_count; k < one->operand_count; k++)
        depends |= (flows->chosen || !loads) && reads(places, &one->operands[k], rows_of(one, &one->operands[k]));
    if (depends && own && one->traits & (TRAIT_STORE | TRAIT_ATOMIC))
        set(places, MEMORY, true);
    if (flows->loads[i] && one->output_count == 0) /* a copy to shared memory */
        set(places, MEMORY, true);
    depends = (depends && (flows->chosen || !is_minimum(one))) || flows->loads[i];
    for (unsigned k = 0; k < one->output_count && (depends || !one->guarded); k++) {
        const size_t place = place_of(&one->operands[k]);
        for (unsigned row = 0; row < rows_of(one, &one->operands[k]) && place < NOWHERE; row++)
            set(places, place + row, depends);
    }
}

struct flows *flows_open(const struct code *code, const bool *loads, bool chosen)
{
    struct flows *flows = x_calloc(1, sizeof *flows);
    *flows = (struct flows){code, loads, chosen, x_calloc(code->count + 1, sizeof *flows->before)};
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < code->count; i++) {
            struct places behind = flows->before[i];
            size_t ways[WAYS];
            pass(flows, i, &behind);
            next_of(code, i, ways);
            for (unsigned way = 0; way < WAYS; way++)
                for (unsigned k = 0; k < WORDS && ways[way] < code->count; k++) {
                    uint64_t *bits = &flows->before[ways[way]].bits[k];
                    changed |= (behind.bits[k] & ~*bits) != 0;
                    *bits |= behind.bits[k];
                }
        }
    }
    return flows;
}

void flows_close(struct flows *flows)
{
    free(flows->before);
    free(flows);
}

bool flows_into(const struct flows *flows, size_t store)
{
    const struct instruction *one = &flows->code->list[store];
    bool depends = one->traits & TRAIT_BULK && has(&flows->before[store], MEMORY);
    for (unsigned k = one->output_count; k < one->operand_count; k++)
        depends |= one->operands[k].kind == OPERAND_ROW &&
                   reads(&flows->before[store], &one->operands[k], rows_of(one, &one->operands[k]));
    return depends;
}

bool flows_into_address(const struct flows *flows, size_t access)
{
    const struct operand *address = operand_of(&flows->code->list[access], OPERAND_ADDRESS);
    return address && reads(&flows->before[access], address, 2);
}

/* Whether one instruction follows another without a third between them. */
static bool reaches(const struct code *code, size_t from, size_t to, size_t without)
{
    size_t *list = x_calloc(WAYS * code->count + 2, sizeof *list), count = 0;
    OWNED_MEMORY bool *seen = x_calloc(code->count + 1, sizeof *seen);
    seen[code->count] = seen[without] = true;
    for (list[count++] = from; count > 0;) {
        const size_t at = list[--count];
        size_t ways[WAYS];
        if (seen[at])
            continue;
        seen[at] = true;
        next_of(code, at, ways);
        for (unsigned way = 0; way < WAYS; way++)
            list[count++] = ways[way];
    }
    const bool found = seen[to];
    free(list);
    return found;
}

bool flows_use(const struct code *code, size_t load, unsigned number)
{
    size_t *list = x_calloc(WAYS * code->count + 2, sizeof *list), count = 0;
    bool *seen = x_calloc(code->count + 1, sizeof *seen), used = false;
    struct places one = {{0}};
    const size_t place = place_of(&code->list[load].operands[0]) + number;
    if (place < NOWHERE)
        set(&one, place, true);
    seen[code->count] = true;
    for (size_t at = load; !used;) {
        const struct instruction *is = &code->list[at];
        bool ends = false;
        size_t ways[WAYS];
        for (unsigned k = at == load ? is->operand_count : 0; k < is->operand_count; k++) {
            const bool reads_it = reads(&one, &is->operands[k], rows_of(is, &is->operands[k]));
            ends |= reads_it && k < is->output_count && !is->guarded;
            used |= reads_it && k >= is->output_count;
        }
        /* Nobody knows where to; a caller may use it, and so may what is called. */
        used |= is->control == CONTROL_BRANCH_INDEXED || is->control == CONTROL_RETURN || is->control == CONTROL_CALL ||
                is->control == CONTROL_CALL_OUTSIDE;
        next_of(code, at, ways);
        for (unsigned way = 0; way < WAYS && !ends; way++)
            list[count++] = ways[way];
        while (count > 0 && seen[list[count - 1]])
            count--;
        if (count == 0)
            break;
        seen[at = list[--count]] = true;
    }
    free(list);
    free(seen);
    return used;
}

bool flows_reach(const struct code *code, size_t from, size_t to)
{
    for (size_t i = 0; i < code->count; i++)
        if (code->list[i].control == CONTROL_BRANCH_INDEXED)
            return true;
    return reaches(code, from, to, code->count);
}

/* A branch decides it if only one of its ways comes there. */
bool flows_decide(const struct flows *flows, size_t index)
{
    const struct code *code = flows->code;
    const struct instruction *one = &code->list[index];
    bool decides = one->guarded && has(&flows->before[index], ROWS + one->guard / 4);
    for (size_t i = 0; i < code->count && !decides; i++) {
        const struct instruction *branch = &code->list[i];
        size_t ways[WAYS];
        bool asks = branch->guarded && has(&flows->before[i], ROWS + branch->guard / 4);
        if (!is_branch(branch) && branch->control != CONTROL_EXIT)
            continue;
        for (unsigned k = 0; k < branch->operand_count; k++)
            asks |= branch->operands[k].kind == OPERAND_PREDICATE && reads(&flows->before[i], &branch->operands[k], 1);
        next_of(code, i, ways);
        decides = asks && reaches(code, ways[0], index, i) != reaches(code, ways[1], index, i);
    }
    return decides;
}
