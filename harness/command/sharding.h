/* sharding.h - run --shard 2/8: which kernels that is. */
#ifndef SHARDING_H
#define SHARDING_H

#include "measure/measure.h"

#include "options.h"

struct sharding {
    struct shard shard;
    char **kernels; /* of this shard, borrowed from shard */
    size_t kernel_count;
};

/* Divides the kernels that -k chose by the seconds that --costs has, else the baselines of this backend: of all models
 * of GPUs, lest it depend on the machine. Without --shard *sharding is empty. 0, or an exit_code after error(). */
int sharding_make(struct sharding *sharding, const struct options *options, const struct backend *backend);

/* Narrows the measurement to the shard, from which it borrows: of an empty one only the GPU is described. */
void sharding_narrow(const struct sharding *sharding, struct measurement *measurement);

void sharding_release(struct sharding *sharding);

#endif
