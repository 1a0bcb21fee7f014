/* gpu_count.h - counts the GPUs in another process, because a process that has opened the driver cannot fork workers
 * that use it. */
#pragma once

#include "backend.h"

/* Returns how many GPUs CUDA_VISIBLE_DEVICES lets a program see; 0 also where there is no driver. -1 with *problem,
 * also when no answer came within so many seconds, or after Ctrl-C. */
int gpu_count_read(double seconds, struct problem *problem);
