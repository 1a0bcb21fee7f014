#include "line_support.h"
#include "test.h"

#define MOST 8

static const struct made_line none[MOST];

/* A line with its text, a line "a" of a file, a line "h" of a function, and an instruction of f without a line. */
#define L LINE
#define OF(path, line) FIELDS(.number = (line), .text = "a", .file = (path))
#define IN(name, line) FIELDS(.number = (line), .text = "h", .function = (name))
#define I(at) INSTRUCTION("f", at)

/* was: for each line, in order, the number (or offset) of the matching line in the base; 0 for none. */
static const struct {
    const char *what;
    struct made_line now[MOST], base[MOST];
    unsigned was[MOST];
} cases[] = {
    {"nothing changed", {L(1, "a"), L(2, "b")}, {L(1, "a"), L(2, "b")}, {1, 2}},
    {"lines were added above", {L(5, "new"), L(7, "a"), L(8, "b")}, {L(1, "a"), L(2, "b")}, {0, 1, 2}},
    {"a line was moved", {L(1, "b"), L(2, "a"), L(3, "c")}, {L(1, "a"), L(2, "b"), L(3, "c")}, {2, 1, 3}},
    {"a line was removed", {L(1, "a"), L(2, "c")}, {L(1, "a"), L(2, "b"), L(3, "c")}, {1, 3}},

    {"the same text twice", {L(2, "x"), L(3, "x")}, {L(1, "x"), L(2, "x")}, {1, 2}},
    {"the same text once more, before what follows it",
     {L(1, "a"), L(2, "sync"), L(3, "b"), L(4, "sync"), L(5, "c")},
     {L(1, "a"), L(2, "b"), L(3, "sync"), L(4, "c")},
     {1, 0, 2, 3, 4}},

    {"a text changed between two that did not",
     {L(1, "a"), L(2, "sum += 2 * x;"), L(3, "c")},
     {L(1, "a"), L(2, "other = y"), L(3, "c")},
     {1, 2, 3}},
    {"the last text changed", {L(1, "a"), L(2, "y")}, {L(1, "a"), L(2, "b")}, {1, 2}},
    {"the first text changed", {L(1, "y"), L(2, "b")}, {L(1, "a"), L(2, "b")}, {1, 2}},
    {"two texts changed",
     {L(1, "a"), L(2, "y"), L(3, "z"), L(4, "d")},
     {L(1, "a"), L(2, "b"), L(3, "c"), L(4, "d")},
     {1, 2, 3, 4}},
    {"a text changed and one is new before it",
     {L(1, "a"), L(2, "int k = 0;"), L(3, "s[2 * s * tid] += s[2 * s * tid + s];"), L(4, "d")},
     {L(1, "a"), L(2, "s[tid] += s[tid + s];"), L(3, "d")},
     {1, 0, 2, 3}},
    {"a text changed and one is new behind it",
     {L(1, "a"), L(2, "s[2 * s * tid] += s[2 * s * tid + s];"), L(3, "int k = 0;"), L(4, "d")},
     {L(1, "a"), L(2, "s[tid] += s[tid + s];"), L(3, "d")},
     {1, 2, 0, 3}},
    {"a new line is none of the base", {L(1, "a"), L(2, "new"), L(3, "b")}, {L(1, "a"), L(2, "b")}, {1, 0, 2}},
    {"nothing is the same", {L(1, "x")}, {L(1, "a")}, {0}},

    {"a base built elsewhere", {OF("kernels/k.cu", 3)}, {OF("build/base/kernels/k.cu", 2)}, {2}},
    {"the name of a file ends like that of another", {OF("kernels/k.cu", 3)}, {OF("kernels/other_k.cu", 2)}, {0}},
    {"two files of one name",
     {OF("k/one/x.cuh", 1), OF("k/two/x.cuh", 2)},
     {OF("base/k/two/x.cuh", 4), OF("base/k/one/x.cuh", 3)},
     {3, 4}},
    {"a file was moved", {OF("k/new/x.cuh", 1)}, {OF("k/old/x.cuh", 1)}, {1}},
    {"other files", {OF("k.cu", 1)}, {OF("l.cu", 1)}, {0}},

    {"a line of a helper is one in each function", {IN("f", 9), IN("g", 9)}, {IN("g", 8), IN("f", 7)}, {7, 8}},
    {"a function that is new has nothing", {IN("f", 9), IN("g", 9)}, {IN("g", 8)}, {0, 8}},
    {"a function has another name", {IN("sum<32>", 9)}, {IN("sum<256>", 8)}, {8}},

    {"no texts: by number", {L(1, NULL), L(2, NULL)}, {L(2, NULL)}, {0, 2}},
    {"a text on one side: by number", {L(1, "a"), L(2, NULL)}, {L(1, NULL), L(2, "b")}, {1, 2}},
    {"two texts: not by number", {L(1, "a")}, {L(1, "b")}, {0}},

    {"no line information", {I(16), I(32)}, {I(16), I(24), I(32)}, {16, 32}},
    {"no line information, and the code is longer", {I(16), I(48)}, {I(16), I(32)}, {0, 0}},
    {"no line information, and another function", {I(16)}, {INSTRUCTION("g", 16)}, {0}},
    {"no line information on one side", {L(1, "a")}, {INSTRUCTION("f()", 16)}, {0}},
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
