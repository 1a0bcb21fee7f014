#include "base/base.h"
#include "model/line.h"
#include "support.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

Test(line, every_counter_has_its_row)
{
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++) {
        const char *name = line_counter_name(counter), *cupti = line_counter_counter(counter);
        cr_assert(name && *name && strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name), "%d", counter);
        cr_assert(cupti && strncmp(cupti, "smsp__sass_", 11) == 0, "%s", name);
        for (enum line_counter other = 0; other < counter; other++) {
            cr_expect_str_neq(name, line_counter_name(other));
            /* CUPTI counts loads and stores together. */
            if (strcmp(cupti, line_counter_counter(other)) == 0)
                cr_expect(line_counter_kind(counter) && line_counter_kind(counter) != line_counter_kind(other), "%s",
                          name);
        }
    }
}

Test(line, a_line_is_added_once_and_in_its_place)
{
    static const struct {
        const char *function, *file;
        unsigned number, offset;
    } added[] = {
        {"g", "b.cu", 2, 64}, {"g", "a.cu", 9, 0}, {"f", NULL, 7, 32},    {"g", "b.cu", 2, 16},
        {"f", NULL, 0, 16},   {"f", "z.cu", 1, 0}, {"g", "b.cu", 10, 80}, {"f", NULL, 0, 32},
    };
    static const char *const order[] = {"f z.cu:1 +0", "f -:0 +16",    "f -:0 +32",
                                        "g a.cu:9 +0", "g b.cu:2 +16", "g b.cu:10 +80"};
    struct lines lines = {0};
    for (size_t i = 0; i < ARRAY_SIZE(added); i++)
        lines_add(&lines, added[i].function, added[i].file, added[i].number, added[i].offset)->counts[0]++;
    cr_assert_eq(lines.count, ARRAY_SIZE(order));
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        const struct line *line = &lines.list[i];
        char text[64];
        snprintf(text, sizeof text, "%s %s:%u +%u", line->function, line->file ? line->file : "-", line->number,
                 line->offset);
        cr_expect_str_eq(text, order[i]);
        cr_expect_eq(lines_place(&lines, line->function, line->file, line->number, line->offset), i);
    }
    cr_expect_eq(lines_total(&lines, 0), ARRAY_SIZE(added));
    lines_release(&lines);
    cr_expect(!lines.list && lines.count == 0);
}

Test(line, stalls_are_sorted_and_add_up)
{
    struct lines lines = {0};
    struct line *line = lines_add(&lines, "f", NULL, 0, 0);
    cr_expect_eq(line_samples(line), 0);
    line_add_stall(line, "wait", 3);
    line_add_stall(line, "barrier", 1);
    line_add_stall(line, "membar", 2);
    line_add_stall(line, "wait", 4);
    cr_assert_eq(line->stall_count, 3);
    cr_expect_str_eq(line->stalls[0].reason, "barrier");
    cr_expect_str_eq(line->stalls[1].reason, "membar");
    cr_expect_str_eq(line->stalls[2].reason, "wait");
    cr_expect_eq(line->stalls[2].samples, 7);
    cr_expect_eq(line_samples(line), 10);
    lines_release(&lines);
}

/* Counts of one process, samples of another. */
static void make_two_kinds(struct lines *counts, struct lines *samples)
{
    *counts = (struct lines){.counted = 1u << LINE_SHARED};
    *samples = (struct lines){.period = 1024, .launches = 3};
    lines_add(counts, "f", "a.cu", 2, 64)->counts[LINE_SHARED] = 5;
    lines_add(counts, "f", "a.cu", 4, 96)->counts[LINE_SHARED] = 6;
    line_add_stall(lines_add(samples, "f", "a.cu", 1, 0), "wait", 8);
    struct line *line = lines_add(samples, "f", "a.cu", 2, 32);
    line_add_stall(line, "wait", 9);
    line->text = x_strdup("x += y;");
}

Test(line, merging_adds_what_both_have)
{
    struct lines counts, samples;
    make_two_kinds(&counts, &samples);
    lines_merge(&counts, &samples);
    cr_assert_eq(counts.count, 3);
    const struct line *line = &counts.list[1];
    cr_expect_eq(line->number, 2);
    cr_expect_eq(line->offset, 32); /* of the first instruction */
    cr_expect_eq(line->counts[LINE_SHARED], 5);
    cr_expect_eq(line_samples(line), 9);
    cr_expect_str_eq(line->text, "x += y;");
    cr_expect_eq(counts.counted, 1u << LINE_SHARED);
    cr_expect_eq(counts.period, 1024);
    cr_expect_eq(counts.launches, 3);
    lines_merge(&counts, &samples);
    cr_expect_eq(counts.count, 3);
    cr_expect_eq(line_samples(&counts.list[1]), 18);
    lines_release(&samples);
    lines_release(&counts);
}

Test(line, a_copy_owns_its_own)
{
    struct lines counts, samples, copy;
    make_two_kinds(&counts, &samples);
    lines_copy(&copy, &samples);
    lines_release(&samples);
    lines_release(&counts);
    cr_assert_eq(copy.count, 2);
    cr_expect_str_eq(copy.list[1].text, "x += y;");
    cr_expect_str_eq(copy.list[1].stalls[0].reason, "wait");
    cr_expect_eq(copy.period, 1024);
    cr_expect_eq(copy.counted, 0);
    lines_release(&copy);
}

Test(line, only_what_has_a_file_is_kept)
{
    struct lines lines = {.counted = 1, .launches = 2};
    lines_add(&lines, "f", NULL, 0, 16);
    lines_add(&lines, "f", "a.cu", 7, 32);
    lines_add(&lines, "g", NULL, 0, 16);
    lines_keep_files(&lines);
    cr_assert_eq(lines.count, 1);
    cr_expect_eq(lines.list[0].number, 7);
    cr_expect_eq(lines.counted, 1);
    lines_release(&lines);

    lines = (struct lines){.counted = 1, .period = 512};
    lines_add(&lines, "f", NULL, 0, 16);
    lines_keep_files(&lines);
    cr_expect_eq(lines.count, 0);
    cr_expect_eq(lines.counted, 0, "nothing is left that was counted");
    cr_expect_eq(lines.period, 0);
}

/* However it was ordered before. */
Test(line, sorting_makes_one_line_of_one_place)
{
    for (int turned = 0; turned < 2; turned++) {
        struct lines lines = {0};
        for (int i = 0; i < 3; i++) {
            const int step = turned ? 2 - i : i;
            struct line *line = ARRAY_GROW(lines.list, lines.count);
            *line = (struct line){.function = x_strdup("f"),
                                  .file = x_strdup("a.cu"),
                                  .number = step == 1 ? 1 : 7,
                                  .offset = 16u * (unsigned)(3 - step),
                                  .text = x_strdup(step == 0   ? "b"
                                                   : step == 2 ? "a"
                                                               : NULL)};
            line->counts[LINE_UNIFORM] = step + 1;
            line_add_stall(line, "wait", 1);
        }
        lines_sort(&lines);
        cr_assert_eq(lines.count, 2);
        cr_expect_eq(lines.list[0].number, 1);
        cr_expect_eq(lines.list[1].offset, 16);
        cr_expect_eq(lines.list[1].counts[LINE_UNIFORM], 4);
        cr_expect_eq(line_samples(&lines.list[1]), 2);
        cr_expect_str_eq(lines.list[1].text, "a");
        lines_add(&lines, "f", "a.cu", 3, 0); /* the list can still grow */
        cr_expect_eq(lines.count, 3);
        lines_release(&lines);
    }
}

/* A file may hold any number, and two lines of one place. */
Test(line, sums_stay_numbers)
{
    struct lines lines = {0}, more = {0};
    lines_add(&lines, "f", "a.cu", 1, 0)->counts[LINE_SHARED] = DBL_MAX;
    line_add_stall(&lines.list[0], "wait", DBL_MAX);
    line_add_stall(&lines.list[0], "barrier", DBL_MAX);
    lines_copy(&more, &lines);
    lines_merge(&lines, &more);
    lines_add(&lines, "f", "a.cu", 2, 0)->counts[LINE_SHARED] = DBL_MAX;
    cr_expect(isfinite(lines.list[0].counts[LINE_SHARED]));
    cr_expect(isfinite(lines.list[0].stalls[0].samples));
    cr_expect(isfinite(line_samples(&lines.list[0])));
    cr_expect(isfinite(lines_total(&lines, LINE_SHARED)));
    lines_release(&more);
    lines_release(&lines);
}

Test(line, merging_many_takes_no_hours)
{
    limit_processor(20);
    enum { LINES = 50000 };
    struct lines lines = {0}, more = {0};
    for (unsigned i = 0; i < LINES; i++) {
        lines_add(&lines, "z", "a.cu", i + 1, 0)->counts[0] = 1;
        lines_add(&more, "a", "a.cu", i + 1, 0)->counts[0] = 1;
    }
    lines_merge(&lines, &more);
    cr_expect_eq(lines.count, 2 * LINES);
    cr_expect_str_eq(lines.list[0].function, "a");
    cr_expect_eq(lines_total(&lines, 0), 2 * LINES);
    lines_release(&more);
    lines_release(&lines);
}
