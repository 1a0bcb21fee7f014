/* gpu.h - the description of a GPU: metrics/gpus/NAME.ini. What it does not say is not known of the GPU. */
#ifndef GPU_H
#define GPU_H

#include "base/base.h"
#include "worker/worker.h"

#include <stdbool.h>

#define GPU_ATTRIBUTES 256

struct gpu {
    char name[256]; /* as long as the runtime has room for */
    long long memory_bytes;
    bool known[GPU_ATTRIBUTES];
    int attributes[GPU_ATTRIBUTES]; /* by the driver's and the runtime's numbers, which are the same */
};

/* Reads a file. -1 with *problem. */
int gpu_read(struct gpu *gpu, const char *path, struct problem *problem);

/* The file of the job's GPU: what it names, or the only one beside its metrics. Caller frees; NULL with *problem. */
char *gpu_file(const struct job *job, struct problem *problem);

int gpu_capability(const struct gpu *gpu); /* 90 for 9.0 */

/* As baselines know it. */
void gpu_as_device(const struct gpu *gpu, struct device *device);

#endif
