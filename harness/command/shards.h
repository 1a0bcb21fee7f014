/* shards.h - divides the kernels of a library among several runs, on machines that do not communicate. The same kernels
 * and seconds give the same shards everywhere. Pure. */
#pragma once

#include <stddef.h>

struct shard_kernel {
    const char *id; /* family/variant or family/variant[point]; first member, as by_text expects */
    double seconds; /* how long measuring it takes; 0: not known, then the mean of the others is assumed */
    unsigned shard; /* number of the shard that gets the kernel, from 1 */
};

/* Sets the shard (1 to shards) of each of count kernels. Kernels of one family at one point stay together, because
 * their inputs are made once. */
void shards_divide(struct shard_kernel *list, size_t count, unsigned shards);
