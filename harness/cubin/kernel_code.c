#include "kernel_code.h"

#include "cubin.h"

int kernel_code_open(struct kernel_code *code, const char *path)
{
    struct problem problem;
    *code = (struct kernel_code){.path = path};
    if (!capsules_is_file(path)) {
        code->list = x_calloc(1, sizeof *code->list);
        return cubin_read(code->list, path);
    }
    if (capsules_open(&code->capsules, path, false, &problem) < 0)
        return error("%s", problem.text);
    code->list = x_calloc(code->capsules.count, sizeof *code->list);
    return 0;
}

void kernel_code_close(struct kernel_code *code)
{
    const size_t count = code->capsules.path ? code->capsules.count : 1;
    for (size_t i = 0; code->list && i < count; i++)
        cubin_release(&code->list[i]);
    free(code->list);
    capsules_release(&code->capsules);
    *code = (struct kernel_code){0};
}

const struct cubin *kernel_code_of(struct kernel_code *code, const char *id)
{
    const struct capsules *capsules = &code->capsules;
    struct problem problem;
    if (!capsules->path)
        return code->list;
    const struct capsule *capsule = capsules_find(capsules, id);
    if (!capsule)
        return FAIL(NULL, "%s no longer has the capsule %s: measure again", code->path, id);
    const size_t first = capsules_same_code(capsules, (size_t)(capsule - capsules->list));
    struct cubin *cubin = &code->list[first];
    if (cubin->images > 0)
        return cubin;
    OWNED_MEMORY unsigned char *bytes = capsules_blob(capsules, &capsule->code, &problem);
    if (!bytes)
        error("%s", problem.text);
    const bool read = bytes && cubin_parse(cubin, code->path, bytes, (size_t)capsule->code.size) == 0;
    return read ? cubin : NULL;
}

char *kernel_code_compilers(const struct kernel_code *code)
{
    const size_t cubins = code->capsules.path ? code->capsules.count : 1;
    OWNED_MEMORY const char **names = NULL;
    size_t count = 0;
    for (size_t i = 0; i < cubins; i++)
        for (size_t k = 0; k < code->list[i].compiler_count; k++)
            *ARRAY_GROW(names, count) = code->list[i].compilers[k];
    return cubin_join_compilers(names, count);
}
