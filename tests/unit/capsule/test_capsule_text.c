#include "capsule/capsule_text.h"
#include "test.h"

#include "capsule_support.h"

Test(capsule_text, it_is_for_people_too)
{
    static const char *const golden[] = {"first", "second"};
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT path = made_capsules(folder, "a", NULL);
    OWNED(capsules) capsules = opened_capsules(path, false);
    cr_assert_eq(capsules.count, 2);
    for (size_t i = 0; i < capsules.count; i++) {
        size_t length;
        OWNED_TEXT text = capsule_text(&capsules.list[i], &length);
        OWNED_TEXT file = x_sprintf("tests/unit/capsule/capsule_text_%s.json", golden[i]), *expected = file_text(file);
        cr_expect_eq(length, strlen(text));
        OWNED_TEXT line = x_sprintf("%s\n", text);
        cr_expect_str_eq(line, expected);
    }
}
