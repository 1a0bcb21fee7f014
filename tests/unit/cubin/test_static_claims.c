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

Test(static_claims, what_takes_the_place_of_a_function_that_is_gone)
{
    static const struct {
        const char *functions[3], *codes[3]; /* in the baseline; codes: the functions of SMALL that they equalled */
        const char *is[3];                   /* expected replacement; NULL: none is clear */
        bool sure, new_kernel;
    } cases[] = {
        /* Equal code means the same function, whatever its name and even if there are new kernels. */
        {{"old(int)", BOUNDED, STACKED}, {PLAIN}, {PLAIN}, true, true},
        {{"a(int)", "b(int)", "c(int)"}, {STACKED, PLAIN, BOUNDED}, {STACKED, PLAIN, BOUNDED}, true, false},
        /* Another signature: certain, unless a new kernel may launch the function of that name. */
        {{"plain(float*, int)", BOUNDED, STACKED}, {NULL}, {PLAIN}, true, false},
        {{"void plain(double)", BOUNDED, STACKED}, {NULL}, {PLAIN}, true, false},
        {{"plain(void (*)(int), float)", BOUNDED, STACKED}, {NULL}, {PLAIN}, true, false},
        {{"plain(float*, int)", BOUNDED, STACKED}, {NULL}, {PLAIN}, false, true},
        {{"bounded(float*)", PLAIN, STACKED}, {NULL}, {NULL}, false, false},
        {{"(anonymous namespace)::bounded()", PLAIN, STACKED}, {NULL}, {BOUNDED}, true, false},
        /* Another template argument, or only equal parameters: never certain. */
        {{"void plain<32>(int)", BOUNDED, STACKED}, {NULL}, {PLAIN}, false, false},
        {{"void plain<(int)32, fn<2> >(int)", BOUNDED, STACKED}, {NULL}, {PLAIN}, false, false},
        {{"smooth(float*)", BOUNDED, STACKED}, {NULL}, {PLAIN}, false, false},
        {{"void smooth<2>(float*)", BOUNDED, STACKED}, {NULL}, {PLAIN}, false, false},
        /* Two candidates for one function, one that fits none, and invalid names. */
        {{"void plain<1>(int)", "void plain<2>(int)", STACKED}, {NULL}, {NULL, NULL}, false, false},
        {{"a(float*)", "b(float*)", STACKED}, {NULL}, {NULL, NULL}, false, false},
        {{"plain", BOUNDED, STACKED}, {NULL}, {PLAIN}, true, false},
        {{"smooth", BOUNDED, STACKED}, {NULL}, {NULL}, false, false},
        {{"", BOUNDED, STACKED}, {NULL}, {NULL}, false, false},
        {{")", BOUNDED, STACKED}, {NULL}, {NULL}, false, false},
        {{"x>(float*)", BOUNDED, STACKED}, {NULL}, {PLAIN}, false, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        static const char *const ids[] = {"a/one", "a/two", "b/three"};
        AT_END(tear_down) struct fixture fixture;
        set_up(&fixture);
        for (size_t k = 0; k < ARRAY_SIZE(ids); k++)
            add_kernel(&fixture, ids[k], cases[i].functions[k], cases[i].codes[k]);
        if (cases[i].new_kernel)
            list_kernel(&fixture, "b/four");
        claims_make(&fixture.claims, &fixture.baseline, &fixture.cubin, 90, &fixture.facts);
        for (size_t k = 0; k < ARRAY_SIZE(ids); k++) {
            const struct rename *rename = claims_find(&fixture.claims, cases[i].functions[k]);
            cr_expect_eq(rename != NULL, cases[i].is[k] != NULL, "case %zu, %s", i, cases[i].functions[k]);
            if (rename && cases[i].is[k]) {
                cr_expect_str_eq(rename->is->name, cases[i].is[k], "case %zu", i);
                cr_expect_eq(rename->sure, cases[i].sure, "case %zu", i);
            }
        }
    }
}

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
