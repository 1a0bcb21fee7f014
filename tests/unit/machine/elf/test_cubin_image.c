#include "cubin/cubin_support.h"
#include "test.h"

static void expect_equal(const char *label, const struct cubin_function *found, const struct cubin_function *expected)
{
    cr_expect_eq(found->capability, expected->capability, "%s: capability %d", label, found->capability);
    cr_expect_eq(found->registers, expected->registers, "%s: %u registers", label, found->registers);
    cr_expect_eq(found->local_bytes, expected->local_bytes, "%s: %u bytes of stack", label, found->local_bytes);
    cr_expect_eq(found->shared_bytes, expected->shared_bytes, "%s: %u bytes shared", label, found->shared_bytes);
    cr_expect_eq(found->max_threads, expected->max_threads, "%s: %u threads", label, found->max_threads);
    cr_expect_eq(found->barriers, expected->barriers, "%s: %u barriers", label, found->barriers);
    cr_expect_eq(found->tensor, expected->tensor, "%s: tensor cores %d", label, found->tensor);
    cr_expect_eq(found->halves, expected->halves, "%s: halves %d", label, found->halves);
}

/* The expected numbers are those that ptxas printed when it compiled tests/data/small.cu. */
Test(cubin_image, facts_of_every_kind_of_file)
{
    static const char bounded[] = "(anonymous namespace)::bounded(float const*, float*)";
    static const char stacked[] = "stacked(float const*, float*, int)";
    static const struct cubin_function functions[] = {
        {(char *)bounded, 80, NULL, NULL, 14, 0, 1024, 256, 1, 0, CODE_TENSOR_UNUSED, false, 0, 0},
        {(char *)bounded, 90, NULL, NULL, 12, 0, 1024, 256, 1, 0, CODE_TENSOR_UNUSED, false, 0, 0},
        {(char *)"plain(float*)", 80, NULL, NULL, 8, 0, 0, 0, 0, 0, CODE_TENSOR_UNUSED, false, 0, 0},
        {(char *)"plain(float*)", 90, NULL, NULL, 10, 0, 0, 0, 0, 0, CODE_TENSOR_UNUSED, false, 0, 0},
        {(char *)stacked, 80, NULL, NULL, 32, 96, 0, 0, 0, 0, CODE_TENSOR_UNUSED, false, 0, 0},
        {(char *)stacked, 90, NULL, NULL, 32, 96, 0, 0, 0, 0, CODE_TENSOR_UNUSED, false, 0, 0},
    };
    static const struct {
        const char *file, *has; /* which of the functions */
    } cases[] = {{CORPUS "small.fatbin", "012345"},
                 {CORPUS "library.so", "012345"},
                 {CORPUS "cuda12.cubin", "024"},
                 {CORPUS "other.fatbin", "23"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(cubin) cubin;
        cr_assert_eq(cubin_read(&cubin, cases[i].file), 0, "%s", cases[i].file);
        cr_assert_eq(cubin.count, strlen(cases[i].has), "%s: %zu", cases[i].file, cubin.count);
        for (size_t k = 0; k < cubin.count; k++) {
            const struct cubin_function *function = &functions[cases[i].has[k] - '0'];
            cr_expect_str_eq(cubin.list[k].name, function->name);
            expect_equal(cases[i].file, &cubin.list[k], function);
        }
    }
}

/* clang-format off */
static const char facts_source[] =
    "extern __shared__ float grown[];\n"
    "__device__ __noinline__ float deep(float *a, int n) {\n"
    "    float x[32]; for (int i = 0; i < 32; i++) x[i * n % 32] = a[i]; return x[n & 31]; }\n"
    "extern \"C\" {\n"
    "__global__ void empty() {}\n"
    "__global__ void stack(float *a, int n) {\n"
    "    float x[20]; for (int i = 0; i < 20; i++) x[i * n % 20] = a[i]; a[0] = x[n]; }\n"
    "__global__ void stack_below(float *a, int n) { a[0] = deep(a, n) + deep(a, n + 1); }\n"
    "__global__ void __launch_bounds__(512, 4) spilled(float *a, int n) {\n"
    "    float x[48]; for (int i = 0; i < 48; i++) x[i] = a[i * n];\n"
    "    for (int k = 0; k < n; k++) for (int i = 0; i < 48; i++) x[i] = x[i] * x[(i * 7 + 1) % 48] + a[k];\n"
    "    for (int i = 0; i < 48; i++) a[i] = x[i]; }\n"
    "__global__ void still(float *a) { __shared__ float s[300]; s[threadIdx.x] = a[threadIdx.x];\n"
    "    __syncthreads(); a[threadIdx.x] = s[299 - threadIdx.x]; }\n"
    "__global__ void moving(float *a) { grown[threadIdx.x] = a[threadIdx.x];\n"
    "    __syncthreads(); a[threadIdx.x] = grown[31 - threadIdx.x]; }\n"
    "__global__ void barriers(float *a, int n) { asm volatile(\"bar.sync 5, 64;\"); a[0] = n; }\n"
    "__global__ void any_barrier(float *a, int n) { asm volatile(\"bar.sync %0, 64;\" ::\"r\"(n)); a[0] = n; }\n"
    "}\n";
/* clang-format on */

/* Returns the number before a word in a line of ptxas, 0 where there is none: "Used 12 registers, 1024 bytes smem". */
static unsigned number_before(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    if (!at)
        return 0;
    while (at > line && strchr("0123456789", at[-1]))
        at--;
    return (unsigned)strtoul(at, NULL, 10);
}

/* ptxas prints three lines about a kernel, after its name and its GPU. */
Test(cubin_image, every_fact_is_what_ptxas_says)
{
    char *folder = scratch_make();
    OWNED_TEXT file = scratch_file(folder, "facts.cu", facts_source);
    OWNED_TEXT output = x_sprintf("%s/facts.fatbin", folder), *log = x_sprintf("%s/log", folder);
    const char *const arguments[] = {"-w", "-arch=all-major", "-Xptxas=-v", "-fatbin", "-o", output, file, NULL};
    compile_cuda(arguments, log);
    struct cubin cubin;
    cr_assert_eq(cubin_read(&cubin, output), 0);
    FILE *stream = fopen(log, "r");
    cr_assert_not_null(stream);
    char line[512], name[64] = "";
    struct cubin_function expected = {0};
    size_t compared = 0;
    while (fgets(line, sizeof line, stream)) {
        if (strstr(line, "Compiling entry function '")) {
            expected = (struct cubin_function){.capability = (int)strtol(strstr(line, "'sm_") + 4, NULL, 10)};
            const char *start = strchr(line, '\'') + 1;
            snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "'"), start);
        }
        if (*name && strstr(line, " bytes stack frame") && expected.local_bytes == 0)
            expected.local_bytes = number_before(line, " bytes stack frame");
        if (!*name || !strstr(line, " registers"))
            continue;
        const unsigned whole = number_before(line, " bytes cumulative stack");
        expected.local_bytes = whole > expected.local_bytes ? whole : expected.local_bytes;
        expected.registers = number_before(line, " registers");
        expected.barriers = number_before(line, " barriers");
        expected.shared_bytes = number_before(line, " bytes smem");
        expected.max_threads = strcmp(name, "spilled") == 0 ? 512 : 0;
        expected.halves = expected.capability > 90; /* as far as is known */
        expected.tensor = CODE_TENSOR_UNUSED;
        const struct cubin_function *found = find_function(&cubin, name, expected.capability);
        cr_assert(found && found->capability == expected.capability, "%s for %d", name, expected.capability);
        expect_equal(name, found, &expected);
        *name = '\0';
        compared++;
    }
    fclose(stream);
    cr_expect_eq(compared, cubin.count);
    cr_expect_geq(compared, 40);
    cubin_release(&cubin);
    scratch_remove(folder);
}

/* Each kind of product, of a warp and of a warpgroup; the last ones are none, of single precision and of halves. */
static const char products_source[] =
    "#define P(name, product) extern \"C\" __global__ void name(float *at) { asm volatile(\"{\" \\\n"
    "    \".reg .f32 f<4>; .reg .b32 r<4>; .reg .b64 d; .reg .f64 q; .reg .pred p;\" \\\n"
    "    \"ld.global.v4.f32 {f0,f1,f2,f3}, [%0]; ld.global.v4.u32 {r0,r1,r2,r3}, [%0]; ld.global.u64 d, [%0];\" \\\n"
    "    \"ld.global.f64 q, [%0]; setp.ne.b64 p, d, 0;\" product \\\n"
    "    \"st.global.v4.f32 [%0], {f0,f1,f2,f3}; st.global.v4.u32 [%0+16], {r0,r1,r2,r3};\" \\\n"
    "    \"st.global.f64 [%0+32], q;}\" ::\"l\"(at) : \"memory\"); }\n"
    "#define W(product) \"wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8\" product \\\n"
    "    \"wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\"\n"
    "P(hmma, \"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f0,f1,f2,f3},{r0,r1},{r2},{f0,f1,f2,f3};\")\n"
    "P(imma, \"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {r0,r1},{r2},{r3},{r0,r1};\")\n"
    "P(bmma, \"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {r0,r1},{r2},{r3},{r0,r1};\")\n"
    "P(dmma, \"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {q,q},{q},{q},{q,q};\")\n"
    "#if __CUDA_ARCH__ == 1000\n"
    "P(utchmma, \"tcgen05.mma.cta_group::1.kind::f16 [r0], d, d, r1, p;\")\n"
    "P(utcqmma, \"tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [r0], d, d, r1, [r2], [r3], p;\")\n"
    "#elif __CUDA_ARCH__ == 1200\n"
    "#define S \"{f0,f1,f2,f3},{r0,r1,r2,r3},{r0,r1},{f0,f1,f2,f3},{r2},{0,0},{r3},{0,0};\"\n"
    "P(qmma, \"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X\"\n"
    "    \".f32.e4m3.e4m3.f32.ue8m0\" S)\n"
    "P(omma, \"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0\" S)\n"
    "#else\n"
    "P(hgmma, W(\"k16.f32.f16.f16 {f0,f1,f2,f3}, d, d, p, 1, 1, 0, 0;\"))\n"
    "P(hgmma_of_registers, W(\"k16.f32.f16.f16 {f0,f1,f2,f3}, {r0,r1,r2,r3}, d, p, 1, 1, 0;\"))\n"
    "P(qgmma, W(\"k32.f32.e4m3.e4m3 {f0,f1,f2,f3}, d, d, p, 1, 1;\"))\n"
    "P(qgmma_of_registers, W(\"k32.f32.e4m3.e4m3 {f0,f1,f2,f3}, {r0,r1,r2,r3}, d, p, 1, 1;\"))\n"
    "P(igmma, W(\"k32.s32.s8.s8 {r0,r1,r2,r3}, d, d, p;\"))\n"
    "P(bgmma, W(\"k256.s32.b1.b1.and.popc {r0,r1,r2,r3}, d, d, p;\"))\n"
    "#endif\n"
    "P(none, \"fma.rn.f32 f0, f1, f2, f3; mov.b32 r1, 1; mov.b32 r2, 2; mov.b32 r3, 3;\")\n"
    "P(none_half_sum, \"add.f16x2 r0, r1, r2;\")\n"
    "P(none_half_product, \"mul.bf16x2 r0, r1, r2;\")\n"
    "P(none_half_fused, \"fma.rn.f16x2 r0, r1, r2, r3;\")\n";

static void expect_products(const char *arch, size_t count)
{
    char *folder = scratch_make();
    OWNED_TEXT file = scratch_file(folder, "products.cu", products_source);
    OWNED_TEXT output = x_sprintf("%s/products.cubin", folder), *log = x_sprintf("%s/log", folder);
    const char *const arguments[] = {"-w", arch, "-cubin", "-o", output, file, NULL};
    compile_cuda(arguments, log);
    struct cubin cubin;
    cr_assert_eq(cubin_read(&cubin, output), 0);
    cr_expect_eq(cubin.count, count, "%s: %zu", arch, cubin.count);
    for (size_t i = 0; i < cubin.count; i++) {
        const struct cubin_function *function = &cubin.list[i];
        const bool none = strncmp(function->name, "none", strlen("none")) == 0;
        cr_expect_eq(function->tensor, none ? CODE_TENSOR_UNUSED : CODE_TENSOR_USED, "%s %s", arch, function->name);
        cr_expect_eq(function->halves, function->capability > 90 || strstr(function->name, "half"), "%s %s", arch,
                     function->name);
    }
    cubin_release(&cubin);
    scratch_remove(folder);
}

Test(cubin_image, tensor_cores_are_seen_in_the_opcodes)
{
    expect_products("-arch=sm_90a", 14);
    expect_products("-arch=sm_100a", 10);
    expect_products("-arch=sm_120a", 10);
}

/* Expects the compiler ("" for none) in a file whose bytes at offset `at`, from the beginning of its texts, were
 * replaced. */
static void expect_compiler(long at, const char *bytes, size_t size, const char *expected)
{
    static const char tool[] = "ptxas\0Cuda compilation tools, release 13.0, V13.0.88";
    char *text;
    size_t length, count = 0;
    OWNED(cubin) cubin;
    cr_assert_eq(file_read(CORPUS "small.fatbin", 1 << 20, &text, &length), 0);
    for (char *place = text; (place = memmem(place, length - (size_t)(place - text), tool, sizeof tool)); count++) {
        memcpy(place - 1 + at, bytes, size);
        place += sizeof tool;
    }
    cr_assert_eq(count, 2, "one of each architecture");
    cr_assert_eq(cubin_parse(&cubin, "small", (unsigned char *)text, length), 0);
    cr_expect_eq(cubin.compiler_count, *expected != '\0', "%ld: %zu", at, cubin.compiler_count);
    cr_expect_str_eq(cubin.compiler_count > 0 ? cubin.compilers[0] : "", expected);
    free(text);
}

Test(cubin_image, its_compiler_is_known_where_it_says_so)
{
    expect_compiler(0, "", 0, "ptxas 13.0.88");
    expect_compiler(1, "PTXAS", 5, "");
    expect_compiler(1, "nvlnk", 5, "nvlnk 13.0.88");
    expect_compiler(43, ", W", 3, "");
    expect_compiler(45, "V99.1.22", 8, "ptxas 99.1.22");
    expect_compiler(45, "V13_0_88", 8, "ptxas 13");
    expect_compiler(-16, "\xff\xff\xff\xff", 4, "");
    expect_compiler(-12, "\xff\xff\xff\x7f", 4, "");
}

/* The file has no notes, as none of CUDA 12: 20 bytes from the beginning is the release. */
Test(cubin_image, up_to_cuda_12_the_release_of_its_compiler_is_known)
{
    static const struct {
        unsigned char release;
        const char *compiler;
    } rows[] = {{129, "ptxas 12.9"}, {120, "ptxas 12.0"}, {118, "ptxas 11.8"}, {1, ""}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *text;
        size_t length;
        OWNED(cubin) cubin;
        cr_assert_eq(file_read(CORPUS "cuda12.cubin", 1 << 20, &text, &length), 0);
        cr_assert_eq((unsigned char)text[20], 129);
        text[20] = (char)rows[i].release;
        cr_assert_eq(cubin_parse(&cubin, "cuda12", (unsigned char *)text, length), 0);
        cr_expect_str_eq(cubin.compiler_count > 0 ? cubin.compilers[0] : "", rows[i].compiler, "row %zu", i);
        free(text);
    }
}
