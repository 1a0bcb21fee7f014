/* reduce[n=1G] - the same of 2^30 float32, 4 GiB, by those kernels that read 2^24 the fastest: what begins and ends a
 * launch is nothing beside the reading. Its lines are those of reduce.cu, which this file
 * compiles too: the headers take longer than the kernels. */
#include "reduce.cu"

#undef REDUCE_BITS
#define REDUCE_BITS 30
namespace of_1g { /* a launch names its kernel, so each has a name of its own */
#include "reduce.cu"
}

extern "C" const struct cugate_family cugate_family_reduce_1g = {
    .name = "reduce",
    .doc = "the sum of 2^30 float32, to one value",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<of_1g::reduce>,
    .restore = of_1g::restore,
    .verify = of_1g::verify,
    .close = cugate::close_state<of_1g::reduce>,
    .variants = std::end(of_1g::variants) - 3, /* grid_stride_ilp4, warp_shuffle, cub */
    .variant_count = 3,
    .point = "n=1G",
};
