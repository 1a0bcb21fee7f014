/* What cugate/machine.h says, by what is declared there alone. */
#include "cudart/sim_support.h"
#include "cugate/machine.h"
#include "test.h"

#include <criterion/redirect.h>
#include <pthread.h>
#include <sys/resource.h>

static cugate_machine *machine;
static cugate_module *module;
static uint64_t memory;
enum { WORDS = 256 };

static void begin(void)
{
    size_t size;
    OWNED_TEXT source = file_part("tests/unit/library/sources.txt#all");
    OWNED_MEMORY unsigned char *bytes = sim_compile(source, "-cubin", &size);
    cr_assert_eq(cugate_open("h200", &machine), CUGATE_OK);
    cr_assert_eq(cugate_load(machine, bytes, size, &module), CUGATE_OK, "%s", cugate_error());
    cr_assert_eq(cugate_alloc(machine, WORDS * 4, &memory), CUGATE_OK);
}

DO(finish(void), cugate_close(machine));

TestSuite(library, .init = begin, .fini = finish);

static cugate_kernel *named(const char *name)
{
    cugate_kernel *kernel;
    cr_assert_eq(cugate_find_kernel(module, name, &kernel), CUGATE_OK, "%s", cugate_error());
    return kernel;
}

static cugate_status run_of(const char *name, unsigned blocks, unsigned threads, uint64_t address,
                            cugate_tally *tallies)
{
    const void *const arguments[] = {&address};
    return cugate_run(
        named(name),
        &(cugate_launch){.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .arguments = arguments, .argument_count = 1},
        tallies);
}

static int *words(void)
{
    return cugate_host_pointer(machine, memory, WORDS * 4);
}

/* ---- Launches ---- */

Test(library, launches_that_a_driver_refuses)
{
    static const struct {
        const char *kernel, *word;
        cugate_launch launch;
    } rows[] = {
        {"endless", "0x1x1 threads", {{1, 1, 1}, {0, 1, 1}, {0}, 0, 0, NULL, 1}},
        {"endless", "2048x1x1", {{1, 1, 1}, {2048, 1, 1}, {0}, 0, 0, NULL, 1}},
        {"endless", "64x64x1", {{1, 1, 1}, {64, 64, 1}, {0}, 0, 0, NULL, 1}},
        {"endless", "1x1x65", {{1, 1, 1}, {1, 1, 65}, {0}, 0, 0, NULL, 1}},
        {"endless", "65536x65536x1", {{1, 1, 1}, {65536, 65536, 1}, {0}, 0, 0, NULL, 1}},
        {"endless", "the grid 0x1x1", {{0, 1, 1}, {1, 1, 1}, {0}, 0, 0, NULL, 1}},
        {"endless", "1x65536x1", {{1, 65536, 1}, {1, 1, 1}, {0}, 0, 0, NULL, 1}},
        {"endless", "1048576 dynamic bytes", {{1, 1, 1}, {1, 1, 1}, {0}, 1 << 20, 0, NULL, 1}},
        {"keeps", "256 static", {{1, 1, 1}, {1, 1, 1}, {0}, 232448 - 255, 0, NULL, 1}},
        {"endless", "has 0 arguments, but", {{1, 1, 1}, {1, 1, 1}, {0}, 0, 0, NULL, 1}},
        {"bounded", "at most 128", {{1, 1, 1}, {129, 1, 1}, {0}, 0, 0, NULL, 1}},
        {"pairs", "3 blocks", {{3, 1, 1}, {1, 1, 1}, {0}, 0, 0, NULL, 1}},
        {"pairs", "not 4x1x1", {{4, 1, 1}, {1, 1, 1}, {4, 1, 1}, 0, 0, NULL, 1}},
        {"endless", "32", {{32, 1, 1}, {1, 1, 1}, {32, 1, 1}, 0, 0, NULL, 1}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        cr_expect_eq(cugate_run(named(rows[i].kernel), &rows[i].launch, NULL), CUGATE_BAD_ARGUMENT, "row %zu", i);
        expect_word(cugate_error(), rows[i].word);
    }
    const void *const none[] = {NULL};
    const cugate_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = none, .argument_count = 1};
    cr_expect_eq(cugate_run(named("bounded"), &launch, NULL), CUGATE_BAD_ARGUMENT);
    expect_word(cugate_error(), "argument 0 is NULL");
    cr_expect_eq(cugate_run(named("bounded"), NULL, NULL), CUGATE_BAD_ARGUMENT);
    cr_expect_eq(cugate_run(NULL, &launch, NULL), CUGATE_BAD_ARGUMENT);
    cr_expect_eq(run_of("pairs", 4, 1, memory, NULL), CUGATE_OK, "%s", cugate_error());
    cr_expect_eq(words()[0] + words()[3] + words()[4], 2);
}

/* A stop that comes before the launch is kept for it. */
static void *stops_later(void *data)
{
    usleep(50000);
    cugate_stop(data);
    return NULL;
}

static void on_signal(int number)
{
    (void)number;
    cugate_stop(machine);
}

static void stops_at_10(const cugate_event *event, void *count)
{
    (void)event;
    if (++*(int *)count == 10)
        cugate_stop(machine);
}

Test(library, an_endless_kernel_returns, .timeout = 60)
{
    static const char *const kernels[] = {"endless", "apart", "waits"};
    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
        cugate_set_limits(machine, &(cugate_limits){.steps = 100000});
        cr_expect_eq(run_of(kernels[i], 3, 64, memory, NULL), CUGATE_LIMIT, "%s: %s", kernels[i], cugate_error());
        expect_words(cugate_error(), "instructions", "code.cu:");
        cugate_set_limits(machine, &(cugate_limits){.seconds = 0.05});
        const double before = now_seconds();
        cr_expect_eq(run_of(kernels[i], 3, 64, memory, NULL), CUGATE_LIMIT, "%s: %s", kernels[i], cugate_error());
        cr_expect_leq(now_seconds() - before, 5);
        cugate_set_limits(machine, &(cugate_limits){0});
        pthread_t thread;
        pthread_create(&thread, NULL, stops_later, machine);
        cr_expect_eq(run_of(kernels[i], 3, 64, memory, NULL), CUGATE_STOPPED, "%s: %s", kernels[i], cugate_error());
        pthread_join(thread, NULL);
        signal(SIGALRM, on_signal);
        ualarm(50000, 0);
        cr_expect_eq(run_of(kernels[i], 3, 64, memory, NULL), CUGATE_STOPPED, "%s: %s", kernels[i], cugate_error());
        cr_expect_eq(run_of("bounded", 1, 1, memory + 128, NULL), CUGATE_OK, "it is stopped once");
    }
    int count = 0;
    cugate_hook(machine, CUGATE_HOOK_INSTRUCTION, stops_at_10, &count);
    cr_expect_eq(run_of("endless", 1, 1, memory, NULL), CUGATE_STOPPED);
    cr_expect_leq(count, 300);
}

/* ---- Counts ---- */

static void counts_calls(const cugate_event *event, void *lanes)
{
    ((uint64_t *)lanes)[event->instruction] += (uint64_t)__builtin_popcount(event->lanes);
}

Test(library, counts_are_the_same_by_line_and_with_hooks)
{
    cugate_kernel_info info;
    cugate_kernel *kernel = named("keeps");
    cugate_describe_kernel(kernel, &info);
    cugate_tally *alone = x_calloc(info.instruction_count, sizeof *alone),
                 *hooked = x_calloc(info.instruction_count, sizeof *hooked);
    uint64_t *lanes = x_calloc(info.instruction_count, sizeof *lanes);
    cr_assert_eq(run_of("races", 1, 64, memory, alone), CUGATE_FAULT);
    cr_expect_eq(alone[0].executed, 0, "a launch that fails counts nothing");
    cr_assert_eq(run_of("keeps", 1, 64, memory, alone), CUGATE_OK, "%s", cugate_error());
    cugate_hook(machine, CUGATE_HOOK_INSTRUCTION, counts_calls, lanes);
    cr_assert_eq(run_of("keeps", 1, 64, memory, hooked), CUGATE_OK, "%s", cugate_error());
    cr_expect_arr_eq(alone, hooked, info.instruction_count * sizeof *alone);
    uint64_t executed = 0, sectors = 0, on = 0, of_hooks = 0;
    for (size_t i = 0; i < info.instruction_count; i++) {
        cugate_instruction one;
        cr_assert_eq(cugate_describe_instruction(kernel, i, &one), CUGATE_OK);
        executed += alone[i].executed;
        sectors += alone[i].sectors;
        on += alone[i].predicated_on;
        of_hooks += lanes[i];
        if (strncmp(one.opcode, "LDG", 3) == 0)
            EXPECT_ALL(alone[i].sectors == 8, one.access == CUGATE_READS, one.spaces == CUGATE_GLOBAL, one.line == 8);
    }
    cr_expect_eq(on, of_hooks);
    cugate_line lines[20];
    size_t count;
    cr_assert_eq(cugate_tally_lines(kernel, alone, lines, 20, &count), CUGATE_OK);
    for (size_t i = 0; i < count; i++) {
        executed -= lines[i].tally.executed;
        sectors -= lines[i].tally.sectors;
    }
    EXPECT_ALL(count >= 2, executed == 0, sectors == 0);
    cr_expect_eq(cugate_describe_instruction(kernel, info.instruction_count, &(cugate_instruction){0}),
                 CUGATE_BAD_ARGUMENT);
    free(alone);
    free(hooked);
    free(lanes);
}

/* ---- Hooks ---- */

struct seen {
    unsigned reads[3], writes[3], wrong, barriers, faults;
    uint32_t last_added;
};

static void sees(const cugate_event *event, void *data)
{
    struct seen *seen = data;
    cugate_instruction one;
    seen->barriers += event->kind == CUGATE_HOOK_BARRIER && event->warps == 3;
    if (event->kind != CUGATE_HOOK_ACCESS)
        return;
    cr_assert_eq(cugate_describe_instruction(event->kernel, event->instruction, &one), CUGATE_OK);
    seen->reads[event->space] += event->access & CUGATE_READS ? 1 : 0;
    seen->writes[event->space] += event->access & CUGATE_WRITES ? 1 : 0;
    for (unsigned l = 0; l < 32; l++) {
        uint32_t value, there = 0, high, low;
        if (!(event->lanes >> l & 1))
            continue;
        memcpy(&value, event->values + l * event->bytes, 4);
        if (event->space == CUGATE_GLOBAL)
            cugate_read(machine, event->addresses[l], &there, 4);
        seen->wrong += event->space == CUGATE_GLOBAL && value != there;
        if (strncmp(one.opcode, "STS", 3) == 0)
            seen->wrong += value != 1000 + event->warp * 32 + l;
        if (event->space == CUGATE_GLOBAL && event->access == (CUGATE_READS | CUGATE_WRITES))
            seen->last_added = value;
        seen->wrong += cugate_register(event, 1, l, &low) || cugate_uniform_register(event, 4, &high) ||
                       cugate_predicate(event, 0, &high);
    }
}

static void rounds_down(const cugate_event *event, void *user)
{
    (void)event, (void)user;
    fesetround(FE_DOWNWARD);
}

Test(library, rounding_is_the_kernel_s)
{
    cr_assert_eq(cugate_hook(machine, CUGATE_HOOK_INSTRUCTION, rounds_down, NULL), CUGATE_OK);
    for (unsigned i = 0; i < 2; i++) {
        const float one = 1;
        memcpy(words(), &one, sizeof one);
        cr_assert_eq(run_of("thirds", 1, 1, memory, NULL), CUGATE_OK, "%s", cugate_error());
        cr_expect_eq(words()[1], 0x3eaaaaab);
        cr_expect_eq(fegetround(), i ? FE_DOWNWARD : FE_TONEAREST);
        cr_assert_eq(cugate_hook(machine, CUGATE_HOOK_INSTRUCTION, NULL, NULL), CUGATE_OK);
        fesetround(FE_DOWNWARD);
    }
}

Test(library, accesses_have_their_values)
{
    struct seen seen = {.wrong = 0};
    for (int i = 0; i < 64; i++)
        words()[i] = 1000 + i;
    for (unsigned kind = 0; kind < CUGATE_HOOK_KINDS; kind++)
        cr_assert_eq(cugate_hook(machine, kind, sees, &seen), CUGATE_OK);
    cr_assert_eq(run_of("keeps", 1, 64, memory, NULL), CUGATE_OK, "%s", cugate_error());
    cr_expect_eq(seen.wrong, 0);
    cr_expect_eq(seen.barriers, 2);
    cr_expect_eq(seen.last_added, 64, "%u", seen.last_added);
    cr_expect(seen.reads[CUGATE_GLOBAL] == 4 && seen.writes[CUGATE_GLOBAL] == 4, "%u %u", seen.reads[1],
              seen.writes[1]);
    cr_expect(seen.reads[CUGATE_SHARED] == 4 && seen.writes[CUGATE_SHARED] == 4, "%u %u", seen.reads[2],
              seen.writes[2]);
    cr_expect_eq(words()[0], 1063);
    cr_expect_eq(cugate_hook(machine, CUGATE_HOOK_KINDS, sees, NULL), CUGATE_BAD_ARGUMENT);
}

static void sees_fault(const cugate_event *event, void *data)
{
    uint32_t value;
    cr_expect_eq(cugate_register(event, 255, 0, &value), CUGATE_OK);
    cr_expect_eq(cugate_register(event, 0, 32, &value), CUGATE_BAD_ARGUMENT);
    cr_expect_not_null(event->fault);
    *(cugate_fault *)data = *event->fault;
}

Test(library, faults_have_a_kind_and_a_place)
{
    static const struct {
        const char *kernel;
        unsigned threads;
        uint64_t further;
        cugate_fault_kind kind;
        unsigned line;
        const char *word;
    } rows[] = {
        {"bounded", 1, WORDS * 4, CUGATE_FAULT_ADDRESS, 6, "beyond the end of an allocation of 1024 bytes"},
        {"misaligned", 1, 0, CUGATE_FAULT_MISALIGNED, 12, "not a multiple"},
        {"asserts", 1, 0, CUGATE_FAULT_ASSERT, 10, "ssert"},
        {"races", 64, 0, CUGATE_FAULT_OTHER, 11, "code.cu:11"},
    };
    cugate_fault fault, hooked;
    cr_expect_eq(cugate_last_fault(machine, &fault), CUGATE_NOT_FOUND);
    for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
        const size_t row = i / 2;
        cugate_hook(machine, CUGATE_HOOK_FAULT, i % 2 ? sees_fault : NULL, &hooked);
        hooked = (cugate_fault){0};
        cr_expect_eq(run_of(rows[row].kernel, 1, rows[row].threads, memory + rows[row].further, NULL), CUGATE_FAULT,
                     "%s: %s", rows[row].kernel, cugate_error());
        expect_word(cugate_error(), rows[row].word);
        cr_assert_eq(cugate_last_fault(machine, &fault), CUGATE_OK);
        cugate_instruction one;
        cr_assert_eq(cugate_describe_instruction(fault.kernel, fault.instruction, &one), CUGATE_OK);
        cr_expect(fault.kind == rows[row].kind && one.line == rows[row].line, "%s: %d at %u", rows[row].kernel,
                  (int)fault.kind, one.line);
        cr_expect_str_eq(fault.text, cugate_error());
        cr_expect(i % 2 == 0 || (hooked.kind == fault.kind && hooked.instruction == fault.instruction));
        cr_expect_eq(run_of("bounded", 1, 1, memory, NULL), CUGATE_OK);
        cr_expect_eq(cugate_last_fault(machine, &fault), CUGATE_NOT_FOUND);
    }
}

/* ---- Files, names, memory ---- */

Test(library, a_bad_file_is_an_error_with_a_text)
{
    size_t size;
    OWNED_TEXT source = file_part("tests/unit/library/sources.txt#all");
    OWNED_MEMORY unsigned char *bytes = sim_compile(source, "-cubin", &size);
    cugate_module *none;
    cugate_machine *other;
    cr_redirect_stderr();
    for (size_t part = 0; part < 64; part++) {
        cr_expect_neq(cugate_load(machine, bytes, size * part / 64, &none), CUGATE_OK, "%zu", part);
        cr_expect(none == NULL && cugate_error()[0]);
    }
    cr_expect_eq(cugate_load(machine, source, strlen(source), &none), CUGATE_BAD_FILE);
    cr_expect_eq(cugate_load_file(machine, "/nowhere/a.cubin", &none), CUGATE_BAD_FILE);
    expect_word(cugate_error(), "/nowhere/a.cubin");
    cr_expect_eq(cugate_open("rtx4090", &other), CUGATE_OK);
    cr_expect_eq(cugate_load(other, bytes, size, &none), CUGATE_BAD_FILE);
    expect_words(cugate_error(), "9.0", "8.9");
    cugate_close(other);
    cr_expect_eq(cugate_open("gtx", &other), CUGATE_BAD_ARGUMENT);
    expect_words(cugate_error(), "gtx", "h200");
    memset(bytes + size / 2, 0xff, size / 4); /* nvdisasm has words about it, too */
    if (cugate_load(machine, bytes, size, &none) == CUGATE_OK)
        cugate_describe_instruction(cugate_kernel_at(none, 0), 0, &(cugate_instruction){0});
    fflush(stderr);
    cr_assert_stderr_eq_str("");
}

Test(library, kernels_are_found_by_their_names)
{
    cugate_kernel_info info;
    cugate_kernel *kernel;
    cugate_describe_kernel(named("twice<float>"), &info);
    cr_expect_str_eq(info.signature, "void twice<float>(float*)");
    cr_expect_eq(named("_Z5twiceIfEvPT_"), named("twice<float>"));
    cugate_describe_kernel(named("ns::inside"), &info);
    EXPECT_ALL(info.parameter_count == 2, info.parameters[1].offset == 8, info.parameters[1].size == 4);
    cr_expect_eq(cugate_find_kernel(module, "twice", &kernel), CUGATE_NOT_FOUND);
    expect_word(cugate_error(), "more than one");
    cr_expect(cugate_find_kernel(module, "nothing", &kernel) == CUGATE_NOT_FOUND && !kernel);
    size_t count = 0;
    while (cugate_kernel_at(module, count))
        count++;
    cr_expect_eq(count, 15);
}

Test(library, memory_is_checked)
{
    uint64_t address, variable;
    size_t size;
    char bytes[8] = {0};
    cr_expect_eq(cugate_write(machine, memory + WORDS * 4 - 4, bytes, 8), CUGATE_BAD_ARGUMENT);
    cr_expect_eq(cugate_read(machine, memory - 1, bytes, 1), CUGATE_BAD_ARGUMENT);
    cr_expect_eq(cugate_read(machine, 0, bytes, 0), CUGATE_OK);
    cr_expect_eq(cugate_read(machine, memory, NULL, 1), CUGATE_BAD_ARGUMENT);
    cr_expect_null(cugate_host_pointer(machine, memory, WORDS * 4 + 1));
    cr_expect_eq(cugate_free(machine, memory + 4), CUGATE_BAD_ARGUMENT);
    cr_expect_eq(cugate_alloc(machine, 0, &address), CUGATE_BAD_ARGUMENT);
    cr_expect_eq(cugate_alloc(machine, SIZE_MAX, &address), CUGATE_NO_MEMORY);
    cugate_set_limits(machine, &(cugate_limits){.bytes = 1 << 20});
    cr_expect_eq(cugate_alloc(machine, 1 << 20, &address), CUGATE_NO_MEMORY);
    cr_expect_eq(cugate_alloc(machine, 1 << 19, &address), CUGATE_OK);
    cr_expect_eq(run_of("bounded", 1, 32, memory, NULL), CUGATE_OK, "%s", cugate_error());
    cr_expect_eq(run_of("endless", 1000, 1024, memory, NULL), CUGATE_NO_MEMORY);
    cr_expect_eq(cugate_free(machine, address), CUGATE_OK);
    cr_expect_eq(cugate_alloc(machine, 1 << 19, &address), CUGATE_OK);
    cr_assert_eq(cugate_find_variable(module, "variable", &variable, &size), CUGATE_OK);
    cr_expect_eq(size, 40);
    cr_expect_eq(cugate_free(machine, variable), CUGATE_BAD_ARGUMENT);
    cr_expect_eq(cugate_write(machine, variable + 12, "\7\0\0\0", 4), CUGATE_OK);
    cr_expect_eq(run_of("reads_variable", 1, 1, memory, NULL), CUGATE_OK);
    cr_expect_eq(words()[0], 7);
}

#ifndef __SANITIZE_ADDRESS__ /* which ends the program itself */
/* In a process of its own: a limit of addresses stands for a computer without memory. */
Test(library, without_memory_the_program_goes_on)
{
    cr_assert_eq(run_of("bounded", 1, 1, memory, NULL), CUGATE_OK);
    struct rlimit limit = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_AS, &limit);
    cugate_status status = CUGATE_OK;
    for (unsigned i = 0; i < 100 && status == CUGATE_OK; i++)
        status = run_of("waits", 64, 1024, memory + 4, NULL);
    limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
    cr_expect_eq(status, CUGATE_NO_MEMORY, "%s: %s", cugate_status_name(status), cugate_error());
    cr_expect_eq(run_of("bounded", 1, 1, memory, NULL), CUGATE_NO_MEMORY, "it may only be closed");
}
#endif
