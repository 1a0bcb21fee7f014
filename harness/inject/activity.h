/* activity.h - when the GPU works, by CUPTI's activity records. */
#pragma once

#include <cupti_callbacks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch_group;

/* ---- Activity records, activity.c ---- */

/* Copies of memory, or memory that was set. */
struct work {
    size_t count;
    uint64_t bytes, time_ns;
    uint64_t host_bytes, pageable_bytes; /* of copies from or to memory of the host, and to such that is not pinned */
};

void activity_begin(void); /* without records, launches are not timed */
/* Expects records of a launch on that stream, in no such session, of so many kernels. The time of each goes to the
 * group's shares, by bounds_now(). */
void activity_expect(const CUpti_CallbackData *call, CUstream stream, struct launch_group *group, size_t kernels,
                     unsigned bounds);
/* Called before and after a session of the range profiler, whose counters would count what makes the records. */
void activity_pause(void);
void activity_resume(void);
void activity_forget(uint32_t correlation); /* the launch failed */
/* Waits for all records of what has run. False when there are none; then how much was copied and set is not known. */
bool activity_end(struct work *copied, struct work *filled);

/* ---- Whether the GPU was busy, busy.c ---- */

void busy_off(void); /* it is not asked for, so nothing is kept */
/* The GPU worked then, by CUPTI's clock in ns: for a kernel of that group, or another work, NULL. 0, 0: unknown when */
void busy_add(uint64_t from, uint64_t to, struct launch_group *group);
void busy_pause(void); /* from now on work is measured, and its time says nothing */
void busy_resume(void);
/* Returns for how long the GPU was busy while nothing was measured, between its first and its last work, how long that
 * was, and how long all work took; 0: not known. Sets the groups' ran_ns and alone_ns. Called once, after
 * activity_end(). */
void busy_tell(uint64_t *busy, uint64_t *span, uint64_t *elapsed);
