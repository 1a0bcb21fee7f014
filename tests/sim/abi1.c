/* A kernel library of ABI 1 as one of ABI 2, for tests/sim/recorded.sh: what was recorded on a GPU was of that day, and
 * is machine code that no compiler of today has to make again. RECORDED is that library, MACHINE_CODE its .nv_fatbin,
 * for those who read the code in a library and not what is loaded. */
#include "cugate/kernel.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef RECORDED
#define RECORDED "recorded.so"
#endif

struct family_1 {
    const char *name;
    const char *doc;
    enum cugate_kind kind;
    int (*open)(void **state);
    int (*restore)(void *state);
    int (*verify)(void *state, const struct cugate_variant *variant, char *why, size_t why_size);
    void (*close)(void *state);
    const struct cugate_variant *variants; /* which are as they were */
    size_t variant_count;
};

struct library_1 {
    int abi;
    const char *compiler;
    const char *flags;
    const struct family_1 *const *families;
    size_t family_count;
    int (*synchronize)(void);
    const char *(*error_text)(int code);
};

/* What is loaded registers its code itself; that this library is one whose code is registered from outside has to be
 * seen, too. */
__attribute__((weak)) void __cudaRegisterFatBinary(void);
void (*const registers_code)(void) = __cudaRegisterFatBinary;
#ifdef MACHINE_CODE
__asm__(".section .nv_fatbin,\"a\"\n.balign 8\n.incbin \"" MACHINE_CODE "\"\n.previous\n");
#endif

static int open_family(const struct cugate_family *self, void **state)
{
    const struct family_1 *was = self->context;
    return was->open(state);
}

static void give_up(const char *what)
{
    fprintf(stderr, "abi1: %s\n", what);
    exit(2);
}

const struct cugate_library *cugate_library(void)
{
    enum { MOST = 256 };
    static struct cugate_family families[MOST];
    static const struct cugate_family *pointers[MOST];
    static struct cugate_library library;
    void *handle = dlopen(RECORDED, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        give_up(dlerror());
    const struct library_1 *(*entry)(void) = NULL;
    *(void **)&entry = dlsym(handle, "cugate_library");
    const struct library_1 *was = entry ? entry() : NULL;
    if (!was || was->abi != 1 || was->family_count > MOST)
        give_up(RECORDED " is no library of ABI 1");
    for (size_t i = 0; i < was->family_count; i++) {
        const struct family_1 *family = was->families[i];
        families[i] = (struct cugate_family){
            .name = family->name,
            .doc = family->doc,
            .kind = family->kind,
            .open = open_family,
            .restore = family->restore,
            .verify = family->verify,
            .close = family->close,
            .variants = family->variants,
            .variant_count = family->variant_count,
            .context = family,
        };
        pointers[i] = &families[i];
    }
    library = (struct cugate_library){
        .abi = CUGATE_KERNEL_ABI,
        .compiler = was->compiler,
        .flags = was->flags,
        .families = pointers,
        .family_count = was->family_count,
        .synchronize = was->synchronize,
        .error_text = was->error_text,
    };
    return &library;
}
