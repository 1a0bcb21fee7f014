/* launch.h - what takes the driver's calls, before and after each, and which of them count. */
#pragma once

#include "cupti/cupti.h"
#include "worker/worker.h"

/* ---- What takes the driver's calls, before and after each: capture.c, launch.c ---- */

void capture_begin(CUpti_CallbackId id, const CUpti_CallbackData *call);
void capture_end(CUpti_CallbackId id, const CUpti_CallbackData *call);
bool capture_is_on(void); /* whether any stream is being captured */
bool capture_is_of(CUstream stream);

void launch_of_kernel(CUpti_CallbackId id, const CUpti_CallbackData *call);
void launch_of_graph(CUpti_CallbackId id, const CUpti_CallbackData *call);
/* Ends what this thread times: it has waited for its event. */
void launch_end_hold(void);
bool launch_is_within(void); /* whether this thread is in a launch, and so holds the mutex */

/* ---- The part of the program that counts, bounds.c ---- */

void bounds_begin(const struct program_part *part); /* which lives as long as the process */
size_t bounds_shares(void); /* how many shares of its launches a group has: see struct launch_group */
/* Returns what a launch counts for now: 0 for nothing; else bit 0 is set, and bit 1 + i within NVTX range i of the
 * request. */
unsigned bounds_now(void);
void bounds_take_nvtx(CUpti_CallbackId id, const void *params);
void bounds_take_profiler(CUpti_CallbackId id, const CUpti_CallbackData *call);
