#include "test.h"

#include <sys/resource.h>

static void read_all(char **names, size_t count)
{
    char ***places = x_calloc(count, sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[i] = &names[i];
    demangle(places, count);
    free(places);
}

Test(demangle, names_are_those_of_the_source)
{
    static const struct {
        const char *symbol, *name;
    } cases[] = {
        {"_Z14copy_coalescedPKfPf", "copy_coalesced(float const*, float*)"},
        {"_ZN40_GLOBAL__N__e8851426_8_small_cu_acc5a52f7boundedEPKfPf",
         "(anonymous namespace)::bounded(float const*, float*)"},
        {"written_in_c", "written_in_c"},
        {"f", "f"}, /* a plain name stays; as a mangled type it would be float */
        {"_Zero", "_Zero"},
        {"_Z", "_Z"},
        {"", ""},
        {"_Z1gv", "g()"},
    };
    char *names[ARRAY_SIZE(cases)];
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        names[i] = x_strdup(cases[i].symbol);
    read_all(names, ARRAY_SIZE(cases));
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        cr_expect_str_eq(names[i], cases[i].name);
        free(names[i]);
    }
    demangle(NULL, 0);
}

/* Writes the mangled reference to part number i of a name. */
static const char *reference(size_t i, char text[16])
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (i == 0)
        return "S_";
    if (i <= ARRAY_SIZE(digits) - 1)
        snprintf(text, 16, "S%c_", digits[i - 1]);
    else
        snprintf(text, 16, "S%c%c_", digits[(i - 1) / 36], digits[(i - 1) % 36]);
    return text;
}

/* Returns a name whose demangled length doubles `times` times: each parameter is a function of two of the one
 * before. */
static char *doubled(size_t times)
{
    char *name = x_strdup("_Z1fPFviE"), text[16];
    for (size_t i = 0; i < times; i++) {
        const char *last = reference(2 * i + 1, text);
        char *longer = x_sprintf("%sPFv%s%sE", name, last, last);
        free(name);
        name = longer;
    }
    return name;
}

/* Returns such a name nested in a parameter pack, which is searched before anything is printed. */
static char *packed(size_t times)
{
    char *type = x_strdup("PFviE"), text[16];
    for (size_t i = 0; i < times; i++) {
        char *longer = x_sprintf("PFv%s%sE", type, reference(2 * i + 1, text));
        free(type);
        type = longer;
    }
    char *name = x_sprintf("_Z1fIiEvDp%s", type);
    free(type);
    return name;
}

/* Returns a name of conversion operators, whose types are read twice each. */
static char *converted(size_t times)
{
    char *type = x_strdup("i");
    for (size_t i = 0; i < times; i++) {
        char *longer = x_sprintf("N1AcvT_I%sEE", type);
        free(type);
        type = longer;
    }
    char *name = x_sprintf("_Z1fIiEv%s", type);
    free(type);
    return name;
}

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

Test(demangle, a_name_that_asks_for_too_much_stays)
{
    char *names[] = {doubled(4), doubled(60), x_strdup("_Z1gv"), packed(60), converted(60), x_strdup("_Z1hv")};
    char *symbols[ARRAY_SIZE(names)];
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        symbols[i] = x_strdup(names[i]);
    read_all(names, ARRAY_SIZE(names));
    cr_expect(strncmp(names[0], "f(void (*)(int), void (*)(void (*)(int), ", 41) == 0, "%s", names[0]);
    cr_expect_str_eq(names[1], symbols[1]);
    cr_expect_str_eq(names[2], "g()");
    cr_expect_str_eq(names[3], symbols[3]);
    cr_expect_str_eq(names[4], symbols[4]);
    cr_expect_str_eq(names[5], "h()");
    cr_expect_lt(processor_seconds(), 20);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        free(names[i]);
        free(symbols[i]);
    }
}

Test(demangle, a_name_that_becomes_too_long_stays)
{
    char *names[] = {doubled(14), doubled(7)}; /* demangled more than 100,000 characters, and fewer than 10,000 */
    OWNED_TEXT symbol = x_strdup(names[0]);
    read_all(names, ARRAY_SIZE(names));
    cr_expect_str_eq(names[0], symbol);
    cr_expect(strncmp(names[1], "f(void (*)(int), ", 17) == 0, "%s", names[1]);
    free(names[0]);
    free(names[1]);
}
