#include "made_program.h"

#include "machine/architecture.h"
#include "machine/block.h"
#include "machine/device_memory.h"
#include "machine/sass/decode.h"

#include <criterion/criterion.h>
#include <string.h>

bool made_fault;
struct tally made_tallies[MADE_MOST];
uint32_t *made_output;

const char *run_program(const char *const *program, unsigned threads)
{
    static struct problem problem;
    static struct module module;
    enum { OUTPUT_BYTES = 4096 };
    json_t *list = json_array();
    size_t count = 0;
    memset(made_tallies, 0, sizeof made_tallies);
    module.architecture = architecture_find(90);
    if (!made_output)
        made_output = device_allocate(OUTPUT_BYTES);
    memset(made_output, 0, OUTPUT_BYTES);
    for (; program[count]; count++) {
        char text[100];
        cr_assert_lt(strlen(program[count]), sizeof text);
        strcpy(text, program[count]);
        char *rest = text, *guard = text[0] == '@' || strncmp(text, "PR ", 3) == 0 ? strsep(&rest, " ") : "",
             *opcode = strsep(&rest, " ");
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s}", "predicate", guard, "opcode", opcode, "operands", rest ? rest : ""));
    }
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "predicate", "", "opcode", "EXIT", "operands", ""));
    cr_assert_lt(count + 1, MADE_MOST);
    struct function function = {.text = {.name = "kernel", .size = (count + 1) * INSTRUCTION_BYTES},
                                .module = &module,
                                .shared_bytes = MADE_SHARED,
                                .entry = {.parameter_base = 0x210, .parameter_bytes = sizeof made_output}};
    function.code = code_read(&function.text, list, opcode_find);
    const struct grid grid = {.function = &function,
                              .blocks = {1, 1, 1},
                              .threads = {threads, 1, 1},
                              .parameters = (const unsigned char *)&made_output};
    const int result = grid_run(&grid, made_tallies, &made_fault, &problem);
    code_free(function.code);
    json_decref(list);
    return result < 0 ? problem.text : NULL;
}
