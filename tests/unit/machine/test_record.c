#include "made_program.h"
#include "test.h"

/* ---- Which blocks ---- */

Test(record, blocks_are_of_the_sm_that_ends_last)
{
    static const struct {
        unsigned sms, resident, count, steps, heavy, heavy_steps; /* of each block; of one, which takes other steps */
        uint64_t blocks[10];                                      /* that are recorded, and a 0 behind them */
        uint64_t sm_steps;
    } rows[] = {
        {4, 2, 40, 10, 40, 0, {0, 4, 16, 20, 24, 28, 32, 36}, 100}, /* the first two, and the last three waves */
        {4, 2, 40, 100000, 40, 0, {0, 4, 32, 36}, 1000000},         /* waves of many instructions */
        {4, 1, 8, 300000, 8, 0, {0}, 600000},
        {4, 2, 40, 10, 39, 1000, {3, 7, 19, 23, 27, 31, 35, 39}, 1090}, /* a heavy one at the end */
        {2, 1, 6, 10, 0, 60, {0}, 60}, /* and one at the beginning, of whose SM others have the rest */
        {2, 1, 8, 10, 0, 45, {1, 4, 5, 7}, 60},
        {4, 2, 41, 10, 41, 0, {0, 4, 20, 24, 28, 32, 36, 40}, 110},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct grid grid = {.blocks = {rows[i].count, 1, 1}, .threads = {32, 1, 1}};
        OWNED(recorder) recorder = {.sms = rows[i].sms, .resident = rows[i].resident};
        recorder_begin(&recorder, &grid);
        for (unsigned b = 0; b < rows[i].count; b++)
            recorder.block_steps[b] = b == rows[i].heavy ? rows[i].heavy_steps : rows[i].steps;
        recorder_choose(&recorder);
        for (size_t k = 0; k < recorder.chosen_count; k++)
            cr_expect_eq(recorder.chosen[k], rows[i].blocks[k], "row %zu: block %zu is %lu", i, k, recorder.chosen[k]);
        cr_expect_eq(rows[i].blocks[recorder.chosen_count], 0, "row %zu: %zu blocks", i, recorder.chosen_count);
        cr_expect_eq(recorder.sm_steps, rows[i].sm_steps, "row %zu: %lu", i, recorder.sm_steps);
    }
}

/* Block 5 goes through its loop 300 times. */
#define UNEVEN                                                                                                         \
    PROGRAM("S2R R1,SR_CTAID.X", "ISETP.NE.AND P0,PT,R1,0x5,PT", "@P0 BRA 0x70", "MOV R2,0x12c",                       \
            "IADD3 R2,R2,-0x1,RZ", "ISETP.NE.AND P1,PT,R2,RZ,PT", "@P1 BRA 0x40")

Test(record, a_launch_is_executed_again_where_other_blocks_decide)
{
    struct recorder recorder = {.sms = 2, .resident = 1};
    made_recorder = &recorder;
    made_blocks = 6;
    cr_assert_null(run_program(UNEVEN, 32));
    cr_expect_not(made_recorded, "blocks 0, 2 and 4 were");
    cr_assert_null(run_program(UNEVEN, 32));
    cr_assert(made_recorded);
    cr_assert_eq(recorder.count, 3);
    cr_expect_eq(recorder.blocks[0]->number, 1);
    cr_expect_eq(recorder.blocks[2]->number, 5);
    cr_expect_eq(recorder.blocks[2]->warps[0].instructions, 905);
    cr_expect_eq(recorder.recorded, 913);
    cr_expect_eq(recorder.sm_steps, 913);
    cr_expect_eq(recorder.steps, 925);
    recorder_release(&recorder);
    recorder = (struct recorder){.sms = 6, .resident = 2000};
    cr_assert_null(run_program(UNEVEN, 32));
    cr_assert_null(run_program(UNEVEN, 32));
    cr_assert(made_recorded && recorder.count == 1);
    cr_expect_eq(recorder.blocks[0]->warps[0].instructions, 256, "of a warp no more, where there are so many");
    cr_expect_eq(recorder.sm_steps, 905);
    recorder_release(&recorder);
}

Test(record, an_argument_divides_an_allocation)
{
    struct recorder recorder = {.sms = 2, .resident = 1};
    const uint64_t arena = device_allocate(made_machine(), 4096), array = arena + 1024;
    made_recorder = &recorder;
    cr_assert_null(run_program_on(made_machine(), array, PROGRAM("NOP"), 32));
    const uint32_t ends[] = {(uint32_t)(arena >> 5), (uint32_t)(array >> 5), (uint32_t)((arena + 4096) >> 5)};
    for (size_t part = 0; part < 2; part++)
        cr_expect(ANY(i, recorder.place_count,
                      recorder.places[i].begin == ends[part] && recorder.places[i].end == ends[part + 1]));
    recorder_release(&recorder);
    device_free(made_machine(), arena);
}

/* ---- What is recorded of an access ---- */

#define AT(stride)                                                                                                     \
    "S2R R0,SR_TID.X", "ULDC.64 UR4,c[0x0][0x210]", "MOV R20,UR4", "MOV R21,UR5", "MOV R3,0x400",                      \
        "IMAD.WIDE.U32 R20,R0," stride ",R20", "IMAD R1,R0," stride ",R3"

Test(record, an_access_has_its_turns_and_sectors)
{
    const struct {
        const char *const *program;
        enum recorded_kind kind;
        unsigned head, words[2], sectors, apart; /* words before the sectors; how far the first two are apart */
    } rows[] = {
        {PROGRAM(AT("0x4"), "LDG.E R4,[R20.64]"), RECORDED_LOAD, 1, {1}, 4, 1},
        {PROGRAM(AT("0x20"), "LDG.E R4,[R20.64]"), RECORDED_LOAD, 1, {8}, 32, 1},
        {PROGRAM(AT("0x80"), "LDG.E R4,[R20.64]"), RECORDED_LOAD, 1, {32}, 32, 4},
        {PROGRAM(AT("0x0"), "LDG.E R4,[R20.64]"), RECORDED_LOAD, 1, {1}, 1, 0},
        {PROGRAM(AT("0x8"), "STG.E.64 [R20.64],R4"), RECORDED_STORE, 1, {256}, 8, 1},
        {PROGRAM(AT("0x40"), "STG.E [R20.64],R4"), RECORDED_STORE, 1, {128}, 32, 2},
        {PROGRAM(AT("0x0"), "RED.E.ADD.STRONG.GPU [R20.64],R0"), RECORDED_ATOMIC, 2, {1, 32}, 1, 0},
        {PROGRAM(AT("0x4"), "RED.E.ADD.STRONG.GPU [R20.64],R0"), RECORDED_ATOMIC, 2, {32, 1}, 4, 1},
        {PROGRAM(AT("0x4"), "LDGSTS.E [R1],[R20.64]"), RECORDED_COPY, 1, {1}, 4, 1},
        {PROGRAM(AT("0x80"), "STS [R1],R4", "LDS R4,[R1]"), RECORDED_SHARED, 1, {32}, 0, 0},
        {PROGRAM(AT("0x4"), "STS [R1],R4"), RECORDED_SHARED, 1, {1}, 0, 0},
        {PROGRAM(AT("0x4"), "BAR.SYNC.DEFER_BLOCKING 0x3,0x20"), RECORDED_BARRIER, 2, {3, 32}, 0, 0},
        {PROGRAM(AT("0x0"), "LDC R4,c[0x0][R3+-0x1f0]"), RECORDED_CONSTANT, 1, {1}, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED(recorder) recorder = {.sms = 1, .resident = 1};
        made_recorder = &recorder;
        const char *failed = run_program(rows[i].program, 32);
        cr_assert(!failed && made_recorded, "row %zu: %s", i, failed);
        const struct recorded_warp *warp = &recorder.blocks[0]->warps[0];
        size_t at = 0;
        for (; at < warp->count && recorded_kind(warp->words[at]) != rows[i].kind;
             at += 1 + recorded_words(warp->words[at]))
            ;
        cr_assert_lt(at, warp->count, "row %zu", i);
        const uint32_t *words = warp->words + at + 1;
        cr_expect_eq(recorded_words(words[-1]), rows[i].head + rows[i].sectors, "row %zu: %u words", i,
                     recorded_words(words[-1]));
        cr_expect(recorded_works(words[-1]));
        for (unsigned k = 0; k < rows[i].head; k++)
            cr_expect_eq(words[k], rows[i].words[k], "row %zu: word %u is %u", i, k, words[k]);
        if (rows[i].sectors > 1)
            cr_expect_eq(words[rows[i].head + 1] - words[rows[i].head], rows[i].apart, "row %zu", i);
    }
}

/* Returns the words behind the first instruction of a kind. */
static const uint32_t *find_kind(const struct recorded_warp *warp, enum recorded_kind kind, size_t from)
{
    for (size_t at = from; at < warp->count; at += 1 + recorded_words(warp->words[at]))
        if (recorded_kind(warp->words[at]) == kind)
            return &warp->words[at];
    cr_assert_fail("nothing of kind %d from %zu on", kind, from);
    return NULL;
}

/* A barrier for one arrival, at byte 0x400, expects 128 bytes, which come by a copy. */
Test(record, what_comes_to_a_barrier_in_memory_is_recorded)
{
    OWNED(recorder) recorder = {.sms = 1, .resident = 1};
    made_recorder = &recorder;
    const char *failed = run_program(
        PROGRAM(AT("0x0"), "UMOV UR6,0x400", "UMOV UR8,0x1ffffe", "UMOV UR9,0x7ffff800", "UMOV UR10,0x800",
                "UMOV UR11,0x400", "UMOV UR12,0x8", "MOV R9,RZ", "MOV R8,0x80", "ISETP.EQ.AND P0,PT,R0,RZ,PT",
                "@P0 SYNCS.EXCH.64 URZ,[UR6],UR8", "@P0 SYNCS.ARRIVE.TRANS64 RZ,[UR6],R8",
                "UBLKCP.S.G [UR10],[UR4],UR12", "SYNCS.PHASECHK.TRANS64.TRYWAIT P1,[UR6],R9"),
        32);
    cr_assert(!failed && made_recorded, "%s", failed);
    const struct recorded_warp *warp = &recorder.blocks[0]->warps[0];
    const uint32_t *at = find_kind(warp, RECORDED_PHASE, 0);
    const uint32_t begins[] = {0x400, PHASE_BEGINS, 1}, waits[] = {0x400, PHASE_WAITS, 0},
                   arrives[] = {0x400, PHASE_EXPECTS, 128, 0x400, PHASE_ARRIVES, 1};
    cr_assert_eq(recorded_words(*at), 3);
    cr_expect_arr_eq(at + 1, begins, sizeof begins);
    at = find_kind(warp, RECORDED_PHASE, (size_t)(at - warp->words) + 4);
    cr_assert_eq(recorded_words(*at), 6);
    cr_expect_arr_eq(at + 1, arrives, sizeof arrives);
    at = find_kind(warp, RECORDED_BULK_LOAD, 0);
    cr_assert_eq(recorded_words(*at), 4);
    cr_expect_eq(at[1], 0x400);
    cr_expect_eq(at[2], 128);
    cr_expect_eq(at[4], 4, "sectors");
    at = find_kind(warp, RECORDED_PHASE, (size_t)(at - warp->words));
    cr_assert_eq(recorded_words(*at), 3);
    cr_expect_arr_eq(at + 1, waits, sizeof waits);
}
