/* coverage.c - which instructions machine code has, and which of them the simulator does not know, without executing
 * anything.
 *
 *   coverage [--forms] FILE...
 *
 * --forms: prints each function as "f NAME", and its instructions as "o OFFSET OPCODE". Otherwise, for each opcode that
 * the simulator does not know, in any function of a library, program or cubin: how often it stands there, and where
 * first. Images of compute capabilities that are not simulated at all are left out, and counted. Exits 0 when there is
 * none, 1 when there are some, 2 when a file could not be read. What an instruction does may still depend on timing:
 * that shows only where it is executed. */
#include "machine/block.h"

#include "base/base.h"
#include "cubin/cubin.h"
#include "names/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gap {
    const char *opcode; /* the code's, which stays */
    const char *function;
    unsigned index, count;
};

struct coverage {
    struct gap *gaps;
    size_t gap_count;
    unsigned long long instructions, functions, whole, left_out;
    struct machine *machine;
    bool forms;
};

static void note(struct coverage *coverage, const struct function *function, const struct instruction *code)
{
    for (size_t i = 0; i < coverage->gap_count; i++)
        if (strcmp(coverage->gaps[i].opcode, code->opcode) == 0) {
            coverage->gaps[i].count++;
            return;
        }
    *ARRAY_GROW(coverage->gaps, coverage->gap_count) =
        (struct gap){.opcode = code->opcode, .function = function->text.name, .index = code->index, .count = 1};
}

static void print_forms(const struct function *function)
{
    char *name = x_strdup(function->text.name), **names[] = {&name};
    demangle(names, 1);
    printf("f %s\n", name);
    for (size_t k = 0; k < function->code->count; k++)
        printf("o %zu %s\n", k * INSTRUCTION_BYTES, function->code->list[k].opcode);
    free(name);
}

static int look_at(void *data, const unsigned char *bytes, size_t size)
{
    struct coverage *coverage = data;
    struct problem problem;
    struct module *module = module_open(coverage->machine, bytes, size, &problem);
    if (!module && strstr(problem.text, "it is machine code for compute capability")) {
        coverage->left_out++;
        return 0;
    }
    if (!module) {
        error("%s", problem.text);
        return 2;
    }
    for (size_t i = 0; i < module->function_count; i++) {
        struct function *function = &module->functions[i];
        if (code_of(function, &problem) < 0) {
            error("%s: %s", function->text.name, problem.text);
            return 2;
        }
        coverage->functions++;
        if (coverage->forms)
            print_forms(function);
        bool whole = true;
        for (size_t k = 0; k < function->code->count; k++) {
            coverage->instructions++;
            if (function->code->list[k].control != CONTROL_UNKNOWN)
                continue;
            whole = false;
            note(coverage, function, &function->code->list[k]);
        }
        coverage->whole += whole;
    }
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct gap *)a)->opcode, ((const struct gap *)b)->opcode);
}

int main(int argc, char **argv)
{
    struct coverage coverage = {.forms = argc > 1 && strcmp(argv[1], "--forms") == 0};
    const int first = coverage.forms ? 2 : 1;
    if (argc <= first) {
        fprintf(stderr, "usage: coverage [--forms] FILE...\n");
        return 2;
    }
    struct problem problem;
    coverage.machine = machine_open(&problem);
    if (!coverage.machine)
        die(2, "%s", problem.text);
    for (int i = first; i < argc; i++)
        if (cubin_each_image(argv[i], look_at, &coverage) != 0)
            return 2;
    if (coverage.functions == 0) {
        error("no machine code for a GPU in %s", argc > first + 1 ? "these files" : argv[first]);
        return 2;
    }
    if (coverage.forms)
        return 0;
    if (coverage.gap_count > 0)
        qsort(coverage.gaps, coverage.gap_count, sizeof *coverage.gaps, by_name);
    for (size_t i = 0; i < coverage.gap_count; i++)
        printf("%6u %-40s %s+0x%x\n", coverage.gaps[i].count, coverage.gaps[i].opcode, coverage.gaps[i].function,
               coverage.gaps[i].index * 16);
    printf("%zu opcodes are not simulated, of %llu instructions in %llu functions", coverage.gap_count,
           coverage.instructions, coverage.functions);
    printf(", of which %llu are known whole; %llu images left out\n", coverage.whole, coverage.left_out);
    const int code = coverage.gap_count > 0 ? 1 : 0;
    free(coverage.gaps);
    return code;
}
