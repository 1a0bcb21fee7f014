/* Finds whether another toolchain made the code of a kernel. */
#include "judge_parts.h"

/* Returns the release of an item of a list, "ptxas 12.8.93, nvcc 13.0.88", where it names NVIDIA's assembler, which has
 * that of its nvcc; else NULL. */
static const char *release_of(const char *item)
{
    return strncmp(item, "ptxas ", 6) == 0 ? item + 6 : strncmp(item, "nvcc ", 5) == 0 ? item + 5 : NULL;
}

static const char *next_item(const char *item)
{
    item += strcspn(item, ",");
    return item + strspn(item, ", ");
}

static bool same_compiler(const char *a, const char *b)
{
    if (release_of(a) && release_of(b)) {
        a = release_of(a);
        b = release_of(b);
    }
    const size_t length = strcspn(a, ",");
    return length == strcspn(b, ",") && strncmp(a, b, length) == 0;
}

/* Whether all compilers of a list are in another. Where the machine code says who assembled it, that decides, and not
 * what else a library says of itself. */
static bool has_all(const char *list, const char *compilers)
{
    bool assembled = false;
    for (const char *item = compilers; *item; item = next_item(item))
        assembled |= release_of(item) != NULL;
    for (; *compilers; compilers = next_item(compilers)) {
        const char *item = list;
        while (*item && !same_compiler(item, compilers))
            item = next_item(item);
        if (!*item && (release_of(compilers) || !assembled))
            return false;
    }
    return true;
}

/* Whether some compiler took the place of another. A program that launches what a further one made has not changed its
 * compiler. */
static bool is_replaced(const char *was, const char *is)
{
    return !has_all(is, was) && !has_all(was, is);
}

/* Returns the compiler of the run if no session of the row has the same, else NULL. *was is one of theirs. */
static const char *compiler_of_others(const struct sides *sides, const struct result *base, const struct row *row,
                                      const char **was)
{
    const char *now = run_fact(sides->run, SESSION_COMPILER);
    *was = NULL;
    for (size_t i = 0; i < row->session_count && now; i++) {
        const char *compiler = fact_of(sides, base, row, i, SESSION_COMPILER);
        if (compiler && !is_replaced(compiler, now))
            return NULL;
        *was = compiler ? compiler : *was;
    }
    return *was ? now : NULL;
}

const char *other_compiler(const struct sides *sides, const struct result *base, const struct row *row,
                           const char **was)
{
    *was = NULL;
    if (row->from_base_build) /* somebody asks how the two builds differ, whatever made them */
        return NULL;
    return compiler_of_others(sides, base, row, was);
}

const char *other_toolchain(const struct comparison *comparison, const struct sides *sides, const struct result *base,
                            const struct result *now, const char **was)
{
    *was = NULL;
    if (same_code(base, now))
        return NULL;
    for (size_t i = 0; i < base->row_count; i++) {
        const char *is = compiler_of_others(sides, base, &base->rows[i], was);
        if (is)
            return is;
    }
    *was = comparison->makers_was;
    return comparison->makers_are;
}

const char *compare_other_toolchain(const struct comparison *comparison, const struct run *baseline,
                                    const struct result *base, const struct run *run, const struct result *now,
                                    const char **was)
{
    const struct sides sides = {.baseline = baseline, .run = run};
    return other_toolchain(comparison, &sides, base, now, was);
}
