/* gpu.h - the description of a GPU, metrics/gpus/NAME.ini. What it does not say is unknown. */
#pragma once

#include "base/base.h"
#include "model/model.h"
#include "replay/replay.h"

#define GPU_ATTRIBUTES 256

struct gpu {
    char name[256]; /* as long as a name in the CUDA runtime */
    long long memory_bytes;
    bool known[GPU_ATTRIBUTES];
    int attributes[GPU_ATTRIBUTES]; /* by their numbers, which are the same in the driver and the runtime */
    struct timing timing;           /* constants of the replay: those that the file has, and else those of an H200 */
    long long clock_mhz, dram_gb_per_s; /* where attributes do not say it; 0: not known */
};

/* Reads the description of a GPU from a file. -1 with *problem. */
int gpu_read(struct gpu *gpu, const char *path, struct problem *problem);

int gpu_capability(const struct gpu *gpu); /* compute capability, 90 for 9.0 */

/* Sets the chip as the replay knows it. False: the description does not say enough. */
bool gpu_as_chip(const struct gpu *gpu, struct chip *chip);

/* Bytes that its memory moves in a ns, and cycles of an SM in one; 0: the description does not say. */
double gpu_dram_bytes_per_ns(const struct gpu *gpu);
double gpu_cycles_per_ns(const struct gpu *gpu);

/* Fills *device as baselines describe a GPU. */
void gpu_as_device(const struct gpu *gpu, struct device *device);
