#include "report/report_text.h"
#include "test.h"

Test(report_text, a_label_as_wide_as_its_column_stands_apart)
{
    PRINT(OWNED_TEXT, text, stream, {
        text_fact(&(const struct text){.stream = stream}, "not proved", "f/c");
        text_fact(&(const struct text){.stream = stream}, "device", "d");
    });
    cr_expect_str_eq(text, "not proved f/c\ndevice    d\n");
}
