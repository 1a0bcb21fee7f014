/* sharding.h - how `run` shares out work: by --shard 2/8 among machines, by --device all among its GPUs. */
#pragma once

#include "options.h"

struct sharding {
    struct run costs; /* seconds of kernels, see costs_read; empty where nothing is shared out */
    struct shard shard;
    char **kernels; /* kernels of this shard, borrowed from shard */
    size_t kernel_count;
};

/* Divides the kernels that -k chose by the seconds in the baselines of this backend.
 * Baselines of all GPU models are used, so that the result does not depend on the machine. Without --shard there is no
 * shard. Returns 0, or an exit_code after error(). */
int sharding_make(struct sharding *sharding, const struct options *options, const struct measurement *measurement);

/* Restricts the measurement to the shard and gives it the costs; it borrows both. An empty shard has the GPU alone. */
void sharding_apply(const struct sharding *sharding, struct measurement *measurement);

void sharding_release(struct sharding *sharding);
