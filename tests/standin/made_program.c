#include "made_program.h"

static const struct program *const tables[] = {
    programs_of_launches,  programs_of_graphs,    programs_of_ends,
    programs_of_processes, programs_of_strangers, programs_of_memory,
};

static int run(const struct program *program, int argc, char **argv)
{
    struct gpu gpu;
    if (program->run)
        return program->run(argc, argv);
    if (program->end) {
        launch_first(&gpu, argc, argv, program->name);
        program->end(&gpu);
        return 0;
    }
    gpu_open(&gpu, 0);
    int code = 0;
    if (program->on_gpu) {
        code = program->on_gpu(&gpu, argc, argv);
    } else {
        const int count = program->launches(&gpu, argument(argc, argv, 0, program->count));
        printf("%s: %d launches, sum %d\n", program->name, count, gpu_sum(&gpu));
    }
    gpu_close(&gpu);
    return code;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct program *program = tables[i]; argc > 1 && program->name; program++)
            if (strcmp(program->name, argv[1]) == 0)
                return run(program, argc - 2, argv + 2);
    fprintf(stderr, "usage: %s NAME [ARGUMENT]...\n", argv[0]);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct program *program = tables[i]; program->name; program++)
            fprintf(stderr, "  %-16s %s\n", program->name, program->doc);
    return 2;
}
