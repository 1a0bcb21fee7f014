#include "import_support.h"
#include "test.h"

#define HEAD "\"ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
#define ROW(kernel, block, grid) "\"0\",\"app\",\"127.0.0.1\",\"" kernel "\",\"" block "\",\"" grid "\",\"0\",\"9.0\","
#define NONE "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
#define TIMED HEAD "\"gpu__time_duration.sum\"\n" NONE "\"us\"\n"
#define SCALE ROW("scale(float *, int)", "(256, 1, 1)", "(4096, 2, 1)")

static void begin(struct imported *imported, const char *text)
{
    import_begin(imported, "ncu", "Some GPU", text);
    cr_assert_eq(imported->result, 0, "%s", imported->said);
}

Test(import_ncu, launches_of_one_kernel_in_one_shape_are_samples)
{
    AT_END(import_end) struct imported imported;
    begin(&imported, "==PROF== Connected to process 7\nloss 0.5\n" TIMED SCALE
                     "\"12.50\"\n" ROW("scale(float *, int)", "128, 1, 1",
                                       "1,1,1") "\"1,234.5\"\n" SCALE "\"12.75\"\n\n==PROF== Disconnected\n");
    EXPECT_SAMPLES(&imported, "app/scale@4096x2,256", "time", 12500, 12750);
    EXPECT_SAMPLES(&imported, "app/scale@1,128", "time", 1234500);
    const struct result *scale = run_find(&imported.run, "app/scale@4096x2,256");
    cr_assert_eq(scale->launch_count, 1);
    cr_expect_str_eq(scale->launches[0].function, "scale(float *, int)");
    cr_expect_eq(scale->launches[0].grid[0], 4096);
    cr_expect_eq(scale->launches[0].grid[1], 2);
    cr_expect_eq(scale->launches[0].block[0], 256);
    cr_expect_eq(scale->launches[0].times, 1);
    cr_expect_null(scale->launches[0].code);
    cr_expect_str_eq(imported.run.device.compute_capability, "9.0");
    cr_expect_eq(imported.run.device.sm_count, 0);
    cr_expect_str_eq(imported.run.sessions[0].facts[SESSION_HOST], "127.0.0.1");
    cr_expect_str_eq(imported.run.sessions[0].facts[SESSION_DATE], import_date);
}

Test(import_ncu, the_gpu_is_told_by_its_attributes)
{
    AT_END(import_end) struct imported imported;
    const char *text = HEAD "\"device__attribute_display_name\",\"device__attribute_multiprocessor_count\","
                            "\"launch__shared_mem_per_block_dynamic\",\"gpu__time_duration.sum\"\n" NONE
                            "\"\",\"\",\"byte/block\",\"nsecond\"\n" SCALE "\"Other GPU\",\"132\",\"1,024\",\"7\"\n";
    import_begin(&imported, "ncu", NULL, text);
    cr_assert_eq(imported.result, 0, "%s", imported.said);
    EXPECT_SAMPLES(&imported, "app/scale@4096x2,256,1024", "time", 7);
    cr_expect_eq(imported.run.results[0].launches[0].shared, 1024);
    cr_expect_str_eq(imported.run.device.name, "Other GPU");
    cr_expect_eq(imported.run.device.sm_count, 132);
    import_expect_error("ncu", "Some GPU", text, "x is from Other GPU, but --gpu names Some GPU: remove --gpu");
}

Test(import_ncu, names_are_shortened_and_no_column_but_the_name_is_needed)
{
    AT_END(import_end) struct imported imported;
    begin(&imported,
          "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"second\"\n"
          "\"0\",\"_Z4fillPfi\",\"2\"\n\"1\",\"void at::native::copy_kernel<float>(float, \"\"x\"\")\",\"3\"\n");
    EXPECT_SAMPLES(&imported, "program/fill", "time", 2e9);
    EXPECT_SAMPLES(&imported, "program/copy_kernel<float>", "time", 3e9);
    cr_expect_eq(run_find(&imported.run, "program/fill")->launch_count, 0);
}

Test(import_ncu, texts)
{
    import_texts("tests/unit/import/ncu.txt", "ncu", "Some GPU");
}
