#include "made_runs.h"
#include "test.h"

/* Files made from data/small.cu: library.so is for 8.0 and 9.0, cuda12.cubin for 8.0 only. */
#define CORPUS "tests/fuzz/corpus/cubin/"

Test(check_files, which_capability_is_meant)
{
    static const struct {
        bool accept; /* whether the run of the case before is accepted */
        const char *gpu, *file;
        int code;
        const char *words;
    } cases[] = {
        {false, NULL, CORPUS "library.so", EXIT_USAGE, "sm_80, sm_90: choose one with --static=sm_NN"},
        {false, "sm_", CORPUS "library.so", EXIT_USAGE, "--static=sm_ is not a compute capability"},
        {false, "sm_90x", CORPUS "library.so", EXIT_USAGE, "--static=sm_90x is not a compute capability"},
        {false, "sm_999", CORPUS "library.so", EXIT_USAGE, "--static=sm_999 is not a compute capability"},
        {false, "sm_100", CORPUS "library.so", EXIT_NOT_MEASURED, "library.so has no machine code for sm_100"},
        {false, NULL, CORPUS "cuda12.cubin", EXIT_BASELINE, "no baseline for sm_80 in "},
        {false, "sm_90", CORPUS "library.so", EXIT_BASELINE, "no baseline for sm_90 in "},
        {true, NULL, CORPUS "library.so", EXIT_SAME, "nothing is worse: 6 rows in 3 kernels"},
        {false, "sm-90", CORPUS "library.so", EXIT_SAME, "nothing is worse"},
        {false, NULL, CORPUS "cuda12.cubin", EXIT_BASELINE,
         "baselines of sm_90, but the files have machine code for sm_80"},
        {false, "sm_80", CORPUS "library.so", EXIT_BASELINE, "no baseline for sm_80 in "},
        {true, NULL, CORPUS "library.so", EXIT_USAGE, "several baselines fit the machine code: sm_80, sm_90"},
        {false, "sm_80", CORPUS "library.so", EXIT_SAME, "nothing is worse"},
    };
    char *file, *library = (char[]){"libkernels.so"}; /* the default, which must not be read */
    struct made_check check;
    made_check_begin(&check);
    check.options.kernels = check.options.found[0] = library;
    check.options.save = check.save;
    check.options.way = ORIGIN_FILES;
    check.options.arguments = &file;
    check.options.argument_count = 1;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        if (cases[i].accept)
            made_accept_file(check.baselines, "metrics", check.save);
        check.options.gpu = cases[i].gpu;
        file = (char *)cases[i].file;
        made_check_run(&check);
        OWNED_TEXT said = x_sprintf("%s%s", check.said, check.printed);
        cr_expect_eq(check.code, cases[i].code, "case %zu: %d, %s", i, check.code, said);
        expect_word(said, cases[i].words);
    }
    made_check_end(&check);
}
