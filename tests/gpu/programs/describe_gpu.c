/* Prints the description of GPU 0 that a simulation needs of it, metrics/gpus/NAME.ini, from the driver alone:
 *
 *     cc -O2 -o describe_gpu tests/gpu/programs/describe_gpu.c -ldl && ./describe_gpu >metrics/gpus/nvidia-h200.ini
 *
 * Attributes that the driver does not know are left out. Those of the place where the GPU is plugged in are 0: a
 * description is of a model. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define ATTRIBUTES 150

/* Numbers of cuda.h: PCI_BUS_ID, PCI_DEVICE_ID, PCI_DOMAIN_ID, NUMA_ID, HOST_NUMA_ID. */
static const int places[] = {33, 34, 50, 131, 134};

static void *find(void *library, const char *name)
{
    void *address = dlsym(library, name);
    if (!address) {
        fprintf(stderr, "libcuda.so.1 has no %s\n", name);
        exit(1);
    }
    return address;
}

static void check(const char *what, int result)
{
    if (result == 0)
        return;
    fprintf(stderr, "%s failed: error %d of the driver\n", what, result);
    exit(1);
}

static int is_place(int attribute)
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (places[i] == attribute)
            return 1;
    return 0;
}

int main(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "no driver: %s\n", dlerror());
        return 1;
    }
    int (*init)(unsigned), (*get)(int *, int), (*get_name)(char *, int, int), (*total)(size_t *, int);
    int (*attribute)(int *, int, int);
    /* POSIX gives a function's address as a void *; ISO C has no cast for that. */
    *(void **)&init = find(library, "cuInit");
    *(void **)&get = find(library, "cuDeviceGet");
    *(void **)&get_name = find(library, "cuDeviceGetName");
    *(void **)&total = find(library, "cuDeviceTotalMem_v2");
    *(void **)&attribute = find(library, "cuDeviceGetAttribute");
    int device = 0;
    char name[256] = "";
    size_t memory = 0;
    check("cuInit", init(0));
    check("cuDeviceGet", get(&device, 0));
    check("cuDeviceGetName", get_name(name, sizeof name, device));
    check("cuDeviceTotalMem", total(&memory, device));
    printf("; What a program can ask of this GPU, for kernels that are simulated. Printed on one by\n"
           "; tests/gpu/programs/describe_gpu.c; an attribute that is missing here is not known, and a program that\n"
           "; asks for it is not simulated.\n\nname = %s\nmemory_bytes = %zu\n\n",
           name, memory);
    for (int number = 1; number <= ATTRIBUTES; number++) {
        int value;
        if (attribute(&value, number, device) == 0)
            printf("attribute %d = %d\n", number, is_place(number) ? 0 : value);
    }
    return 0;
}
