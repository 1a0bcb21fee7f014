/* Runs a kernel of a cubin by 32 threads and prints the sectors of global memory that it reads, by line: `sectors
 * FILE.cubin KERNEL [NUMBER...]`. A parameter of 8 bytes is an array of 1 MiB, one of 4 bytes the next number. */
#include "base/base.h"
#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct problem problem = {""};
    char *bytes;
    size_t size;
    if (argc < 3 || file_read(argv[1], 1u << 30, &bytes, &size) < 0)
        die(EXIT_USAGE, "usage: sectors FILE.cubin KERNEL [NUMBER...]");
    struct machine *machine = machine_open(&problem);
    struct module *module = machine ? module_open(machine, (unsigned char *)bytes, size, &problem) : NULL;
    struct function *function = module ? module_function(module, argv[2]) : NULL;
    if (!function)
        die(EXIT_USAGE, "%s has no such kernel: %s", argv[1], problem.text);
    unsigned char *parameters = x_calloc(function->entry.parameter_bytes + 1, 1);
    for (size_t i = 0, next = 3; i < function->entry.parameter_count; i++) {
        const struct parameter *parameter = &function->entry.parameters[i];
        const uint64_t array = parameter->size == sizeof array ? device_allocate(machine, 1 << 20) : 0;
        const int number = !array && argv[next] ? atoi(argv[next++]) : 0; /* NOLINT(cert-err34-c): an example */
        memcpy(parameters + parameter->offset, array ? (const void *)&array : &number,
               array ? sizeof array : sizeof number);
    }
    const size_t count = function->text.size / INSTRUCTION_BYTES;
    struct tally *tallies = x_calloc(count, sizeof *tallies);
    const struct grid grid = {
        .function = function, .blocks = {1, 1, 1}, .threads = {32, 1, 1}, .parameters = parameters};
    enum fault fault;
    if (grid_run(&grid, tallies, &fault, &problem) < 0)
        die(EXIT_USAGE, "%s", problem.text);
    unsigned long long sum = 0;
    for (size_t i = 0; i < count; i++) {
        if ((code_traits(function, i) & (TRAIT_LOAD | TRAIT_GLOBAL)) != (TRAIT_LOAD | TRAIT_GLOBAL))
            continue;
        printf("%llu sectors at %s\n", (unsigned long long)tallies[i].sectors, code_place(function, i));
        sum += tallies[i].sectors;
    }
    printf("%llu sectors read\n", sum);
    machine_close(machine);
    return 0;
}
