#include "architecture.h"

#include "base/base.h"

/* To add a compute capability: a row, from what nvcc's code for it reads of constant bank 0 (nvdisasm shows it): the
 * kernel that uses blockDim, gridDim, %nsmid, a local array by a generic address and arguments shows all of them. The
 * rows below are of nvcc 13.0.88. Those of 9.0 were also compared with GPUs. */
/* clang-format off */
static const struct architecture architectures[] = {
    /*    verified threads  blocks  shared   local   stack   smids  workspace arguments reserved shared */
    { 80, false,        0,    0xc,   0x18,   0x20,   0x28,  0x10c,      0,      0x160,       0, 163 << 10},
    { 86, false,        0,    0xc,   0x18,   0x20,   0x28,  0x10c,      0,      0x160,       0,  99 << 10},
    { 89, false,        0,    0xc,   0x18,   0x20,   0x28,  0x10c,      0,      0x160,       0,  99 << 10},
    { 90, true,         0,    0xc,      0,   0x20,   0x28,  0x10c,   0x44,      0x210,    1024, 227 << 10},
    {100, false,    0x360,  0x370,      0,  0x2f8,  0x37c,  0x2d0,      0,      0x380,    1024, 227 << 10},
    {120, false,    0x360,  0x370,      0,  0x2f8,  0x37c,  0x2d0,      0,      0x380,    1024,  99 << 10},
};
/* clang-format on */

const struct architecture *architecture_find(int capability)
{
    return FIND(one, architectures, ARRAY_SIZE(architectures), one->capability == capability);
}
