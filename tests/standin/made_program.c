#include "made_program.h"

#include <stdio.h>
#include <string.h>

static const struct program *const tables[] = {
    programs_of_launches,  programs_of_graphs,    programs_of_ends,
    programs_of_processes, programs_of_strangers, programs_of_memory,
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct program *program = tables[i]; argc > 1 && program->name; program++)
            if (strcmp(program->name, argv[1]) == 0)
                return program->run(argc - 2, argv + 2);
    fprintf(stderr, "usage: %s NAME [ARGUMENT]...\n", argv[0]);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct program *program = tables[i]; program->name; program++)
            fprintf(stderr, "  %-16s %s\n", program->name, program->doc);
    return 2;
}
