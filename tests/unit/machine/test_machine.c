/* Two GPUs in one process: what one does is nothing to the other. */
#include "cudart/sim_support.h"
#include "made_program.h"
#include "test.h"

#define LANE "S2R R0,SR_TID.X", "ULDC.64 UR4,c[0x0][0x210]", "MOV R20,UR4", "MOV R21,UR5"

/* Each thread adds 1 to a word: the next one, or one 128 bytes further. */
static const char *const *const adds[] = {
    PROGRAM(LANE, "IMAD.WIDE.U32 R20,R0,0x4,R20", "LDG.E R4,[R20.64]", "IADD3 R4,R4,0x1,RZ", "STG.E [R20.64],R4"),
    PROGRAM(LANE, "IMAD.WIDE.U32 R20,R0,0x80,R20", "LDG.E R4,[R20.64]", "IADD3 R4,R4,0x1,RZ", "STG.E [R20.64],R4")};
enum { LOAD = 5, BYTES = 64 * 128 };

struct gpu_of_test {
    struct machine *machine;
    uint64_t memory;
    const char *const *program;
    unsigned failed;
};

static struct machine *open_machine(void)
{
    struct problem problem;
    struct machine *machine = machine_open(&problem);
    cr_assert_not_null(machine, "%s", problem.text);
    return machine;
}

static unsigned *words(const struct gpu_of_test *gpu)
{
    return (unsigned *)(void *)device_bytes(gpu->machine, gpu->memory);
}

/* Opens both, whose memory holds another number in each. */
static void open_two(struct gpu_of_test gpus[2])
{
    for (unsigned i = 0; i < 2; i++) {
        gpus[i] = (struct gpu_of_test){.machine = open_machine(), .program = adds[i]};
        gpus[i].memory = device_allocate(gpus[i].machine, BYTES);
        for (unsigned k = 0; k < BYTES / sizeof(unsigned); k++)
            words(&gpus[i])[k] = 1000 * (i + 1);
    }
}

static void close_two(struct gpu_of_test gpus[2])
{
    machine_close(gpus[0].machine);
    machine_close(gpus[1].machine);
}

static void launch(struct gpu_of_test *gpu)
{
    gpu->failed += run_program_on(gpu->machine, gpu->memory, gpu->program, 64) != NULL;
}

Test(machine, an_address_is_other_bytes_on_each)
{
    struct gpu_of_test gpus[2];
    open_two(gpus);
    cr_expect_eq(gpus[0].memory, gpus[1].memory);
    launch(&gpus[0]);
    launch(&gpus[1]);
    launch(&gpus[0]);
    cr_assert_eq(gpus[0].failed + gpus[1].failed, 0);
    cr_expect_eq(words(&gpus[0])[1], 1002, "%u", words(&gpus[0])[1]);
    cr_expect_eq(words(&gpus[1])[0], 2001);
    cr_expect_eq(words(&gpus[1])[1], 2000, "it adds to words that are further apart");
    cr_expect_eq(words(&gpus[1])[32], 2001);
    /* What one has freed, the other still has. */
    struct allocation found;
    cr_expect(device_free(gpus[0].machine, gpus[0].memory));
    cr_expect_not(device_find(gpus[0].machine, gpus[0].memory, &found));
    launch(&gpus[0]);
    cr_expect(gpus[0].failed == 1 && made_fault);
    launch(&gpus[1]);
    EXPECT_ALL(gpus[1].failed == 0, words(&gpus[1])[0] == 2002);
    close_two(gpus);
}

static void *launch_often(void *gpu)
{
    for (unsigned i = 0; i < 50; i++) {
        launch(gpu);
        const struct tally *load = &made_tallies[LOAD];
        const uint64_t sectors = ((struct gpu_of_test *)gpu)->program == adds[0] ? 8 : 64;
        ((struct gpu_of_test *)gpu)->failed += load->executed != 2 || load->sectors != sectors;
    }
    return NULL;
}

Test(machine, counts_are_as_if_it_were_alone)
{
    struct gpu_of_test gpus[2];
    pthread_t threads[2];
    struct tally alone[2][MADE_MOST];
    open_two(gpus);
    for (unsigned i = 0; i < 4; i++) {
        launch(&gpus[i % 2]);
        cr_assert_eq(gpus[i % 2].failed, 0);
        if (i < 2)
            memcpy(alone[i], made_tallies, sizeof *alone);
        cr_expect_arr_eq(made_tallies, alone[i % 2], sizeof *alone);
    }
    cr_expect_eq(alone[0][LOAD].sectors, 8);
    cr_expect_eq(alone[1][LOAD].sectors, 64);
    for (unsigned i = 0; i < 2; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, launch_often, &gpus[i]), 0);
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        cr_expect_eq(gpus[i].failed, 0, "%u of GPU %u", gpus[i].failed, i);
        cr_expect_eq(words(&gpus[i])[0], 1000 * (i + 1) + 52);
    }
    close_two(gpus);
}

Test(machine, modules_and_what_was_set_are_of_one)
{
    static const char source[] = "__device__ int counter = 5;\n"
                                 "__device__ __noinline__ int deep(int n) { return n < 2 ? n : deep(n - 1) + 1; }\n"
                                 "extern \"C\" __global__ void count() { counter += deep(3); }\n";
    struct gpu_of_test gpus[2];
    struct problem problem = {""};
    struct module *modules[2];
    size_t size;
    OWNED_MEMORY unsigned char *image = sim_compile(source, "-cubin", &size);
    open_two(gpus);
    for (unsigned i = 0; i < 2; i++) {
        modules[i] = module_open(gpus[i].machine, image, size, &problem);
        cr_assert_not_null(modules[i], "%s", problem.text);
    }
    for (unsigned i = 0; i < 3; i++) {
        const struct grid grid = {
            .function = module_function(modules[i % 2], "count"), .blocks = {1, 1, 1}, .threads = {1, 1, 1}};
        enum fault fault;
        cr_assert_eq(grid_run(&grid, NULL, &fault, &problem), 0, "%s", problem.text);
    }
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t address = module_variable(modules[i], "counter")->address;
        int counter;
        memcpy(&counter, device_bytes(gpus[i].machine, address), sizeof counter);
        cr_expect_eq((uintptr_t)device_bytes(gpus[i].machine, address), address, "the host may have it by its address");
        cr_expect_eq(counter, i == 0 ? 11 : 8, "%d", counter);
    }
    module_set_call_stack(gpus[0].machine, 8192);
    cr_expect_eq(module_stack(module_function(modules[0], "count")),
                 module_stack(module_function(modules[1], "count")) + 8192 - MODULE_CALL_STACK);
    close_two(gpus);
}

Test(machine, what_is_watched_kept_and_allocated_by_kernels_is_of_one)
{
    struct gpu_of_test gpus[2];
    const struct texture texture = {.channels = 1};
    open_two(gpus);
    outcomes_watch(gpus[0].machine, true);
    for (unsigned i = 0; i < 4; i++) {
        launch(&gpus[i % 2]);
        if (i < 2)
            outcomes_keep(gpus[i % 2].machine);
    }
    OWNED_TEXT where = outcomes_compare(gpus[0].machine);
    cr_expect(where && strncmp(where, "64 of 8192 bytes", 16) == 0, "%s", where);
    cr_expect_null(outcomes_compare(gpus[1].machine), "nobody watches it");
    cr_expect_eq(texture_add(gpus[0].machine, &texture), 1);
    cr_expect_eq(texture_find(gpus[0].machine, 1), &texture);
    cr_expect_null(texture_find(gpus[1].machine, 1));
    heap_set_limit(gpus[0].machine, 1000);
    cr_assert(heap_open(gpus[0].machine) && heap_open(gpus[1].machine));
    cr_expect_eq(heap_allocate(gpus[0].machine, 2000), 0);
    cr_expect_neq(heap_allocate(gpus[1].machine, 2000), 0);
    close_two(gpus);
}

Test(machine, memory_for_the_host_has_one_address_and_machines_end)
{
    struct problem problem = {""};
    struct machine *machines[64];
    unsigned count = 0;
    while (count < ARRAY_SIZE(machines) && (machines[count] = machine_open(&problem))) {
        const uint64_t address = device_allocate_for_host(machines[count], 100);
        struct allocation found;
        cr_expect_eq((uintptr_t)device_bytes(machines[count], address), address);
        memset(device_bytes(machines[count], address), 1, 100);
        cr_expect(device_find(machines[count], address + 99, &found) && found.end == address + 100);
        cr_expect(count == 0 || !device_find(machines[count - 1], address, &found));
        count++;
    }
    cr_expect(count > 4 && count < ARRAY_SIZE(machines), "%u", count);
    cr_expect_str_not_empty(problem.text);
    machine_close(machines[1]);
    machines[1] = open_machine();
    for (unsigned i = 0; i < count; i++)
        machine_close(machines[i]);
}
