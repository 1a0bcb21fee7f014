#include "made_program.h"

#include "made_code.h"

#include <criterion/criterion.h>

_Thread_local struct recorder *made_recorder;
_Thread_local unsigned made_blocks = 1;
_Thread_local bool made_recorded;
_Thread_local enum fault made_fault;
_Thread_local struct tally made_tallies[MADE_MOST];
uint32_t *made_output;

struct machine *made_machine(void)
{
    static struct machine *machine;
    struct problem problem;
    if (!machine)
        machine = machine_open(&problem);
    cr_assert_not_null(machine, "%s", problem.text);
    return machine;
}

const char *run_program(const char *const *program, unsigned threads)
{
    enum { OUTPUT_BYTES = 4096 };
    static uint64_t output;
    if (!output)
        output = device_allocate(made_machine(), OUTPUT_BYTES);
    made_output = (uint32_t *)(void *)device_bytes(made_machine(), output);
    memset(made_output, 0, OUTPUT_BYTES);
    return run_program_on(made_machine(), output, program, threads);
}

const char *run_instructions(const char *text, unsigned threads)
{
    const char *program[MADE_MOST] = {0};
    OWNED_TEXT copy = x_strdup(text);
    char *rest = copy;
    for (size_t i = 0; rest; i++) {
        cr_assert_lt(i + 1, MADE_MOST);
        program[i] = strsep(&rest, ";");
        rest += rest && *rest == ' ';
    }
    return run_program(program, threads);
}

/* Cuts " &counts=N" and " &waits=N" off an instruction, and returns the upper half of its code, which says so. */
static uint64_t scoreboards_of(char *text)
{
    char *counts = strstr(text, " &counts="), *waits = strstr(text, " &waits=");
    const uint64_t reads = counts ? strtoul(counts + strlen(" &counts="), NULL, 10) : 7,
                   waited = waits ? UINT64_C(1) << strtoul(waits + strlen(" &waits="), NULL, 10) : 0;
    text[strcspn(text, "&")] = '\0';
    if (counts || waits)
        text[strlen(text) - 1] = '\0';
    return UINT64_C(7) << 46 | reads << 49 | waited << 52;
}

const char *run_program_on(struct machine *machine, uint64_t parameter, const char *const *program, unsigned threads)
{
    static _Thread_local struct problem problem;
    struct module module = {.machine = machine, .architecture = architecture_find(90)};
    json_t *list = json_array();
    size_t count = 0;
    uint64_t words[MADE_MOST][2] = {{0}};
    memset(made_tallies, 0, sizeof made_tallies);
    for (; program[count]; count++) {
        char text[100];
        cr_assert_lt(strlen(program[count]), sizeof text);
        strcpy(text, program[count]);
        cr_assert_lt(count + 1, MADE_MOST);
        words[count][1] = scoreboards_of(text);
        made_listing_add(list, text);
    }
    made_listing_add(list, (char[]){"EXIT"});
    struct function function = {.text = {.name = "kernel", .size = (count + 1) * INSTRUCTION_BYTES},
                                .module = &module,
                                .shared_bytes = MADE_SHARED,
                                .entry = {.parameter_base = 0x210, .parameter_bytes = sizeof parameter}};
    function.code = code_read(&function.text, list, opcode_find);
    function.text.bytes = (const unsigned char *)words;
    encoding_scoreboards(&function.text, function.code);
    function.text.bytes = NULL;
    const struct grid grid = {.function = &function,
                              .blocks = {made_blocks, 1, 1},
                              .threads = {threads, 1, 1},
                              .parameters = (const unsigned char *)&parameter,
                              .recorder = made_recorder};
    if (made_recorder)
        recorder_begin(made_recorder, &grid);
    const int result = grid_run(&grid, made_tallies, &made_fault, &problem);
    if (made_recorder)
        made_recorded = recorder_end(made_recorder, &grid);
    code_free(function.code);
    json_decref(list);
    return result < 0 ? problem.text : NULL;
}
