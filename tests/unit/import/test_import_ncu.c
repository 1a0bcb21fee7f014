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

static void expect_error(const char *text, const char *words)
{
    import_expect_error("ncu", "Some GPU", text, words);
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

#define LINES "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
#define LINE(id, metric, unit, value)                                                                                  \
    "\"" id "\",\"scale(float *, int)\",\"(256, 1, 1)\",\"(4096, 2, 1)\",\"" metric "\",\"" unit "\",\"" value "\"\n"

Test(import_ncu, lines_of_one_id_are_a_launch)
{
    AT_END(import_end) struct imported imported;
    begin(&imported,
          "==PROF== Connected\n" LINES LINE("0", "gpu__time_duration.sum", "us", "12.48")
              LINE("0", "sm__unknown.sum", "furlong", "1") LINE("0", "smsp__inst_executed.sum", "inst", "2,048")
                  LINE("1", "gpu__time_duration.sum", "ns", "12,512")
                      LINE("1", "smsp__inst_executed.sum", "inst", "2,049") "==PROF== Disconnected\n");
    EXPECT_SAMPLES(&imported, "program/scale@4096x2,256", "time", 12480, 12512);
    EXPECT_SAMPLES(&imported, "program/scale@4096x2,256", "instructions", 2048, 2049);
}

Test(import_ncu, the_details_page_has_names_of_its_own_and_rules)
{
    AT_END(import_end) struct imported imported;
    begin(&imported,
          "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\"\n"
          "\"0\",\"scale\",\"Duration\",\"us\",\"12.50\",\n"
          "\"0\",\"scale\",\"\",\"\",\"\",\"SOLBottleneck\",\"OPT\"\n"
          "\"0\",\"scale\",\"Executed Instructions\",\"inst\",\"2,048\",\n");
    EXPECT_SAMPLES(&imported, "program/scale", "time", 12500);
    EXPECT_SAMPLES(&imported, "program/scale", "instructions", 2048);
}

Test(import_ncu, columns_are_metrics_by_any_of_their_counters)
{
    AT_END(import_end) struct imported imported;
    begin(&imported,
          HEAD "\"dram__bytes_op_read.sum\",\"unknown__counter.sum\",\"smsp__inst_executed.sum\","
               "\"dram__bytes_read.sum\",\"unknown__counter.sum\"\n" NONE
               "\"Mbyte\",\"furlong\",\"inst\",\"Mbyte\",\"\"\n" SCALE "\"1.5\",\"text\",\"2,048\",\"1.6\",\"1\"\n");
    EXPECT_SAMPLES(&imported, "app/scale@4096x2,256", "dram_bytes_read", 1.5e6);
    EXPECT_SAMPLES(&imported, "app/scale@4096x2,256", "instructions", 2048);
    cr_expect_eq(imported.run.results[0].row_count, 2);
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
    expect_error(text, "x is of Other GPU, but --gpu says Some GPU: remove --gpu");
}

/* A ratio is not applicable if its denominator was counted and is 0; otherwise it is not counted. */
Test(import_ncu, what_has_no_number_is_told_apart)
{
    struct imported imported;
    begin(&imported,
          HEAD "\"smsp__efficiency.pct\",\"smsp__sass_branch_targets.sum\",\"gpu__time_duration.sum\"\n" NONE
               "\"%\",\"\",\"ms\"\n" ROW("a()", "1, 1, 1", "1, 1, 1") "\"n/a\",\"0\",\"n/a\"\n" ROW(
                   "b()", "1, 1, 1", "1, 1, 1") "\"n/a\",\"7\",\"1\"\n" ROW("b()", "1, 1, 1",
                                                                            "1, 1, 1") "\"50\",\"7\",\"\"\n");
    import_expect_none(&imported, "app/a@1,1", "efficiency", VALUE_NOT_APPLICABLE, NULL);
    import_expect_none(&imported, "app/a@1,1", "time", VALUE_NOT_COUNTED, "the file has \"n/a\"");
    import_expect_none(&imported, "app/b@1,1", "efficiency", VALUE_NOT_COUNTED, "the file has \"n/a\"");
    import_expect_none(&imported, "app/b@1,1", "time", VALUE_NOT_COUNTED, "the file has \"\"");
    EXPECT_SAMPLES(&imported, "app/b@1,1", "branches", 7, 7);
    import_end(&imported);
    begin(&imported, HEAD "\"smsp__efficiency.pct\"\n" NONE "\"%\"\n" SCALE "\"n/a\"\n");
    import_expect_none(&imported, "app/scale@4096x2,256", "efficiency", VALUE_NOT_COUNTED, "the file has \"n/a\"");
    import_end(&imported);
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

Test(import_ncu, other_forms_are_errors_that_say_where)
{
    expect_error("nothing\n", "x has no ncu table: it should be output of `ncu --csv`");
    expect_error("==ERROR== ERR_NVGPUCTRPERM - no permission\n",
                 "x:1: ncu failed, so its output is incomplete: ==ERROR== ERR_NVGPUCTRPERM - no permission");
    expect_error(TIMED SCALE "\"1\"\n==ERROR== The application returned an error code (9).\n", "x:4: ncu failed");
    expect_error("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n",
                 "x:1: the table has one metric per line, but lacks one of the columns \"ID\", \"Metric Unit\"");
    expect_error(LINES LINE("0", "sm__unknown.sum", "inst", "1"), "x: none of its metrics is a counter of the metric");
    expect_error(LINES LINE("0", "gpu__time_duration.sum", "furlong", "1"), "x:2: time is in \"furlong\"");
    expect_error(LINES LINE("0", "gpu__time_duration.sum", "ns", "18.980"),
                 "x:2: time is 18.980, where the point may separate thousands");
    expect_error(HEAD "\"gpu__time_duration.sum\"\n" NONE "\"ns\"\n" SCALE "\"18.980\"\n", "x:3: time is 18.980");
    expect_error("\"ID\",\"gpu__time_duration.sum\"\n", "x:1: the table has no column \"Kernel Name\"");
    expect_error(HEAD "\"gpu__time_duration.sum\",\"smsp__inst_executed.sum\",\"gpu__time_duration.sum\"\n",
                 "x:1: the table has the column \"gpu__time_duration.sum\" twice: print it again, with one ncu");
    expect_error(HEAD "\"Kernel Name\",\"gpu__time_duration.sum\"\n", "the column \"Kernel Name\" twice");
    expect_error(HEAD "\"sm__unknown.sum\"\n", "x: none of its columns is a counter of the metric files");
    expect_error(HEAD "\"gpu__time_duration.sum\"\n", "x holds no launch: ncu profiled no kernel");
    expect_error(TIMED "==PROF== Disconnected\n", "x holds no measurement");
    expect_error(HEAD "\"gpu__time_duration.sum\"\n" SCALE "\"1\"\n",
                 "x:2: the row of units after the titles is missing");
    expect_error(HEAD "\"gpu__time_duration.sum\"\n" NONE "\"furlong\"\n",
                 "x:2: time is in \"furlong\", which is not a unit of time in ns; print it with --print-units base");
    expect_error(HEAD "\"smsp__inst_executed.sum\"\n" NONE "\"Kinst\"\n", "x:2: instructions is in \"Kinst\"");
    expect_error(TIMED SCALE "\"1\",\"2\"\n", "x:3: has 10 fields, but the table has 9 columns");
    expect_error(TIMED "7\n", "x:3: is not a row of the table: \"7\"");
    expect_error(TIMED SCALE "\"1", "x:3: a quote is not closed");
    expect_error(TIMED ROW("", "1, 1, 1", "1, 1, 1") "\"1\"\n", "x:3: names no kernel");
    expect_error(TIMED ROW("a", "1, 1, 1", "0, 1, 1") "\"1\"\n", "x:3: \"0, 1, 1\" and \"1, 1, 1\" are not a grid");
    expect_error(TIMED ROW("a", "1, 1", "1, 1, 1") "\"1\"\n", "are not a grid");
    expect_error(TIMED ROW("a", "(1, 1, 1) and", "1, 1, 1") "\"1\"\n", "are not a grid");
    expect_error(TIMED ROW("a", "1, 1, 4294967296", "1, 1, 1") "\"1\"\n", "are not a grid");
    expect_error(TIMED SCALE "\"1\"\n\"1\",\"app\",\"h\",\"b\",\"1, 1, 1\",\"1, 1, 1\",\"1\",\"9.0\",\"1\"\n",
                 "x:4: is of Device 1, but rows before it are of 0: profile one GPU into a file");
    expect_error(HEAD "\"launch__shared_mem_per_block_dynamic\",\"gpu__time_duration.sum\"\n" NONE
                      "\"Kbyte/block\",\"ns\"\n" SCALE "\"1.02\",\"1\"\n",
                 "x:3: shared memory of \"1.02\" is not an exact number of bytes");
}
