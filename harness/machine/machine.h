/* machine.h - executes the machine code of GPUs on the CPU, and counts what it does. module.h has an image as it is
 * loaded, device_memory.h the memory of the GPU, grid.h a launch, with what each instruction did. The rest is what a
 * runtime needs besides, and what watches: meetings.h, outcomes.h. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "architecture.h"
#include "device_heap.h"
#include "device_memory.h"
#include "grid.h"
#include "meetings.h"
#include "module.h"
#include "outcomes.h"
#include "outside_calls.h"
#include "tensor_map.h"
#include "texture.h"
#include "vector_unit.h"

#endif
