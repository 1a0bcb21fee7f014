#include "model/drawn_name.h"
#include "test.h"

Test(drawn_name, says_of_which_kernel_and_inputs_it_is)
{
    static const struct {
        const char *id;
        bool is_of, has_form, has_speed;
    } rows[] = {
        {"train/saxpy@64~0", true, false, true},    {"train/saxpy@64~12", true, false, true},
        {"train/saxpy@64~2f", true, false, false},  {"train/saxpy@64~n", true, true, false},
        {"train/saxpy@64~o", true, true, false},    {"train/saxpy@64~x", true, true, false},
        {"train/saxpy@64~s", true, true, false},    {"train/saxpy@64~u", true, true, false},
        {"train/saxpy@64#2~1", false, false, true}, {"train/saxpy@64~8a~1", false, false, true},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        cr_expect_eq(drawn_name_is_of(rows[i].id, "train/saxpy@64"), rows[i].is_of, "%s", rows[i].id);
        cr_expect_eq(drawn_name_has_form(rows[i].id), rows[i].has_form, "%s", rows[i].id);
        cr_expect_eq(drawn_name_has_speed(rows[i].id), rows[i].has_speed, "%s", rows[i].id);
    }
}
