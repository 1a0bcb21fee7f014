#include "compare_support.h"
#include "test.h"

Test(judge_libraries, each_that_differs_is_noted_first)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_fact(&fixture.base, SESSION_LIBRARIES,
             "libc10.so 11; libcublasLt.so.13.0.2.14 22; libnccl.so.2 33; libtorch.so 44");
    put_fact(&fixture.run, SESSION_LIBRARIES,
             "libc10.so 11; libcublasLt.so.13.1.0.3 55; libcudnn.so.9 66; libtorch.so 77");
    const struct comparison *comparison = compare(&fixture);
    cr_assert_eq(comparison->note_count, 3);
    cr_expect_str_eq(comparison->notes[0],
                     "loaded in another version than the baseline's: libcublasLt.so.13.1.0.3 (was "
                     "libcublasLt.so.13.0.2.14), libtorch.so 77 (was 44)");
    cr_expect_str_eq(comparison->notes[1], "loaded, but not in the baseline: libcudnn.so.9");
    cr_expect_str_eq(comparison->notes[2], "not loaded, but in the baseline: libnccl.so.2");
}
