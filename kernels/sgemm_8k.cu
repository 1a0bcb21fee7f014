/* sgemm[n=8K] - the same of 8192 x 8192, of those kernels that are the best at 2048: 16 MiB of a matrix fit an L2, 256
 * MiB do not, so it counts how blocks that run at a time share what they read. Its lines are those of sgemm.cu, which
 * this file compiles too. */
#include "sgemm.cu"

#undef SGEMM_N
#define SGEMM_N 8192
namespace of_8k { /* a launch names its kernel, so each has a name of its own */
#include "sgemm.cu"
}

extern "C" const struct cugate_family cugate_family_sgemm_8k = {
    .name = "sgemm",
    .doc = "C = alpha A B + beta C, fp32, 8192 x 8192",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<of_8k::problem>,
    .restore = of_8k::problem::restore,
    .verify = of_8k::problem::verify,
    .close = cugate::close_state<of_8k::problem>,
    .variants = std::end(of_8k::variants) - 3, /* warp_tile, snake_order, cublas */
    .variant_count = 3,
    .point = "n=8K",
};
