/* sass.h - the public header of a room that says what machine code is, and executes none: nvdisasm's text becomes
 * instructions. */
#pragma once

#include "decode.h"
#include "disassembly.h"
#include "encoding.h"
#include "flows.h"
#include "instruction.h"
#include "nvdisasm.h"
