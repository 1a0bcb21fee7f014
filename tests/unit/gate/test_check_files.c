#include "command/command.h"
#include "made_runs.h"
#include "test.h"

/* Files made from data/small.cu: library.so is for 8.0 and 9.0, cuda12.cubin for 8.0 only. */
#define CORPUS "tests/fuzz/corpus/cubin/"

/* Judges one file. Returns what was printed to both streams; the caller frees it. */
static char *check(const char *folder, const char *gpu, char *file, int *code)
{
    OWNED_TEXT baselines = x_sprintf("%s/baselines", folder), *report = x_sprintf("%s/report.txt", folder);
    OWNED_TEXT save = x_sprintf("%s/run.json", folder);
    char *library = (char[]){"libkernels.so"}; /* the default, which must not be read */
    const struct options options = {
        .kernels = library,
        .found = {library},
        .metrics = "metrics",
        .baselines = baselines,
        .collector = "cupti",
        .timeout = 60,
        .output = report,
        .save = save,
        .format = "text",
        .way = ORIGIN_FILES,
        .gpu = gpu,
        .arguments = &file,
        .argument_count = 1,
    };
    remove(report);
    capture_begin();
    *code = command_check.run(&options);
    OWNED_TEXT said = capture_end(), *printed = file_text(report);
    return x_sprintf("%s%s", said, printed);
}

/* Makes the last run a baseline. */
static void accept(const char *folder)
{
    OWNED_TEXT baselines = x_sprintf("%s/baselines", folder), *run = x_sprintf("%s/run.json", folder);
    made_accept_file(baselines, "metrics", run);
}

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
    OWNED_FOLDER folder = scratch_make();
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int code;
        if (cases[i].accept)
            accept(folder);
        OWNED_TEXT said = check(folder, cases[i].gpu, (char *)cases[i].file, &code);
        cr_expect_eq(code, cases[i].code, "case %zu: %d, %s", i, code, said);
        cr_expect(strstr(said, cases[i].words), "case %zu: %s", i, said);
    }
}
