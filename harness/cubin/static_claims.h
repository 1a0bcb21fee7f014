/* static_claims.h - decides without running anything which kernel each function in a library's machine code belongs to.
 * The baseline knows which functions its kernels launched; they may have been renamed. */
#pragma once

#include "cubin.h"

/* A function that the baseline's kernel launched and that the machine code no longer has. */
struct rename {
    const struct launch *launch;     /* the launch in the baseline, with the code hash */
    const char *kernel;              /* the kernel that launches it */
    const struct cubin_function *is; /* the function that replaced it; NULL: none, or unclear */
    bool sure; /* the replacement is certain: the code is equal, or the name is and no new kernel could launch it */
};

struct claims {
    const struct cubin *cubin; /* borrowed, as all strings are */
    const char **kernels;      /* for each function of cubin, in its order: the kernel that launches it; NULL: none */
    bool *fitting;             /* for each function of cubin: whether the GPU would run it */
    struct rename *renames;
    size_t rename_count;
};

/* Assigns the functions of cubin to the kernels of the baseline that the library still has by its facts. With empty
 * facts it takes all kernels. */
void claims_make(struct claims *claims, const struct run *baseline, const struct cubin *cubin, int capability,
                 const struct library_facts *facts);
void claims_release(struct claims *claims);

/* Returns what became of a missing function. NULL when it is not missing, or nothing clearly replaced it. */
const struct rename *claims_find(const struct claims *claims, const char *function);

/* Whether the library has the kernel, as far as is known, and the baseline has a value for it. */
bool claims_is_judged(const struct run *baseline, const struct library_facts *facts, const char *id);

/* Describes which functions a kernel that the baseline lacks may launch: those that no other kernel does. It looks in
 * the source files of the kernel's family, else in those of no family, else in all. Caller frees. */
char *claims_new_kernel(const struct claims *claims, const char *id);
