/* What a warp may not do before it has waited for its warpgroup's products. ptxas mends such code when it sees it, so
 * these are programs in machine code. */
#include "made_program.h"
#include "test.h"

#define THREADS 128

static const char *executed(const char *const *program)
{
    return run_program(program, THREADS);
}

/* Both matrices begin where the block's own shared memory does: 128 bytes from k to k, 256 from line to line. */
#define DESCRIPTORS "UMOV UR8,0x80040", "UMOV UR9,0x10", "UMOV UR10,0x80040", "UMOV UR11,0x10"
#define PRODUCT "HGMMA.64x8x16.F32 R24,gdesc[UR8],RZ,!UPT,gsb0"
#define WAIT "WARPGROUP.DEPBAR.LE gsb0,0x0"
#define ARRIVE "WARPGROUP.ARRIVE"
#define ADDRESS "S2R R2,SR_TID.X", "IMAD.SHL.U32 R2,R2,0x4,RZ", "IADD3 R2,R2,0x400,RZ"
#define BARRIER "BAR.SYNC.DEFER_BLOCKING 0x0"
#define FENCE "FENCE.VIEW.ASYNC.S"
#define CLEARED BARRIER, "@!PT LDGSTS.E [R2],[R4.64]", ARRIVE

struct program {
    const char *why; /* part of the fault; NULL: there is none */
    const char *const *text;
};

static void expect_programs(const struct program *programs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *said = executed(programs[i].text);
        if (!programs[i].why)
            cr_expect_null(said, "program %zu: %s", i, said);
        else
            cr_expect(said && made_fault && strstr(said, programs[i].why), "program %zu: %s, not %s", i,
                      said ? said : "no fault", programs[i].why);
    }
}

Test(warpgroup, registers)
{
    const struct program programs[] = {
        {NULL, PROGRAM(DESCRIPTORS, ARRIVE, PRODUCT, WAIT, "FADD R0,R24,R25")},
        {"FADD reads R24, which an unfinished wgmma still writes",
         PROGRAM(DESCRIPTORS, ARRIVE, PRODUCT, "FADD R0,R24,R25", WAIT)},
        {"MOV writes R26, which an unfinished wgmma still writes",
         PROGRAM(DESCRIPTORS, ARRIVE, PRODUCT, "MOV R26,RZ", WAIT)},
        {NULL, PROGRAM(DESCRIPTORS, ARRIVE, PRODUCT, "MOV R28,RZ", WAIT)},
        /* registers of A, and of an address */
        {"MOV writes R5, which an unfinished wgmma still reads",
         PROGRAM(DESCRIPTORS, ARRIVE, "HGMMA.64x8x16.F32 R24,R4,gdesc[UR8],RZ,!UPT,gsb0", "MOV R5,RZ", WAIT)},
        {NULL, PROGRAM(DESCRIPTORS, ARRIVE, "HGMMA.64x8x16.F32 R24,R4,gdesc[UR8],RZ,!UPT,gsb0", "FADD R0,R5,R6", WAIT)},
        {"STS reads R24", PROGRAM(DESCRIPTORS, ARRIVE, PRODUCT, "STS [R24+0x400],R0", WAIT)},
        {"reads R25, which an unfinished wgmma still writes",
         PROGRAM(DESCRIPTORS, ARRIVE, PRODUCT, "HGMMA.64x8x16.F32 R40,R25,gdesc[UR8],RZ,!UPT,gsb0", WAIT)},
        /* sums of sums need no wait between them */
        {NULL, PROGRAM(DESCRIPTORS, ARRIVE, PRODUCT, "HGMMA.64x8x16.F32 R24,gdesc[UR8],R24,gsb0", WAIT, "MOV R0,R24")},
        /* another group than the one that is waited for */
        {NULL, PROGRAM(DESCRIPTORS, ARRIVE, PRODUCT, "HGMMA.64x8x16.F32 R40,gdesc[UR8],RZ,!UPT,gsb0",
                       "WARPGROUP.DEPBAR.LE gsb0,0x1", "MOV R0,R24", WAIT, "MOV R0,R40")},
        {"MOV reads R40", PROGRAM(DESCRIPTORS, ARRIVE, PRODUCT, "HGMMA.64x8x16.F32 R40,gdesc[UR8],RZ,!UPT,gsb0",
                                  "WARPGROUP.DEPBAR.LE gsb0,0x1", "MOV R0,R40", WAIT)},
        {"MOV reads R24", PROGRAM(DESCRIPTORS, ARRIVE, PRODUCT, "WARPGROUP.DEPBAR.LE gsb0,0x1", "MOV R0,R24", WAIT)},
        /* a product that belongs to no group yet */
        {"MOV reads R24", PROGRAM(DESCRIPTORS, ARRIVE, "HGMMA.64x8x16.F32 R24,gdesc[UR8],RZ,!UPT", WAIT, "MOV R0,R24")},
        {NULL, PROGRAM(DESCRIPTORS, ARRIVE, "HGMMA.64x8x16.F32 R24,gdesc[UR8],RZ,!UPT",
                       "HGMMA.64x8x16.F32 R24,gdesc[UR8],R24,gsb0", WAIT, "MOV R0,R24")},
        /* what is written needs WARPGROUP.ARRIVE before it is read */
        {"HGMMA.64x8x16.F32 reads R24, which was written without a wgmma.fence after it",
         PROGRAM(DESCRIPTORS, ARRIVE, "MOV R24,RZ", "HGMMA.64x8x16.F32 R24,gdesc[UR8],R24,gsb0", WAIT)},
        {"reads R6, which was written without a wgmma.fence after it",
         PROGRAM(DESCRIPTORS, ARRIVE, "MOV R6,RZ", "HGMMA.64x8x16.F32 R24,R4,gdesc[UR8],RZ,!UPT,gsb0", WAIT)},
        {NULL, PROGRAM(DESCRIPTORS, "MOV R24,RZ", ARRIVE, "HGMMA.64x8x16.F32 R24,gdesc[UR8],R24,gsb0", WAIT)},
        {NULL, PROGRAM(DESCRIPTORS, ARRIVE, "MOV R24,RZ", PRODUCT, WAIT)},
        /* the first product of two does not read what was written, and the second reads what the first one left */
        {NULL, PROGRAM(DESCRIPTORS, ARRIVE, "MOV R24,RZ", "HGMMA.64x8x16.F32 R24,gdesc[UR8],RZ,!UPT",
                       "HGMMA.64x8x16.F32 R24,gdesc[UR8],R24,gsb0", WAIT)},
        {"reads R28, which was written without a wgmma.fence after it",
         PROGRAM(DESCRIPTORS, ARRIVE, "MOV R28,RZ", "HGMMA.64x8x16.F32 R24,gdesc[UR8],RZ,!UPT",
                 "HGMMA.64x8x16.F32 R28,gdesc[UR8],R28,gsb0", WAIT)},
    };
    expect_programs(programs, ARRAY_SIZE(programs));
}

Test(warpgroup, shared_memory)
{
    const struct program programs[] = {
        {NULL, PROGRAM(DESCRIPTORS, ADDRESS, "STS [R2],RZ", FENCE, BARRIER, ARRIVE, PRODUCT, WAIT)},
        {NULL, PROGRAM(DESCRIPTORS, ADDRESS, "STS [R2],RZ", BARRIER, FENCE, ARRIVE, PRODUCT, WAIT)},
        {"reads byte 0 of shared memory, which warp 0 stored without a fence.proxy.async after it",
         PROGRAM(DESCRIPTORS, ADDRESS, "STS [R2],RZ", BARRIER, ARRIVE, PRODUCT, WAIT)},
        {"without a fence.proxy.async after it",
         PROGRAM(DESCRIPTORS, ADDRESS, FENCE, "STS [R2],RZ", BARRIER, ARRIVE, PRODUCT, WAIT)},
        {"without a fence.proxy.async after it",
         PROGRAM(DESCRIPTORS, ADDRESS, "STS [R2],RZ", "FENCE.VIEW.ASYNC.G", BARRIER, ARRIVE, PRODUCT, WAIT)},
        /* zeros beside what cp.async copies, and another number */
        {NULL, PROGRAM(DESCRIPTORS, ADDRESS, "STS [R2],RZ", CLEARED, PRODUCT, WAIT)},
        {"without a fence.proxy.async after it", PROGRAM(DESCRIPTORS, ADDRESS, "STS [R2],R2", CLEARED, PRODUCT, WAIT)},
        /* the warps of a warpgroup meet at WARPGROUP.ARRIVE, and wait together */
        {NULL, PROGRAM(DESCRIPTORS, ADDRESS, "STS [R2],RZ", FENCE, ARRIVE, PRODUCT, WAIT)},
        {NULL, PROGRAM(DESCRIPTORS, ADDRESS, ARRIVE, PRODUCT, WAIT, "STS [R2],RZ")},
        {"of shared memory, which", PROGRAM(DESCRIPTORS, ADDRESS, ARRIVE, PRODUCT, "STS [R2],RZ", WAIT)},
        {"which an unfinished wgmma still reads",
         PROGRAM(DESCRIPTORS, ADDRESS, ARRIVE, PRODUCT, BARRIER, "STS [R2],RZ", WAIT)},
        {"which an unfinished wgmma still reads",
         PROGRAM(DESCRIPTORS, ADDRESS, ARRIVE, PRODUCT, PRODUCT, "WARPGROUP.DEPBAR.LE gsb0,0x1", BARRIER, "STS [R2],RZ",
                 WAIT)},
        {NULL, PROGRAM(DESCRIPTORS, ADDRESS, ARRIVE, PRODUCT, WAIT, BARRIER, "STS [R2],RZ")},
        {NULL, PROGRAM(DESCRIPTORS, ADDRESS, ARRIVE, PRODUCT, "STS [R2+0x800],RZ", WAIT)},
    };
    expect_programs(programs, ARRAY_SIZE(programs));
    const char *beyond = executed(PROGRAM("UMOV UR8,0x80140", "UMOV UR9,0x10", ARRIVE, PRODUCT, WAIT));
    cr_expect(beyond && made_fault && strstr(beyond, "of the block's 4096 bytes of shared memory"), "%s", beyond);
    const char *before = executed(PROGRAM(ARRIVE, PRODUCT, WAIT));
    cr_expect(before && made_fault && strstr(before, "reads bytes -1024 to -1009"), "%s", before);
}

Test(warpgroup, what_it_cannot_know)
{
    /* A warp that waits for something else keeps the others from multiplying. */
    const char *said = executed(PROGRAM(DESCRIPTORS, "S2R R2,SR_TID.X", "ISETP.GE.U32.AND P0,PT,R2,0x60,PT",
                                        "@P0 BAR.SYNC.DEFER_BLOCKING 0x0", ARRIVE, PRODUCT, WAIT));
    cr_expect(said && made_fault && strstr(said, "deadlock: not every thread of the block"), "%s", said);
    said = executed(PROGRAM(DESCRIPTORS, "S2R R2,SR_LANEID", "ISETP.GE.U32.AND P0,PT,R2,0x10,PT", "@P0 EXIT ", ARRIVE,
                            PRODUCT, WAIT));
    cr_expect(said && !made_fault && strstr(said, "by some lanes of a warp"), "%s", said);
    said = executed(PROGRAM("UMOV UR9,0x100000", ARRIVE, PRODUCT, WAIT));
    cr_expect(said && !made_fault && strstr(said, "with the descriptor 0x10000000000000"), "%s", said);
}

/* A barrier is done when enough threads have arrived, though none of them waits, and begins anew then: cuDNN's
 * attention counts on that. What arrives next is for the next time. */
Test(warpgroup, arrivals_alone)
{
    const struct program programs[] = {
        {NULL, PROGRAM("S2R R2,SR_TID.X", "ISETP.GE.U32.AND P0,PT,R2,0x40,PT", "BAR.ARV 0x1,0x80", BARRIER,
                       "@!P0 BAR.SYNC.DEFER_BLOCKING 0x1,0x80", "@!P0 BAR.SYNC.DEFER_BLOCKING 0x1,0x80",
                       "@P0 BAR.ARV 0x1,0x80", "@P0 BAR.ARV 0x1,0x80")},
        {"deadlock: not every thread of the block",
         PROGRAM("S2R R2,SR_TID.X", "ISETP.GE.U32.AND P0,PT,R2,0x40,PT", "BAR.ARV 0x1,0x80", BARRIER,
                 "@!P0 BAR.SYNC.DEFER_BLOCKING 0x1,0x80")},
    };
    expect_programs(programs, ARRAY_SIZE(programs));
}

Test(warpgroup, a_wait_for_its_warps_is_not_given_up)
{
    /* Half of the warps wait for a phase that takes another turn to end, the others at WARPGROUP.ARRIVE. */
    const char *said = executed(PROGRAM(
        DESCRIPTORS, "S2R R2,SR_TID.X", "ISETP.GE.U32.AND P0,PT,R2,0x40,PT", "MOV R24,RZ", "UMOV UR4,0x400",
        "@P0 SYNCS.PHASECHK.TRANS64.TRYWAIT P1,[UR4],RZ", ARRIVE, "HGMMA.64x8x16.F32 R24,gdesc[UR8],R24,gsb0", WAIT));
    cr_expect_null(said, "%s", said);
}
