#include "sim/sim_capsule.h"
#include "test.h"

#include "cudart/runtime.h"
#include "sim/launch_log.h"

#include "cudart/sim_support.h"

/* A launch of which most blocks are left out: each adds 1 to 32 words of its own. */
#define PLACE UINT64_C(0x7d0000000000)
enum { UNIT = 2 << 20, BLOCKS = 256, WORDS = BLOCKS * 32, BYTES = WORDS * 4 };
static const struct capsule_device *const device = &sim_capsule_device;
static const uint64_t out = PLACE, in = PLACE + UNIT;
static uint32_t words[WORDS];
static void *module;
static struct launches logged;
static struct memory_range ranges[] = {{.kind = MEMORY_DEVICE, .address = PLACE, .size = BYTES},
                                       {.kind = MEMORY_DEVICE, .address = PLACE + UNIT, .size = BYTES}};
static struct capsule capsule = {.function = "more",
                                 .grid = {BLOCKS, 1, 1},
                                 .block = {32, 1, 1},
                                 .byte_count = 16,
                                 .ranges = ranges,
                                 .range_count = 2};

static void launch(void)
{
    struct problem problem = {""};
    const uint64_t arguments[] = {out, in};
    launches_begin(&logged);
    cr_assert_eq(device->launch(module, &capsule, (const unsigned char *)arguments, &problem), 0, "%s", problem.text);
    launches_end(&logged);
}

/* Of each block 5 becomes 6, but of those that are left out. */
static void open_launch(void)
{
    struct problem problem = {""};
    size_t size;
    OWNED_MEMORY unsigned char *image =
        sim_compile("extern \"C\" __global__ void more(unsigned *out, const unsigned *in)\n"
                    "{ unsigned i = blockIdx.x * 32 + threadIdx.x; out[i] = in[i] + 1; }\n",
                    "-cubin", &size);
    sim_open_gpu();
    setenv("CUGATE_SIM_PROOF", "small", 1);
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = 5;
    cr_assert(device->begin(&problem) == 0 && device->reserve(PLACE, 32 << 20, &problem) == 0 &&
                  device->back(out, UNIT, MEMORY_DEVICE, &problem) == 0 &&
                  device->back(in, UNIT, MEMORY_DEVICE, &problem) == 0 &&
                  device->load(image, size, &module, &problem) == 0 && device->write(in, words, BYTES, &problem) == 0,
              "%s", problem.text);
    launch();
}

/* The number of words that are 6. */
static unsigned sixes(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < WORDS; i++)
        count += words[i] == 6;
    return count;
}

/* What is done to memory: the first three, and another launch, leave blocks as they are. */
enum { READS_KNOWN, READS_INPUT, WRITES_BESIDE, LAUNCHES, READS, WRITES, FILLS, COPIES_TO, COPIES_FROM, FREES, ALL };
static int act(unsigned what, struct problem *problem)
{
    if (what == LAUNCHES)
        launch();
    return what == READS_KNOWN     ? device->read_known(words, out, BYTES, problem)
           : what == READS_INPUT   ? device->read(words, in, BYTES, problem)
           : what == WRITES_BESIDE ? device->write(in + BYTES, words, 4, problem)
           : what == READS         ? device->read(words, out + 200 * 128, 4, problem)
           : what == WRITES        ? device->write(in + 200 * 128, &(uint32_t){0}, 4, problem)
           : what == FILLS         ? device->fill(in, 0, BYTES, problem)
           : what == COPIES_TO     ? device->copy(in, in + BYTES, BYTES, problem)
           : what == COPIES_FROM   ? device->copy(in + BYTES, out, BYTES, problem)
           : what == FREES         ? device->unback(out, UNIT, problem)
                                   : 0;
}

Test(sim_capsule, blocks_are_executed_before_others_see_what_they_leave)
{
    struct problem problem = {""};
    open_launch();
    capsule.swapped = (char[]){"other.cubin"};
    launch();
    cr_expect_not(grid_has_left(runtime_machine()), "nobody vouches for its code");
    capsule.swapped = NULL;
    for (unsigned what = 0; what < ALL; what++) {
        launch();
        cr_assert(grid_has_left(runtime_machine()), "%u", what);
        cr_assert_eq(act(what, &problem), 0, "%s", problem.text);
        cr_expect_eq(grid_has_left(runtime_machine()), what <= LAUNCHES, "%u", what);
        cr_expect(what != READS_KNOWN || (sixes() > 0 && sixes() < WORDS / 4), "%u", sixes());
        if (what < LAUNCHES || what == FREES)
            continue;
        device->read(words, out, BYTES, &problem);
        cr_expect_eq(sixes(), WORDS, "%u: %u", what, sixes());
        for (unsigned i = 0; i < WORDS; i++)
            words[i] = 5;
        device->write(in, words, BYTES, &problem);
        device->fill(out, 0, BYTES, &problem);
    }
}
