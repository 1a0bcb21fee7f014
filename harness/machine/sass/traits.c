#include "traits.h"

#include "base/base.h"

#include <string.h>

static const struct {
    const char *name; /* the opcode without modifiers */
    unsigned traits;
} opcodes[] = {
    {"LDG", TRAIT_LOAD | TRAIT_GLOBAL},
    {"LDGSTS", TRAIT_LOAD | TRAIT_GLOBAL | TRAIT_SHARED | TRAIT_ASYNC_COPY},
    {"STG", TRAIT_STORE | TRAIT_GLOBAL},
    {"ATOMG", TRAIT_ATOMIC | TRAIT_GLOBAL},
    {"RED", TRAIT_ATOMIC | TRAIT_GLOBAL},
    {"REDG", TRAIT_ATOMIC | TRAIT_GLOBAL},
    {"LDS", TRAIT_LOAD | TRAIT_SHARED},
    {"LDSM", TRAIT_LOAD | TRAIT_SHARED},
    {"STS", TRAIT_STORE | TRAIT_SHARED},
    {"STSM", TRAIT_STORE | TRAIT_SHARED},
    {"ATOMS", TRAIT_ATOMIC | TRAIT_SHARED},
    {"LDL", TRAIT_LOAD | TRAIT_LOCAL},
    {"STL", TRAIT_STORE | TRAIT_LOCAL},
    {"LD", TRAIT_LOAD | TRAIT_GENERIC},
    {"ST", TRAIT_STORE | TRAIT_GENERIC},
    {"ATOM", TRAIT_ATOMIC | TRAIT_GENERIC},
    {"HADD2", TRAIT_FP16},
    {"HMUL2", TRAIT_FP16},
    {"HFMA2", TRAIT_FP16 | TRAIT_FUSED},
    {"FADD", TRAIT_FP32},
    {"FMUL", TRAIT_FP32},
    {"FFMA", TRAIT_FP32 | TRAIT_FUSED},
    {"DADD", TRAIT_FP64},
    {"DMUL", TRAIT_FP64},
    {"DFMA", TRAIT_FP64 | TRAIT_FUSED},
};

unsigned opcode_traits(const char *opcode)
{
    const size_t length = strcspn(opcode, ".");
    for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
        if (strlen(opcodes[i].name) == length && strncmp(opcodes[i].name, opcode, length) == 0)
            return opcodes[i].traits;
    return 0;
}
