/* flows.h - where what a load finds goes in machine code: into which registers, and which instructions it lets be
 * executed. */
#pragma once

#include "decode.h"

/* The places that depend on what loads have found, a set before each instruction. */
struct flows;

/* Of the instructions that `loads` marks. `chosen`: also what is chosen by it, as a minimum, or what is loaded from
 * such a place. Shared and local memory are one place. Caller frees. */
struct flows *flows_open(const struct code *code, const bool *loads, bool chosen);
void flows_close(struct flows *flows);

/* Whether what a store or atomic writes depends on it; whether the address of an access does; and whether it decides
 * that an instruction is executed. */
bool flows_into(const struct flows *flows, size_t store);
bool flows_into_address(const struct flows *flows, size_t access);
bool flows_decide(const struct flows *flows, size_t index);

/* Whether a register that a load fills, counted from its first, may be read before it is another value. */
bool flows_use(const struct code *code, size_t load, unsigned number);

/* Returns where a branch goes to, as the index of an instruction; code->count: nowhere that is known. */
size_t branch_target(const struct code *code, const struct instruction *branch);

/* Whether an instruction may be executed after another one, in one call. Behind a jump by a register anything may be.
 */
bool flows_reach(const struct code *code, size_t from, size_t to);
