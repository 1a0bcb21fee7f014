/* gpu_count.h - how many GPUs there are, asked by another process: one that has opened the driver cannot fork workers
 * that use it. */
#ifndef GPU_COUNT_H
#define GPU_COUNT_H

#include "backend.h"

/* Of those that CUDA_VISIBLE_DEVICES lets a program see; 0 also where there is no driver. -1 with *problem, also when
 * nothing came within so many seconds, or Ctrl-C. */
int gpu_count_read(double seconds, struct problem *problem);

#endif
