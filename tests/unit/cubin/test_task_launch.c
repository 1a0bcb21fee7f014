#include "cubin/task_launch.h"
#include "test.h"

static void expect_refused(const char *where, const char *text, const char *words)
{
    AT_END(task_launch_release) struct task_launch launch;
    HEAR(result, task_launch_parse(&launch, text));
    cr_expect(result == -1 && strstr(said, words), "%s: %d: %s", where, result, said);
}

/* Returns the elements of the only argument of a launch, which are written to `bytes`, as one text. Caller frees. */
static char *filled(const char *argument, uint64_t seed, unsigned char bytes[64])
{
    AT_END(task_launch_release) struct task_launch launch;
    OWNED_TEXT text = x_sprintf("f<<<1, 1>>>(%s)", argument);
    cr_assert_eq(task_launch_parse(&launch, text), 0, "%s", argument);
    cr_assert_leq(task_array_size(&launch.arguments[0]), 64);
    memset(bytes, 0xee, 64);
    task_fill(&launch.arguments[0], bytes, seed);
    char *hex = x_strdup("");
    for (uint64_t i = 0; i < task_array_size(&launch.arguments[0]); i++)
        x_append(&hex, "", "%02x", bytes[i]);
    return hex;
}

Test(task_launch, is_read_as_cuda_writes_it)
{
    AT_END(task_launch_release) struct task_launch launch;
    const char *text =
        " ns::scale<32, 4><<< 64x2 , 32x4x2, 1024 >>>( out:f32:16384, bf16:100:normal:0:2,i32=-5 , file:a b.bin);";
    uint64_t wide;
    int number;
    cr_assert_eq(task_launch_parse(&launch, text), 0);
    cr_expect_str_eq(launch.function, "ns::scale<32, 4>");
    EXPECT_ALL(launch.grid[0] == 64, launch.grid[1] == 2, launch.grid[2] == 1);
    EXPECT_ALL(launch.block[0] == 32, launch.block[1] == 4, launch.block[2] == 2);
    cr_expect_eq(launch.shared, 1024);
    cr_assert_eq(launch.count, 4);
    cr_expect_eq(launch.arguments[0].kind, TASK_OUTPUT);
    cr_expect_eq(task_array_size(&launch.arguments[0]), 65536);
    cr_expect_eq(task_array_size(&launch.arguments[1]), 200);
    cr_expect_eq(task_argument_size(&launch.arguments[1]), 8);
    cr_expect_eq(task_argument_size(&launch.arguments[2]), 4);
    memcpy(&number, launch.arguments[2].scalar, sizeof number);
    cr_expect_eq(number, -5);
    cr_expect_str_eq(launch.arguments[3].path, "a b.bin");
    task_launch_release(&launch);
    cr_assert_eq(task_launch_parse(&launch, "f<<<1,1>>>(u64=0xffffffffffffffff)"), 0);
    memcpy(&wide, launch.arguments[0].scalar, sizeof wide);
    cr_expect_eq(wide, UINT64_MAX);
    task_launch_release(&launch);
    cr_assert_eq(task_launch_parse(&launch, "f<<<1,1>>>( )"), 0);
    cr_expect_eq(launch.count, 0);
}

Test(task_launch, a_shape_may_be_a_part)
{
    unsigned grid[3] = {7, 7, 7}, block[3] = {8, 8, 8}, shared = 9;
    bool has_shared = false;
    char block_alone[] = ", dim3(32, 4)", bytes_alone[] = ",,16", grid_alone[] = "(2,3,4)";
    cr_expect_eq(launch_shape_read(block_alone, grid, block, &shared, &has_shared), 0);
    cr_expect(grid[0] == 7 && block[0] == 32 && block[1] == 4 && block[2] == 1 && shared == 9 && !has_shared);
    cr_expect_eq(launch_shape_read(bytes_alone, grid, block, &shared, &has_shared), 0);
    cr_expect(grid[0] == 7 && block[0] == 32 && shared == 16 && has_shared);
    cr_expect_eq(launch_shape_read(grid_alone, grid, block, &shared, &has_shared), 0);
    EXPECT_ALL(grid[0] == 2, grid[1] == 3, grid[2] == 4, block[0] == 32, shared == 16);
}

Test(task_launch, is_several)
{
    AT_END(task_launch_release) struct task_launch launch;
    cr_assert_eq(task_launch_parse(&launch, "norm(out:f32:64, f32:64, scratch:f32:2, i32=64) { sums<1><<<2, 32>>>(3, "
                                            "2); scale<<<1, 64, 16>>>(1, 3, f32=2); } ;"),
                 0);
    cr_expect_str_eq(launch.function, "norm");
    EXPECT_ALL(launch.count == 4, launch.grid[0] == 2, launch.block[0] == 32);
    cr_expect_eq(launch.arguments[2].kind, TASK_SCRATCH);
    cr_expect_eq(task_array_size(&launch.arguments[2]), 8);
    cr_expect_eq(task_argument_size(&launch.arguments[2]), 8);
    cr_assert_eq(launch.step_count, 2);
    cr_expect_str_eq(launch.steps[0].function, "sums<1>");
    EXPECT_ALL(launch.steps[0].arguments[0].kind == TASK_NUMBER, launch.steps[0].arguments[0].count == 3);
    EXPECT_ALL(launch.steps[1].shared == 16, launch.steps[1].arguments[2].kind == TASK_SCALAR);
}

TEXTS(task_launch, what_it_cannot_be_is_said, "tests/unit/cubin/task_launch.txt#refused", expect_refused)

static void expect_half(const char *where, const char *value, const char *bits)
{
    unsigned char bytes[64];
    OWNED_TEXT argument = x_sprintf("f16:1:constant:%s", value);
    OWNED_TEXT found = filled(argument, 1, bytes);
    cr_expect_str_eq(found, bits, "%s", where);
}

TEXTS(task_launch, halves_are_rounded_to_the_nearest, "tests/unit/cubin/task_launch.txt#halves", expect_half)

Test(task_launch, values_are_of_their_kind)
{
    unsigned char bytes[64];
    int numbers[16], sum = 0;
    float floats[16];
    OWNED_TEXT constant = filled("bf16:4:constant:-1.5", 1, bytes);
    OWNED_TEXT half = filled("f16:2:constant:0.5", 1, bytes);
    cr_expect_str_eq(constant, "c0bfc0bfc0bfc0bf");
    cr_expect_str_eq(half, "00380038");
    OWNED_TEXT bits = filled("i8:3:constant:-128", 1, bytes);
    OWNED_TEXT wide = filled("u64:1:constant:18446744073709549568", 1, bytes);
    cr_expect_str_eq(bits, "808080");
    cr_expect_str_eq(wide, "00f8ffffffffffff");
    OWNED_TEXT permutation = filled("i32:16:permutation", 1, bytes);
    memcpy(numbers, bytes, sizeof numbers);
    for (size_t i = 0; i < 16; i++)
        sum |= 1 << numbers[i];
    cr_expect_eq(sum, 0xffff);
    OWNED_TEXT sorted = filled("i32:16:sorted:-3:3", 1, bytes);
    memcpy(numbers, bytes, sizeof numbers);
    for (size_t i = 0; i < 16; i++)
        EXPECT_ALL(numbers[i] >= -3, numbers[i] <= 3, (i == 0 || numbers[i] >= numbers[i - 1]));
    OWNED_TEXT offsets = filled("u32:16:offsets:1000", 1, bytes);
    memcpy(numbers, bytes, sizeof numbers);
    EXPECT_ALL(numbers[0] == 0, numbers[15] == 1000, numbers[8] > 0, numbers[8] < 1000);
    OWNED_TEXT uniform = filled("f32:16", 1, bytes);
    OWNED_TEXT other = filled("f32:16", 2, bytes);
    memcpy(floats, bytes, sizeof floats);
    for (size_t i = 0; i < 16; i++)
        EXPECT_ALL(floats[i] >= -1, floats[i] < 1, (i == 0 || floats[i] != floats[0]));
    cr_expect_str_neq(uniform, other);
    OWNED_TEXT again = filled("f32:16", 1, bytes);
    cr_expect_str_eq(uniform, again);
}
