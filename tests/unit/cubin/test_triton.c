#include "cubin/cubin.h"
#include "test.h"

static struct triton_launch launch;

Test(triton, a_description_beside_the_code)
{
    cr_assert_eq(triton_read(&launch, "tests/capsule/triton/softmax.cubin"), 0);
    cr_expect(launch.found);
    cr_expect(launch.threads == 256 && launch.shared == 32 && launch.ctas == 1);
    cr_assert_eq(triton_read(&launch, "tests/fuzz/corpus/cubin/cuda12.cubin"), 0);
    cr_expect_not(launch.found);
    cr_assert_eq(triton_read(&launch, "tests/capsule/triton/softmax.json"), 0);
    cr_expect_not(launch.found, "only beside a cubin");
}

Test(triton, other_descriptions)
{
    static const struct {
        const char *text;
        int result;
        struct triton_launch launch;
    } rows[] = {
        {"{\"num_warps\": 8, \"shared\": 0, \"num_ctas\": 2}", 0, {true, 256, 0, 2, ""}},
        {"{\"num_warps\": 1, \"shared\": 99, \"triton_version\": \"3.7.1+git1a\"}",
         0,
         {true, 32, 99, 1, "3.7.1+git1a"}},
        {"{\"num_warps\": 1, \"shared\": 99, \"triton_version\": \"3; torch 1\"}", 0, {true, 32, 99, 1, ""}},
        {"{\"num_warps\": 1, \"shared\": 99, \"triton_version\": 3}", 0, {true, 32, 99, 1, ""}},
        {"{\"num_warps\": 0, \"shared\": 99}", 0, {true, 0, 0, 0, ""}},
        {"{\"num_warps\": 64, \"shared\": 99}", 0, {true, 0, 0, 0, ""}},
        {"{\"num_warps\": 4, \"shared\": -1}", 0, {true, 0, 0, 0, ""}},
        {"{\"num_warps\": 4, \"shared\": 0, \"num_ctas\": 99}", 0, {true, 0, 0, 0, ""}},
        {"{\"num_warps\": \"4\", \"shared\": 0}", 0, {false, 0, 0, 0, ""}},
        {"{\"shared\": 0}", 0, {false, 0, 0, 0, ""}},
        {"[]", 0, {false, 0, 0, 0, ""}},
        {"{", -1, {false, 0, 0, 0, ""}},
    };
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT cubin = x_sprintf("%s/a.cubin", folder);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        free(scratch_file(folder, "a.json", rows[i].text));
        cr_expect_eq(triton_read(&launch, cubin), rows[i].result, "row %zu", i);
        cr_expect(launch.found == rows[i].launch.found && launch.threads == rows[i].launch.threads &&
                      launch.shared == rows[i].launch.shared && launch.ctas == rows[i].launch.ctas &&
                      strcmp(launch.version, rows[i].launch.version) == 0,
                  "row %zu", i);
    }
}
