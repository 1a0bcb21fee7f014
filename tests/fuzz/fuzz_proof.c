/* fuzz_proof - bytes as programs of a block's place and of parameters near the ends of 32 bits, each with a grid. What
 * is proved of blocks that are not executed has to be what they do: each is executed and compared with its class, and
 * counts are those of a launch that leaves blocks out, which it may only where none meet. */
#include "machine/block/block.h"
#include "machine/machine.h"

#include "fuzz.h"

enum { FORMS_MOST = 24, BRANCH_MOST = 8, REGISTERS = 14, PREDICATES = 4, NUMBERS = 8, BUFFER = 1 << 14, FIRST = 0x218 };

/* What stands for operands: $d a register that is written, $e a pair of them; $a one that is read, $n perhaps with a
 * minus, $m perhaps a number or a parameter; $p and $q predicates that are written and read; $k a shift, $t a truth
 * table, $r a relation, $u perhaps .U32, $x an axis, $l a line further below. */
static const char *const forms[] = {
#include "fuzz_proof.txt"
};
enum { MORE_FORMS = 9, MORE_FROM = 0xa0, THREADLESS_FROM = 0xd0 };
static const unsigned grids[][3] = {{40, 1, 1}, {17, 3, 1}, {6, 5, 2}, {3, 7, 3},
                                    {70, 1, 1}, {1, 33, 1}, {9, 8, 1}, {2, 1, 1}};
static const uint32_t numbers[] = {0,          1,          7,          8,          32,         100,
                                   128,        0xaaaaaaab, 0x3fffffff, 0x40000000, 0x7fffffe0, 0x7fffffff,
                                   0x80000000, 0x80000040, 0xfffffff0, 0xffffffff};

struct source {
    const uint8_t *data;
    size_t size;
};

static unsigned take(struct source *source)
{
    if (source->size == 0)
        return 0;
    source->size--;
    return *source->data++;
}

static uint32_t take_number(struct source *source)
{
    const unsigned which = take(source);
    uint32_t number = numbers[which % ARRAY_SIZE(numbers)];
    for (unsigned i = 0; which >= 0xc0 && i < 4; i++)
        number = number << 8 | take(source);
    return number + (which & 0x10 ? 1 : 0) - (which & 0x20 ? 3 : 0);
}

static void write_operand(FILE *line, char kind, struct source *source, unsigned lines)
{
    static const char *const relations[] = {"LT", "GE", "EQ", "NE", "GT", "LE"};
    const unsigned byte = take(source);
    if (kind == 'm' && byte >= 0xe0)
        fprintf(line, "0x%x", take_number(source));
    else if (kind == 'm' && byte >= 0x80)
        fprintf(line, "c[0x0][0x%x]", FIRST + 4 * (byte % NUMBERS));
    else if (strchr("amn", kind) && byte % 16 >= REGISTERS)
        fprintf(line, "RZ");
    else if (strchr("amnde", kind))
        fprintf(line, "%sR%u", kind == 'n' && byte & 0x80 ? "-" : "",
                kind == 'e' ? byte % (REGISTERS / 2) * 2 : byte % 16 % REGISTERS);
    else if (strchr("pq", kind))
        fprintf(line, "%sP%u", kind == 'q' && byte & 0x80 ? "!" : "", byte % PREDICATES);
    else if (kind == 'r')
        fprintf(line, "%s", relations[byte % ARRAY_SIZE(relations)]);
    else if (kind == 'u')
        fprintf(line, "%s", byte & 1 ? ".U32" : "");
    else if (kind == 'x')
        fprintf(line, "%c", "XYZ"[byte % 3]);
    else
        fprintf(line, "0x%x",
                kind == 'k'   ? byte % 32
                : kind == 't' ? byte
                              : (lines + 1 + byte % BRANCH_MOST) * INSTRUCTION_BYTES);
}

/* Adds a form, which may be several lines, of which the last one may have a guard. */
static void add(json_t *list, const char *form, bool guarded, struct source *source)
{
    char text[1024];
    FILE *stream = fmemopen(text, sizeof text, "w");
    const char *last = strrchr(form, ';') ? strrchr(form, ';') + 1 : form;
    for (const char *at = form; *at; at++) {
        if (at == last && guarded && *at != '@') {
            fputc('@', stream);
            write_operand(stream, 'q', source, 0);
            fputc(' ', stream);
        }
        if (*at == '$')
            write_operand(stream, *++at, source, (unsigned)json_array_size(list));
        else
            fputc(*at, stream);
    }
    fclose(stream);
    for (char *rest = text, *line; (line = strsep(&rest, ";"));) {
        char *guard = *line == '@' ? strsep(&line, " ") : "", *opcode = strsep(&line, " ");
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s}", "predicate", guard, "opcode", opcode, "operands", line ? line : ""));
    }
}

/* Registers 14 to 23 are for addresses, which stay in the buffer wherever a branch leads. */
static json_t *program(struct source *source, size_t count)
{
    json_t *list = json_array();
    add(list,
        "S2R R0,SR_CTAID.X;S2R R1,SR_CTAID.Y;S2R R2,SR_TID.X;S2R R3,SR_CTAID.Z;MOV R4,c[0x0][0x218];"
        "MOV R5,c[0x0][0x21c];MOV R6,c[0x0][0x220];MOV R7,c[0x0][0x224];MOV R8,c[0x0][0x228];MOV R9,c[0x0][0x22c];"
        "MOV R10,c[0x0][0x230];MOV R11,c[0x0][0x234];MOV R12,RZ;MOV R13,R0;MOV R14,RZ;MOV R15,RZ;MOV R16,RZ;"
        "S2R R17,SR_CTAID.X;MOV R20,c[0x0][0x210];MOV R21,c[0x0][0x214];MOV R22,R20;MOV R23,R21;"
        "ISETP.LT.AND P0,PT,R0,R4,PT;ISETP.LT.U32.AND P1,PT,R1,R5,PT;ISETP.GT.AND P2,PT,R2,0x8,PT;"
        "ISETP.EQ.AND P3,PT,R0,R6,PT;ISETP.LT.AND P6,PT,RZ,RZ,PT",
        false, source);
    for (unsigned i = 0; i < FORMS_MOST && source->size > 0; i++) {
        const unsigned form = take(source);
        if (form == UINT8_MAX) /* the next program follows */
            break;
        add(list, forms[form % count], form / count == 3, source);
    }
    for (unsigned i = 0; i <= BRANCH_MOST; i++)
        add(list, "EXIT", false, source);
    return list;
}

/* Launches it with the proof that the variable asks for; NULL: with none. Returns whether blocks met; *proved says what
 * became of it. */
static bool launch(struct grid *grid, const char *proof, uint64_t buffer, struct tally *tallies, struct proved *proved)
{
    struct problem problem;
    struct machine *machine = grid->function->module->machine;
    enum fault fault;
    uint32_t *words = (uint32_t *)(void *)device_bytes(machine, buffer);
    for (uint32_t i = 0; i < BUFFER / sizeof *words; i++)
        words[i] = i * 2654435761u;
    setenv("CUGATE_SIM_PROOF", proof ? proof : "", 1);
    *proved = (struct proved){0};
    grid->proved = proof ? proved : NULL;
    grid->meetings = meetings_open();
    if (grid_run(grid, tallies, &fault, &problem) < 0)
        BUG("%s", problem.text);
    const bool met = meetings_place(grid->meetings) != NULL;
    meetings_close(grid->meetings);
    grid_forget(machine);
    return met;
}

/* Launches a program by every proof. */
static void try_program(struct machine *machine, uint64_t buffer, struct source *source)
{
    struct {
        uint64_t buffer;
        uint32_t numbers[NUMBERS];
    } parameters = {.buffer = buffer};
    const unsigned shape = take(source);
    for (unsigned i = 0; i < NUMBERS; i++)
        parameters.numbers[i] = take_number(source);
    json_t *list = program(source, ARRAY_SIZE(forms) - (shape < MORE_FROM ? MORE_FORMS : 0));
    const bool asks = shape < THREADLESS_FROM;
    struct module module = {.machine = machine, .architecture = architecture_find(90)};
    struct function function = {.text = {.name = "kernel", .size = json_array_size(list) * INSTRUCTION_BYTES},
                                .module = &module,
                                .entry = {.parameter_base = 0x210, .parameter_bytes = sizeof parameters}};
    function.code = code_read(&function.text, list, opcode_find);
    struct grid grid = {.function = &function,
                        .threads = {(const unsigned[]){32, 20, 1}[shape / ARRAY_SIZE(grids) % 3], 1, 1},
                        .parameters = (const unsigned char *)&parameters};
    memcpy(grid.blocks, grids[shape % ARRAY_SIZE(grids)], sizeof grid.blocks);
    const size_t bytes = function.code->count * sizeof(struct tally);
    struct tally *each = x_calloc(1, bytes), *some = x_calloc(1, bytes), *all = x_calloc(1, bytes);
    struct proved proved;
    grid_ask_threads(machine, asks);
    launch(&grid, "every", buffer, each, &proved);
    const bool met = launch(&grid, NULL, buffer, all, &proved);
    launch(&grid, "small", buffer, some, &proved);
    for (size_t i = 0; i < function.code->count; i++) {
        require(met || (all[i].working >= some[i].working - some[i].fewer_work &&
                        all[i].working <= some[i].working + some[i].more_work),
                "threads work outside of their bounds");
        all[i].working = some[i].working;
        some[i].fewer_work = some[i].more_work = 0;
    }
    require(!met || proved.why, "blocks meet that were proved to be apart");
    require(met || memcmp(all, some, bytes) == 0, "the counts are not those of all blocks");
    free(each);
    free(all);
    free(some);
    code_free(function.code);
    json_decref(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct machine *machine;
    static uint64_t buffer;
    struct source source = {data, size};
    struct problem problem;
    if (!machine) {
        machine = machine_open(&problem);
        require(machine != NULL, "there are no addresses");
        buffer = device_allocate(machine, BUFFER);
    }
    do
        try_program(machine, buffer, &source);
    while (source.size > 0);
    return 0;
}
