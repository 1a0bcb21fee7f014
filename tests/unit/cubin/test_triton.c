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
        struct triton_launch launch;
        int result;
    } rows[] = {
        {"{\"num_warps\": 8, \"shared\": 0, \"num_ctas\": 2}",
         {.found = true, .threads = 256, .shared = 0, .ctas = 2},
         0},
        {"{\"num_warps\": 1, \"shared\": 99, \"triton_version\": \"3.7.1+git1a\"}",
         {.found = true, .threads = 32, .shared = 99, .ctas = 1, .version = "3.7.1+git1a"},
         0},
        {"{\"num_warps\": 1, \"shared\": 99, \"triton_version\": \"3; torch 1\"}",
         {.found = true, .threads = 32, .shared = 99, .ctas = 1},
         0},
        {"{\"num_warps\": 1, \"shared\": 99, \"triton_version\": 3}",
         {.found = true, .threads = 32, .shared = 99, .ctas = 1},
         0},
        {"{\"num_warps\": 0, \"shared\": 99}", {.found = true}, 0},
        {"{\"num_warps\": 64, \"shared\": 99}", {.found = true}, 0},
        {"{\"num_warps\": 4, \"shared\": -1}", {.found = true}, 0},
        {"{\"num_warps\": 4, \"shared\": 0, \"num_ctas\": 99}", {.found = true}, 0},
        {"{\"num_warps\": \"4\", \"shared\": 0}", {.found = false}, 0},
        {"{\"shared\": 0}", {.found = false}, 0},
        {"[]", {.found = false}, 0},
        {"{", {.found = false}, -1},
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

Test(triton, a_launch_that_is_written_by_hand)
{
    static const struct {
        const char *text;
        struct triton_launch launch;
        int result;
    } rows[] = {
        {"{\"function\": \"f<1>\", \"grid\": [2, 3], \"block\": 64, \"shared\": 99}",
         {.function = "f<1>", .grid = {2, 3, 1}, .block = {64, 1, 1}, .bytes = 99},
         0},
        {"{\"block\": [8, 4, 2]}", {.block = {8, 4, 2}, .bytes = -1}, 0},
        {"{\"shared\": 99}", {.bytes = -1}, 0},
        {"{\"block\": 0}", {.bytes = -1}, -1},
        {"{\"grid\": []}", {.bytes = -1}, -1},
        {"{\"grid\": [1, 2, 3, 4]}", {.bytes = -1}, -1},
        {"{\"grid\": [1, \"2\"]}", {.bytes = -1}, -1},
        {"{\"function\": 7}", {.bytes = -1}, -1},
        {"{\"num_warps\": 4, \"shared\": 0, \"launches\": [\"f<<<1, 2>>>(3)\"]}", {.bytes = -1, .launch_count = 1}, 0},
        {"{\"launches\": [\"f<<<1, 2>>>(3)\", \"g<<<1, 2>>>(1, i32=4)\"]}", {.bytes = -1, .launch_count = 2}, 0},
        {"{\"launches\": [\"f(3)\"]}", {.bytes = -1}, -1},
        {"{\"launches\": []}", {.bytes = -1}, -1},
        {"{\"launches\": \"f<<<1, 2>>>(3)\"}", {.bytes = -1}, -1},
        {"{\"block\": 32, \"shared\": \"9\"}", {.bytes = -1}, -1},
    };
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT cubin = x_sprintf("%s/a.cubin", folder);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        free(scratch_file(folder, "a.json", rows[i].text));
        cr_expect_eq(triton_read(&launch, cubin), rows[i].result, "row %zu", i);
        if (rows[i].result == 0)
            cr_expect(strcmp(launch.function, rows[i].launch.function) == 0 && launch.bytes == rows[i].launch.bytes &&
                          launch.launch_count == rows[i].launch.launch_count &&
                          memcmp(launch.grid, rows[i].launch.grid, sizeof launch.grid) == 0 &&
                          memcmp(launch.block, rows[i].launch.block, sizeof launch.block) == 0,
                      "row %zu", i);
        triton_release(&launch);
    }
}
