/* Runs mufu.cu's kernels with each special function in place of EX2: mufu.sh says how. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINADE (1u << 23)

static unsigned char image[1 << 20];
static unsigned results[BINADE];

static void must(CUresult result, const char *what)
{
    if (result) {
        fprintf(stderr, "mufu: %s: error %d of the driver\n", what, (int)result);
        exit(2);
    }
}
#define MUST(call) must(call, #call)

/* Of a MUFU of floats without a predicate, bits 74 to 77 name the function: nvdisasm of the file shows that. */
static void choose(size_t size, unsigned function)
{
    for (size_t at = 0; at + 16 <= size; at += 4) {
        unsigned words[4];
        memcpy(words, image + at, sizeof words);
        if ((words[0] & 0xffff) != 0x7308 || words[1] > 255 || words[2] & 0xffffc3ff || words[3] & 0xffe00000)
            continue;
        words[2] = (words[2] & ~0x3c00u) | function << 10;
        memcpy(image + at, words, sizeof words);
    }
}

static void save(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) {
        perror(path);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    static const char *const functions[] = {"COS", "SIN",    "EX2",    "LG2",  "RCP",
                                            "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH"};
    FILE *file = argc > 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: mufu CUBIN FOLDER [FUNCTION:BINADE...]\n");
        return 2;
    }
    const size_t size = fread(image, 1, sizeof image, file);
    fclose(file);
    CUdevice device;
    CUcontext context;
    CUdeviceptr memory;
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    MUST(cuMemAlloc(&memory, sizeof results));
    for (unsigned function = 0; function < sizeof functions / sizeof functions[0]; function++) {
        CUmodule module;
        CUfunction of_binade, sums, halves;
        unsigned long long hashes[512];
        choose(size, function);
        MUST(cuModuleLoadData(&module, image));
        MUST(cuModuleGetFunction(&of_binade, module, "results_from"));
        MUST(cuModuleGetFunction(&sums, module, "mixed_sums"));
        MUST(cuModuleGetFunction(&halves, module, "results_of_halves"));
        MUST(cuMemsetD8(memory, 0, sizeof hashes));
        MUST(cuLaunchKernel(sums, 512, 1, 1, 1024, 1, 1, 0, NULL, (void *[]){&memory}, NULL));
        MUST(cuMemcpyDtoH(hashes, memory, sizeof hashes));
        for (unsigned binade = 0; binade < 512; binade++)
            printf("%s %u %016llx\n", functions[function], binade, hashes[binade]);
        for (int i = 3; i < argc; i++) {
            const size_t length = strlen(functions[function]);
            if (strncmp(argv[i], functions[function], length) != 0 || argv[i][length] != ':')
                continue;
            unsigned first = (unsigned)strtoul(argv[i] + length + 1, NULL, 10) * BINADE;
            MUST(
                cuLaunchKernel(of_binade, BINADE / 1024, 1, 1, 1024, 1, 1, 0, NULL, (void *[]){&memory, &first}, NULL));
            MUST(cuMemcpyDtoH(results, memory, sizeof results));
            save(argv[2], argv[i], results, sizeof results);
        }
        if (function == 0) {
            MUST(cuLaunchKernel(halves, 256, 1, 1, 256, 1, 1, 0, NULL, (void *[]){&memory}, NULL));
            MUST(cuMemcpyDtoH(results, memory, 4 * 65536 * 2));
            save(argv[2], "halves", results, 4 * 65536 * 2);
        }
        MUST(cuModuleUnload(module));
    }
    return 0;
}
