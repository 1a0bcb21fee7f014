/* Finds inputs on which a kernel accesses what is not its own: the bytes of libFuzzer are the message of `checksum`.
 *   clang -fsanitize=fuzzer fuzz.c $(pkg-config --cflags --libs cugate_machine) -o fuzz && CUBIN=kernels.cubin ./fuzz
 */
#include <cugate/machine.h>

#include <stdio.h>
#include <stdlib.h>

static cugate_machine *machine;
static cugate_kernel *kernel;
static uint64_t sum;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const cugate_limits limits = {.steps = 100000};
    cugate_module *module;
    (void)argc;
    (void)argv;
    if (cugate_open("h200", &machine) || cugate_set_limits(machine, &limits) ||
        cugate_load_file(machine, getenv("CUBIN"), &module) || cugate_find_kernel(module, "checksum", &kernel) ||
        cugate_alloc(machine, 4, &sum)) {
        fprintf(stderr, "%s\n", cugate_error());
        exit(1);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint64_t message;
    if (size == 0 || cugate_alloc(machine, size, &message) || cugate_write(machine, message, bytes, size))
        return 0;
    const void *arguments[] = {&message, &sum};
    const cugate_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = 2};
    if (cugate_run(kernel, &launch, NULL) == CUGATE_FAULT) {
        fprintf(stderr, "%s\n", cugate_error());
        abort();
    }
    cugate_free(machine, message);
    return 0;
}
