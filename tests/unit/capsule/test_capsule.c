#include "capsule/capsule.h"
#include "test.h"

Test(capsule, pages_of_any_size)
{
    cr_expect_eq(pages_of(0), 0);
    cr_expect_eq(pages_of(1), 1);
    cr_expect_eq(pages_of(CAPSULE_PAGE), 1);
    cr_expect_eq(pages_of(CAPSULE_PAGE + 1), 2);
    cr_expect_eq(pages_of(UINT64_MAX), (uint64_t)1 << 48, "no sum overflows");
}

Test(capsule, every_kind_and_proof_has_a_name_of_its_own)
{
    cr_expect_str_eq(memory_kind_name(MEMORY_DEVICE), "device");
    cr_expect_str_eq(memory_kind_name(MEMORY_HOST), "host");
    cr_expect_str_eq(memory_kind_name(MEMORY_VARIABLE), "variable");
    cr_expect_str_eq(memory_kind_name(MEMORY_SCRATCH), "scratch");
    cr_expect_str_eq(proof_name(PROOF_NONE), "none");
    cr_expect_str_eq(proof_name(PROOF_IDENTICAL), "identical");
    cr_expect_str_eq(proof_name(PROOF_VARIES), "varies");
}

Test(capsule, each_of_its_launches_is_like_one)
{
    struct argument argument = {.offset = 8, .size = 4, .of = 1};
    struct capsule_step step = {.function = (char[]){"g"},
                                .grid = {2, 1, 1},
                                .block = {3, 1, 1},
                                .shared = 4,
                                .byte_count = 12,
                                .arguments = &argument,
                                .argument_count = 1};
    struct capsule capsule = {.function = (char[]){"f"}, .grid = {9, 1, 1}, .swapped = (char[]){"a.cubin"}};
    const struct capsule alone = capsule_launch(&capsule, 0);
    cr_expect(capsule_launches(&capsule) == 1 && strcmp(alone.function, "f") == 0 && alone.grid[0] == 9);
    capsule.steps = &step;
    capsule.step_count = 1;
    const struct capsule one = capsule_launch(&capsule, 0);
    cr_expect(capsule_launches(&capsule) == 1 && strcmp(one.function, "g") == 0 && one.grid[0] == 2);
    cr_expect(one.block[0] == 3 && one.shared == 4 && one.shared_limit == 4 && one.byte_count == 12);
    cr_expect(one.arguments == &argument && one.argument_count == 1 && one.swapped == capsule.swapped);
}

Test(capsule, an_empty_one_may_be_released)
{
    struct capsule capsule = {0};
    struct blob blob = {.size = 1, .pages = x_calloc(1, sizeof *blob.pages)};
    capsule_release(&capsule);
    capsule.id = x_strdup("a/b");
    capsule_release(&capsule);
    cr_expect_null(capsule.id);
    blob_release(&blob);
    cr_expect(blob.size == 0 && !blob.pages);
}
