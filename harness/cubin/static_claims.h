/* static_claims.h - whose the functions in a library's machine code are, told without running anything: those that
 * a baseline launches, also under another name, and those that none of its kernels does. */
#ifndef STATIC_CLAIMS_H
#define STATIC_CLAIMS_H

#include "cubin.h"

#include "model/model.h"

/* A function that the baseline launches and the machine code has no more. */
struct rename {
    const struct launch *launch;     /* of the baseline, that knew its code */
    const char *kernel;              /* that launches it */
    const struct cubin_function *is; /* the one function that takes its place; NULL when there is none, or several */
    bool sure; /* the same code; or the one of its name, and no other kernel is there to launch it */
};

struct claims {
    const struct cubin *cubin; /* borrowed, as all text */
    const char **kernels;      /* for each function of it, in its order, who launches it; NULL: nobody */
    bool *fitting;             /* and whether the GPU would run it */
    struct rename *renames;
    size_t rename_count;
};

/* Of the baseline, the kernels count that the library has, by its facts; where these are empty, all. */
void claims_make(struct claims *claims, const struct run *baseline, const struct cubin *cubin, int capability,
                 const struct library_facts *facts);
void claims_release(struct claims *claims);

/* What became of a function that is gone; NULL when it is none of those, or nothing clearly takes its place. */
const struct rename *claims_find(const struct claims *claims, const char *function);

/* Whether the library has the kernel, as far as is known, and the baseline has something to say of it. */
bool claims_is_judged(const struct run *baseline, const struct library_facts *facts, const char *id);

/* What is to be said of a kernel that the baseline lacks: the functions that it may launch are those that no other
 * does: in the source files of its family, else in those of no family, else in all. Caller frees. */
char *claims_new_kernel(const struct claims *claims, const char *id);

#endif
