#include "library_facts.h"

#include "base/base.h"

void library_facts_release(struct library_facts *facts)
{
    for (size_t k = 0; k < facts->count; k++) {
        free(facts->kernels[k].id);
        free(facts->kernels[k].doc);
        free(facts->kernels[k].not_built);
    }
    free(facts->kernels);
    free(facts->compiler);
    free(facts->flags);
    *facts = (struct library_facts){0};
}

const struct kernel_facts *library_facts_find(const struct library_facts *facts, const char *id)
{
    return FIND(kernel, facts->kernels, facts->count, strcmp(kernel->id, id) == 0);
}
