/* Programs whose blocks are proved. Every block is executed: it must count as its class does and leave in its registers
 * what the proof predicts. A row has the number of blocks that the proof executes, or the reason why there is no proof.
 */
#include "machine/machine.h"
#include "machine/tile/tensor_map.h"

#include "machine/made_code.h"
#include "machine/made_program.h"

#include "test.h"

enum { BUFFER = 1 << 16, BLOCKS = 24, ROWS_OF_BLOCKS = 2, SHARED = 8192 };

/* R0, R1: the block's place. R2: the thread. R4, R5: where the block may write. R8: data, with P0. P1: of 8 threads.
 * P2: of 5 columns of blocks. UR4: the column, UR5: data. R10, R11, UR10, UR11: what all blocks read. P3: of one
 * thread. */
static const char begins[] =
    "S2R R0,SR_CTAID.X;S2R R1,SR_CTAID.Y;S2R R2,SR_TID.X;S2UR UR4,SR_CTAID.X;MOV R20,c[0x0][0x210];"
    "MOV R21,c[0x0][0x214];MOV R10,c[0x0][0x218];MOV R11,c[0x0][0x21c];ULDC.64 UR10,c[0x0][0x218];"
    "IMAD R3,R1,0x18,R0;IMAD.WIDE R4,R3,0x80,R20;IMAD.WIDE R6,R3,0x80,R10;IMAD.WIDE R6,R2,0x4,R6;LDG.E R8,[R6.64];"
    "ISETP.LT.AND P0,PT,R8,RZ,PT;ISETP.LT.AND P1,PT,R2,0x8,PT;ISETP.LT.AND P2,PT,R0,0x5,PT;R2UR UR5,R8;"
    "ISETP.EQ.AND P3,PT,R2,RZ,PT;MOV R9,RZ;";

static struct {
    uint64_t written, read, textures[3], maps[4];
} parameters;

static struct machine *prepared(void)
{
    struct machine *machine = made_machine();
    static unsigned char texels[4096];
    if (parameters.read)
        return machine;
    parameters.written = device_allocate(machine, BUFFER);
    parameters.read = device_allocate(machine, BUFFER);
    static struct texture of[] = {{.shape = TEXTURE_2D, .counts = {8, 8, 1}},
                                  {.shape = TEXTURE_LINEAR, .counts = {1024, 1, 1}},
                                  {.shape = TEXTURE_CUBE, .counts = {8, 8, 6}}};
    for (unsigned i = 0; i < ARRAY_SIZE(of); i++) {
        of[i].bytes = sizeof texels;
        of[i].pitch = 32;
        of[i].element = of[i].channels = 4;
        of[i].bits = 8;
        of[i].address = of[i].shape == TEXTURE_LINEAR ? parameters.read : 0;
        of[i].texels = of[i].address ? device_bytes(machine, parameters.read) : texels;
        parameters.textures[i] = texture_add(machine, &of[i]);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(parameters.maps); i++) { /* the last one is of what is written */
        const struct tensor_map map = {.columns = i == 1,
                                       .type = i == 2 ? 11 : 7,
                                       .rank = i == 1 ? 3 : 2,
                                       .address = i == 3 ? parameters.written : parameters.read,
                                       .sizes = {64, 8, 1, 1, 1},
                                       .strides = {256, 2048},
                                       .steps = {1, 1, 1, 1, 1},
                                       .box = {8, 4, 1, 1, 1},
                                       .channels = 8,
                                       .pixels = 4};
        parameters.maps[i] = device_allocate(machine, TENSOR_MAP_BYTES);
        cr_assert(tensor_map_encode(&map, device_bytes(machine, parameters.maps[i])));
    }
    return machine;
}

static void expect_proof(const char *where, const char *text, const char *words)
{
    struct machine *machine = prepared();
    struct problem problem = {""};
    enum fault fault;
    const char *clusters = strncmp(words, "clusters: ", 10) == 0 ? words += 10 : NULL;
    uint32_t *read = (uint32_t *)(void *)device_bytes(machine, parameters.read);
    for (uint32_t i = 0; i < BUFFER / sizeof *read; i++)
        read[i] = i * 2654435761u;
    OWNED_TEXT rest = x_sprintf("%s%s", begins, text);
    json_t *list = json_array();
    for (char *at = rest; at && *at;)
        made_listing_add(list, strsep(&at, ";"));
    made_listing_add(list, (char[]){"EXIT"});
    struct module module = {.machine = machine, .architecture = architecture_find(90)};
    struct function function = {.text = {.name = "kernel", .size = json_array_size(list) * INSTRUCTION_BYTES},
                                .module = &module,
                                .stack_bytes = 8192,
                                .shared_bytes = SHARED,
                                .entry = {.parameter_base = 0x210, .parameter_bytes = sizeof parameters}};
    function.code = code_read(&function.text, list, opcode_find);
    struct proved proved = {0};
    struct grid grid = {.function = &function,
                        .blocks = {BLOCKS, ROWS_OF_BLOCKS, 1},
                        .threads = {32, 1, 1},
                        .cluster = {clusters ? 2 : 0, clusters ? 1 : 0, clusters ? 1 : 0},
                        .parameters = (const unsigned char *)&parameters,
                        .proved = &proved};
    OWNED_MEMORY struct tally *tallies = x_calloc(function.code->count, sizeof *tallies);
    setenv("CUGATE_SIM_PROOF", "every", 1);
    const int result = grid_run(&grid, tallies, &fault, &problem);
    unsetenv("CUGATE_SIM_PROOF");
    grid_forget(machine);
    OWNED_TEXT said = result < 0   ? x_strdup(problem.text)
                      : proved.why ? x_strdup(proved.why)
                                   : x_sprintf("%llu blocks", (unsigned long long)proved.executed);
    cr_expect(strstr(said, words) == said, "%s: %s: %s", where, text, said);
    code_free(function.code);
    json_decref(list);
}

TEXTS(rules_memory, every_block_is_as_its_class_says, "tests/unit/machine/proof/rules_memory.txt", expect_proof)
