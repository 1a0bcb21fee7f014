#include "cubin/cubin.h"
#include "test.h"

static struct triton_launch launch;

Test(triton, a_description_beside_the_code)
{
    cr_assert_eq(triton_read(&launch, "tests/capsule/triton/softmax.cubin"), 0);
    cr_expect(launch.found);
    EXPECT_ALL(launch.threads == 256, launch.shared == 32, launch.ctas == 1);
    cr_assert_eq(triton_read(&launch, "tests/fuzz/corpus/cubin/cuda12.cubin"), 0);
    cr_expect_not(launch.found);
    cr_assert_eq(triton_read(&launch, "tests/capsule/triton/softmax.json"), 0);
    cr_expect_not(launch.found, "only beside a cubin");
}

/* Reads what stands beside a cubin. */
static int read_text(const char *text)
{
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT cubin = x_sprintf("%s/a.cubin", folder);
    free(scratch_file(folder, "a.json", text));
    const int result = triton_read(&launch, cubin);
    return result;
}

static void expect_description(const char *where, const char *text, const char *words)
{
    const int result = read_text(text);
    OWNED_TEXT found = result < 0 ? x_strdup("refused")
                       : !launch.found
                           ? x_strdup("nothing")
                           : x_sprintf("%d %d %d '%s'", launch.threads, launch.shared, launch.ctas, launch.version);
    cr_expect_str_eq(found, words, "%s: %s", where, found);
}

TEXTS(triton, other_descriptions, "tests/unit/cubin/triton.txt#descriptions", expect_description)

static void expect_launch(const char *where, const char *text, const char *words)
{
    const int result = read_text(text);
    const unsigned *grid = launch.grid, *block = launch.block;
    OWNED_TEXT found = result < 0
                           ? x_strdup("refused")
                           : x_sprintf("'%s' %ux%ux%u %ux%ux%u %d %zu", launch.function, grid[0], grid[1], grid[2],
                                       block[0], block[1], block[2], (int)launch.bytes, launch.launch_count);
    cr_expect_str_eq(found, words, "%s: %s", where, found);
    triton_release(&launch);
}

TEXTS(triton, a_launch_that_is_written_by_hand, "tests/unit/cubin/triton.txt#launches", expect_launch)
