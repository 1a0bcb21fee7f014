/* place_programs.c - prints a kernel library of random programs whose ways depend on the place of a block in its grid,
 * for the comparison of what is proved of blocks with what they do (proof.sh).
 *
 *   place_programs SEED KERNELS LAUNCHES >programs.cu
 *
 * Each kernel computes random whole numbers of blockIdx, threadIdx and parameters, branches, loops and loads by them,
 * some by what it has loaded, adds to words that blocks share, and stores to a word of its own. It is launched with
 * LAUNCHES random grids and parameters, of which many are near the ends of what 32 bits hold. A seed gives the same
 * text on every machine. */
#include "parts.h"

#include <stdbool.h>

PARTS_OF("tests/sim/place_programs.txt")

enum { SIMPLE = 13, PARAMETERS = 6, FIRST_VALUES = 5, VALUES = 8, WIDE_VALUES = 3 };

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

/* Prints one of a list's templates; of the first so many, 0: of all. */
static void choose(const char *list, uint32_t first, unsigned values)
{
    const struct part *part = part_named(list);
    expand(part->lines[below(first ? first : (uint32_t)part->count)], values);
}

/* Returns whether blocks add to words that they share. */
static bool print_kernel(unsigned number)
{
    const struct part *places = part_named("place"); /* two lines each */
    bool adds = false;
    unsigned values = FIRST_VALUES;
    const unsigned place = below(2) ? 0 : below((uint32_t)places->count / 2);
    const uint64_t of_place = random_state;
    printf("__global__ void k%u(uint32_t *out, const uint32_t *in, uint32_t *added", number);
    for (unsigned p = 0; p < PARAMETERS; p++)
        printf(", uint32_t p%u", p);
    printf(")\n{\n    __shared__ uint32_t tile[1024];\n    const uint32_t me = (blockIdx.x + gridDim.x * (blockIdx.y + "
           "gridDim.y * blockIdx.z)) * "
           "blockDim.x + threadIdx.x;\n    const uint32_t v0 = ");
    expand(places->lines[2 * place], values);
    random_state = of_place; /* the same divisor */
    printf(", v1 = ");
    expand(places->lines[2 * place + 1], values);
    printf(", v2 = blockIdx.x * blockDim.x + threadIdx.x, v3 = "
           "blockIdx.y * gridDim.x + blockIdx.x, v4 = blockIdx.z + p0;\n    uint32_t sum = 0;\n    for (unsigned i = "
           "threadIdx.x; i < 1024; i += blockDim.x)\n        tile[i] = in[i];\n    __syncthreads();\n");
    for (unsigned w = 0; w < WIDE_VALUES; w++) {
        printf("    const uint64_t w%u = uint64_t(v%u) * p%u + p%u;\n", w, below(FIRST_VALUES), below(PARAMETERS),
               below(PARAMETERS));
    }
    for (; values < VALUES; values++) {
        printf("    const uint32_t v%u = ", values);
        choose("narrow", below(2) ? SIMPLE : 0, values);
        printf(";\n");
    }
    printf("    const uint64_t x0 = ");
    choose("wide", 0, values);
    printf(", x1 = ");
    choose("wide", 0, values);
    printf(";\n");
    for (unsigned s = 0; s < 2; s++) {
        const unsigned kind = below(15);
        adds |= kind == 10 || kind == 11;
        switch (kind) {
        case 0:
            printf("    if (");
            choose("condition", 0, values);
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
            printf("    for (uint32_t i = *(volatile uint32_t *)&added[v%u & 31] & 3; i > 0; i--)\n        sum = sum * "
                   "5 + in[i];\n",
                   below(values));
            break;
        default:
            printf("    if (");
            choose("condition", 0, values);
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
    read_parts(parts_text);
    random_state = strtoul(arguments[1], NULL, 10);
    const unsigned kernels = (unsigned)atoi(arguments[2]), launches = (unsigned)atoi(arguments[3]);
    fputs(part_named("text beginning")->text, stdout);
    bool *adds = calloc(kernels + 1, sizeof *adds);
    for (unsigned k = 0; k < kernels && adds; k++)
        adds[k] = print_kernel(k);
    fputs(part_named("text middle")->text, stdout);
    printf("        return in.fill(1 << 14, %uu);\n", (unsigned)random_state);
    fputs(part_named("text end")->text, stdout);
    for (unsigned k = 0; k < kernels; k++) {
        printf("    .variant(\"k%u\", \"a random program\", [](programs &p) {\n", k);
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
        printf("    })%s\n", k + 1 < kernels ? "" : ")");
    }
    free(adds);
    return 0;
}
