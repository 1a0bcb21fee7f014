/* oracle_cpu.cc - the CPU's half of the oracle: what each row of ORACLE_ROWS has to be. See oracle.h. */
#include "oracle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <utility>

#include "oracle_cpu.h"

namespace oracle {
namespace {

#include ORACLE_ROWS
#define ROW(id, result, parameters, ...)                                                                               \
    struct row_##id {                                                                                                  \
        static constexpr u64 name = hash_of(#id);                                                                      \
        static result compute parameters                                                                               \
        {                                                                                                              \
            return __VA_ARGS__;                                                                                        \
        }                                                                                                              \
    };
#include ORACLE_ROWS
#undef ROW

template <class Row, class R, class... P, size_t... k>
u64 call(R (*)(P...), std::index_sequence<k...>, const u64 *operands)
{
    return to_bits<R>(Row::compute(of_bits<P>(operands[k])...));
}

template <class Row, class R, class... P> row row_of(const char *name, R (*)(P...))
{
    return {name, sizeof...(P), {pool_of<P>...}, [](const u64 *operands) {
                return call<Row>(Row::compute, std::index_sequence_for<P...>(), operands);
            }};
}

} // namespace

const row rows[] = {
#define ROW(id, result, parameters, ...) row_of<row_##id>(#id, row_##id::compute),
#include ORACLE_ROWS
#undef ROW
};

/* Special values, values near to them, values of few bits, and any. */
static u64 drawn(pool pool, u64 h)
{
    static constexpr unsigned widths[] = {8, 16, 32, 64, 16, 16, 32, 64};
    const u64 more = hash(h);
    if (pool == POOL_HALF2 || pool == POOL_BF162) {
        const enum pool part = pool == POOL_HALF2 ? POOL_HALF : POOL_BF16;
        return drawn(part, more) | drawn(part, more + 1) << 16;
    }
    const unsigned width = widths[pool];
    const u64 mask = width == 64 ? ~0ull : (1ull << width) - 1;
    const u64 value = special[pool][more % specials[pool]];
    switch (h % 8) {
    case 0:
    case 1:
    case 2:
        return value;
    case 3:
        return (value + (more >> 20 & 3) - 1) & mask;
    case 4: /* a number of few bits, or one that differs from a special one in few */
        return (pool < POOL_HALF ? more >> 8 >> (64 - 8 - more % 48) : value ^ 1ull << (more >> 32) % width) & mask;
    case 5:
        if (pool == POOL_32) /* of parts */
            return (more >> 60 & 1)
                       ? special[POOL_16][more % 16] | special[POOL_16][more / 16 % 16] << 16
                       : special[POOL_8][more % 16] | special[POOL_8][more / 16 % 16] << 8 |
                             special[POOL_8][more / 256 % 16] << 16 | special[POOL_8][more / 4096 % 16] << 24;
        if (pool == POOL_FLOAT) /* about as large as 1, where integers end, and halves */
            return (more & 0x81ffffff) | 0x3e000000;
        if (pool == POOL_DOUBLE)
            return (more & 0x800fffffffffffff) | (u64(1023 - 40 + more / 64 % 110) << 52);
        return more & mask;
    case 6:
        if (pool == POOL_FLOAT)
            return (more & 0x807fffff & ~0u << more / 65536 % 23) | u64(127 - 4 + more / 4294967296 % 72) << 23;
        if (pool == POOL_DOUBLE)
            return (more & 0x800fffffffffffff & ~0ull << more % 52) | u64(1023 - 4 + more / 64 % 72) << 52;
        return more & mask;
    default:
        return more & mask;
    }
}

void draw(u64 *pools)
{
    for (unsigned kind = 0; kind < POOLS; kind++)
        for (unsigned k = 0; k < most_operands; k++)
            for (unsigned i = 0; i < cases; i++) {
                u64 h = hash(hash(kind * 16 + k) + i);
                /* Operands that are equal, or of opposite signs. */
                if (k > 0 && h >> 60 == 0)
                    pools[place(pool(kind), k, i)] = pools[place(pool(kind), k - 1, i)];
                else
                    pools[place(pool(kind), k, i)] = drawn(pool(kind), h);
            }
}

} // namespace oracle
