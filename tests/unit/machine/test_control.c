/* Instructions that say where lanes go on and how they wait, in forms that ptxas makes of large kernels only. */
#include "made_program.h"
#include "test.h"

#include "sim/counters.h"

#define LANE "S2R R0,SR_TID.X"
#define STORE                                                                                                          \
    "ULDC.64 UR4,c[0x0][0x210]", "MOV R20,UR4", "MOV R21,UR5", "IMAD.WIDE.U32 R20,R0,0x4,R20", "STG.E [R20.64],R4"

static void expect_right(const char *const *program, unsigned threads)
{
    const char *said = run_program(program, threads);
    cr_assert_null(said, "%s", said);
}

/* Of EXIT with two predicates the GPU's counter of threads has those for which both hold. */
Test(control, an_exit_with_two_predicates)
{
    expect_right(PROGRAM(LANE, "ISETP.GE.U32.AND P0,PT,R0,0x8,PT", "ISETP.GE.U32.AND P1,PT,R0,0xc,PT", "@P0 EXIT P1"),
                 32);
    double values[EXACT_COUNTERS];
    const unsigned traits[MADE_MOST] = {0};
    counters_of(made_tallies, traits, 5, BOUND_NONE, values);
    cr_expect_eq(made_tallies[3].working, 24);
    cr_expect_float_eq(values[EXACT_THREADS_PER_INSTRUCTION] * 5, 3 * 32 + 20 + 12, 1e-9);
}

/* Where all that are missing exit, those that wait may execute the BSYNC once more. */
Test(control, lanes_that_others_wait_for_exit)
{
    enum { BSYNC = 6 };
    for (unsigned some = 0; some < 2; some++) {
        expect_right(PROGRAM(LANE, "ISETP.GE.U32.AND P0,PT,R0,0x8,PT", "ISETP.GE.U32.AND P1,PT,R0,0x4,PT",
                             "BSSY B0,0x60", "@P0 BRA 0x60", some ? "@P1 EXIT " : "EXIT ", "BSYNC B0"),
                     32);
        cr_expect_eq(made_tallies[BSYNC].executed, 1 + some);
        cr_expect_eq(made_tallies[BSYNC].more_instructions, !some);
    }
}

/* The count of a barrier whose number is in a register may be an immediate, or lie above the number. */
Test(control, barriers_of_some_threads)
{
    static const char *const forms[] = {"BAR.SYNC.DEFER_BLOCKING R5,0x40", "BAR.SYNC.DEFER_BLOCKING R6,R6",
                                        "BAR.SYNC.DEFER_BLOCKING 0x3,R7"};
    for (size_t i = 0; i < 3; i++) {
        /* Each half of four warps has a barrier of its own, but for the last form only the second waits, of two warps.
         */
        expect_right(PROGRAM(LANE, "SHF.R.U32 R5,RZ,0x6,R0", "IADD3 R5,R5,0x1,RZ", "IADD3 R6,R5,0x400000,RZ",
                             "MOV R7,0x40", "ISETP.GE.U32.AND P0,PT,R0,0x40,PT", "@P0 BRA 0x80", forms[i], "MOV R4,0x1",
                             STORE),
                     128);
        cr_expect_eq(made_output[0], 1);
        const char *said = run_program(PROGRAM(LANE, "MOV R5,0x1", "MOV R6,0x400001", "MOV R7,0x40",
                                               "ISETP.GE.U32.AND P0,PT,R0,0x20,PT", "@P0 EXIT ", forms[i]),
                                       128);
        cr_expect(said && made_fault, "%zu: one warp of two waits, and the others are gone", i);
    }
}

/* Lanes that have the same in both registers are taken at once, as copies started by several lanes are. */
Test(control, values_that_lanes_share)
{
    /* Lanes 0 and 2 have 0,5 and lane 1 has 0,6, lane 3 has 1,5. */
    expect_right(PROGRAM(LANE, "LOP3.LUT R1,R0,0x3,RZ,0xc0,!PT", "ISETP.EQ.AND P2,PT,R1,0x3,PT", "SEL R2,0x1,RZ,P2",
                         "ISETP.EQ.AND P3,PT,R1,0x1,PT", "SEL R3,0x6,0x5,P3", "R2UR P0,UR8,R2", "R2UR.OR P0,UR9,R3",
                         "SEL R4,0x1,RZ,P0", "R2UR P0,UR9,R3", "SEL R5,0x2,RZ,P0", "IADD3 R4,R4,R5,RZ", STORE),
                 32);
    for (unsigned l = 0; l < 32; l++)
        cr_expect_eq(made_output[l], (l % 4 == 1 || l % 4 == 3 ? 1u : 0) + (l % 4 == 1 ? 2u : 0), "lane %u", l);
}

Test(control, predicates_as_bits)
{
    expect_right(PROGRAM(LANE, "ISETP.GE.U32.AND P1,PT,R0,0x8,PT", "ISETP.GE.U32.AND P6,PT,R0,0x4,PT", "MOV R4,0x7fff",
                         "UMOV UR6,0x10", "UISETP.EQ.AND UP2,UPT,UR6,0x10,UPT", "UP2UR UR7,UPR,UR6,0x4",
                         "PR P2R.B1 R4,@P6,R4,0x42", "IADD3 R4,R4,UR7,RZ", STORE),
                 32);
    for (unsigned l = 0; l < 32; l++)
        cr_expect_eq(made_output[l],
                     0x14 + (l < 4   ? 0x7fffu
                             : l < 8 ? 0x7dffu
                                     : 0x7fffu),
                     "lane %u: %x", l, made_output[l]);
}

/* Warp 0 waits for a phase, and warp 1 goes round a loop so many times before it ends it. */
#define WAIT "SYNCS.PHASECHK.TRANS64.TRYWAIT P0,[RZ+0x400],RZ"
#define BEGIN(rounds)                                                                                                  \
    LANE, "ISETP.EQ.U32.AND P1,PT,R0,RZ,PT", "UMOV UR6,0x1ffffe", "UMOV UR7,0x7ffff800",                               \
        "@P1 SYNCS.EXCH.64 URZ,[RZ+0x400],UR6", "BAR.SYNC.DEFER_BLOCKING 0x0", "ISETP.GE.U32.AND P2,PT,R0,0x20,PT",    \
        "@!P2 BRA 0xf0", "MOV R8," rounds, "IADD3 R8,R8,-0x1,RZ", "ISETP.NE.AND P4,PT,R8,RZ,PT", "@P4 BRA 0x90",       \
        "ISETP.EQ.U32.AND P3,PT,R0,0x20,PT", "@P3 SYNCS.ARRIVE.TRANS64.A1T0 RZ,[RZ+0x400],RZ", "EXIT "

/* How often it looks is known only where that takes little time, and nothing else looks between two waits. What stands
 * behind the loop is executed once, whatever is known. */
Test(control, waits_that_look_again)
{
    enum { FIRST = 15 };
    const struct {
        const char *const *program;
        unsigned between, open; /* instructions of the loop, and of those the ones that are not known */
    } cases[] = {
        {PROGRAM(BEGIN("0x4"), WAIT, "@!P0 BRA 0xf0", "NOP "), 2, 0},
        {PROGRAM(BEGIN("0x60"), WAIT, "@!P0 BRA 0xf0", "NOP "), 2, 2},
        {PROGRAM(BEGIN("0x60"), WAIT, "@P0 BRA 0x130", "NOP ", "BRA 0xf0", "NOP "), 4, 4},
        {PROGRAM(BEGIN("0x4"), WAIT, "@!P0 SYNCS.PHASECHK.TRANS64 P0,[RZ+0x400],RZ", "@!P0 BRA 0xf0", "NOP "), 3, 3},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        expect_right(cases[i].program, 64);
        for (unsigned k = 0; k < cases[i].between; k++) {
            cr_expect_eq(made_tallies[FIRST + k].looks > 0, k < cases[i].open, "%zu: instruction %u", i, k);
            cr_expect_gt(made_tallies[FIRST + k].retries, 0, "%zu: instruction %u", i, k);
        }

        cr_expect_eq(made_tallies[FIRST + cases[i].between].retries, 0, "%zu", i);
        cr_expect_eq(made_tallies[FIRST + cases[i].between].looks, 0, "%zu", i);
        cr_expect_eq(made_tallies[FIRST].spins, 0, "%zu: it is executed as if it looked once", i);
    }
}

/* Lane 0 waits in a region in which the others wait for it. If it yields between two looks, they may be apart behind
 * that: the next branch, which parts them, is then one of each. They are not where they join once more before it. */
Test(control, lanes_that_yield_while_others_wait)
{
#define ALONE(outer, yields, behind, otherwise)                                                                        \
    PROGRAM(LANE, "ISETP.EQ.U32.AND P1,PT,R0,RZ,PT", "UMOV UR6,0x1ffffe", "UMOV UR7,0x7ffff800",                       \
            "@P1 SYNCS.EXCH.64 URZ,[RZ+0x400],UR6", "@P1 SYNCS.ARRIVE.TRANS64.A1T0 RZ,[RZ+0x400],RZ", outer,           \
            "BSSY B0,0xb0", "@!P1 BRA 0xb0", WAIT, "@!P0 BRA 0x100", "BSYNC B0", behind, otherwise, "EXIT ", "NOP ",   \
            yields, WAIT, "@!P0 BRA 0x100", "BRA 0xb0")
    enum { BRANCH = 13 };
    static const struct {
        const char *outer, *yields, *behind;
        unsigned apart;
    } cases[] = {{"NOP ", "YIELD ", "NOP ", 1},
                 {"NOP ", "NOP ", "NOP ", 0},
                 {"NOP ", "YIELD ", "WARPSYNC.ALL ", 0},
                 {"BSSY B1,0xc0", "YIELD ", "BSYNC B1", 0}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        expect_right(ALONE(cases[i].outer, cases[i].yields, cases[i].behind, "@P1 BRA 0xe0"), 32);
        cr_expect_eq(made_tallies[BRANCH].divergent, 1, "%zu", i);
        cr_expect_eq(made_tallies[BRANCH].more_targets, cases[i].apart, "%zu", i);
        cr_expect_eq(made_tallies[BRANCH].fewer_divergent, cases[i].apart, "%zu", i);
        cr_expect_eq(made_tallies[BRANCH].more_divergent, 0, "%zu", i);
        expect_right(ALONE(cases[i].outer, cases[i].yields, cases[i].behind, "VOTE.ANY R5,P2,P1"), 32);
        cr_expect_eq(made_tallies[BRANCH].spins > 0, cases[i].apart, "%zu: each part has its own answer", i);
    }
}

/* A lane breaks out of the loop in each turn: all but the first may be together with others until they join. */
Test(control, lanes_that_break_out_behind_others)
{
    enum { TAIL = 9, BEHIND = 11 };
    expect_right(PROGRAM(LANE, "MOV R5,RZ", "BSSY B1,0xa0", "BSSY B0,0xa0", "ISETP.EQ.U32.AND P0,PT,R0,R5,PT",
                         "@P0 BREAK B0", "@P0 BRA 0x90", "IADD3 R5,R5,0x1,RZ", "BRA 0x40", "BRA 0xa0", "BSYNC B1",
                         "BRA 0xc0", "NOP "),
                 32);
    EXPECT_ALL(made_tallies[TAIL].uniform == 32, made_tallies[TAIL].followed == 31);
    EXPECT_ALL(made_tallies[BEHIND].uniform == 1, made_tallies[BEHIND].followed == 0);
}
