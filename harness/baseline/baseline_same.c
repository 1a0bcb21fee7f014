/* Sessions that are accepted together must be of the same work, kernel by kernel. Else the difference between two
 * builds becomes the spread of one baseline, behind which a slow build is green. */

#include "baseline_files.h"

/* Whether two commands differ in more than the folders of files that they name. */
static bool is_other_command(const char *a, const char *b)
{
    while (*a && *b) {
        const size_t size[2] = {strcspn(a, " "), strcspn(b, " ")};
        OWNED_TEXT one = x_sprintf("/%.*s", (int)size[0], a), *two = x_sprintf("/%.*s", (int)size[1], b);
        if (strcmp(strrchr(one, '/'), strrchr(two, '/')) != 0)
            return true;
        a += size[0] + (a[size[0]] == ' ');
        b += size[1] + (b[size[1]] == ' ');
    }
    return *a || *b;
}

/* Whether the one has kernels of that program, and the other none of these. */
static bool is_other_program(const struct run *a, const struct run *b, const char *id)
{
    bool any = false;
    for (size_t i = 0; i < a->result_count; i++) {
        const char *kernel = a->results[i].id;
        if (!is_kernel_of(kernel, id))
            continue;
        any = true;
        if (run_find(b, kernel))
            return false;
    }
    return any;
}

/* Says in what two sessions differ that both have the kernel; NULL: in nothing that is known of both. */
static const char *difference(const struct run *a, const struct run *b, const char *id)
{
    const struct result *one = run_find(a, id), *two = run_find(b, id);
    const char *programs[] = {run_fact(a, SESSION_PROGRAM), run_fact(b, SESSION_PROGRAM)};
    if (!one || !two)
        return NULL;
    if (result_has_code(one) && result_has_code(two) && !same_code(one, two)) {
        for (size_t i = 0; i < one->launch_count && one->launch_count == two->launch_count; i++)
            if (strcmp(one->launches[i].code, two->launches[i].code) != 0)
                return "different machine code";
        return one->launch_count == two->launch_count ? "a different launch configuration"
                                                      : "a different number of launches";
    }
    if (one->inputs && two->inputs && strcmp(one->inputs, two->inputs) != 0)
        return "different inputs";
    if (programs[0] && programs[1] && is_other_command(programs[0], programs[1]))
        return "a different command";
    return row_kind(id) != ROW_KERNEL && is_other_program(a, b, id) ? "entirely different kernels" : NULL;
}

/* Returns the candidate that differs from most others in that kernel, and sets one that it differs from. NULL: none. */
static const struct candidate *odd_one(const struct candidate *candidates, size_t count, const char *id,
                                       const struct candidate **usual)
{
    const struct candidate *odd = NULL;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const struct candidate *other = NULL;
        size_t differ = 0;
        for (size_t j = 0; j < count; j++)
            if (difference(candidates[i].run, candidates[j].run, id)) {
                other = other ? other : &candidates[j];
                differ++;
            }
        if (differ >= most && differ > 0) { /* of two, the later one */
            most = differ;
            odd = &candidates[i];
            *usual = other;
        }
    }
    return odd;
}

int baseline_refuse_odd(const struct acceptance *acceptance, const struct candidate *candidates, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < candidates[i].run->result_count; k++) {
            const char *id = candidates[i].run->results[k].id;
            const struct candidate *usual, *odd;
            size_t first = 0;
            while (!run_find(candidates[first].run, id))
                first++;
            if (!glob_any(acceptance->globs, acceptance->glob_count, id) ||
                !difference(candidates[first].run, candidates[i].run, id) ||
                !(odd = odd_one(candidates, count, id, &usual)))
                continue;
            const char *date = run_fact(odd->run, SESSION_DATE);
            return FAIL(EXIT_USAGE,
                        "%s (session of %s) has %s for %s than %s does. All sessions of a baseline must do the same "
                        "work: leave that file out. If it is the new baseline, accept it alone with -k",
                        odd->name, date ? date : "an unknown date", difference(odd->run, usual->run, id), id,
                        usual->name);
        }
    return 0;
}
