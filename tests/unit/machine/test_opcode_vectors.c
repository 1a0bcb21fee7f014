/* Each kind of vector unit computes the same, and other forms are refused. What operations compute is compared with
 * GPUs (tests/sim/recorded.sh) and the host's compiler (tests/sim/oracle.sh), by the best unit that the machine has. */
#include "machine/sass/decode.h"
#include "made_warp.h"
#include "test.h"

static const struct form {
    const char *opcode, *operands;
} forms[] = {
    {"IADD3", "R0,P1,P2,R8,-R16,R24"},
    {"IADD3.X", "R0,P1,R8,~R16,R24,P3,!P4"},
    {"IADD3.64", "R0,R8,-R16,RZ"},
    {"IMAD", "R0,R8,-R16,R24"},
    {"IMAD.WIDE.U32.X", "R0,P1,R8,R16,~R24,P3"},
    {"IMAD.HI.U32", "R0,R8,R16,R24"},
    {"IDP.4A.S8.U8", "R0,R8,R16,R24"},
    {"LEA", "R0,P1,-R8,R16,0x3"},
    {"LEA.HI.X", "R0,~R8,R16,R24,0x3,P3"},
    {"SHF.R.U32.HI", "R0,R8,R16,R24"},
    {"SHF.L.U64.HI", "R0,R8,R16,R24"},
    {"LOP3.LUT", "P1,R0,R8,R16,R24,0x96,!PT"},
    {"PRMT", "R0,R8,R16,R24"},
    {"SGXT", "R0,R8,R16"},
    {"POPC", "R0,~R8"},
    {"FLO.U32.SH", "R0,R8"},
    {"BREV", "R0,R8"},
    {"P2R", "R0,PR,R8,0x7f"},
    {"ISETP.LT.U32.OR.EX", "P1,P2,R8,R16,!P3,P4"},
    {"VIMNMX.S16x2", "R0,R8,R16,P3"},
    {"VABSDIFF4.U8.ACC", "R0,R8,R16,R24"},
    {"FADD.FTZ.RM", "R0,-R8,|R16|"},
    {"FMUL.SAT", "R0,R8,-R16"},
    {"FFMA.RZ", "R0,R8,R16,-R24"},
    {"FSETP.GEU.AND", "P1,P2,|R8|,R16,P3"},
    {"FMNMX.NAN", "R0,R8,-R16,P3"},
    {"DADD.RP", "R0,R8,-R16"},
    {"DFMA.RM", "R0,R8,R16,R24"},
    {"DSETP.LT.XOR", "P1,P2,R8,|R16|,P3"},
    {"HADD2.FTZ", "R0,R8.H0_H0,-R16"},
    {"HADD2.SAT", "R0,R8,R16.H1_H1"},
    {"HADD2.BF16_V2", "R0,-R8,|R16|"},
    {"HADD2.F32", "R0,-RZ,R16.H1_H1"},
    {"HMUL2.FTZ.SAT", "R0,R8,R16"},
    {"HFMA2.RELU", "R0,R8,R16,R24.H0_H0"},
    {"HFMA2.MMA.FTZ", "R0,R8,-R16,R24"},
    {"HFMA2.MMA.BF16_V2.RELU", "R0,R8,R16,R24"},
    {"HMNMX2.NAN.XORSIGN", "R0,R8,R16.H1_H1,P3"},
    {"HMNMX2.BF16_V2", "R0,R8,R16,!P3"},
    {"HSET2.BF.GTU.OR", "R0,R8,R16,P3"},
    {"HSET2.BF16_V2.NAN.AND", "R0,R8,R16,P3"},
    {"HSETP2.LE.XOR", "P1,P2,|R8|,R16.H0_H0,!P3"},
    {"F2F.F16.F32.RP", "R0,-R8"},
    {"F2F.BF16.F64.RZ", "R0,|R8|"},
    {"F2F.F64.F16", "R0,R8"},
    {"F2F.FTZ.F32.BF16", "R0,R8"},
    {"F2FP.RELU.F16.F32.PACK_AB.RZ", "R0,R8,R16"},
    {"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C", "R0,R8,R16,R24"},
    {"F2FP.F16.E5M2.UNPACK_B", "R0,R8.H1"},
    {"F2FP.SATFINITE.E5M2.F16.UNPACK_B_MERGE_C", "R0,R8,R16"},
    {"F2FP.TF32.F32.PACK_B", "R0,R8"},
    {"F2FP.RELU.BF16.F32.MERGE_C", "R0,R8,R16"},
    {"F2I.S8.F16.FLOOR.NTZ", "R0,R8"},
    {"F2I.FTZ.U64.F32.CEIL.NTZ", "R0,R8"},
    {"F2I.S64.F64.TRUNC.NTZ", "R0,-R8"},
    {"F2IP.U8.F32.TRUNC.NTZ", "R0,R8,R16,R24"},
    {"I2F.F16.S16", "R0,R8.H1"},
    {"I2F.F32.U8.RZ", "R0,R8.B2"},
    {"I2F.F64.S64.RM", "R0,R8"},
    {"I2FP.F32.U32", "R0,R8"},
    {"I2I.S8.S32.SAT", "R0,R8"},
    {"I2IP.S8.S32.SAT", "R0,R8,R16,R24"},
    {"FRND.BF16.FLOOR", "R0,R8"},
    {"FRND.F64.TRUNC", "R0,R8"},
    {"HMMA.16816.F32", "R0,R8,R16,R24"},
    {"HMMA.16816.F16", "R0,R8,R16,RZ"},
    {"HMMA.1688.F32.BF16", "R0,R8,R16,R24"},
    {"HMMA.1684.F32.TF32", "R0,R8,R16,R24"},
    {"DMMA.16x8x16", "R0,R8,R16,R24"},
    {"IMMA.16832.S8.U8.SAT", "R0,R8.ROW,R16.COL,R24"},
    {"BMMA.168256.AND.POPC", "R0,R8.ROW,R16.COL,R24"},
    {"MOVM.16.MT88", "R0,R8"},
    {"SHFL.BFLY", "P1,R0,R8,R16,R24"},
    {"VOTE.ALL", "R0,P1,P3"},
    {"MATCH.ANY", "R0,R8"},
    {"REDUX.SUM.S32", "UR4,R8"},
};

/* The operations of a kind of vector unit are those that are found from here on. */
static void choose(unsigned vector)
{
    static const char *const names[VECTORS] = {"base", "avx2", "avx512"};
    setenv(VECTOR_VARIABLE, names[vector], 1);
}

static struct code *decoded(const struct form *form, unsigned vector)
{
    const struct function_text function = {.name = "kernel"};
    choose(vector);
    json_t *list = json_pack("[{s:s, s:s}]", "opcode", form->opcode, "operands", form->operands);
    struct code *code = code_read(&function, list, opcode_find);
    json_decref(list);
    return code;
}

/* Executes the instruction, with the constants that it has. */
static void execute(struct warp *warp, const struct code *code, uint32_t lanes)
{
    static _Alignas(64) uint32_t constants[8][LANES];
    cr_assert_leq(code->constant_count, ARRAY_SIZE(constants));
    for (size_t i = 0; i < code->constant_count; i++)
        for (unsigned l = 0; l < LANES; l++)
            constants[i][l] = code->constants[i].value;
    warp->spaces[SPACE_CONSTANTS] = (void *)constants;
    warp->active = warp->guarded = lanes;
    code->list->run(warp, code->list, lanes);
}

/* Fills the registers with words of all kinds: small, near a power of two, floats near 1, and any. */
static void fill(struct warp *warp)
{
    static const uint32_t special[] = {0,          1,          0x80000000, 0x7fffffff, ALL_LANES,  0x7f800000,
                                       0xff800000, 0x7fc00000, 0x00000400, 0x7c00fc00, 0x3f803c00, 0x00010001};
    for (unsigned n = 0; n < 64; n++)
        for (unsigned l = 0; l < LANES; l++) {
            const uint64_t random = made_random();
            const uint32_t word = (uint32_t)(random >> 32);
            warp->rows[n][l] = random % 4 == 0   ? special[word % ARRAY_SIZE(special)]
                               : random % 4 == 1 ? (word & 0x80ffffff) | 0x3f000000
                               : random % 4 == 2 ? (word & 0x87ff87ff) + 0x38003800
                                                 : word >> random / 4 % 32;
        }
    for (unsigned p = 0; p < MASK_TRUE; p++)
        warp->masks[p] = (uint32_t)made_random();
}

static void expect_same(const struct form *form, unsigned vector)
{
    static struct warp filled, expected;
    struct code *base = decoded(form, VECTOR_BASE), *code = decoded(form, vector);
    cr_assert_neq(base->list->control, CONTROL_UNKNOWN, "%s %s", form->opcode, form->operands);
    for (int sample = 0; sample < 60; sample++) {
        struct warp *warp = made_warp();
        fill(warp);
        const uint32_t lanes = sample & 1 ? ALL_LANES : (uint32_t)made_random();
        filled = *warp;
        execute(warp, base, lanes);
        expected = *warp;
        *warp = filled;
        execute(warp, code, lanes);
        for (unsigned n = 0; n < 64; n++)
            for (unsigned l = 0; l < LANES; l++)
                cr_assert_eq(warp->rows[n][l], expected.rows[n][l],
                             "%s by unit %u: lane %u of R%u is %x, and %x by base", form->opcode, vector, l, n,
                             warp->rows[n][l], expected.rows[n][l]);
        cr_assert_arr_eq(warp->masks, expected.masks, sizeof warp->masks, "%s by unit %u: a predicate", form->opcode,
                         vector);
        cr_assert(sample > 0 || memcmp(warp->rows, filled.rows, sizeof warp->rows) != 0 ||
                      memcmp(warp->masks, filled.masks, sizeof warp->masks) != 0,
                  "%s writes nothing", form->opcode);
    }
    code_free(base);
    code_free(code);
}

Test(opcode, each_kind_of_vector_unit_computes_the_same)
{
    const unsigned vectors = made_vectors();
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
        for (unsigned vector = 1; vector < vectors; vector++)
            expect_same(&forms[i], vector);
}

/* ---- Single values: what is rounded, flushed, clamped, merged or refused, by every unit ---- */

Test(opcode, values)
{
    static const struct {
        struct form form;
        uint32_t r8, r16, r24, r0; /* each lane has them */
    } rows[] = {
        {{"F2F.FTZ.F32.BF16", "R0,R8"}, 0x8001, 0, 0, 0x80000000},
        {{"F2F.FTZ.BF16.F32.RP", "R0,R8"}, 1, 0, 0, 0},
        {{"F2F.BF16.F32.RP", "R0,R8"}, 1, 0, 0, 1},
        {{"F2F.F16.F32", "R0,R8"}, 0x7fc12345, 0, 0, 0x7fff}, /* there is one NaN */
        {{"F2I.FTZ.CEIL.NTZ", "R0,R8"}, 1, 0, 0, 0},
        {{"F2I.CEIL.NTZ", "R0,R8"}, 1, 0, 0, 1},
        {{"F2I.NTZ", "R0,R8"}, 0xc0200000, 0, 0, 0xfffffffe},        /* -2.5 */
        {{"F2I.NTZ", "R0,R8"}, 0x4f32d05e, 0, 0, 0x7fffffff},        /* 3e9 */
        {{"F2I.U8.F32.TRUNC.NTZ", "R0,R8"}, 0x43c80000, 0, 0, 0xff}, /* 400 */
        {{"F2I.S8.F32.TRUNC.NTZ", "R0,R8"}, 0xc3c80000, 0, 0, 0xffffff80},
        {{"F2I.S32.F32.NTZ", "R0,R8"}, 0x7fc00000, 0, 0, 0}, /* NaN, here and of doubles */
        {{"F2I.S32.F64.NTZ", "R0,R8"}, 0, 0, 0, 0},
        {{"F2IP.U8.F32.TRUNC.NTZ", "R0,R8,R16,R24"}, 0x437fe666, 0x41973333, 0xabcd1234, 0x1234ff12},
        {{"I2IP.S8.S32.SAT", "R0,R8,R16,R24"}, 0xfffffc18, 1000, 0xabcd1234, 0x1234807f},
        {{"I2IP.U16.S32.SAT", "R0,R8,R16,R24"}, 0xfffffc18, 1000, 0xabcd1234, 1000},
        {{"I2I.S8.S32.SAT", "R0,R8"}, 0xfffffc18, 0, 0, 0x80},
        {{"I2F", "R0,R8"}, 0xfffffffb, 0, 0, 0xc0a00000},
        {{"I2F.F32.S16", "R0,R8.H1"}, 0xfffe0007, 0, 0, 0xc0000000},
        {{"I2FP.F32.U32", "R0,R8"}, 0xfffffff2, 0, 0, 0x4f800000},
        {{"I2FP.F32.U32.RZ", "R0,R8"}, 0xfffffff2, 0, 0, 0x4f7fffff},
        {{"I2FP.F32.S32", "R0,R8"}, 0xfffffff2, 0, 0, 0xc1600000},
        {{"FRND.FLOOR", "R0,R8"}, 0xbf000000, 0, 0, 0xbf800000},
        {{"F2FP.RELU.BF16.F32.MERGE_C", "R0,R8,R16"}, 0xbf800000, 0x77771234, 0, 0x12340000},
        {{"F2FP.RELU.BF16.F32.MERGE_C", "R0,R8,R16"}, 0x3fc00000, 0x77771234, 0, 0x12343fc0},
        {{"F2FP.TF32.F32.PACK_B", "R0,R8"}, 0x3f801008, 0, 0, 0x3f802000},
        {{"F2FP.TF32.F32.PACK_B.RZ", "R0,R8"}, 0x3f801008, 0, 0, 0x3f800000},
        {{"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C", "R0,R8,R16,R24"}, 0x447a0000, 0xc47a0000, 0xabcd1234, 0x12347efe},
        {{"F2FP.SATFINITE.F16.F32.PACK_AB", "R0,R8,R16"}, 0x47c35000, 0x3f800000, 0, 0x7bff3c00}, /* 1e5, 1 */
        {{"F2FP.F16.E5M2.UNPACK_B", "R0,R8.H1"}, 0x3cc00000, 0, 0, 0x3c00c000},
        {{"F2FP.SATFINITE.E5M2.F16.UNPACK_B_MERGE_C", "R0,R8,R16"}, 0x3c00c000, 0xffffabcd, 0, 0xabcd3cc0},
        /* the product lies in the middle between two numbers, and the smallest number is added */
        {{"HFMA2", "R0,R8,R16,R24"}, 0x3c103c10, 0x3c203c20, 0x00018001, 0x3c313c30},
        {{"HFMA2.BF16_V2", "R0,R8,R16,R24"}, 0x3f813f81, 0x3fc03fc0, 0x00018001, 0x3fc23fc1},
        {{"HFMA2.MMA", "R0,-RZ,RZ,-0.0,5.9604644775390625e-08"}, 0, 0, 0, 0x80000001},
        {{"HADD2.F32", "R0,-R8.F32,|R16|.H0_H0"}, 0x3dcccccd, 0xc000, 0, 0x3ff33333}, /* 2 - 0.1 */
        {{"HADD2.SAT", "R0,R8,R16"}, 0x3c00fe00, 0x3c003c00, 0, 0x3c000000},
        {{"HFMA2.RELU", "R0,R8,R16,R24"}, 0xbc003c00, 0x3c003c00, 0x00000000, 0x00003c00},
        {{"HMUL2.FTZ", "R0,R8,R16"}, 0x04003c00, 0x380003ff, 0, 0x00000000},
        {{"HMNMX2.NAN", "R0,R8,R16,PT"}, 0x7e003c00, 0x3c00bc00, 0, 0x7fffbc00},
        {{"HMNMX2", "R0,R8,R16,!PT"}, 0x7e008000, 0x3c000000, 0, 0x3c000000},
        {{"HMNMX2.XORSIGN", "R0,|R8|,R16,PT"}, 0xbc003c00, 0x40004000, 0, 0xbc003c00},
        {{"HSET2.BF.NEU.AND", "R0,R8,R16,PT"}, 0x7e003c00, 0x7e003c00, 0, 0x3c000000},
        {{"HSET2.BF16_V2.NUM.AND", "R0,R8,R16,PT"}, 0x7fc03f80, 0x3f803f80, 0, 0x0000ffff},
        {{"HMMA.16816.F32", "R0,R8,R16,RZ"}, 0x3c003c00, 0x3c003c00, 0, 0x41000000},
        {{"IMMA.8816.S8.S8", "R0,R8.ROW,R16.COL,R24"}, 0x01010101, 0x01010101, 0x7ffffff0, 0x80000000},
        {{"IMMA.8816.S8.S8.SAT", "R0,R8.ROW,R16.COL,R24"}, 0x01010101, 0x01010101, 0x7ffffff0, 0x7fffffff},
    };
    const unsigned vectors = made_vectors();
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (unsigned vector = 0; vector < vectors; vector++) {
            struct warp *warp = made_warp();
            for (unsigned l = 0; l < LANES; l++) {
                warp->rows[8][l] = rows[i].r8;
                warp->rows[16][l] = rows[i].r16;
                warp->rows[24][l] = rows[i].r24;
            }
            struct code *code = decoded(&rows[i].form, vector);
            cr_assert_neq(code->list->control, CONTROL_UNKNOWN, "%s", rows[i].form.opcode);
            execute(warp, code, ALL_LANES & ~1u);
            cr_expect_eq(warp->rows[0][13], rows[i].r0, "%s by unit %u: %x", rows[i].form.opcode, vector,
                         warp->rows[0][13]);
            cr_expect_eq(warp->rows[0][0], 0, "%s: a lane that is not to be written", rows[i].form.opcode);
            code_free(code);
        }
}

Test(opcode, other_forms_are_refused)
{
    static const char *const opcodes[] = {"F2F.F32",
                                          "F2F.F32.F64.ODD",
                                          "F2FP.F16.F32",
                                          "F2FP.F32.F16.UNPACK_B",
                                          "F2I.U32.E4M3",
                                          "F2IP.U16.F32.TRUNC",
                                          "FRND.ODD",
                                          "I2F.F32.U4",
                                          "I2I.S16.S32",
                                          "I2I.U32.S32.SAT",
                                          "F2FP.E4M3.F32.PACK_AB",
                                          "I2IP.U4.S32.SAT",
                                          "HFMA2.OOB",
                                          "HADD2.BF16_V2.FTZ",
                                          "HMUL2.F32",
                                          "HADD2.F32.SAT",
                                          "HMNMX2.PACKED",
                                          "HSETP2.H_AND.LT.AND",
                                          "HMMA.SP.16832.F32",
                                          "HMMA.16816",
                                          "HMMA.16816.F64",
                                          "HMMA.16816.F16.BF16",
                                          "HMMA.16816.F32.TF32",
                                          "HMMA.16816.F32.E4M3",
                                          "HMMA.1684.F32",
                                          "HMMA.8816.F32",
                                          "IMMA.16832.S4.S4",
                                          "IMMA.16832.S8.S8.X",
                                          "IMMA.168128.S8.S8",
                                          "BMMA.88128.XOR.POPC",
                                          "DMMA.888",
                                          "LDSM.8.M88",
                                          "LDSM.16.M832",
                                          "LDSM.16.M88.3",
                                          "MOVM.16.M88",
                                          "MOVM.16.MT88.2"};
    choose(VECTOR_BASE);
    for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
        cr_expect_null(made_instruction(opcode_find(opcodes[i]), opcodes[i], 4), "%s", opcodes[i]);
}
