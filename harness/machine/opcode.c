/* A uniform instruction is the one with the same name, on uniform registers. */
#include "opcode.h"

#include "control.h"

#include "machine/memory/memory.h"
#include "machine/races/races.h"

/* Returns the row with the longest name that the opcode begins with, up to a whole modifier. */
static const struct opcode *longest(const struct opcode *table, const char *opcode, const struct opcode *best)
{
    for (; table->name; table++) {
        const size_t length = strlen(table->name);
        if (strncmp(table->name, opcode, length) == 0 && (opcode[length] == '\0' || opcode[length] == '.') &&
            (!best || length > strlen(best->name)))
            best = table;
    }
    return best;
}

static unsigned best_vector_unit(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    /* These are the instructions that -march=x86-64-v3 and -v4 may use. */
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512cd");
    if (avx2 && avx512)
        return VECTOR_AVX512;
    if (avx2)
        return VECTOR_AVX2;
#endif
    return VECTOR_BASE;
}

int vector_unit_wanted(const char *name)
{
    static const char *const names[VECTORS] = {"base", "avx2", "avx512"};
    for (unsigned i = 0; i <= best_vector_unit(); i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

unsigned vector_unit(void)
{
    const char *name = getenv(VECTOR_VARIABLE);
    const int wanted = name ? vector_unit_wanted(name) : -1;
    return wanted < 0 ? best_vector_unit() : (unsigned)wanted;
}

#if defined(__x86_64__)
#define KINDS(name)                                                                                                    \
    {                                                                                                                  \
        name##_base, name##_avx2, name##_avx512                                                                        \
    }
#else
#define KINDS(name)                                                                                                    \
    {                                                                                                                  \
        name##_base, name##_base, name##_base                                                                          \
    }
#endif
#define ALIKE(table)                                                                                                   \
    {                                                                                                                  \
        table, table, table                                                                                            \
    }

const struct opcode *opcode_table(size_t number, unsigned kind)
{
    static const struct opcode *const tables[][VECTORS] = {
        KINDS(lanes_integer),    KINDS(lanes_bits),      KINDS(lanes_compare),   KINDS(lanes_float),
        KINDS(lanes_half),       KINDS(lanes_convert),   KINDS(lanes_mufu),      KINDS(lanes_memory),
        KINDS(lanes_copy),       KINDS(lanes_product),   ALIKE(control_opcodes), KINDS(lanes_special),
        ALIKE(texture_opcodes),  ALIKE(surface_opcodes), ALIKE(atomic_opcodes),  KINDS(lanes_tensor),
        ALIKE(mbarrier_opcodes), ALIKE(bulk_opcodes),    ALIKE(cluster_opcodes), ALIKE(warpgroup_opcodes)};
    return number < ARRAY_SIZE(tables) ? tables[number][kind] : NULL;
}

static const struct opcode *find(const char *opcode)
{
    const struct opcode *best = NULL, *table;
    const unsigned kind = vector_unit();
    for (size_t i = 0; (table = opcode_table(i, kind)); i++)
        best = longest(table, opcode, best);
    return best;
}

const struct opcode *opcode_find(const char *opcode)
{
    const struct opcode *found = find(opcode);
    return found || opcode[0] != 'U' ? found : find(opcode + 1);
}

int code_of(struct function *function, struct problem *problem)
{
    if (function->code)
        return 0;
    module_link(function);
    function->code = code_open(&function->text, function->module->bytes, function->module->size,
                               function->module->machine->disassembler, opcode_find, problem);
    if (function->code)
        waits_find(function->code);
    return function->code ? 0 : -1;
}

const char *code_opcode(const struct function *function, size_t index)
{
    return function->code->list[index].opcode;
}

unsigned code_traits(const struct function *function, size_t index)
{
    const struct instruction *code = &function->code->list[index];
    return code->traits | (code->control == CONTROL_EXIT || code->control == CONTROL_BRANCH ? TRAIT_LEAVES : 0u);
}
