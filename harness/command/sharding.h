/* sharding.h - how `run` shares out work: by --shard 2/8 among machines, and by --device all among GPUs of one. */
#ifndef SHARDING_H
#define SHARDING_H

#include "measure/measure.h"

#include "options.h"

struct sharding {
    struct run costs; /* see costs_read; empty where nothing is shared out */
    struct shard shard;
    char **kernels; /* of this shard, borrowed from shard */
    size_t kernel_count;
};

/* Divides the kernels that -k chose by the seconds that --costs has, else the baselines of this backend: of all models
 * of GPUs, lest it depend on the machine. Without --shard there is no shard. 0, or an exit_code after error(). */
int sharding_make(struct sharding *sharding, const struct options *options, const struct measurement *measurement);

/* Narrows the measurement to the shard, and gives it the costs; it borrows both: of an empty shard only the GPU is
 * described. */
void sharding_narrow(const struct sharding *sharding, struct measurement *measurement);

void sharding_release(struct sharding *sharding);

#endif
