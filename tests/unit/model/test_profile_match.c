#include "model/profile.h"
#include "test.h"

/* Adds the lines of a text, which it cuts into parts: profile_match.txt says how they are written. */
static void add_lines(struct profile *profile, char *text)
{
    for (char *part; (part = strsep(&text, "|"));) {
        char *const line = part + strspn(part, " "), *source = line + strcspn(line, " ");
        line[strlen(line) - (*line && line[strlen(line) - 1] == ' ')] = '\0';
        if (*line == '\0')
            continue;
        source = *source ? source + 1 : NULL;
        if (source)
            source[-1] = '\0';
        char *const plus = strchr(line, '+'), *const colon = strchr(line, ':'),
                    *at = colon ? colon + 1 : line, *const hash = strchr(at, '#');
        const char *file = hash ? at : plus ? NULL : "k/a.cu", *number = plus ? plus + 1 : hash ? hash + 1 : at;
        const unsigned value = (unsigned)strtoul(number, NULL, 10);
        if (plus)
            *plus = '\0';
        if (colon)
            *colon = '\0';
        if (hash)
            *hash = '\0';
        const char *function = (plus && plus > line) || colon ? line : "f";
        set_text(&profile_add(profile, function, file, plus ? 0 : value, plus ? value : 0)->text, source);
    }
}

static void expect_matched(const char *where, const char *text, const char *numbers)
{
    OWNED(profile) now = {0}, base = {0};
    OWNED_TEXT is = x_strdup("");
    const char *const left = cut_at(&text, "<-");
    add_lines(&now, (char *)left);
    add_lines(&base, (char *)text);
    OWNED_MEMORY const struct profile_line **was = profile_match(&now, &base);
    for (size_t k = 0; k < now.count; k++)
        x_append(&is, " ", "%u", !was[k] ? 0 : was[k]->file ? was[k]->number : was[k]->offset);
    cr_expect_str_eq(is, numbers, "%s: %s", where, is);
}

TEXTS(profile_match, lines_are_known_again, "tests/unit/model/profile_match.txt", expect_matched)

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
        OWNED_MEMORY const struct profile_line **was = profile_match(&now, &base);
        size_t known = 0;
        for (size_t k = 0; k < LINES; k++)
            known += was[k] != NULL;
        cr_expect_eq(known, i < 2 ? LINES - 1 : 0, "%zu", known);
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
    OWNED_MEMORY const struct profile_line **was = profile_match(&sides[0], &sides[1]);
    for (size_t i = 0; i < LINES; i++)
        cr_assert(was[i] && strcmp(was[i]->file + 1, sides[0].list[i].file + 1) == 0);
    profile_release(&sides[0]);
    profile_release(&sides[1]);
}
