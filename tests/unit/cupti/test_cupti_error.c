#include "plugin_support.h"
#include "test.h"

Test(cupti_error, remedies_name_the_setting)
{
    static const struct {
        int code; /* a CUptiResult; CUPTI does not change these numbers */
        const char *words;
    } cases[] = {
        {14 /* NOT_COMPATIBLE */, "update the driver"},
        {26 /* HARDWARE_BUSY */, "another profiler holds the counters"},
        {26 /* HARDWARE_BUSY */, "dcgmi profile --pause"},
        {33 /* VIRTUALIZED_DEVICE_NOT_SUPPORTED */, "vGPU"},
        {35 /* INSUFFICIENT_PRIVILEGES */, "NVreg_RestrictProfilingToAdminUsers=0"},
        {35 /* INSUFFICIENT_PRIVILEGES */, "/etc/modprobe.d/"},
        {35 /* INSUFFICIENT_PRIVILEGES */, "--cap-add=SYS_ADMIN"},
        {39 /* MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */, "another profiler is attached"},
        {40 /* VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES */, "enable_profiling=1"},
        {41 /* CONFIDENTIAL_COMPUTING_NOT_SUPPORTED */, "confidential-computing"},
        {43 /* MIG_DEVICE_NOT_SUPPORTED */, "MIG disabled"},
        {46 /* INVALID_CHIP_NAME */, "list metrics help"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *remedy = plugin()->remedy(cases[i].code);
        cr_expect(remedy && strstr(remedy, cases[i].words), "%d: \"%s\" lacks \"%s\"", cases[i].code, remedy,
                  cases[i].words);
    }
    cr_expect_null(plugin()->remedy(0));
    cr_expect_null(plugin()->remedy(999));
}

/* Checks that each message is one line, and short enough for the buffers of callers. */
Test(cupti_error, remedies_are_one_line)
{
    for (int code = 0; code < 1000; code++) {
        const char *remedy = plugin()->remedy(code);
        if (remedy)
            cr_expect(strlen(remedy) < 800 && !strchr(remedy, '\n'), "%d: %s", code, remedy);
    }
}
