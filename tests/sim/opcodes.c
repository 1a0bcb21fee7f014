/* opcodes.c - prints which instructions machine code has, without executing anything: `opcodes FILE...` has each
 * function as "f NAME", and its instructions as "o OFFSET OPCODE". Images of compute capabilities that are not
 * simulated at all are left out. */
#include "machine/block/block.h"
#include "machine/machine.h"

#include "cubin/cubin.h"

static void print_function(const struct function *function)
{
    char *name = x_strdup(function->text.name), **names[] = {&name};
    demangle(names, 1);
    printf("f %s\n", name);
    for (size_t k = 0; k < function->code->count; k++)
        printf("o %zu %s\n", k * INSTRUCTION_BYTES, function->code->list[k].opcode);
    free(name);
}

static int print_image(void *machine, const unsigned char *bytes, size_t size)
{
    struct problem problem;
    struct module *module = module_open(machine, bytes, size, &problem);
    if (!module && strstr(problem.text, "it is machine code for compute capability"))
        return 0;
    if (!module)
        return error("%s", problem.text);
    for (size_t i = 0; i < module->function_count; i++) {
        if (code_of(&module->functions[i], &problem) < 0)
            return error("%s: %s", module->functions[i].text.name, problem.text);
        print_function(&module->functions[i]);
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct problem problem;
    struct machine *machine = machine_open(&problem);
    if (!machine)
        die(EXIT_USAGE, "%s", problem.text);
    for (int i = 1; i < argc; i++)
        if (cubin_each_image(argv[i], print_image, machine) != 0)
            return EXIT_USAGE;
    return 0;
}
