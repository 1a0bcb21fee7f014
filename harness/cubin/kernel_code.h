/* kernel_code.h - the machine code of each kernel: that of its library, or of its capsule alone. */
#pragma once

#include "capsule/capsule.h"

struct kernel_code {
    const char *path;
    struct capsules capsules; /* empty of a kernel library */
    struct cubin *list;       /* of each capsule, read when it is first asked for; or one of the library */
};

/* Opens the kernel library, or file of capsules, at `path`. -1 after error(). */
int kernel_code_open(struct kernel_code *code, const char *path);
void kernel_code_close(struct kernel_code *code);

/* Returns the code of a kernel, which *code owns. Of a kernel library it is all code, whatever the id. NULL after
 * error(). */
const struct cubin *kernel_code_of(struct kernel_code *code, const char *id);

/* Returns the compilers of the code that was asked for so far, as text; NULL where none is known. Caller frees. */
char *kernel_code_compilers(const struct kernel_code *code);
