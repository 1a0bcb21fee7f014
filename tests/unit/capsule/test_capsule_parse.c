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
    char *text = x_strdup("{");
    bool known = false;
    for (size_t i = 0; i <= ARRAY_SIZE(members); i++) {
        const bool last = i == ARRAY_SIZE(members), same = !last && strcmp(members[i][0], key) == 0;
        const char *this = last && known ? NULL : last || same ? value : members[i][1];
        known |= same;
        if (!this)
            continue;
        char *longer = x_sprintf("%s%s\"%s\": %s", text, text[1] ? ", " : "", last ? key : members[i][0], this);
        free(text);
        text = longer;
    }
    char *whole = x_sprintf("%s}", text);
    free(text);
    return whole;
}

#define STEP(argument)                                                                                                 \
    "[{\"block\": [1, 1, 1], \"bytes\": \"0000000000000000\", \"function\": \"g\", \"grid\": [1, 1, 1], "              \
    "\"shared\": 0, \"arguments\": [{" argument "}]}]"
#define RANGE(more) "[{\"address\": 4096, \"kind\": \"device\", " more "}]"
#define PAGES "\"after\": [-2], \"before\": [-1]"

static const struct {
    const char *key, *value, *words; /* words are NULL for a valid text */
} cases[] = {
    {"id", "\"a/f@1\"", NULL},
    {"id", NULL, "x: id: is missing"},
    {"id", "\"af\"", "x: has the id \"af\", which is not a kernel's name: it must be program/function"},
    {"id", "\"../f\"", "which is not a kernel's name"},
    {"id", "\"a/<f>\"", "which is not a kernel's name"},
    {"function", NULL, "x: function: is missing"},
    {"function", "1", "x: function: must be a text"},
    {"tolerance", "1e-05, \"type\": \"f16\"", NULL},
    {"tolerance", "1e-05", "x: has \"tolerance\" without the other"},
    {"type", "\"f16\"", "x: has \"type\" without the other"},
    {"tolerance", "1, \"type\": \"f16\"", "x: has the tolerance 1, but must be between 0 and 1"},
    {"tolerance", "0, \"type\": \"f16\"", "x: has the tolerance 0,"},
    {"tolerance", "0.5, \"type\": \"i32\"", "x: type: is \"i32\", which is not a type of values"},
    {"tolerance", "-1, \"type\": \"f16\"", "x: tolerance: "},
    {"novelty", "1", "x: has an unknown key \"novelty\""},

    {"block", "[1, 1]", "x: block: has 2 numbers, not 3"},
    {"block", "[1, 1, 0]", "x: block/2: is 0, but must be between 1 and 4294967295"},
    {"grid", "[4294967296, 1, 1]", "x: grid/0: is 4294967296"},
    {"cluster", "[0, 0, 0]", "x: cluster/0: is 0"},
    {"cluster", "[1, 1, 1]", NULL},
    {"carve_out", "0", NULL},
    {"carve_out", "101", "x: carve_out: is 101, but must be between 0 and 100"},
    {"shared", "-1", "x: shared: is -1"},
    {"shared_limit", "4294967296", "x: shared_limit: is 4294967296"},
    {"cooperative", "0", "x: cooperative: must be true or false"},
    {"large_cluster", NULL, "x: large_cluster: is missing"},
    {"overlaps", "null", "x: overlaps: must be true or false"},
    {"launch", "-1", "x: launch: is -1"},
    {"launches", "1.5", "x: launches: must be a whole number"},
    {"launched_by", "1", "x: launched_by: must be a text"},
    {"swapped", "[]", "x: swapped: must be a text"},
    {"time_ns", "12.5", NULL},
    {"time_ns", "-1", "x: time_ns: is -1, but must not be negative"},
    {"time_ns", "1e999", "x:1:"},
    {"proof", "\"identical\"", NULL},
    {"proof", "\"maybe\"", "x: proof: is \"maybe\", which is not a proof"},

    {"bytes", "\"00010203040506ff\"", NULL},
    {"bytes", "\"00010203040506FF\"", "x: bytes: has a character other than 0 to 9 and a to f after 14 digits"},
    {"bytes", "\"0\"", "x: bytes: has 1 digits, not two for each"},
    {"bytes", "0", "x: bytes: must be a text of hexadecimal digits"},
    {"arguments", "[]", NULL},
    {"arguments", "[[0, 4], [4, 4], [8, 0]]", NULL},
    {"arguments", "[[0, 9]]", "x: arguments/0/1: is 9, but must be between 0 and 8"},
    {"arguments", "[[4, 5]]", "x: arguments/0/1: is 5, but must be between 0 and 4"},
    {"arguments", "[[9, 0]]", "x: arguments/0/0: is 9, but must be between 0 and 8"},
    {"arguments", "[[0, 8, 1]]", NULL},
    {"arguments", "[[0, 8, 2]]", "x: arguments/0/2: is 2, but must be between 1 and 1"},
    {"arguments", "[[0, 8, 1, 1]]", "x: arguments/0: has 4 numbers, not 2 (offset and size)"},
    {"arguments", "[[0]]", "x: arguments/0: has 1 numbers, not 2 (offset and size)"},
    {"arguments", "[0]", "x: arguments/0: must be a list of offset and size"},

    {"steps", "[]", NULL},
    {"steps", STEP("\"of\": 1, \"offset\": 0, \"size\": 8"), NULL},
    {"steps", STEP("\"of\": 0, \"offset\": 4, \"size\": 4"), NULL},
    {"steps", STEP("\"of\": 0, \"offset\": 4, \"size\": 8"),
     "x: has a step 0 whose argument 0 is not one of its own bytes"},
    {"steps", STEP("\"of\": 0, \"offset\": 9, \"size\": 0"), "x: has a step 0 whose argument 0"},
    {"steps", STEP("\"of\": 2, \"offset\": 0, \"size\": 8"), "x: has a step 0 whose argument 0"},
    {"steps", STEP("\"of\": 1, \"offset\": 0, \"size\": 4"), "x: has a step 0 whose argument 0"},
    {"steps", "[{}]", "x: steps/0/arguments: is missing"},

    {"code", "{\"pages\": [2], \"size\": 1}", NULL},
    {"code", "{\"pages\": [3], \"size\": 1}", "x: code/pages/0: is 3, but must be between -1 and 2"},
    {"code", "{\"pages\": [-2], \"size\": 1}", "x: code/pages/0: is -2, but must be between -1 and 2"},
    {"code", "{\"pages\": [], \"size\": 0}", NULL},
    {"code", "{\"pages\": [], \"size\": -1}", "x: code/size: is -1"},
    {"code", "{\"pages\": [0, 0], \"size\": 65536}", "x: code/pages: has 2 pages, but 65536 bytes take 1"},
    {"code", "{\"pages\": [0], \"size\": 65537}", "x: code/pages: has 1 pages, but 65537 bytes take 2"},
    {"code", "{\"pages\": [-1], \"size\": 1073741825}", "x: code/size: is 1073741825"},
    {"code", "{\"size\": 1}", "x: code/pages: is missing"},

    {"ranges", RANGE("\"size\": 5, " PAGES), NULL},
    {"ranges", RANGE("\"size\": 5, " PAGES ", \"varies\": [2]"), NULL},
    {"ranges", RANGE("\"size\": 0, \"after\": [], \"before\": []"), "x: ranges/0/size: is 0"},
    {"ranges", "[{\"address\": 9223372036854775803, \"kind\": \"host\", \"size\": 5, " PAGES "}]",
     "x: ranges/0/size: is 5, but must be between 1 and 4"},
    {"ranges", RANGE("\"size\": 9223372036854771711, " PAGES), "bytes take 140737488355328"},
    {"ranges", RANGE("\"size\": 5, \"after\": [-3], \"before\": [0]"), "x: ranges/0/after/0: is -3"},
    {"ranges", RANGE("\"size\": 5, \"after\": [0], \"before\": [-2]"), "x: ranges/0/before/0: is -2"},
    {"ranges", RANGE("\"size\": 5, \"after\": [0], \"before\": [3]"), "x: ranges/0/before/0: is 3"},
    {"ranges", RANGE("\"size\": 5, \"after\": [0], \"before\": [0, 0]"), "x: ranges/0/before: has 2 pages"},
    {"ranges", RANGE("\"size\": 5, " PAGES ", \"varies\": [-2]"), "x: ranges/0/varies/0: is -2"},
    {"ranges", RANGE("\"size\": 5, " PAGES ", \"varies\": []"), "x: ranges/0/varies: has 0 pages"},
    {"ranges", RANGE("\"size\": 5, " PAGES ", \"variable\": \"v\""),
     "x: ranges/0: is not a variable, but has a variable's name"},
    {"ranges", "[{\"address\": 1, \"kind\": \"variable\", \"size\": 5, " PAGES "}]",
     "x: ranges/0/variable: is missing"},
    {"ranges", "[{\"address\": 1, \"kind\": \"tape\", \"size\": 5, " PAGES "}]",
     "x: ranges/0/kind: is \"tape\", which is not a kind of memory"},
    {"ranges", "[{\"address\": -1}]", "x: ranges/0/address: is -1"},
    {"ranges", "[{\"adress\": 1}]", "x: ranges/0: has an unknown key \"adress\"; did you mean \"address\"?"},
    {"ranges", "[1]", "x: ranges/0: must be an object"},
    {"ranges", "{}", "x: ranges: must be a list"},
};

Test(capsule_parse, errors_say_where_and_what)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(capsule) capsule;
        struct problem problem = {0};
        OWNED_TEXT text = text_with(cases[i].key, cases[i].value);
        struct problem *before = error_into(&problem);
        const int result = capsule_parse(&capsule, "x", text, strlen(text), 3);
        error_into(before);
        cr_expect_eq(result, cases[i].words ? -1 : 0, "%s: %s: %s", cases[i].key, cases[i].value, problem.text);
        if (cases[i].words)
            cr_expect(strstr(problem.text, cases[i].words), "\"%s\" lacks \"%s\"", problem.text, cases[i].words);
    }
}

Test(capsule_parse, what_is_identical_has_no_bits_that_vary)
{
    OWNED(capsule) capsule;
    struct problem problem;
    OWNED_TEXT text = text_with("ranges", RANGE("\"size\": 5, " PAGES ", \"varies\": [2]"));
    char *proof = strstr(text, "\"proof\": \"none\"");
    OWNED_TEXT whole =
        x_sprintf("%.*s\"proof\": \"identical\"%s", (int)(proof - text), text, proof + strlen("\"proof\": \"none\""));
    struct problem *before = error_into(&problem);
    cr_expect_eq(capsule_parse(&capsule, "x", whole, strlen(whole), 3), -1);
    error_into(before);
    expect_word(problem.text, "has bits that vary");
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
    OWNED_TEXT text = text_with("ranges", RANGE("\"size\": 5, " PAGES));
    cr_assert_eq(capsule_parse(&capsule, "x", text, strlen(text), 3), 0);
    cr_expect(isnan(capsule.time_ns));
    cr_expect_eq(capsule.carve_out, 0);
    cr_expect(capsule.cluster[0] == 0 && !capsule.swapped && !capsule.launched_by);
    cr_expect(capsule.ranges[0].before[0] == PAGE_ZERO && capsule.ranges[0].after[0] == PAGE_SAME);
    cr_expect_null(capsule.ranges[0].varies);
}
