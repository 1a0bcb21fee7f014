/* static_facts.h - the static facts of a run: what the machine code of the launched functions takes of an SM. */
#ifndef STATIC_FACTS_H
#define STATIC_FACTS_H

#include "model/model.h"

#include "occupancy.h"

/* Adds to every ok result of the run a row for each metric whose counter is such a fact (computed_counters.h), and to
 * each launch the hash of its code and what it takes (struct machine), from the kernel library at `path`. A kernel
 * without launches is not applicable; one that launches a function that the library does not carry (of cuBLAS, say), or
 * carries twice, is not supported. -1 after error() when the file cannot be read. */
int static_facts_add(struct run *run, const char *path, const struct metrics *metrics);

/* The same from what its launches hold already, where no library can be asked; and what sets that in a launch, of a
 * function or of NULL. A launch without a block is of a function of which nobody says how it is launched: then its
 * occupancy is not applicable. */
struct cubin_function;
void static_facts_of_launches(struct result *result, int capability, const struct metrics *metrics);
void static_facts_set_code(struct launch *launch, const struct cubin_function *function);

/* The run that needs no GPU: for every kernel of the baseline its launches, as they were when it was accepted, with the
 * facts of the library at `path`. Device and session say what it is: the baseline's device, the compiler of the
 * library, of which *facts is what it says itself; empty where it cannot be asked. A kernel that the library says not
 * to have is not there, and one whose function is gone is failed, with the reason, unless another function clearly
 * takes its place (static_claims.h): then the launch has that one. The kernels that the baseline lacks are there
 * without rows. These, and those of whose function there is a doubt, have a reason although they are ok, which the
 * report tells; no file may hold that. -1 after error(); *run is empty then. */
struct library_facts;
int static_facts_run(struct run *run, const struct run *baseline, const char *path, const struct library_facts *facts,
                     const struct metrics *metrics);

/* What a launch that has_machine takes of an SM. */
struct occupancy_launch static_facts_of_launch(const struct launch *launch);

/* Compute capability as a number, 90 for 9.0; 0 when the device has none. */
int static_facts_capability(const struct device *device);

#endif
