#include "test.h"
#include "model/model.h"

#include <unistd.h>

void expect_word(const char *text, const char *word)
{
    cr_expect_not_null(strstr(text, word), "expected \"%s\" in:\n%.9999s", word, text);
}

void expect_no_word(const char *text, const char *word)
{
    cr_expect_null(strstr(text, word), "did not expect \"%s\" in:\n%.9999s", word, text);
}

void expect_each(const char *text, void (*expect)(const char *, const char *), const char *const *words)
{
    for (; *words; words++)
        expect(text, *words);
}

void set_text(char **text, const char *to)
{
    char *const before = *text;
    *text = x_strdup(to);
    free(before);
}

char *scratch;

void scratch_begin(void)
{
    scratch = scratch_make();
}

void scratch_enter(void)
{
    scratch_begin();
    cr_assert_eq(chdir(scratch), 0);
}

void scratch_leave(void)
{
    scratch_remove(scratch);
}

struct row *made_row(const struct run *run, const char *kernel, const char *metric)
{
    const struct result *result = run_find(run, kernel);
    cr_assert_not_null(result, "%s", kernel);
    struct row *row = result_find(result, metric);
    cr_assert_not_null(row, "%s of %s", metric, kernel);
    return row;
}

void set_value(struct result *result, const char *metric, double value)
{
    struct row *row = result_add(result, metric);
    row_clear(row);
    row_add_session(row, &value, 1);
}

void put_fact(struct run *run, enum session_fact fact, const char *text)
{
    ARRAY_GROW(run->sessions, run->session_count)->facts[fact] = x_strdup(text);
}

struct value measured(double number)
{
    return (struct value){VALUE_MEASURED, number};
}

void expect_value(const struct result *result, const char *metric, struct value expected)
{
    const struct row *row = result_find(result, metric);
    cr_assert_not_null(row, "%s", metric);
    cr_expect_eq(row->state, expected.state, "%s: %s", metric, value_state_name(row->state));
    cr_expect_eq(row->session_count, expected.state == VALUE_MEASURED ? 1 : 0, "%s", metric);
    if (row->session_count == 1)
        cr_expect_eq(row_value(row), expected.number, "%s: %.17g", metric, row_value(row));
}
