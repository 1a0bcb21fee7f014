/* What is told of a program that runs on a simulated GPU: what its launches count, and nothing that takes a GPU. */
#include "measure/program.h"
#include "test.h"

Test(program_backend, a_simulated_program_has_counts_and_no_times)
{
    static const struct {
        const char *counter;
        bool has;
    } cases[] = {
        {"smsp__inst_executed.sum", true}, {"cugate.launches", true},       {"cugate.copies", true},
        {"cugate.memset_bytes", true},     {"cugate.registers", true},      {"cugate.excess_wavefronts", true},
        {"gpu__time_duration.sum", false}, {"cugate.gpu_time", false},      {"cugate.copy_time", false},
        {"cugate.gpu_busy", false},        {"dram__bytes_read.sum", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct metric metric = {.name = (char *)"x", .counter = (char *)cases[i].counter};
        cr_expect_eq(backend_provides(&simulated_program_backend, &metric), cases[i].has, "%s", cases[i].counter);
        cr_expect(backend_provides(&program_backend, &metric), "%s", cases[i].counter);
    }
}
