/* place_programs.c - prints a kernel library of random programs whose ways depend on the place of a block in its grid,
 * for the comparison of what is proved of blocks with what they do (proof.sh).
 *
 *   place_programs SEED KERNELS LAUNCHES >programs.cu
 *
 * Each kernel computes random whole numbers of blockIdx, threadIdx and parameters, branches, loops and loads by them,
 * some by what it has loaded, adds to words that blocks share, and stores to a word of its own. It is launched with
 * LAUNCHES random grids and parameters, of which many are near the ends of what 32 bits hold. A seed gives the same
 * text on every machine. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
enum { SIMPLE = 13, PARAMETERS = 6, FIRST_VALUES = 5, VALUES = 8, WIDE_VALUES = 3 };

static uint64_t random_state;

/* splitmix64 */
static uint32_t below(uint32_t n)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32) % n;
}

/* In each: A, B and C are numbers that are there, P a parameter, S a small constant, L and M 64-bit numbers. */
static const char *const narrow[] = {
    "A + B",
    "A - B",
    "A * P",
    "A * S",
    "A + B + C",
    "A << S",
    "A >> S",
    "uint32_t(int32_t(A) >> S)",
    "A & P",
    "A | P",
    "A ^ P",
    "A & ~P",
    "A & ((1u << S) - 1)",
    "(A & 0xffu) | (B & ~0xffu)",
    "~A",
    "A < B ? A : B",
    "max(A, P)",
    "min(A, P)",
    "uint32_t(min(int32_t(A), int32_t(P)))",
    "uint32_t(max(int32_t(A), int32_t(B)))",
    "uint32_t(abs(int32_t(A)))",
    "P != 0 ? A / P : B",
    "A / S1",
    "A % S1",
    "uint32_t(int32_t(A) / int32_t(S1))",
    "uint32_t(int32_t(A) % int32_t(S1))",
    "uint32_t(L)",
    "uint32_t(L >> 32)",
    "uint32_t(L >> S)",
    "__umulhi(A, P)",
    "uint32_t(__mulhi(int32_t(A), int32_t(P)))",
    "A * P + B",
    "A >> (P & 15)",
    "A << (P & 15)",
    "uint32_t(int32_t(A) >> (P & 15))",
    "__popc(A)",
    "__clz(A)",
    "(A < P) + B",
    "int32_t(A) < int32_t(B) ? A + 1 : B",
    "__funnelshift_l(A, B, S)",
    "__shfl_xor_sync(~0u, A, S)",
    "__shfl_sync(~0u, A, 0)",
    "__shfl_sync(~0u, A, B & 31)",
    "__shfl_up_sync(~0u, A, S)",
    "(A == P) * B",
    "threadIdx.x & S ? A : B",
    "threadIdx.x * A + B",
    "B - A * S",
    "table[(A) & 15]",
    "A << 8 ^ 0u - B",
    "uint32_t(__ballot_sync(~0u, A < P))",
    "A > 0x80000000u ? 0u - A : A",
    "uint32_t(float(A & 0xffffu) * 0.5f)",
    "uint32_t(__ull2float_rz(uint64_t(A) << 32 | P) * 0x1p-32f)",
    "P > S1 ? A % P : B",
    "blockIdx.x / S1",
    "blockIdx.x % S1",
    "blockIdx.x / S1 * 64 + blockIdx.x % S1",
    "A / ((P & 31) + 1)",
    "A % ((P & 31) + 1)",
    "uint32_t(int32_t(A) / (int32_t(P & 63) - 9 | 1))",
    "uint32_t(int32_t(A) % (int32_t(P & 63) - 9 | 1))",
    "grouped(A, S1, P & 15)",
    "grouped(blockIdx.x, (P & 15) + 1, S1)",
    "A / S1 % S1",
    "__umulhi(A, 0u - S1) >> S",
    "(A >> S) * P",
    "(A << S) >> S",
    "A / S1 & ~7u",
    "in[(A) & 15]",
    "in[(A / S1) & 63]",
    "in[(A >> S) & 4095]",
    "in[(B * S1) & 255] & 255",
};
static const char *const wide[] = {
    "L + M",
    "L - M",
    "uint64_t(A) * P",
    "uint64_t(int64_t(int32_t(A)) * int32_t(P))",
    "L + A",
    "L + uint64_t(int64_t(int32_t(A)))",
    "L << S",
    "L >> S",
    "uint64_t(A) << 32 | B",
    "L + uint64_t(A) * B",
    "L < M ? L : M",
    "uint64_t(A) + P",
    "uint64_t(A) + 0xfffffff0u",
    "L * M",
    "L - uint64_t(A) * P",
    "uint64_t(int64_t(int32_t(A)) * int32_t(P)) + M",
    "L + (M << 4)",
    "L > M ? L - M : M - L",
};
static const char *const conditions[] = {
    "A < B",          "A == B",          "A != P",       "int32_t(A) < int32_t(B)", "int32_t(A) >= int32_t(P)",
    "A <= P",         "(A & S1) == 0",   "L < M",        "int64_t(L) < int64_t(M)", "L >> 32 == 0",
    "A < P && B > C", "A < P || B == C", "(A >> S) & 1", "__any_sync(~0u, A < P)",
};

/* Prints a template, with numbers that are there. */
static void expand(const char *text, unsigned values)
{
    for (const char *at = text; *at; at++) {
        if (*at >= 'A' && *at <= 'C' && (at == text || at[-1] == ' ' || at[-1] == '(' || at[-1] == '~'))
            printf("v%u", below(3) ? values - 1 - below(values < 4 ? values : 4) : below(values));
        else if (*at == 'P' && (at[1] == '\0' || at[1] == ' ' || at[1] == ')'))
            printf("p%u", below(PARAMETERS));
        else if (*at == 'S' && at[1] == '1')
            printf("%uu", 1 + below(below(2) ? 16 : 2000)), at++;
        else if (*at == 'S' && (at[1] == '\0' || at[1] == ' ' || at[1] == ')'))
            printf("%u", 1 + below(31));
        else if ((*at == 'L' || *at == 'M') && (at == text || at[-1] == ' ' || at[-1] == '('))
            printf("w%u", below(WIDE_VALUES));
        else
            putchar(*at);
    }
}

/* Returns whether blocks add to words that they share. */
static bool print_kernel(unsigned number)
{
    static const char *const places[][2] = {
        {"blockIdx.x", "blockIdx.y"},
        {"blockIdx.x / S1", "blockIdx.x % S1"},
        {"blockIdx.x / ((P & 31) + 2)", "blockIdx.x % ((P & 31) + 2)"},
        {"uint32_t(int(blockIdx.x) / int((P & 15) + 2))", "uint32_t(int(blockIdx.x) % int((P & 15) + 2))"},
        {"grouped(blockIdx.x, S1, 60) / 1000", "grouped(blockIdx.x, S1, 60) % 1000"},
        {"blockIdx.x >> 3", "blockIdx.x & 7"},
        {"(blockIdx.y * gridDim.x + blockIdx.x) / 6", "(blockIdx.y * gridDim.x + blockIdx.x) % 6"},
    };
    bool adds = false;
    unsigned values = FIRST_VALUES;
    const unsigned place = below(2) ? 0 : below(LENGTH(places));
    const uint64_t of_place = random_state;
    printf("__global__ void k%u(uint32_t *out, const uint32_t *in, uint32_t *added", number);
    for (unsigned p = 0; p < PARAMETERS; p++)
        printf(", uint32_t p%u", p);
    printf(")\n{\n    __shared__ uint32_t tile[1024];\n    const uint32_t me = (blockIdx.x + gridDim.x * (blockIdx.y + "
           "gridDim.y * blockIdx.z)) * "
           "blockDim.x + threadIdx.x;\n    const uint32_t v0 = ");
    expand(places[place][0], values);
    random_state = of_place; /* the same divisor */
    printf(", v1 = ");
    expand(places[place][1], values);
    printf(", v2 = blockIdx.x * blockDim.x + threadIdx.x, v3 = "
           "blockIdx.y * gridDim.x + blockIdx.x, v4 = blockIdx.z + p0;\n    uint32_t sum = 0;\n    for (unsigned i = "
           "threadIdx.x; i < 1024; i += blockDim.x)\n        tile[i] = in[i];\n    __syncthreads();\n");
    for (unsigned w = 0; w < WIDE_VALUES; w++) {
        printf("    const uint64_t w%u = uint64_t(v%u) * p%u + p%u;\n", w, below(FIRST_VALUES), below(PARAMETERS),
               below(PARAMETERS));
    }
    for (; values < VALUES; values++) {
        printf("    const uint32_t v%u = ", values);
        expand(narrow[below(below(2) ? SIMPLE : LENGTH(narrow))], values);
        printf(";\n");
    }
    printf("    const uint64_t x0 = ");
    expand(wide[below(LENGTH(wide))], values);
    printf(", x1 = ");
    expand(wide[below(LENGTH(wide))], values);
    printf(";\n");
    for (unsigned s = 0; s < 2; s++) {
        const unsigned kind = below(15);
        adds |= kind == 10 || kind == 11;
        switch (kind) {
        case 0:
            printf("    if (");
            expand(conditions[below(LENGTH(conditions))], values);
            printf(")\n        sum += in[me & 1023] * 3;\n    else\n        sum ^= __popc(sum);\n");
            break;
        case 1:
            printf("    for (uint32_t i = 0; i < (v%u & %u); i++)\n        sum = sum * 5 + in[i];\n", below(values),
                   7u >> below(3));
            break;
        case 2:
            printf("    sum += in[(v%u >> %u) & 4095];\n", below(values), below(12));
            break;
        case 3:
            printf("    sum += in[(v%u & 0xfffu) / %u];\n", below(values), 1 + below(4));
            break;
        case 4:
            printf("    sum += tile[(v%u * %u) & 1023];\n    sum += tile[(v%u >> %u) & 1023];\n", below(values),
                   1 + below(9), below(values), below(8));
            break;
        case 5:
            printf("    uint32_t t%u = v%u;\n    if (threadIdx.x & %u)\n        t%u = v%u * 8;\n    sum += in[t%u & "
                   "4095];\n",
                   s, below(values), 1u << below(5), s, below(values), s);
            break;
        case 6:
            printf("    for (uint32_t i = 0; i < (uint32_t(x0 >> 32) & 3); i++)\n        sum = sum * 5 + in[i];\n");
            break;
        case 7:
            printf("    if (x0 < x1)\n        sum += in[7];\n");
            break;
        case 8:
            printf("    sum += table[(v%u >> %u) * %u & 255];\n    sum += table[v%u + %u & 63];\n", below(values),
                   below(10), 1 + below(9), below(values), below(64));
            break;
        case 9: /* data */
            printf("    if (in[(v%u ^ threadIdx.x) & 4095] %s)\n        sum += in[9];\n", below(values),
                   below(2) ? "& 1" : "< 0x20000000u");
            break;
        case 10:
            printf(
                "    if (v%u < p%u)\n        atomicAdd(&added[(v%u & 7) * 32 + threadIdx.x %% 32], in[me & 1023]);\n",
                below(values), below(PARAMETERS), below(values));
            break;
        case 11:
            printf("    atomicMax(added + 4096 + (v%u >> %u & 15) * %u + threadIdx.x / %u, sum);\n", below(values),
                   below(8), 8 << below(4), 1 << below(6));
            break;
        case 12: /* what others may add to */
            printf("    for (uint32_t i = 0; i < (added[v%u & 31] & 3); i++)\n        sum = sum * 5 + in[i];\n",
                   below(values));
            break;
        default:
            printf("    if (");
            expand(conditions[below(LENGTH(conditions))], values);
            printf(")\n        sum += reinterpret_cast<const uint2 *>(in)[v%u & 2047].y;\n", below(values));
        }
    }
    printf("    out[me] = sum");
    for (unsigned v = FIRST_VALUES; v < values; v++)
        printf(" ^ v%u", v);
    printf(" ^ uint32_t(x0) ^ uint32_t(x1 >> 32);\n}\n\n");
    return adds;
}

static uint32_t parameter(void)
{
    static const uint32_t ends[] = {0,           1,           2,           3,           31,          32,
                                    33,          64,          100,         128,         255,         256,
                                    1000,        4096,        0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu,
                                    0xfffffffeu, 0xffffff00u, 0xfffff000u, 0x7fffff00u, 0x40000000u, 0x10000u};
    const uint32_t end = ends[below(LENGTH(ends))];
    return below(4) ? end : below(2) ? end + below(64) - 32 : below(UINT32_MAX);
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    random_state = strtoul(arguments[1], NULL, 10);
    const unsigned kernels = (unsigned)atoi(arguments[2]), launches = (unsigned)atoi(arguments[3]);
    printf("#include <cugate/kernel.hpp>\n\n#include <cstdint>\n\nnamespace {\n\n"
           "__constant__ uint32_t table[256] = {3, 5, 3, 3, 7};\n\n"
           "/* A place of a matrix of tiles, in groups of so many rows. */\n"
           "__device__ uint32_t grouped(uint32_t place, uint32_t columns, uint32_t rows)\n{\n"
           "    const int width = 4 * int(columns), first = int(place) / width * 4, left = int(rows) - first;\n"
           "    const int size = left > 0 && left < 4 ? left : 4;\n"
           "    return uint32_t((first + int(place) %% width %% size) * 1000 + int(place) %% width / size);\n}\n\n");
    bool *adds = calloc(kernels + 1, sizeof *adds);
    for (unsigned k = 0; k < kernels && adds; k++)
        adds[k] = print_kernel(k);
    printf("struct programs {\n    cugate::array<uint32_t> in;\n    cugate::device_array<uint32_t> out, added;\n"
           "    int open()\n    {\n        CUGATE_TRY(out.allocate(1 << 20));\n        CUGATE_TRY(added.allocate(1 << "
           "13));\n"
           "        return in.fill(1 << 14, %uu);\n    }\n    int restore() { return 0; }\n"
           "    int verify(cugate::why &) { return 0; }\n};\n\n} // namespace\n\n"
           "CUGATE_LIBRARY(cugate::family<programs>(\"programs\", \"random programs of a block's place\")",
           (unsigned)random_state);
    for (unsigned k = 0; k < kernels; k++) {
        printf("\n    .variant(\"k%u\", \"a random program\", [](programs &p) {\n", k);
        /* A launch after one whose blocks met is not tried. */
        for (unsigned i = 0; i < (adds && adds[k] ? 1 : launches); i++) {
            printf("        k%u<<<dim3(%u, %u, %u), %u>>>(p.out.data, p.in.data, p.added.data", k,
                   1 + below(below(2)   ? 60
                             : below(2) ? 280
                                        : 12),
                   1 + below(below(2) ? 7 : 2), 1 + (below(6) == 0), 32 << below(3));
            for (unsigned a = 0; a < PARAMETERS; a++)
                printf(", %uu", parameter());
            printf(");\n");
        }
        printf("    })");
    }
    printf(")\n");
    free(adds);
    return 0;
}
