#include "cudart/runtime.h"
#include "cudart/sim_support.h"
#include "machine/made_program.h"
#include "replay/made_launch.h"
#include "sim/launch_log.h"
#include "test.h"

static const struct made_step add = {.opcode = "FADD", .operands = "R4,R4,R4", .stall = 1};

/* Returns why launches have no time, of which the second execution makes `again`. */
static char *refused(const struct grid *grid, const struct grid *again)
{
    static const struct tally tallies[MADE_MOST];
    struct launch_times times = {.chip = {.sms = 132, .clock = 1, .dram = 1}, .wanted = true};
    const struct grid *executions[] = {grid, again};
    for (unsigned i = 0; i < 2 && executions[i]; i++) {
        times_begin(&times);
        struct recorder *recorder = times_recorder(&times, executions[i]);
        cr_expect(!recorder || executions[i] == grid, "the other one is not recorded");
        if (recorder)
            recorder_begin(recorder, executions[i]); /* nothing is executed */
        times_take(&times, executions[i], tallies);
    }
    OWNED_MEMORY struct estimated_time *time = times_together(&times);
    cr_expect_eq(time->ns, 0);
    char *why = time->refused;
    times_release(&times);
    return why;
}

Test(launch_time, what_has_no_time_says_why)
{
    static struct image_kernel kernels[2]; /* without barriers */
    struct function functions[2] = {made_function(STEPS(add))};
    struct module *module = functions[0].module;
    module->machine = made_machine();
    module->functions = functions;
    module->image.kernels = kernels;
    functions[0].registers = 16;
    functions[1] = functions[0];
    sim_open_gpu();
    const struct grid grid = {.function = &functions[0], .blocks = {4, 1, 1}, .threads = {32, 1, 1}};
    struct grid cooperative = grid, cluster = grid, other = grid, larger = grid;
    cooperative.cooperative = true;
    cluster.cluster[0] = cluster.cluster[1] = cluster.cluster[2] = 1;
    other.function = &functions[1];
    larger.blocks[0] = 5;
    const struct {
        const struct grid *grid, *again;
        const char *why;
    } rows[] = {{&cooperative, NULL, "its blocks wait for each other"},
                {&cluster, NULL, "clusters have no calibrated times"},
                {&grid, &grid, "another block decides the result in each execution"},
                {&grid, &other, "each execution launches different kernels"},
                {&grid, &larger, "each execution launches different kernels"}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_TEXT why = refused(rows[i].grid, rows[i].again);
        cr_expect_str_eq(why, rows[i].why);
    }
    made_function_free(&functions[0]);
}

static const char kernel = 0;

Test(launch_time, times_of_launches_add_up)
{
    static struct launches log;
    double ns[2], out;
    void *binary = sim_register("extern \"C\" __global__ void scale(float *out) { out[threadIdx.x] *= 2; }\n"), *memory;
    sim_register_kernel(binary, &kernel, "scale");
    cr_assert_eq(cudaMalloc(&memory, 4096), cudaSuccess);
    log.times.wanted = gpu_as_chip(runtime_gpu(), &log.times.chip);
    for (unsigned launches = 1; launches <= 2; launches++) {
        times_release(&log.times);
        launches_begin(&log);
        for (unsigned i = 0; i < launches; i++)
            cr_assert_eq(cudaLaunchKernel(&kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, (void *[]){&memory}, 0, NULL), 0);
        launches_end(&log);
        cr_expect_not(times_need_more(&log.times));
        OWNED(result) result = {.estimated = times_together(&log.times)};
        const struct estimated_time *time = result.estimated;
        cr_assert_null(time->refused, "%s", time->refused);
        ns[launches - 1] = time->ns;
        EXPECT_ALL(time->low < time->ns, time->ns < time->high);
        cr_expect_str_eq(time->bound_by, "latency");
        EXPECT_ALL(time->busy_count > 1, 0 < time->busy[0].part, time->busy[0].part < 0.6);
        OWNED_MEMORY struct stalls *stalls = times_stalls(&log.times, log.functions[0].function);
        double stood = 0;
        for (size_t i = 0; i < log.functions[0].count; i++)
            for (enum stalled by = 0; by < STALLEDS; by++)
                stood += stalls[i].by[by];
        const double begins = log.times.chip.timing.launch_ns;
        cr_expect_float_eq(stood, time->ns - begins * launches, 1e-3, "all but that a launch begins: %g", stood);
        for (size_t i = 0; i < time->moved_count; i++)
            if (strcmp(time->moved[i].name, "launch_ns") == 0)
                out = (time->moved[i].part - 1) * time->ns / launches;
        cr_expect_float_eq(out, begins / 10, 1e-3, "a tenth of that: %g", out);
    }
    cr_expect_float_eq(ns[1], 2 * ns[0], 1e-6);
    launches_release(&log);
}
