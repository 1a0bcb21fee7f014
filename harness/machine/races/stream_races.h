/* stream_races.h - operations of several streams that race: one changes bytes that another one accesses, and neither
 * comes behind the other. An operation is a launch, a copy or a fill; who makes them says what each comes behind. It is
 * known of each allocation which operation has read and changed a word last. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct machine;
struct problem;
struct ranges;

/* Of each stream how many operations are done. Of more streams several count as one, whose operations are in order.
 * The last ones are branches of graphs. */
enum { RACING_STREAMS = 96, FIRST_BRANCH = 64 };
struct passed {
    uint32_t of[RACING_STREAMS];
};

struct operation {
    uint32_t stream, number; /* from 1 on */
    struct passed behind;
    bool overlaps; /* a launch that may begin early: of its own stream, behind says what the host has waited for */
    bool host_changed, told; /* its kernel has written memory of the host, and by a volatile store, or with a fence, so
                              * that the host may know how far it is */
};

/* A part of a machine. */
struct stream_races {
    bool on;         /* there are several streams */
    bool suppressed; /* those of the launch that is executed are let pass */
    struct operation now;
    struct done_operation *list;
    size_t count;                /* the last one is the one that is done now */
    struct raced_place **places; /* by address */
    size_t place_count;
};

static inline void passed_join(struct passed *passed, const struct passed *more)
{
    for (unsigned i = 0; i < RACING_STREAMS; i++)
        passed->of[i] = passed->of[i] > more->of[i] ? passed->of[i] : more->of[i];
}

/* Begins an operation. `name` is a kernel's, or as "a copy". */
void stream_races_begin(struct machine *machine, const struct operation *now, const char *name);
/* A block waits for all launches before (griddepcontrol.wait), or lets the next one begin (launch_dependents). */
void stream_races_control(struct block *block, bool waits);
/* Notes that a copy or fill is about to read bytes, or to change them to others; NULL: to any. True: it races, and
 * *problem has with what. */
bool stream_races_bytes(struct machine *machine, uint64_t begin, uint64_t size, bool writes, const void *others,
                        struct problem *problem);
/* Whether a launch that does what an earlier one did would race now. If not, it is done once more. */
bool stream_races_again(struct machine *machine, size_t earlier, const struct ranges *read,
                        const struct ranges *written);
/* The operation that began last allocates memory: only what comes behind it may access that. */
void stream_races_allocate(struct machine *machine, uint64_t begin);
/* Forgets an allocation. */
void stream_races_forget(struct machine *machine, uint64_t begin);
void stream_races_close(struct stream_races *races);
