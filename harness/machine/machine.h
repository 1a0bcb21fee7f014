/* machine.h - executes the machine code of GPUs on the CPU, and counts what it does. A machine is one GPU: its memory,
 * the images that it has loaded, and what those who watch it have seen. There may be several in a process. Each is used
 * by one thread at a time, and shares nothing with the others.
 *
 * device/device.h has the GPU, with its memory and the images that it has loaded; grid.h a launch, with what each
 * instruction did. The rest is what a runtime needs besides, and what watches: meetings.h, outcomes.h. */
#pragma once

#include "client.h"
#include "grid.h"
#include "headway.h"
#include "opcode.h"
#include "outside_calls.h"
#include "record.h"
#include "touched.h"

#include "machine/device/device.h"
#include "machine/races/races.h"

/* NULL with *problem, where this process has no addresses left for another machine. */
struct machine *machine_open(struct problem *problem);
/* Frees all that it has: its memory, its modules and their functions. */
void machine_close(struct machine *machine);
