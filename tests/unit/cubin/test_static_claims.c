#include "cubin/static_claims.h"
#include "test.h"

#define SMALL "tests/fuzz/corpus/cubin/small.fatbin"

/* The functions in the machine code SMALL. */
#define BOUNDED "(anonymous namespace)::bounded(float const*, float*)"
#define PLAIN "plain(float*)"
#define STACKED "stacked(float const*, float*, int)"

/* A baseline of kernels that launch one function each, and the facts of the library. */
struct fixture {
    struct cubin cubin;
    struct run baseline;
    struct library_facts facts;
    struct claims claims;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    cr_assert_eq(cubin_read(&fixture->cubin, SMALL), 0);
}

static void list_kernel(struct fixture *fixture, const char *id)
{
    *ARRAY_GROW(fixture->facts.kernels, fixture->facts.count) = (struct kernel_facts){.id = x_strdup(id)};
}

/* Adds a kernel to the baseline. Its code is that of the function named `code` in SMALL; NULL: of none. */
static void add_kernel(struct fixture *fixture, const char *id, const char *function, const char *code)
{
    enum cubin_status status;
    struct result *result = run_add(&fixture->baseline, id);
    const struct cubin_function *same = code ? cubin_find(&fixture->cubin, code, 90, &status) : NULL;
    *ARRAY_GROW(result->launches, result->launch_count) =
        (struct launch){.function = x_strdup(function), .code = x_strdup(same ? same->code : "0123"), .times = 1};
    list_kernel(fixture, id);
}

static void tear_down(struct fixture *fixture)
{
    claims_release(&fixture->claims);
    library_facts_release(&fixture->facts);
    run_release(&fixture->baseline);
    cubin_release(&fixture->cubin);
}

/* Returns the function that a letter of static_claims.txt stands for; NULL for a hyphen. */
static const char *function_of(const char *word)
{
    static const char *const names[] = {['P'] = PLAIN, ['B'] = BOUNDED, ['S'] = STACKED};
    return strcmp(word, "-") == 0 ? NULL : word[0] && !word[1] && word[0] != ')' ? names[(int)*word] : word;
}

static void expect_places(const char *where, const char *text, const char *words)
{
    static const char *const ids[] = {"a/one", "a/two", "b/three"};
    const char *functions[3], *codes[3] = {"-", "-", "-"}, *places[4];
    AT_END(tear_down) struct fixture fixture;
    set_up(&fixture);
    const bool has_new = strncmp(text, "new;", 4) == 0, has_codes = strstr(text, " | ");
    text += has_new ? 4 : 0;
    const char *launched = has_codes ? cut_at(&text, " | ") : text;
    if (has_codes)
        split_at(text, ";", codes, 3);
    split_at(launched, ";", functions, 3);
    split_at(words, ";", places, 4);
    for (size_t k = 0; k < ARRAY_SIZE(ids); k++)
        add_kernel(&fixture, ids[k], function_of(functions[k]), function_of(codes[k]));
    if (has_new)
        list_kernel(&fixture, "b/four");
    claims_make(&fixture.claims, &fixture.baseline, &fixture.cubin, 90, &fixture.facts);
    for (size_t k = 0; k < ARRAY_SIZE(ids); k++) {
        const struct rename *rename = claims_find(&fixture.claims, function_of(functions[k]));
        cr_expect_eq(order_of_texts(rename ? rename->is->name : NULL, function_of(places[k + 1])), 0, "%s", where);
        cr_expect(!rename || rename->sure == (strcmp(places[0], "sure") == 0), "%s", where);
    }
}

TEXTS(static_claims, what_takes_the_place_of_a_function_that_is_gone, "tests/unit/cubin/static_claims.txt",
      expect_places)

Test(static_claims, a_kernel_that_is_not_there_claims_nothing)
{
    AT_END(tear_down) struct fixture fixture;
    set_up(&fixture);
    add_kernel(&fixture, "a/one", "plain(int)", NULL);
    add_kernel(&fixture, "a/two", "void plain<2>(int)", NULL);
    free(fixture.facts.kernels[--fixture.facts.count].id);
    claims_make(&fixture.claims, &fixture.baseline, &fixture.cubin, 90, &fixture.facts);
    const struct rename *rename = claims_find(&fixture.claims, "plain(int)");
    cr_assert_not_null(rename);
    cr_expect(rename->sure);
    cr_expect_null(claims_find(&fixture.claims, "void plain<2>(int)"));
}

static void expect_new(const struct fixture *fixture, const char *words, bool said)
{
    OWNED_TEXT text = claims_new_kernel(&fixture->claims, "c/new");
    cr_expect_eq(strstr(text, words) != NULL, said, "\"%s\" and \"%s\"", text, words);
}

Test(static_claims, a_new_kernel_may_launch_what_nobody_does)
{
    struct fixture fixture;
    set_up(&fixture);
    add_kernel(&fixture, "a/one", PLAIN, PLAIN);
    add_kernel(&fixture, "a/two", "bounded_before(int)", BOUNDED);
    list_kernel(&fixture, "c/new");
    claims_make(&fixture.claims, &fixture.baseline, &fixture.cubin, 90, &fixture.facts);
    expect_new(&fixture, STACKED " uses 32 registers, 96 B of local and 0 B of static shared memory", true);
    expect_new(&fixture, PLAIN, false);
    expect_new(&fixture, BOUNDED, false);
    tear_down(&fixture);

    set_up(&fixture);
    add_kernel(&fixture, "a/one", PLAIN, PLAIN);
    add_kernel(&fixture, "a/two", BOUNDED, BOUNDED);
    add_kernel(&fixture, "a/three", STACKED, STACKED);
    claims_make(&fixture.claims, &fixture.baseline, &fixture.cubin, 90, &fixture.facts);
    expect_new(&fixture, "each function is launched by a kernel of the baseline", true);
    tear_down(&fixture);
}
