/* What the program loaded and the baseline's newest session has in another version: notes of it, and which of it makes
 * or holds kernels. */
#include "judge_parts.h"

static const char *newest_libraries(const struct run *run)
{
    for (size_t i = run->session_count; i-- > 0;)
        if (run->sessions[i].facts[SESSION_LIBRARIES])
            return run->sessions[i].facts[SESSION_LIBRARIES];
    return NULL;
}

/* Cuts "a.so.1 12ab; b.so 34cd" into its parts, which point into *copy. Caller frees both. */
static size_t cut(const char *fact, char **copy, char ***list)
{
    size_t count = 0;
    char *rest = NULL;
    *list = NULL;
    *copy = x_strdup(fact);
    for (char *part = strtok_r(*copy, ";", &rest); part; part = strtok_r(NULL, ";", &rest))
        *ARRAY_GROW(*list, count) = part + strspn(part, " ");
    return count;
}

/* Drops what both have from the two lists. */
static void drop_equals(char **now, size_t now_count, char **was, size_t was_count)
{
    for (size_t i = 0; i < now_count; i++)
        for (size_t j = 0; j < was_count && now[i]; j++)
            if (was[j] && strcmp(now[i], was[j]) == 0)
                now[i] = was[j] = NULL;
}

static size_t stem(const char *library)
{
    const char *end = strstr(library, ".so");
    return end ? (size_t)(end - library) : strcspn(library, " ");
}

/* Takes the library that is the same but for its version off the list. NULL: there is none. */
static char *take_other(const char *library, char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] && stem(list[i]) == stem(library) && strncmp(list[i], library, stem(library)) == 0) {
            char *other = list[i];
            list[i] = NULL;
            return other;
        }
    return NULL;
}

/* How the names begin of what makes machine code or holds it, of all that inject/libraries.c tells. Another version of
 * these is another toolchain. A package of the user's own is none, though its version may change with every commit.
 *
 * To add one: a row here. */
static const char *const makers[] = {
    "cupy ",       "cutlass ",    "jax ",        "jaxlib ", "libcublas",    "libcudnn",   "libcufft",
    "libcusolver", "libcusparse", "libcurand",   "libnccl", "libnvJitLink", "libnvinfer", "libnvrtc",
    "libtorch",    "numba_cuda ", "tensorflow ", "torch ",  "triton ",
};

static bool is_maker(const char *library)
{
    return ANY(i, ARRAY_SIZE(makers), strncmp(library, makers[i], strlen(makers[i])) == 0);
}

/* Adds a library or package to a list of such: "triton 3.7.0, libcublasLt.so.13.1.0.3". */
static void add_maker(char **list, const char *library, size_t length)
{
    x_append(list, ", ", "%.*s", (int)length, library);
}

/* Tells of another version. The identity is said only where the names are equal. */
static void tell_other(struct comparison *comparison, struct note_items *items, const char *now, const char *was)
{
    size_t a = strcspn(now, " "), b = strcspn(was, " "),
           skip = 0; /* how much of each is said, of `was` from there on */
    if (a == b && strncmp(now, was, a) == 0) {
        skip = b + 1;
        a = strlen(now);
        b = strlen(was);
    }
    note_items_add(items, "%.*s (was %.*s)", (int)a, now, (int)(b - skip), was + skip);
    if (!is_maker(now))
        return;
    add_maker(&comparison->makers_was, was, b);
    add_maker(&comparison->makers_are, now, a);
}

void compare_libraries(struct comparison *comparison, const struct sides *sides)
{
    const char *run = newest_libraries(sides->run), *base = newest_libraries(sides->baseline);
    struct note_items others = {0}, more = {0}, gone = {0};
    char *copies[2], **now, **was;
    if (!run || !base)
        return;
    const size_t now_count = cut(run, &copies[0], &now), was_count = cut(base, &copies[1], &was);
    drop_equals(now, now_count, was, was_count);
    for (size_t i = 0; i < now_count; i++) {
        const char *other = now[i] ? take_other(now[i], was, was_count) : NULL;
        if (other)
            tell_other(comparison, &others, now[i], other);
        else if (now[i])
            note_items_add(&more, "%.*s", (int)strcspn(now[i], " "), now[i]);
    }
    for (size_t i = 0; i < was_count; i++)
        if (was[i])
            note_items_add(&gone, "%.*s", (int)strcspn(was[i], " "), was[i]);
    comparison_add_items(comparison, &others, "libraries loaded in a version that differs from the baseline's");
    comparison_add_items(comparison, &more, "libraries loaded now, but not by the baseline");
    comparison_add_items(comparison, &gone, "libraries loaded by the baseline, but not now");
    free(now);
    free(was);
    free(copies[0]);
    free(copies[1]);
}
