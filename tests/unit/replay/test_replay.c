#include "replay/made_launch.h"
#include "test.h"

/* clang-format off: rows of tables */
#define ADD FIELDS(.opcode = "FADD", .operands = "R4,R4,R4", .stall = 1)
#define WORK(by)                                                                                                       \
    FIELDS(.opcode = "FADD", .operands = "R4,R4,R4", .stall = 10, .times = 1000, .warps = (by)) /* 10,000 cycles */
#define OFTEN(name, by) FIELDS(.opcode = (name), .operands = "R4,R4", .stall = (by), .times = 1001)
#define USE(scoreboard) FIELDS(.opcode = "FADD", .operands = "R5,R4,R4", .stall = 1, .waits = (scoreboard))
#define LOAD .opcode = "LDG.E", .operands = "R4,[R2.64]", .stall = 1, .answers = 1, .kind = RECORDED_LOAD, .head = {1}
#define LOADS(lines) FIELDS(LOAD, .sectors = 4, .times = (lines), .moves = 4)
#define STRONG                                                                                                         \
    FIELDS(.opcode = "LDG.E.STRONG.GPU", .operands = "R4,[R2.64]", .stall = 1, .kind = RECORDED_LOAD, .head = {1},     \
           .sectors = 4)
#define STORE .opcode = "STG.E", .operands = "[R2.64],R4", .stall = 1, .kind = RECORDED_STORE
#define LDS(turns)                                                                                                     \
    FIELDS(.opcode = "LDS", .operands = "R4,[R2]", .stall = 1, .kind = RECORDED_SHARED, .head = {turns}, .times = 100)
#define COPY .opcode = "LDGSTS.E", .operands = "[R4],[R2.64]", .stall = 1, .kind = RECORDED_COPY, .head = {1}
#define GROUP FIELDS(.opcode = "LDGDEPBAR", .stall = 1)
#define GROUPS(but)                                                                                                    \
    {COPY, .sectors = 4}, GROUP, {COPY, .sectors = 32, .first = 64, .times = 100, .moves = 32}, GROUP,                 \
        {.opcode = "DEPBAR.LE", .operands = "SB0," but, .stall = 1}, WORK(0)
#define BARRIER(name, by, number, threads)                                                                             \
    FIELDS(.opcode = (name), .operands = "0x1,0x40", .stall = 1, .warps = (by), .kind = RECORDED_BARRIER,              \
           .head = {(number), (threads)})
/* Of a barrier in shared memory at byte 64: what happens there. Pairs of sectors are the first one and how many. */
#define PHASE(part, number)                                                                                            \
    .opcode = "SYNCS.EXCH.64", .operands = "URZ,[UR4],UR6", .stall = 1, .kind = RECORDED_PHASE, .head = {64, (part)},  \
    .sectors = 1, .first = (number)
#define BEGIN(arrivals) FIELDS(PHASE(PHASE_BEGINS, arrivals))
#define BULK(op, to) .opcode = (op), .operands = "[UR6],[UR10],UR9", .stall = 1, .kind = (to), .sectors = 2
#define BROUGHT                                                                                                        \
    BEGIN(1), {PHASE(PHASE_EXPECTS, 128)}, {PHASE(PHASE_ARRIVES, 1)},                                                  \
        {BULK("UBLKCP.S.G", RECORDED_BULK_LOAD), .head = {64, 128}, .first = 64, .distance = -60u},                    \
        {PHASE(PHASE_WAITS, 0)}, ADD
#define PRODUCT FIELDS(.opcode = "HGMMA.64x128x16.F32", .operands = "R24,gdesc[UR4],R24,gsb0", .stall = 1)
#define PRODUCTS(but) FIELDS(.opcode = "WARPGROUP.DEPBAR.LE", .operands = "gsb0," but, .stall = 1)
#define BARRIER_OF_ALL BARRIER("BAR.SYNC", 0, 0, 0)
#define L(n, ...) FIELDS(.steps = STEPS(__VA_ARGS__), .warps = (n))
#define C(name, by, part, ...) FIELDS(.steps = STEPS(__VA_ARGS__), .constant = (name), .value = (by), .share = (part))

Test(replay_replay, what_makes_a_launch_longer, .timeout = 60)
{
    const struct {
        struct made_launch one, other;
        double longer, or_so; /* ns by which the other one is */
    } rows[] = {
        /* What uses a load waits for its scoreboard, and no other. Behind the last store is the way to the L2 once
           more. */
        {C("dram_latency", 1000, 1, {LOAD, .sectors = 4}, USE(1)),
         C("dram_latency", 2000, 1, {LOAD, .sectors = 4}, USE(1)), 1000, 0},
        {C("dram_latency", 1000, 1, {LOAD, .sectors = 4}, USE(2)),
         C("dram_latency", 2000, 1, {LOAD, .sectors = 4}, USE(2)), 0, 0},
        {C("dram_latency", 1000, 1, {LOAD, .sectors = 4}, USE(0)),
         C("dram_latency", 2000, 1, {LOAD, .sectors = 4}, USE(0)), 0, 0},
        {C("l2_latency", 1000, -1, {LOAD, .sectors = 4}, USE(1)),
         C("l2_latency", 2000, -1, {LOAD, .sectors = 4}, USE(1)), 2000, 0},
        {C("l2_latency", 1000, -1, {LOAD, .sectors = 4}, USE(0)),
         C("l2_latency", 2000, -1, {LOAD, .sectors = 4}, USE(0)), 1000, 0},
        /* Operands of a store are read after 8 cycles for 32 sectors, and 8 more. */
        {L(1, {STORE, .head = {1024}, .sectors = 32, .reads = 2}, USE(0), WORK(0)),
         L(1, {STORE, .head = {1024}, .sectors = 32, .reads = 2}, USE(2), WORK(0)), 15, 0},
        /* A stall holds its warp and no other. Warps of a scheduler share its units, and others do not. */
        {L(1, OFTEN("FADD", 1)), L(1, OFTEN("FADD", 5)), 4000, 0},
        {L(4, OFTEN("FADD", 5)), L(8, OFTEN("FADD", 5)), 0, 60},
        {L(1, OFTEN("IADD3", 1), WORK(0)), L(4, OFTEN("IADD3", 1), WORK(0)), 0, 60},
        {L(4, OFTEN("FFMA", 1), WORK(0)), L(8, OFTEN("FFMA", 1), WORK(0)), 1000, 60},
        {L(4, OFTEN("IADD3", 1), WORK(0)), L(8, OFTEN("IADD3", 1), WORK(0)), 2000, 60},
        {L(4, OFTEN("MUFU.RCP", 1), WORK(0)), L(8, OFTEN("MUFU.RCP", 1), WORK(0)), 8000, 60},
        /* Jumps take time, and code that is new: eight instructions each. */
        {C("branch", 0, 1, ADD, ADD), C("branch", 10, 1, ADD, ADD), 0, 0},
        {C("branch", 0, 1, OFTEN("FADD", 4)), C("branch", 10, 1, OFTEN("FADD", 4)), 10000, 0},
        {C("fetch", 0, 1, ADD, ADD, ADD), C("fetch", 10, 1, ADD, ADD, ADD), 10, 0},
        /* A fence of the system takes longer. */
        {L(1, {.opcode = "MEMBAR.SC.GPU", .stall = 1}, ADD), L(1, {.opcode = "MEMBAR.SC.SYS", .stall = 1}, ADD),
         made_constant("fence_system") - made_constant("fence"), 0},
        /* One warp works before a barrier, the other one behind it; who only arrives does not wait. */
        {L(2, ADD), L(2, WORK(1), WORK(2), ADD), 10000, 60},
        {L(2, ADD), L(2, WORK(1), BARRIER_OF_ALL, WORK(2), ADD), 20000, 60},
        {L(2, ADD), L(2, WORK(1), BARRIER("BAR.SYNC", 0, 1, 64), WORK(2), ADD), 20000, 60},
        {L(2, ADD), L(2, WORK(1), BARRIER("BAR.ARV", 1, 1, 64), BARRIER("BAR.SYNC", 2, 1, 64), WORK(2), ADD), 20000,
         60},
        {L(2, ADD), L(2, WORK(2), BARRIER("BAR.ARV", 1, 1, 64), BARRIER("BAR.SYNC", 2, 1, 64), WORK(1), ADD), 10000,
         60},
        {C("barrier", 10, 1, BARRIER_OF_ALL, BARRIER_OF_ALL, BARRIER_OF_ALL, ADD),
         C("barrier", 1010, 1, BARRIER_OF_ALL, BARRIER_OF_ALL, BARRIER_OF_ALL, ADD), 3000, 0},
        /* Streams that end before a barrier do not hold the others there. */
        {L(3, ADD, WORK(2)), L(3, ADD, BARRIER("BAR.SYNC", 2, 0, 0), WORK(2)), 15, 5},
        {L(3, ADD, WORK(2)), L(3, ADD, BARRIER("BAR.SYNC", 2, 1, 96), WORK(2)), 15, 5},
        /* A wait that leaves a group of copies waits for the older ones, here for one, and for what DRAM has to bring.
         */
        {C("dram_latency", 8000, 1, GROUPS("0x2")), C("dram_latency", 8000, 1, GROUPS("0x1")), 8000, 1000},
        {C("dram_latency", 8000, 1, GROUPS("0x1")), C("dram_latency", 8000, 1, GROUPS("0x0")), 3100, 200},
        /* Who waits for a phase waits for the copies that it expects, and for all arrivals; not for the phase before.
         */
        {C("dram_latency", 1000, 1, BROUGHT), C("dram_latency", 2000, 1, BROUGHT), 1000, 0},
        {C("bulk", 100, 1, BROUGHT), C("bulk", 200, 1, BROUGHT), 100, 0},
        {L(2, BEGIN(2), WORK(1), WORK(2), ADD),
         L(2, BEGIN(2), WORK(1), {PHASE(PHASE_ARRIVES, 1), .warps = 1}, {PHASE(PHASE_ARRIVES, 1), .warps = 1},
           {PHASE(PHASE_WAITS, 0), .warps = 2}, WORK(2), ADD),
         10000, 100},
        {L(2, BEGIN(2), WORK(1), {PHASE(PHASE_ARRIVES, 1), .warps = 1}, {PHASE(PHASE_WAITS, 0), .warps = 2}, ADD),
         L(2, ADD, WORK(1)), 0, 1100},
        /* Products of a warpgroup hold the tensor cores, and nobody but who waits for their group. */
        {C("group_product", 1, 1, PRODUCT, PRODUCT, PRODUCTS("0x0"), ADD),
         C("group_product", 2, 1, PRODUCT, PRODUCT, PRODUCTS("0x0"), ADD), 256, 0},
        {C("group_product", 1, 1, PRODUCT, PRODUCT, PRODUCTS("0x1"), WORK(0)),
         C("group_product", 2, 1, PRODUCT, PRODUCT, PRODUCTS("0x1"), WORK(0)), 128, 0},
        {C("group_product", 1, 1, PRODUCT, PRODUCT, WORK(0)), C("group_product", 2, 1, PRODUCT, PRODUCT, WORK(0)), 0,
         0},
        {C("barrier_warp", 2, 1, BARRIER_OF_ALL, ADD), C("barrier_warp", 52, 1, BARRIER_OF_ALL, ADD), 50, 0},
        /* A carve-out that leaves a smaller L1 is slower. */
        {{.steps = STEPS(LOADS(64), {LOAD, .sectors = 4, .times = 64, .moves = 4, .waits = 1}), .l1_bytes = 1 << 16},
         {.steps = STEPS(LOADS(64), {LOAD, .sectors = 4, .times = 64, .moves = 4, .waits = 1}), .l1_bytes = 1 << 11},
         14000,
         2000},
        /* Blocks wait for room. What is cut off is not replayed. */
        {{.steps = STEPS(WORK(0)), .blocks = 4, .resident = 4},
         {.steps = STEPS(WORK(0)), .blocks = 4, .resident = 2},
         10000,
         200},
        {{.steps = STEPS(WORK(0)), .blocks = 4, .resident = 4}, {.steps = STEPS(WORK(0)), .blocks = 4}, 30000, 300},
        {{.steps = STEPS(WORK(0)), .most = 100}, L(1, WORK(0)), 9000, 0},
        {{.steps = STEPS(ADD, BARRIER("BAR.SYNC", 2, 0, 0)), .warps = 3, .most = 1}, L(3, ADD), 0, 0},
        /* Atomics at one address are of the whole launch. */
        {{.steps = STEPS(ADD), .hottest = 1e6},
         {.steps = STEPS(ADD), .hottest = 2e6},
         1e6 * made_constant("hottest_ns"),
         1},
    };
    limit_processor(20);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const double longer = made_replay(&rows[i].other).ns - made_replay(&rows[i].one).ns;
        cr_expect_float_eq(longer, rows[i].longer, rows[i].or_so + 1e-6, "row %zu: %g", i, longer);
    }
}

Test(replay_replay, how_long_each_part_is_busy)
{
    const double line = made_constant("l2_line") + 4 * made_constant("l2_sector"),
                 room = made_constant("l2_mib") * (1 << 20);
    const double soon = 4000 * made_constant("dram_stored");
    const struct {
        struct made_launch launch;
        enum bound_by by;
        double ns, or_so;
    } rows[] = {
        {L(8, OFTEN("FFMA", 1)), BOUND_BY_ISSUE, 2002, 0},
        {L(8, OFTEN("FFMA", 1)), BOUND_BY_UNIT, 2002, 0},
        {L(8, OFTEN("IMAD", 1)), BOUND_BY_UNIT, 4004, 0},
        {L(1, LDS(1)), BOUND_BY_L1, 100, 0},
        {L(1, LDS(32)), BOUND_BY_L1, 3200, 0},
        /* The L1 has what was loaded, until it is full or emptied. Strong loads pass by it. */
        {{.steps = STEPS(LOADS(64), LOADS(64)), .l1_bytes = 1 << 16}, BOUND_BY_L2, 64 * line, 0},
        {{.steps = STEPS(LOADS(64), FIELDS(.opcode = "CCTL.IVALL", .stall = 1), LOADS(64)), .l1_bytes = 1 << 16},
         BOUND_BY_L2,
         128 * line,
         0},
        {{.steps = STEPS(LOADS(64), LOADS(64)), .l1_bytes = 1 << 12}, BOUND_BY_L2, 116 * line, 12 * line},
        {{.steps = STEPS(LOADS(64), LOADS(64))}, BOUND_BY_L2, 128 * line, 0},
        {{.steps = STEPS(STRONG, STRONG), .l1_bytes = 1 << 16}, BOUND_BY_L2, 2 * made_constant("l2_strong") * line, 0},
        /* DRAM brings the part of the sectors that no other SM has brought, and again what the L2 lost. */
        {L(1, LOADS(1000), LOADS(1000)), BOUND_BY_DRAM, 4000, 0},
        {C("dram_share", 1, 0.25, LOADS(1000)), BOUND_BY_DRAM, 1000, 0},
        {C("dram_share", 0.5, 0.25, LOADS(1000)), BOUND_BY_DRAM, 2000, 0},
        {C("l2_mib", 0.0625, 1, LOADS(1000), LOADS(1000)), BOUND_BY_DRAM, 8000, 0},
    /* It writes cheaply what the L2 has room for, each sector once, and parts of sectors dearly. */
#define STORED(bytes, part, by)                                                                                        \
    {.steps = STEPS({STORE, .head = {128}, .sectors = 4, .times = 1000, .moves = (by)}),                               \
     .stored = (bytes),                                                                                                \
     .whole = (part)},                                                                                                 \
        BOUND_BY_DRAM
        {STORED(room, 1, 4), soon, 0},
        {STORED(room, 1, 0), soon / 1000, 0},
        {STORED(2 * room, 1, 4), soon / 2 + 2000 * made_constant("dram_written"), 0},
        {STORED(room, 0.5, 4), soon / 2 + 2000 * made_constant("dram_partial"), 0},
        {{.steps = STEPS(ADD), .hottest = 1e6}, BOUND_BY_ATOMICS, 1e6 * made_constant("hottest_ns"), 1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const double ns = made_replay(&rows[i].launch).busy[rows[i].by];
        cr_expect_float_eq(ns, rows[i].ns, rows[i].or_so + 1e-6, "row %zu: %g", i, ns);
    }
}

Test(replay_replay, where_the_time_goes_and_why)
{
#define EXIT FIELDS(.opcode = "EXIT", .stall = 5)
#define SHARED(turns, n)                                                                                               \
    FIELDS(.opcode = "LDS", .operands = "R4,[R2]", .stall = 1, .answers = 1, .kind = RECORDED_SHARED, .head = {turns}, \
           .times = n)
    const struct {
        struct made_launch launch;
        unsigned step;
        enum stalled by;
        double least, most; /* part of the time */
    } rows[] = {
        {L(1, WORK(0)), 0, STALLED_WAIT, 0.89, 0.91},
        {L(1, WORK(0)), 0, STALLED_SELECTED, 0.09, 0.11},
        {L(8, OFTEN("FFMA", 1)), 0, STALLED_NOT_SELECTED, 0.33, 0.34},
        {L(4, OFTEN("IADD3", 1)), 0, STALLED_MATH, 0.49, 0.51},
        {L(8, OFTEN("IADD3", 1)), 0, STALLED_NOT_SELECTED, 0.16, 0.17},
        {L(4, OFTEN("MUFU.RCP", 1)), 0, STALLED_MIO, 0.86, 0.88},
        /* What waits for a scoreboard has the time, and not what sets it. */
        {L(1, {LOAD, .sectors = 4}, USE(1)), 1, STALLED_LONG, 0.99, 1},
        {L(1, SHARED(1, 1), USE(1)), 1, STALLED_SHORT, 0.85, 1},
        {L(1, {STORE, .head = {1024}, .sectors = 32, .reads = 2}, USE(2)), 1, STALLED_LONG, 0.8, 1},
        {L(1, GROUPS("0x0")), 5, STALLED_LONG, 0.05, 1},
        /* But a queue that is full holds it before it is issued. */
        {L(1, SHARED(32, 1000), USE(1)), 0, STALLED_MIO, 0.86, 0.88},
        {L(1, SHARED(32, 1000), USE(1)), 1, STALLED_SHORT, 0.09, 0.11},
        {L(1, SHARED(32, 90), USE(1)), 1, STALLED_SHORT, 0.9, 1},
        {L(1, {LOAD, .sectors = 32, .times = 1000}, USE(1)), 0, STALLED_LG, 0.5, 0.7},
        /* A store that is behind holds what comes next, or the end. */
        {L(1, {STORE, .head = {1024}, .sectors = 32, .times = 1000, .moves = 32}, ADD), 0, STALLED_LG, 0.9, 1},
        {L(1, {STORE, .head = {1024}, .sectors = 32, .times = 8, .moves = 32}, EXIT), 1, STALLED_DRAIN, 0.6, 0.62},
        {L(1, {STORE, .head = {1024}, .sectors = 32, .times = 8, .moves = 32}, ADD), 1, STALLED_DRAIN, 0, 0},
        {L(2, WORK(1), BARRIER_OF_ALL, ADD), 2, STALLED_BARRIER, 0.49, 0.51},
        {L(1, {.opcode = "MEMBAR.SC.GPU", .stall = 1}, ADD), 1, STALLED_FENCE, 0.99, 1},
        {L(1, {.opcode = "NANOSLEEP", .operands = "R2", .stall = 1, .kind = RECORDED_SLEEP, .head = {1000}}, ADD), 1,
         STALLED_SLEEP, 0.99, 1},
        {C("branch", 16, 1, OFTEN("FADD", 4)), 0, STALLED_BRANCH, 0.79, 0.81},
        {C("fetch", 100, 1, ADD, ADD), 1, STALLED_FETCH, 0.9, 1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct stalls stalls[8] = {{{0}}};
        struct made_launch launch = rows[i].launch;
        launch.stalls = stalls;
        const double ns = made_replay(&launch).ns, part = stalls[rows[i].step].by[rows[i].by] / ns;
        double all = 0;
        for (size_t k = 0; k < ARRAY_SIZE(stalls); k++)
            for (enum stalled by = 0; by < STALLEDS; by++)
                all += stalls[k].by[by];
        cr_expect_float_eq(all, ns, 1e-6 * ns, "row %zu: all is told", i);
        cr_expect(rows[i].least <= part && part <= rows[i].most, "row %zu: %g", i, part);
        cr_expect_eq(made_replay(&rows[i].launch).ns, ns, "row %zu: asking moves no time", i);
    }
}
/* clang-format on */

static const char *refused(const char *opcode, const char *operands, const struct tally *tally, unsigned blocks)
{
    const struct made_step step = {.opcode = opcode, .operands = operands}, first = ADD;
    struct function function = made_function(STEPS(first, step));
    const struct grid grid = {.function = &function, .blocks = {blocks, 1, 1}, .threads = {64, 1, 1}};
    const struct tally tallies[2] = {{.busiest_block = tally->busiest_block}, *tally};
    size_t where;
    const char *why = replay_refused(&grid, tallies, &where);
    cr_expect(!why || where == 1, "%s: %zu", opcode, where);
    made_function_free(&function);
    return why ? why : "";
}

static void expect_refused(const char *where, const char *text, const char *words)
{
    struct tally tally = {0};
    tally.executed = (uint64_t)leading_number(&text);
    tally.spins = (uint64_t)leading_number(&text);
    tally.busiest_block = (uint64_t)leading_number(&text);
    text++;
    const char *const opcode = cut_at(&text, " "), *const why = refused(opcode, text, &tally, 10);
    cr_expect(strcmp(words, "replayed") == 0 ? !*why : strstr(why, words) != NULL, "%s: \"%s\"", where, why);
}

TEXTS(replay_replay, what_is_not_modelled_is_refused_by_name, "tests/unit/replay/refused.txt", expect_refused)

Test(replay_replay, each_bound_has_a_name_and_a_band)
{
    const struct chip own = {0}, foreign = {.foreign = true};
    for (enum bound_by by = 0; by < BOUND_BYS; by++) {
        for (enum bound_by other = 0; other < by; other++)
            cr_expect_str_neq(bound_by_name(by), bound_by_name(other));
        cr_expect_float_eq(bound_by_error(by, &foreign), 2 * bound_by_error(by, &own), 1e-9);
    }
}
