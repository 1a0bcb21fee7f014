#include "compare_support.h"

#include <criterion/criterion.h>

Test(judge_libraries, each_that_differs_is_noted_first)
{
    struct fixture fixture;
    set_up(&fixture);
    put_fact(&fixture.base, SESSION_LIBRARIES,
             "libc10.so 11; libcublasLt.so.13.0.2.14 22; libnccl.so.2 33; libtorch.so 44");
    put_fact(&fixture.run, SESSION_LIBRARIES,
             "libc10.so 11; libcublasLt.so.13.1.0.3 55; libcudnn.so.9 66; libtorch.so 77");
    const struct comparison *comparison = compare(&fixture);
    cr_assert_eq(comparison->note_count, 4);
    cr_expect_str_eq(comparison->notes[0], "libcublasLt.so.13.1.0.3, in the baseline libcublasLt.so.13.0.2.14");
    cr_expect_str_eq(comparison->notes[1], "libcudnn.so.9, which the baseline does not have");
    cr_expect_str_eq(comparison->notes[2], "libtorch.so 77, in the baseline libtorch.so 44");
    cr_expect_str_eq(comparison->notes[3], "libnccl.so.2 of the baseline is not loaded");
    tear_down(&fixture);
}
