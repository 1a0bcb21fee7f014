#include "line_support.h"
#include "test.h"

#define MOST 8

static const struct made_line none[MOST];

/* was: for each line, in order, the number (or offset) of the matching line in the base; 0 for none. */
static const struct {
    const char *what;
    struct made_line now[MOST], base[MOST];
    unsigned was[MOST];
} cases[] = {
    {"nothing changed", {LINE(1, "a"), LINE(2, "b")}, {LINE(1, "a"), LINE(2, "b")}, {1, 2}},
    {"lines were added above", {LINE(5, "new"), LINE(7, "a"), LINE(8, "b")}, {LINE(1, "a"), LINE(2, "b")}, {0, 1, 2}},
    {"a line was moved",
     {LINE(1, "b"), LINE(2, "a"), LINE(3, "c")},
     {LINE(1, "a"), LINE(2, "b"), LINE(3, "c")},
     {2, 1, 3}},
    {"a line was removed", {LINE(1, "a"), LINE(2, "c")}, {LINE(1, "a"), LINE(2, "b"), LINE(3, "c")}, {1, 3}},

    {"the same text twice", {LINE(2, "x"), LINE(3, "x")}, {LINE(1, "x"), LINE(2, "x")}, {1, 2}},
    {"the same text once more, before what follows it",
     {LINE(1, "a"), LINE(2, "sync"), LINE(3, "b"), LINE(4, "sync"), LINE(5, "c")},
     {LINE(1, "a"), LINE(2, "b"), LINE(3, "sync"), LINE(4, "c")},
     {1, 0, 2, 3, 4}},

    {"a text changed between two that did not",
     {LINE(1, "a"), LINE(2, "sum += 2 * x;"), LINE(3, "c")},
     {LINE(1, "a"), LINE(2, "other = y"), LINE(3, "c")},
     {1, 2, 3}},
    {"the last text changed", {LINE(1, "a"), LINE(2, "y")}, {LINE(1, "a"), LINE(2, "b")}, {1, 2}},
    {"the first text changed", {LINE(1, "y"), LINE(2, "b")}, {LINE(1, "a"), LINE(2, "b")}, {1, 2}},
    {"two texts changed",
     {LINE(1, "a"), LINE(2, "y"), LINE(3, "z"), LINE(4, "d")},
     {LINE(1, "a"), LINE(2, "b"), LINE(3, "c"), LINE(4, "d")},
     {1, 2, 3, 4}},
    {"a text changed and one is new before it",
     {LINE(1, "a"), LINE(2, "int k = 0;"), LINE(3, "s[2 * s * tid] += s[2 * s * tid + s];"), LINE(4, "d")},
     {LINE(1, "a"), LINE(2, "s[tid] += s[tid + s];"), LINE(3, "d")},
     {1, 0, 2, 3}},
    {"a text changed and one is new behind it",
     {LINE(1, "a"), LINE(2, "s[2 * s * tid] += s[2 * s * tid + s];"), LINE(3, "int k = 0;"), LINE(4, "d")},
     {LINE(1, "a"), LINE(2, "s[tid] += s[tid + s];"), LINE(3, "d")},
     {1, 2, 0, 3}},
    {"a new line is none of the base",
     {LINE(1, "a"), LINE(2, "new"), LINE(3, "b")},
     {LINE(1, "a"), LINE(2, "b")},
     {1, 0, 2}},
    {"nothing is the same", {LINE(1, "x")}, {LINE(1, "a")}, {0}},

    {"a base built elsewhere",
     {{.number = 3, .text = "a", .file = "kernels/k.cu"}},
     {{.number = 2, .text = "a", .file = "build/base/kernels/k.cu"}},
     {2}},
    {"the name of a file ends like that of another",
     {{.number = 3, .text = "a", .file = "kernels/k.cu"}},
     {{.number = 2, .text = "a", .file = "kernels/other_k.cu"}},
     {0}},
    {"two files of one name",
     {{.number = 1, .text = "a", .file = "k/one/x.cuh"}, {.number = 2, .text = "a", .file = "k/two/x.cuh"}},
     {{.number = 4, .text = "a", .file = "base/k/two/x.cuh"}, {.number = 3, .text = "a", .file = "base/k/one/x.cuh"}},
     {3, 4}},
    {"a file was moved",
     {{.number = 1, .text = "a", .file = "k/new/x.cuh"}},
     {{.number = 1, .text = "a", .file = "k/old/x.cuh"}},
     {1}},
    {"other files", {{.number = 1, .text = "a", .file = "k.cu"}}, {{.number = 1, .text = "a", .file = "l.cu"}}, {0}},

    {"a line of a helper is one in each function",
     {{.number = 9, .text = "h", .function = "f"}, {.number = 9, .text = "h", .function = "g"}},
     {{.number = 8, .text = "h", .function = "g"}, {.number = 7, .text = "h", .function = "f"}},
     {7, 8}},
    {"a function that is new has nothing",
     {{.number = 9, .text = "h", .function = "f"}, {.number = 9, .text = "h", .function = "g"}},
     {{.number = 8, .text = "h", .function = "g"}},
     {0, 8}},
    {"a function has another name",
     {{.number = 9, .text = "h", .function = "sum<32>"}},
     {{.number = 8, .text = "h", .function = "sum<256>"}},
     {8}},

    {"no texts: by number", {LINE(1, NULL), LINE(2, NULL)}, {LINE(2, NULL)}, {0, 2}},
    {"a text on one side: by number", {LINE(1, "a"), LINE(2, NULL)}, {LINE(1, NULL), LINE(2, "b")}, {1, 2}},
    {"two texts: not by number", {LINE(1, "a")}, {LINE(1, "b")}, {0}},

    {"no line information",
     {INSTRUCTION("f", 16), INSTRUCTION("f", 32)},
     {INSTRUCTION("f", 16), INSTRUCTION("f", 24), INSTRUCTION("f", 32)},
     {16, 32}},
    {"no line information, and the code is longer",
     {INSTRUCTION("f", 16), INSTRUCTION("f", 48)},
     {INSTRUCTION("f", 16), INSTRUCTION("f", 32)},
     {0, 0}},
    {"no line information, and another function", {INSTRUCTION("f", 16)}, {INSTRUCTION("g", 16)}, {0}},
    {"no line information on one side", {LINE(1, "a")}, {INSTRUCTION("f()", 16)}, {0}},
};

Test(profile_match, lines_are_known_again)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(profile) now = made_lines(0, cases[i].now), base = made_lines(0, cases[i].base);
        const struct profile_line **was = profile_match(&now, &base);
        for (size_t k = 0; k < now.count; k++) {
            const unsigned number = !was[k] ? 0 : was[k]->file ? was[k]->number : was[k]->offset;
            cr_expect_eq(number, cases[i].was[k], "%s: line %zu was %u", cases[i].what, k, number);
        }
        free(was);
    }
}

Test(profile_match, an_empty_side_has_nothing)
{
    struct profile empty = made_lines(0, none);
    OWNED(profile) one = made_lines(0, (struct made_line[]){LINE(1, "a"), {0}});
    const struct profile_line **was = profile_match(&one, &empty);
    cr_expect_null(was[0]);
    free(was);
    free(profile_match(&empty, &one));
}

static struct profile made_many(size_t count, const char *format)
{
    struct profile profile = {0};
    for (size_t i = 0; i < count; i++) {
        struct profile_line *line = ARRAY_GROW(profile.list, profile.count);
        *line = (struct profile_line){.function = x_strdup("f"), .file = x_strdup("a.cu"), .number = (unsigned)i + 1};
        line->text = x_sprintf(format, i);
    }
    return profile;
}

Test(profile_match, many_lines_take_no_hours)
{
    limit_processor(20);
    enum { LINES = 50000 };
    static const char *const formats[][2] = {
        {"line %zu", "line %zu"}, {"the same%.0zu", "the same%.0zu"}, {"now %zu", "base %zu"}};
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        OWNED(profile) now = made_many(LINES, formats[i][0]), base = made_many(LINES - 1, formats[i][1]);
        const struct profile_line **was = profile_match(&now, &base);
        size_t known = 0;
        for (size_t k = 0; k < LINES; k++)
            known += was[k] != NULL;
        cr_expect_eq(known, i < 2 ? LINES - 1 : 0, "%zu", known);
        free(was);
    }
}

/* Each line is in a file of its own, and no file matches another. */
Test(profile_match, many_files_take_no_hours)
{
    limit_processor(20);
    enum { LINES = 50000 };
    struct profile sides[2];
    for (size_t side = 0; side < 2; side++) {
        sides[side] = made_many(LINES, "a");
        for (size_t i = 0; i < LINES; i++) {
            free(sides[side].list[i].file);
            sides[side].list[i].file = x_sprintf("%zu/%zu/x.cu", side, i);
        }
        profile_sort(&sides[side]);
    }
    const struct profile_line **was = profile_match(&sides[0], &sides[1]);
    for (size_t i = 0; i < LINES; i++)
        cr_assert(was[i] && strcmp(was[i]->file + 1, sides[0].list[i].file + 1) == 0);
    free(was);
    profile_release(&sides[0]);
    profile_release(&sides[1]);
}
