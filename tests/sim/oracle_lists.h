/* oracle_lists.h - instructions of PTX that differ in types and modifiers, as lists. Each has a function of its name on
 * the GPU (oracle_gpu.h), one on the CPU (oracle_cpu.cc), and a row (oracle_rows.h). */

/* M(OPERATION_ROUNDING_MODIFIERS, "the same as PTX writes it") of floats. */
#define ORACLE_FLOATS_OF(M, op, rounding)                                                                              \
    M(op, rounding, 0, 0, op##_##rounding##_f32, #op "." #rounding ".f32")                                             \
    M(op, rounding, 1, 0, op##_##rounding##_ftz_f32, #op "." #rounding ".ftz.f32")                                     \
    M(op, rounding, 0, 1, op##_##rounding##_sat_f32, #op "." #rounding ".sat.f32")                                     \
    M(op, rounding, 1, 1, op##_##rounding##_ftz_sat_f32, #op "." #rounding ".ftz.sat.f32")
#define ORACLE_FLOATS(M, op)                                                                                           \
    ORACLE_FLOATS_OF(M, op, rn)                                                                                        \
    ORACLE_FLOATS_OF(M, op, rz) ORACLE_FLOATS_OF(M, op, rm) ORACLE_FLOATS_OF(M, op, rp)

/* M(ROUNDING, OPERATION) of doubles, which have no more modifiers. */
#define ORACLE_DOUBLES(M, op) M(rn, op) M(rz, op) M(rm, op) M(rp, op)

/* M(ROUNDING, "rounding of PTX", flush, saturate, TO, FROM). */
#define ORACLE_FLOAT_TO_INTEGER(M, to, from)                                                                           \
    M(rni, "rni.", 0, 0, to, from)                                                                                     \
    M(rzi, "rzi.", 0, 0, to, from) M(rmi, "rmi.", 0, 0, to, from) M(rpi, "rpi.", 0, 0, to, from)
#define ORACLE_TO_INTEGERS(M, from)                                                                                    \
    ORACLE_FLOAT_TO_INTEGER(M, u8, from)                                                                               \
    ORACLE_FLOAT_TO_INTEGER(M, s8, from)                                                                               \
    ORACLE_FLOAT_TO_INTEGER(M, u16, from)                                                                              \
    ORACLE_FLOAT_TO_INTEGER(M, s16, from)                                                                              \
    ORACLE_FLOAT_TO_INTEGER(M, u32, from)                                                                              \
    ORACLE_FLOAT_TO_INTEGER(M, s32, from)                                                                              \
    ORACLE_FLOAT_TO_INTEGER(M, u64, from)                                                                              \
    ORACLE_FLOAT_TO_INTEGER(M, s64, from)
#define ORACLE_TO_FLOAT(M, to, from)                                                                                   \
    M(rn, "rn.", 0, 0, to, from)                                                                                       \
    M(rz, "rz.", 0, 0, to, from) M(rm, "rm.", 0, 0, to, from) M(rp, "rp.", 0, 0, to, from)
#define ORACLE_FROM_LONGER(M, to)                                                                                      \
    ORACLE_TO_FLOAT(M, to, u16)                                                                                        \
    ORACLE_TO_FLOAT(M, to, s16)                                                                                        \
    ORACLE_TO_FLOAT(M, to, u32)                                                                                        \
    ORACLE_TO_FLOAT(M, to, s32) ORACLE_TO_FLOAT(M, to, u64) ORACLE_TO_FLOAT(M, to, s64)
#define ORACLE_FROM_INTEGERS(M, to)                                                                                    \
    ORACLE_TO_FLOAT(M, to, u8)                                                                                         \
    ORACLE_TO_FLOAT(M, to, s8) ORACLE_FROM_LONGER(M, to)
#define ORACLE_TO_WHOLE(M, type) ORACLE_FLOAT_TO_INTEGER(M, type, type)
#define ORACLE_NARROW(M, from)                                                                                         \
    M(sat, "sat.", 0, 1, u8, from)                                                                                     \
    M(sat, "sat.", 0, 1, s8, from) M(sat, "sat.", 0, 1, u16, from) M(sat, "sat.", 0, 1, s16, from)
#define ORACLE_WIDEN(M, from)                                                                                          \
    M(to, "", 0, 0, u16, from)                                                                                         \
    M(to, "", 0, 0, s16, from)                                                                                         \
    M(to, "", 0, 0, u32, from) M(to, "", 0, 0, s32, from) M(to, "", 0, 0, u64, from) M(to, "", 0, 0, s64, from)

#define ORACLE_CONVERSIONS(M)                                                                                          \
    ORACLE_TO_INTEGERS(M, f16)                                                                                         \
    ORACLE_TO_INTEGERS(M, f32)                                                                                         \
    ORACLE_TO_INTEGERS(M, f64)                                                                                         \
    ORACLE_FROM_INTEGERS(M, f16)                                                                                       \
    ORACLE_FROM_LONGER(M, bf16)                                                                                        \
    ORACLE_FROM_INTEGERS(M, f32)                                                                                       \
    ORACLE_FROM_INTEGERS(M, f64)                                                                                       \
    ORACLE_TO_WHOLE(M, f16)                                                                                            \
    ORACLE_TO_WHOLE(M, f32)                                                                                            \
    ORACLE_TO_WHOLE(M, f64)                                                                                            \
    ORACLE_TO_FLOAT(M, f16, f32)                                                                                       \
    ORACLE_TO_FLOAT(M, f16, f64)                                                                                       \
    ORACLE_TO_FLOAT(M, bf16, f64)                                                                                      \
    ORACLE_TO_FLOAT(M, f32, f64)                                                                                       \
    M(rn, "rn.", 0, 0, bf16, f32)                                                                                      \
    M(rz, "rz.", 0, 0, bf16, f32)                                                                                      \
    M(to, "", 0, 0, f32, f16)                                                                                          \
    M(to, "", 0, 0, f64, f16)                                                                                          \
    M(to, "", 0, 0, f32, bf16)                                                                                         \
    M(to, "", 0, 0, f64, f32)                                                                                          \
    M(rn_ftz, "rn.ftz.", 1, 0, f32, f64)                                                                               \
    M(rz_ftz, "rz.ftz.", 1, 0, f32, f64)                                                                               \
    M(rn_sat, "rn.sat.", 0, 1, f32, f64)                                                                               \
    M(rn_ftz, "rn.ftz.", 1, 0, f16, f32)                                                                               \
    M(rn_sat, "rn.sat.", 0, 1, f16, f32)                                                                               \
    M(ftz, "ftz.", 1, 0, f64, f32)                                                                                     \
    M(ftz_sat, "ftz.sat.", 1, 1, f32, f32)                                                                             \
    M(sat, "sat.", 0, 1, f32, f32)                                                                                     \
    M(rni_ftz, "rni.ftz.", 1, 0, f32, f32)                                                                             \
    M(rpi_ftz, "rpi.ftz.", 1, 0, f32, f32)                                                                             \
    M(rmi_sat, "rmi.sat.", 0, 1, f32, f32)                                                                             \
    M(rni_ftz, "rni.ftz.", 1, 0, s32, f32)                                                                             \
    M(rpi_ftz, "rpi.ftz.", 1, 0, u32, f32)                                                                             \
    M(rmi_ftz, "rmi.ftz.", 1, 0, s64, f32)                                                                             \
    M(rn_sat, "rn.sat.", 0, 1, f32, s32)                                                                               \
    M(rz_sat, "rz.sat.", 0, 1, f16, s32)                                                                               \
    ORACLE_NARROW(M, u32)                                                                                              \
    ORACLE_NARROW(M, s32)                                                                                              \
    ORACLE_NARROW(M, u64)                                                                                              \
    ORACLE_NARROW(M, s64)                                                                                              \
    M(sat, "sat.", 0, 1, u32, s32)                                                                                     \
    M(sat, "sat.", 0, 1, s32, u32)                                                                                     \
    M(sat, "sat.", 0, 1, u32, u64)                                                                                     \
    M(sat, "sat.", 0, 1, s32, u64)                                                                                     \
    M(sat, "sat.", 0, 1, u32, s64)                                                                                     \
    M(sat, "sat.", 0, 1, s32, s64)                                                                                     \
    M(sat, "sat.", 0, 1, u8, s16)                                                                                      \
    M(sat, "sat.", 0, 1, s8, s16)                                                                                      \
    M(sat, "sat.", 0, 1, s8, u16)                                                                                      \
    M(sat, "sat.", 0, 1, u64, s64)                                                                                     \
    M(sat, "sat.", 0, 1, s64, u64)                                                                                     \
    M(sat, "sat.", 0, 1, u64, s32)                                                                                     \
    ORACLE_WIDEN(M, u8)                                                                                                \
    ORACLE_WIDEN(M, s8) ORACLE_WIDEN(M, u16) ORACLE_WIDEN(M, s16) ORACLE_WIDEN(M, u32) ORACLE_WIDEN(M, s32)
