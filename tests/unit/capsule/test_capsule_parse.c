#include "capsule/capsule_text.h"
#include "test.h"

/* The members of a capsule, of which a case replaces one. */
static const char *const members[][2] = {
    {"arguments", "[[0, 8]]"},
    {"block", "[1, 1, 1]"},
    {"bytes", "\"000102030405060f\""},
    {"code", "{\"pages\": [0], \"size\": 300}"},
    {"cooperative", "false"},
    {"function", "\"f\""},
    {"grid", "[1, 1, 1]"},
    {"id", "\"a/f@1\""},
    {"large_cluster", "false"},
    {"launch", "1"},
    {"launches", "1"},
    {"overlaps", "false"},
    {"proof", "\"none\""},
    {"ranges", "[]"},
    {"shared", "0"},
    {"shared_limit", "0"},
};

/* Returns the text with that value of a key; NULL: without the key. Caller frees. */
static char *text_with(const char *key, const char *value)
{
    OWNED_TEXT text = x_strdup("{");
    bool known = false;
    for (size_t i = 0; i <= ARRAY_SIZE(members); i++) {
        const bool last = i == ARRAY_SIZE(members), same = !last && strcmp(members[i][0], key) == 0;
        const char *this = last && known ? NULL : last || same ? value : members[i][1];
        known |= same;
        if (!this)
            continue;
        x_append(&text, text[1] ? ", " : "", "\"%s\": %s", last ? key : members[i][0], this);
    }
    char *whole = x_sprintf("%s}", text);
    return whole;
}

/* Reads a capsule of which only one member is such. */
static int parse_with(struct capsule *capsule, const char *key, const char *value)
{
    OWNED_TEXT text = text_with(key, value);
    return capsule_parse(capsule, "x", text, strlen(text), 3);
}

static int read_member(const char *text)
{
    OWNED(capsule) capsule;
    const char *const key = cut_at(&text, ": ");
    return parse_with(&capsule, key, strcmp(text, "none") == 0 ? NULL : text);
}

REFUSED_TEXTS(capsule_parse, errors_say_where_and_what, "tests/unit/capsule/capsule_parse.txt", read_member)

#define RANGE "[{\"address\": 4096, \"kind\": \"device\", \"size\": 5, \"after\": [-2], \"before\": [-1]"

Test(capsule_parse, what_is_identical_has_no_bits_that_vary)
{
    OWNED(capsule) capsule;
    struct problem problem;
    OWNED_TEXT text = text_with("ranges", RANGE ", \"varies\": [2]}]");
    char *proof = strstr(text, "\"proof\": \"none\"");
    OWNED_TEXT whole =
        x_sprintf("%.*s\"proof\": \"identical\"%s", (int)(proof - text), text, proof + strlen("\"proof\": \"none\""));
    struct problem *before = error_into(&problem);
    cr_expect_eq(capsule_parse(&capsule, "x", whole, strlen(whole), 3), -1);
    error_into(before);
    expect_word(problem.text, "has varying bits");
}

Test(capsule_parse, what_is_no_object_is_refused)
{
    static const char *const texts[] = {"", "[]", "nonsense", "{}", "{\"id\": \"a/b\", \"id\": \"a/b\"}"};
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        OWNED(capsule) capsule;
        struct problem problem = {0};
        struct problem *before = error_into(&problem);
        cr_expect_eq(capsule_parse(&capsule, "x", texts[i], strlen(texts[i]), 0), -1, "%s", texts[i]);
        error_into(before);
        cr_expect_neq(problem.text[0], '\0');
    }
}

Test(capsule_parse, what_is_absent_is_not_known)
{
    OWNED(capsule) capsule;
    cr_assert_eq(parse_with(&capsule, "ranges", RANGE "}]"), 0);
    cr_expect(isnan(capsule.time_ns));
    cr_expect_eq(capsule.carve_out, 0);
    cr_expect(capsule.cluster[0] == 0 && !capsule.swapped && !capsule.launched_by);
    EXPECT_ALL(capsule.ranges[0].before[0] == PAGE_ZERO, capsule.ranges[0].after[0] == PAGE_SAME);
    cr_expect_null(capsule.ranges[0].varies);
}
