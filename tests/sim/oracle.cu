/* oracle.cu - the GPU's half of the oracle: a kernel library with a kernel for each row of ORACLE_ROWS. See oracle.h.
 */
#include "oracle.h"
#include <cugate/kernel.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tuple>

namespace oracle {

using half = __half;
using half2 = __half2;
using bf16 = __nv_bfloat16;
using bf162 = __nv_bfloat162; /* a pair */
template <> constexpr pool pool_of<half> = POOL_HALF;
template <> constexpr pool pool_of<bf16> = POOL_BF16;
template <> constexpr pool pool_of<half2> = POOL_HALF2;
template <> constexpr pool pool_of<bf162> = POOL_BF162;

#include "oracle_gpu.h"

/* An operand of a case, or a constant in its place. */
template <unsigned version, unsigned operands, unsigned operand, u64 name, class T>
__device__ T operand_of(const u64 *pools, unsigned which)
{
    constexpr pool pool = pool_of<T>;
    if constexpr (has_constant(name, operands, operand, version)) {
        constexpr u64 bits = constant(pool, name, operand, version);
        return of_bits<T>(bits);
    } else {
        return of_bits<T>(pools[place(pool, operand, which)]);
    }
}

template <class Row, unsigned version, class R, class... P, size_t... k>
__device__ u64 call(R (*)(P...), std::index_sequence<k...>, const u64 *pools, unsigned which)
{
    return to_bits<R>(Row::compute(operand_of<version, sizeof...(P), k, Row::name, P>(pools, which)...));
}

template <class Row, class R, class... P, size_t... version>
__device__ void call_all(R (*f)(P...), std::index_sequence<version...>, const u64 *pools, u64 *out, unsigned which)
{
    ((out[version * cases + which] = call<Row, version>(f, std::index_sequence_for<P...>(), pools, which)), ...);
}

template <class Row> __global__ void kernel(const u64 *pools, u64 *out)
{
    call_all<Row>(Row::compute, std::make_index_sequence<versions>(), pools, out,
                  blockIdx.x * blockDim.x + threadIdx.x);
}

#include ORACLE_ROWS
#define ROW(id, result, parameters, ...)                                                                               \
    struct row_##id {                                                                                                  \
        static constexpr u64 name = hash_of(#id);                                                                      \
        static __device__ __forceinline__ result compute parameters                                                    \
        {                                                                                                              \
            return __VA_ARGS__;                                                                                        \
        }                                                                                                              \
    };
#include ORACLE_ROWS
#undef ROW

struct state {
    cugate::device_array<u64> pools, out;
    std::vector<u64> host;

    int open()
    {
        host.resize(POOLS * most_operands * cases);
        draw(host.data());
        CUGATE_TRY(out.allocate(versions * cases));
        CUGATE_TRY(pools.allocate(host.size()));
        return pools.upload(host);
    }
};

int restore(void *s)
{
    return static_cast<state *>(s)->out.poison();
}

extern const cugate_variant variants[];

int verify(void *opened, const cugate_variant *variant, char *why, size_t why_size)
{
    const state *const s = static_cast<state *>(opened);
    const row &row = rows[variant - variants];
    const u64 name = hash_of(row.name);
    std::vector<u64> found(versions * cases);
    CUGATE_TRY(cudaMemcpy(found.data(), s->out.data, found.size() * sizeof found[0], cudaMemcpyDeviceToHost));
    size_t wrong = 0;
    for (unsigned i = 0; i < found.size(); i++) {
        const unsigned version = i / cases;
        u64 operands[most_operands];
        for (unsigned k = 0; k < row.operands; k++)
            operands[k] = has_constant(name, row.operands, k, version) ? constant(row.pools[k], name, k, version)
                                                                       : s->host[place(row.pools[k], k, i % cases)];
        const u64 expected = row.expect(operands);
        if (expected == found[i] || wrong++ > 0)
            continue;
        size_t length = 0;
        for (unsigned k = 0; k < row.operands; k++)
            length +=
                size_t(std::snprintf(why + length, why_size - length, "%s0x%llx, ",
                                     has_constant(name, row.operands, k, version) ? "constant " : "", operands[k]));
        std::snprintf(why + length, why_size - length, "expected 0x%llx, found 0x%llx", expected, found[i]);
    }
    if (wrong == 0)
        return 0;
    const size_t length = std::strlen(why);
    std::snprintf(why + length, why_size - length, "; %zu of %zu are wrong", wrong, found.size());
    return CUGATE_WRONG;
}

template <class Row> int launch(void *opened)
{
    const state *const s = static_cast<state *>(opened);
    kernel<Row><<<cases / 128, 128>>>(s->pools.data, s->out.data);
    return int(cudaGetLastError());
}

constexpr double bytes = 8.0 * cases * versions;

const cugate_variant variants[] = {
#define ROW(id, result, parameters, ...) {#id, #result " of " #parameters, launch<row_##id>, bytes, 0, nullptr},
#include ORACLE_ROWS
#undef ROW
};

const cugate_family family = {.name = "oracle",
                              .doc = "against the CPU",
                              .kind = CUGATE_KERNELS,
                              .open = cugate::open_state<state>,
                              .restore = restore,
                              .verify = verify,
                              .close = cugate::close_state<state>,
                              .variants = variants,
                              .variant_count = std::size(variants)};

} // namespace oracle

CUGATE_LIBRARY(oracle::family)
