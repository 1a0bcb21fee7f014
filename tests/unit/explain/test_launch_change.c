#include "explain/launch_change.h"
#include "test.h"

static const struct launch plain = {.grid = {64, 1, 1}, .block = {256, 1, 1}, .times = 1};

static void put_part(struct launch *launch, const char *key, const char *value)
{
    static const char *const keys[] = {"block", "shared", "carve_out", "times",   "registers",
                                       "local", "static", "bounds",    "barriers"};
    struct code_facts *machine = &launch->machine;
    unsigned *const parts[] = {&launch->block[0],      &launch->shared,       &launch->carve_out,
                               &launch->times,         &machine->registers,   &machine->local_bytes,
                               &machine->shared_bytes, &machine->max_threads, &machine->barriers};
    const size_t part = name_index(key, keys, ARRAY_SIZE(keys));
    if (strcmp(key, "grid") == 0) {
        sscanf(value, "%ux%u", &launch->grid[0], &launch->grid[1]);
        return;
    }
    cr_assert_lt(part, ARRAY_SIZE(keys), "%s", key);
    *parts[part] = (unsigned)strtoul(value, NULL, 10);
    launch->has_machine |= part >= 4;
}

/* Adds the launches of a text, which it cuts into words. Returns a number before them; 0: there is none. */
static int add_launches(struct result *result, char *text)
{
    int capability = 0;
    for (char *one; (one = strsep(&text, "+"));) {
        struct launch launch = plain;
        for (char *word; (word = strsep(&one, " "));) {
            char *value = strchr(word, '=');
            if (value)
                *value++ = '\0';
            if (strcmp(word, "none") == 0)
                return 0;
            if (value)
                put_part(&launch, word, value);
            else if (*word)
                capability = atoi(word);
        }
        *ARRAY_GROW(result->launches, result->launch_count) = launch;
    }
    return capability;
}

/* Compares two results, whose launches are freed afterwards. */
static void expect_said(const char *where, int capability, struct result *was, struct result *is, const char *words)
{
    OWNED_TEXT said = launch_change_of(capability, was, is);
    cr_expect_str_eq(said ? said : "nothing", words, "%s", where);
    free(was->launches);
    free(is->launches);
}

static void expect_change(const char *where, const char *text, const char *words)
{
    struct result was = {0}, is = {0};
    OWNED_TEXT before = x_strdup(text);
    char *now = strstr(before, " -> ");
    cr_assert(now, "%s: %s", where, text);
    *now = '\0';
    const int capability = add_launches(&was, before);
    add_launches(&is, now + strlen(" -> "));
    expect_said(where, capability, &was, &is, words);
}

TEXTS(launch_change, what_changed_is_said, "tests/unit/explain/launch_change.txt", expect_change)

Test(launch_change, many_launches_are_counted_only)
{
    struct result was = {0}, is = {0};
    for (unsigned i = 0; i < 10000; i++) {
        *ARRAY_GROW(was.launches, was.launch_count) = *ARRAY_GROW(is.launches, is.launch_count) = plain;
        is.launches[i].grid[0] = 1 + i % 2;
    }
    expect_said("many", 0, &was, &is,
                "launch 1 of 10000: grid 64x1x1 -> 1x1x1; launch 2 of 10000: grid 64x1x1 -> 2x1x1; launch 3 of 10000: "
                "grid 64x1x1 -> 1x1x1; and 9997 more launches");
}
