/* Launches kernels of cubins as a table says, each several times, as a program does that compiles its kernels at run
 * time. What compiled them does not matter, so that two tables show what another compiler does to a program.
 *
 *   launch TABLE
 *
 * A line of the table is one kernel: FILE FUNCTION GRID BLOCK SHARED ARGUMENT...
 * FILE is relative to the table's folder, GRID and BLOCK are X,Y,Z, SHARED is in bytes. An argument is
 *   iN, fX    an int, a float
 *   pN, hN    a pointer to N bytes of floats, or of halves, from 0.5 to 1
 *   qN%M      a pointer to N bytes of ints below M
 *   sN*K      a pointer to N bytes of ints 0, K, 2 K, ...
 *   0         a null pointer
 * Built as a shared library (-shared), launch_table(TABLE) is for programs in Python. */
#include <cuda.h>

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 8, ARGUMENTS = 24, PATTERN = 1 << 18 };

int launch_table(const char *path);

#define CALL(call)                                                                                                     \
    do {                                                                                                               \
        const CUresult result = (call);                                                                                \
        if (result != CUDA_SUCCESS) {                                                                                  \
            fprintf(stderr, "launch: %s: error %d\n", #call, (int)result);                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

struct argument {
    union {
        CUdeviceptr pointer;
        int number;
        float real;
    } value;
    bool is_allocated;
};

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The four bytes at a position of an array. */
static unsigned value_of(char kind, size_t i, unsigned by, unsigned *state)
{
    const float real = 0.5f + (float)(next_random(state) % 65536) / 131072;
    unsigned bits;
    memcpy(&bits, &real, sizeof bits);
    if (kind == 'h') /* two halves from 0.5 to 1 */
        return 0x38003800u | (next_random(state) & 0x03ff03ffu);
    if (kind == 'q')
        return next_random(state) % by;
    return kind == 's' ? (unsigned)i * by : bits;
}

/* Allocates an array. But for steps, its beginning is repeated over all of it. */
static CUdeviceptr make_array(char kind, size_t bytes, unsigned by)
{
    const size_t most = kind == 's' ? bytes : PATTERN, first = bytes < most ? bytes : most;
    unsigned *values = malloc(first), state = 1;
    CUdeviceptr array;
    for (size_t i = 0; i < first / 4; i++)
        values[i] = value_of(kind, i, by, &state);
    CALL(cuMemAlloc(&array, bytes));
    CALL(cuMemcpyHtoD(array, values, first));
    for (size_t done = first; done < bytes; done *= 2)
        CALL(cuMemcpyDtoD(array + done, array, done < bytes - done ? done : bytes - done));
    free(values);
    return array;
}

static struct argument read_argument(const char *word)
{
    struct argument argument = {{0}, false};
    char *end;
    if (*word == 'i')
        argument.value.number = atoi(word + 1);
    else if (*word == 'f')
        argument.value.real = strtof(word + 1, NULL);
    else if (strchr("phqs", *word)) {
        const size_t bytes = strtoull(word + 1, &end, 10);
        argument.value.pointer = make_array(*word, bytes, *end ? (unsigned)strtoul(end + 1, NULL, 10) : 1);
        argument.is_allocated = true;
    } else if (strcmp(word, "0") != 0) {
        fprintf(stderr, "launch: %s is no argument\n", word);
        exit(2);
    }
    return argument;
}

static void launch_line(const char *folder, char *line)
{
    char *rest = NULL, path[PATH_MAX];
    const char *file = strtok_r(line, " \n", &rest), *function = strtok_r(NULL, " \n", &rest);
    const char *grid = strtok_r(NULL, " \n", &rest), *block = strtok_r(NULL, " \n", &rest);
    const char *shared = strtok_r(NULL, " \n", &rest);
    unsigned g[3], b[3];
    if (!shared || sscanf(grid, "%u,%u,%u", &g[0], &g[1], &g[2]) != 3 ||
        sscanf(block, "%u,%u,%u", &b[0], &b[1], &b[2]) != 3) {
        fprintf(stderr, "launch: a line is incomplete\n");
        exit(2);
    }
    snprintf(path, sizeof path, "%s%s", folder, file);

    CUmodule module;
    CUfunction kernel;
    struct argument list[ARGUMENTS];
    void *arguments[ARGUMENTS];
    int count = 0;
    for (char *word; count < ARGUMENTS && (word = strtok_r(NULL, " \n", &rest)); count++) {
        list[count] = read_argument(word);
        arguments[count] = &list[count].value;
    }
    CALL(cuModuleLoad(&module, path));
    CALL(cuModuleGetFunction(&kernel, module, function));
    CALL(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, atoi(shared)));
    for (int i = 0; i < LAUNCHES; i++)
        CALL(cuLaunchKernel(kernel, g[0], g[1], g[2], b[0], b[1], b[2], (unsigned)atoi(shared), NULL, arguments, NULL));
    CALL(cuCtxSynchronize());
    for (int i = 0; i < count; i++)
        if (list[i].is_allocated)
            CALL(cuMemFree(list[i].value.pointer));
    CALL(cuModuleUnload(module));
}

/* Launches what a table says. It exits with a message where something fails. */
int launch_table(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX], line[4096];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 0, path);
    FILE *table = fopen(path, "r");
    if (!table) {
        perror(path);
        exit(2);
    }
    CUdevice device;
    CUcontext context;
    CALL(cuInit(0));
    CALL(cuDeviceGet(&device, 0));
    CALL(cuDevicePrimaryCtxRetain(&context, device));
    CALL(cuCtxSetCurrent(context));
    while (fgets(line, sizeof line, table))
        launch_line(folder, line);
    fclose(table);
    CALL(cuDevicePrimaryCtxRelease(device));
    return 0;
}

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: launch TABLE\n");
        return 2;
    }
    return launch_table(words[1]);
}
