/* static_facts.h - static facts of a run: registers, shared memory and the like of the launched functions, from machine
 * code. */
#pragma once

#include "model/model.h"

#include "occupancy.h"

/* Reads the kernel library, or file of capsules, at `path` and adds to every ok result a row for each metric whose
 * counter is a static fact (computed_counters.h). Each launch gets its code hash and its resources (struct code_facts).
 * The row is not applicable for a kernel without launches. It is not supported when a launched function is missing in
 * the library (as cuBLAS's are), or there twice. Sessions get the compiler of capsules, which is in their code. -1
 * after error() when the file cannot be read. */
int static_facts_add(struct run *run, const char *path, const struct metrics *metrics);

/* static_facts_of_launches adds these rows from what the launches hold already, where there is no library to read.
 * static_facts_set_code sets that in a launch; function may be NULL. A launch without a block is of a function that
 * nobody launched: its occupancy is not applicable. sm_count is 0 where the GPU is not known. alone: nothing ran, so
 * rows of SOURCE_CODE_ALONE are added as well. */
struct cubin_function;
void static_facts_of_launches(struct result *result, int capability, long long sm_count, const struct metrics *metrics,
                              bool alone);
void static_facts_set_code(struct launch *launch, const struct cubin_function *function);

/* Makes a run without a GPU: the kernels of the baseline with their launches as accepted, and the facts of the library
 * at `path`. Its device is the baseline's, its compiler the library's.
 *
 * *facts is what the library says of itself; empty where it cannot be asked. A kernel that the library does not list is
 * left out. A kernel whose function is missing is failed, with the reason, unless another function clearly replaced it
 * (static_claims.h): then the launch has that one. Kernels that the baseline lacks are added without rows. These
 * kernels, and those whose function is in doubt, have a reason although they are ok. The report prints it; no file may
 * contain it. -1 after error(); *run is empty then.
 *
 * Of a file of capsules every launch is known, so the run has all of its capsules, whatever the baseline has. */
struct library_facts;
int static_facts_run(struct run *run, const struct run *baseline, const char *path, const struct library_facts *facts,
                     const struct metrics *metrics);

/* Returns the resources that a launch needs, for occupancy_of. The launch must have has_machine. */
struct occupancy_launch static_facts_of_launch(const struct launch *launch);

/* Returns the compute capability as a number, 90 for 9.0; 0 when the device has none. */
int static_facts_capability(const struct device *device);
