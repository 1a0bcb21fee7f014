/* A program that uses a kernel library (kernel.h) as its own, for tests/gpu/exec.sh: `cugate exec` sees ordinary
 * launches of the kernels that the harness measures its own way, with the same inputs.
 *
 *     catalogue LIB.so GLOB...    opens each kernel that matches, launches it three times, each time with its inputs
 * put back, and compares the output with the reference
 *
 *     cc -std=c11 -Iharness -o catalogue tests/gpu/programs/catalogue.c -ldl
 *
 * Prints a line for each kernel. Exit code: 0, 1 when one failed or was wrong, 2 when nothing could be run. */
#include "cugate/kernel.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>

enum { LAUNCHES = 3 };

/* globs ends with NULL. */
static bool is_chosen(char *const *globs, const struct cugate_family *family, const struct cugate_variant *variant)
{
    char id[512];
    snprintf(id, sizeof(id), "%s/%s", family->name, variant->name);
    for (; *globs; globs++)
        if (fnmatch(*globs, id, 0) == 0)
            return true;
    return false;
}

/* Three launches and a look at what the last one wrote. As kernel.h: 0, CUGATE_WRONG or an error of CUDA. */
static int run_variant(const struct cugate_library *library, const struct cugate_family *family,
                       const struct cugate_variant *variant, void *state, char *why, size_t why_size)
{
    for (int i = 0; i < LAUNCHES; i++) {
        int result = family->restore(state);
        if (result == 0)
            result = variant->launch(state);
        if (result == 0)
            result = library->synchronize();
        if (result != 0)
            return result;
    }
    return family->verify(state, variant, why, why_size);
}

static void report(const struct cugate_library *library, const struct cugate_family *family,
                   const struct cugate_variant *variant, int result, const char *why)
{
    const char *words = result == 0 ? "ok" : result == CUGATE_WRONG ? "wrong result: " : "failed: ";
    const char *rest = result == 0 ? "" : result == CUGATE_WRONG ? why : library->error_text(result);
    printf("%s/%s %s%s\n", family->name, variant->name, words, rest);
}

/* Runs what is chosen of a family; adds to the numbers of kernels that ran and that went wrong. */
static void run_family(const struct cugate_library *library, const struct cugate_family *family, char *const *globs,
                       int *ran, int *wrong)
{
    void *state = NULL;
    bool is_open = false;
    for (size_t i = 0; i < family->variant_count; i++) {
        const struct cugate_variant *variant = &family->variants[i];
        char why[512] = "";
        int result = 0;
        if (!variant->launch || !is_chosen(globs, family, variant))
            continue;
        if (!is_open)
            result = family->open(family, &state);
        is_open = is_open || result == 0;
        if (result == 0)
            result = run_variant(library, family, variant, state, why, sizeof(why));
        report(library, family, variant, result, why);
        *ran += 1;
        *wrong += result != 0;
    }
    if (is_open)
        family->close(state);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: catalogue LIB.so GLOB...\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* what ran is said although a kernel after it crashes */
    void *handle = dlopen(argv[1], RTLD_NOW);
    void *symbol = handle ? dlsym(handle, "cugate_library") : NULL;
    if (!symbol) {
        fprintf(stderr, "catalogue: %s\n", dlerror());
        return 2;
    }
    const struct cugate_library *(*open_library)(void);
    *(void **)&open_library = symbol; /* as POSIX has it: ISO C knows no such conversion */
    const struct cugate_library *library = open_library();
    if (library->abi != CUGATE_KERNEL_ABI) {
        fprintf(stderr, "catalogue: %s is made for ABI %d, not %d\n", argv[1], library->abi, CUGATE_KERNEL_ABI);
        return 2;
    }
    int ran = 0, wrong = 0;
    for (size_t i = 0; i < library->family_count; i++)
        if (library->families[i]->kind == CUGATE_KERNELS)
            run_family(library, library->families[i], argv + 2, &ran, &wrong);
    if (ran == 0) {
        fprintf(stderr, "catalogue: no kernel of %s matches\n", argv[1]);
        return 2;
    }
    return wrong > 0;
}
