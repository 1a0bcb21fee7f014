#include "model/profile.h"
#include "test.h"

#include <float.h>

Test(profile, every_counter_has_its_row)
{
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++) {
        const char *name = line_counter_name(counter), *cupti = line_counter_metric(counter);
        cr_assert(name && *name && strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name), "%d", counter);
        cr_expect_eq(cupti == NULL, counter >= LINE_GPU_COUNTERS, "%s", name);
        if (!cupti)
            continue;
        cr_assert(strncmp(cupti, "smsp__sass_", 11) == 0, "%s", name);
        for (enum line_counter other = 0; other < counter; other++) {
            cr_expect_str_neq(name, line_counter_name(other));
            /* CUPTI has one counter for loads and stores. */
            if (strcmp(cupti, line_counter_metric(other)) == 0)
                cr_expect(line_counter_kind(counter) && line_counter_kind(counter) != line_counter_kind(other), "%s",
                          name);
        }
    }
}

Test(profile, a_line_is_added_once_and_in_its_place)
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
    struct profile profile = {0};
    for (size_t i = 0; i < ARRAY_SIZE(added); i++)
        profile_add(&profile, added[i].function, added[i].file, added[i].number, added[i].offset)->counts[0]++;
    cr_assert_eq(profile.count, ARRAY_SIZE(order));
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        const struct profile_line *line = &profile.list[i];
        char text[64];
        snprintf(text, sizeof text, "%s %s:%u +%u", line->function, line->file ? line->file : "-", line->number,
                 line->offset);
        cr_expect_str_eq(text, order[i]);
        cr_expect_eq(profile_place(&profile, line->function, line->file, line->number, line->offset), i);
    }
    cr_expect_eq(profile_total(&profile, 0), ARRAY_SIZE(added));
    profile_release(&profile);
    cr_expect(!profile.list && profile.count == 0);
}

Test(profile, stalls_are_sorted_and_add_up)
{
    OWNED(profile) profile = {0};
    struct profile_line *line = profile_add(&profile, "f", NULL, 0, 0);
    cr_expect_eq(profile_line_samples(line), 0);
    profile_line_add_stall(line, "wait", 3);
    profile_line_add_stall(line, "barrier", 1);
    profile_line_add_stall(line, "membar", 2);
    profile_line_add_stall(line, "wait", 4);
    cr_assert_eq(line->stall_count, 3);
    cr_expect_str_eq(line->stalls[0].reason, "barrier");
    cr_expect_str_eq(line->stalls[1].reason, "membar");
    cr_expect_str_eq(line->stalls[2].reason, "wait");
    cr_expect_eq(line->stalls[2].samples, 7);
    cr_expect_eq(profile_line_samples(line), 10);
}

/* Makes a profile with counts, and one with samples, of two processes. */
static void make_two_kinds(struct profile *counts, struct profile *samples)
{
    *counts = (struct profile){.counted = 1u << LINE_SHARED};
    *samples = (struct profile){.period = 1024, .launches = 3};
    profile_add(counts, "f", "a.cu", 2, 64)->counts[LINE_SHARED] = 5;
    profile_add(counts, "f", "a.cu", 4, 96)->counts[LINE_SHARED] = 6;
    profile_line_add_stall(profile_add(samples, "f", "a.cu", 1, 0), "wait", 8);
    struct profile_line *line = profile_add(samples, "f", "a.cu", 2, 32);
    profile_line_add_stall(line, "wait", 9);
    line->text = x_strdup("x += y;");
}

Test(profile, merging_adds_what_both_have)
{
    OWNED(profile) counts, samples;
    make_two_kinds(&counts, &samples);
    profile_merge(&counts, &samples);
    cr_assert_eq(counts.count, 3);
    const struct profile_line *line = &counts.list[1];
    cr_expect_eq(line->number, 2);
    cr_expect_eq(line->offset, 32); /* the merged line has the smaller of the two offsets */
    cr_expect_eq(line->counts[LINE_SHARED], 5);
    cr_expect_eq(profile_line_samples(line), 9);
    cr_expect_str_eq(line->text, "x += y;");
    cr_expect_eq(counts.counted, 1u << LINE_SHARED);
    cr_expect_eq(counts.period, 1024);
    cr_expect_eq(counts.launches, 3);
    profile_merge(&counts, &samples);
    cr_expect_eq(counts.count, 3);
    cr_expect_eq(profile_line_samples(&counts.list[1]), 18);
}

Test(profile, only_what_has_a_file_is_kept)
{
    struct profile profile = {.counted = 1, .launches = 2};
    profile_add(&profile, "f", NULL, 0, 16);
    profile_add(&profile, "f", "a.cu", 7, 32);
    profile_add(&profile, "g", NULL, 0, 16);
    profile_keep_files(&profile);
    cr_assert_eq(profile.count, 1);
    cr_expect_eq(profile.list[0].number, 7);
    cr_expect_eq(profile.counted, 1);
    profile_release(&profile);

    profile = (struct profile){.counted = 1, .period = 512};
    profile_add(&profile, "f", NULL, 0, 16);
    profile_keep_files(&profile);
    cr_expect_eq(profile.count, 0);
    cr_expect_eq(profile.counted, 0, "nothing is left that was counted");
    cr_expect_eq(profile.period, 0);
}

/* The list is sorted, whatever its order was. */
Test(profile, sorting_makes_one_line_of_one_place)
{
    for (int turned = 0; turned < 2; turned++) {
        OWNED(profile) profile = {0};
        for (int i = 0; i < 3; i++) {
            const int step = turned ? 2 - i : i;
            struct profile_line *line = ARRAY_GROW(profile.list, profile.count);
            *line = (struct profile_line){.function = x_strdup("f"),
                                          .file = x_strdup("a.cu"),
                                          .number = step == 1 ? 1 : 7,
                                          .offset = 16u * (unsigned)(3 - step),
                                          .text = x_strdup(step == 0   ? "b"
                                                           : step == 2 ? "a"
                                                                       : NULL)};
            line->counts[LINE_UNIFORM] = step + 1;
            profile_line_add_stall(line, "wait", 1);
        }
        profile_sort(&profile);
        cr_assert_eq(profile.count, 2);
        cr_expect_eq(profile.list[0].number, 1);
        cr_expect_eq(profile.list[1].offset, 16);
        cr_expect_eq(profile.list[1].counts[LINE_UNIFORM], 4);
        cr_expect_eq(profile_line_samples(&profile.list[1]), 2);
        cr_expect_str_eq(profile.list[1].text, "a");
        profile_add(&profile, "f", "a.cu", 3, 0); /* the list can still grow */
        cr_expect_eq(profile.count, 3);
    }
}

/* A file may have any number, and two lines of one place. */
Test(profile, sums_stay_numbers)
{
    OWNED(profile) profile = {0}, more = {0};
    profile_add(&profile, "f", "a.cu", 1, 0)->counts[LINE_SHARED] = DBL_MAX;
    profile_line_add_stall(&profile.list[0], "wait", DBL_MAX);
    profile_line_add_stall(&profile.list[0], "barrier", DBL_MAX);
    profile_copy(&more, &profile);
    profile_merge(&profile, &more);
    profile_add(&profile, "f", "a.cu", 2, 0)->counts[LINE_SHARED] = DBL_MAX;
    cr_expect(isfinite(profile.list[0].counts[LINE_SHARED]));
    cr_expect(isfinite(profile.list[0].stalls[0].samples));
    cr_expect(isfinite(profile_line_samples(&profile.list[0])));
    cr_expect(isfinite(profile_total(&profile, LINE_SHARED)));
}

Test(profile, merging_many_takes_no_hours)
{
    limit_processor(20);
    enum { LINES = 50000 };
    OWNED(profile) profile = {0}, more = {0};
    for (unsigned i = 0; i < LINES; i++) {
        profile_add(&profile, "z", "a.cu", i + 1, 0)->counts[0] = 1;
        profile_add(&more, "a", "a.cu", i + 1, 0)->counts[0] = 1;
    }
    profile_merge(&profile, &more);
    cr_expect_eq(profile.count, 2 * LINES);
    cr_expect_str_eq(profile.list[0].function, "a");
    cr_expect_eq(profile_total(&profile, 0), 2 * LINES);
}
