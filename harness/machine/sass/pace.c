/* Which instructions hold a warp or a pipe for longer than the slot in which they are issued. */
#include "decode_parts.h"

/* By the beginning of their names; the first row that fits counts. pipe: cycles for which one holds the pipe of its
 * scheduler; BREV, F2F and FRND are assumed to be as MUFU. barrier: how many barriers it counts as. A fence of the GPU
 * takes some 900 cycles and a barrier 24 after its last warp; one of the system takes longer. All are fitted to times
 * of 113 kernels on H100s and H200s (driver 580.159.04, CUDA 13.0, 2026-11). */
/* clang-format off */
static const struct {
    const char *begins, *modifier; /* modifier NULL: any */
    unsigned char pipe, barrier;
} paces[] = {
    {"MUFU", NULL, 8, 0}, {"POPC", NULL, 8, 0}, {"FLO", NULL, 8, 0}, {"BREV", NULL, 8, 0}, {"FRND", NULL, 8, 0},
    {"F2F.", NULL, 8, 0}, {"F2I.", NULL, 8, 0}, {"I2F.", NULL, 8, 0},
    {"DADD", NULL, 2, 0}, {"DMUL", NULL, 2, 0}, {"DFMA", NULL, 2, 0}, {"DSETP", NULL, 2, 0},
    {"BAR.", NULL, 0, 1}, {"UCGABAR", NULL, 0, 1}, {"FENCE", NULL, 0, 1},
    {"MEMBAR", "SYS", 0, 64}, {"MEMBAR", "CTA", 0, 1}, {"MEMBAR", NULL, 0, 32},
};
/* clang-format on */

void pace_set(struct instruction *code)
{
    code->past_l1 = starts(code->opcode, "LD") && IS(STRONG) && (IS(GPU) || IS(SYS));
    size_t i = 0;
    while (i < ARRAY_SIZE(paces) &&
           (!starts(code->opcode, paces[i].begins) || (paces[i].modifier && !has_modifier(code, paces[i].modifier))))
        i++;
    code->pipe = i < ARRAY_SIZE(paces) ? paces[i].pipe : 0;
    code->barrier = i < ARRAY_SIZE(paces) ? paces[i].barrier : 0;
}
