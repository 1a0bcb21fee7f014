/* Executes a kernel by one block of 32 threads and prints what each line reads and writes: counter FILE.cubin KERNEL
 * [NUMBER...]. A parameter of 8 bytes is an array of 1 MiB, one of 4 bytes the next number. */
#include <cugate/machine.h>

#include <stdio.h>
#include <stdlib.h>

static void check(cugate_status status)
{
    if (status == CUGATE_OK)
        return;
    fprintf(stderr, "%s: %s\n", cugate_status_name(status), cugate_error());
    exit(1);
}

int main(int argc, char **argv)
{
    enum { MOST = 16, LINES = 64 };
    cugate_machine *machine;
    cugate_module *module;
    cugate_kernel *kernel;
    cugate_kernel_info info;
    uint64_t values[MOST] = {0};
    const void *arguments[MOST] = {NULL};
    cugate_line lines[LINES] = {{NULL}};
    size_t count;
    if (argc < 3)
        return 2;
    check(cugate_open(NULL, &machine));
    check(cugate_load_file(machine, argv[1], &module));
    check(cugate_find_kernel(module, argv[2], &kernel));
    check(cugate_describe_kernel(kernel, &info));
    for (size_t i = 0, next = 3; i < info.parameter_count && i < MOST; i++) {
        arguments[i] = &values[i];
        if (info.parameters[i].size == sizeof values[i])
            check(cugate_alloc(machine, 1 << 20, &values[i]));
        else if ((int)next < argc)
            values[i] = strtoull(argv[next++], NULL, 10);
    }
    cugate_tally *tallies = calloc(info.instruction_count, sizeof *tallies);
    const cugate_launch launch = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = arguments, .argument_count = info.parameter_count};
    check(cugate_run(kernel, &launch, tallies));
    check(cugate_tally_lines(kernel, tallies, lines, LINES, &count));
    for (size_t i = 0; i < count; i++)
        printf("%s:%u: %llu instructions, %llu sectors, %llu wavefronts\n", lines[i].file ? lines[i].file : "?",
               lines[i].line, (unsigned long long)lines[i].tally.executed, (unsigned long long)lines[i].tally.sectors,
               (unsigned long long)lines[i].tally.wavefronts);
    free(tallies);
    cugate_close(machine);
    return 0;
}
