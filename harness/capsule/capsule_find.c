#include "capsule.h"

size_t capsules_same_code(const struct capsules *capsules, size_t i)
{
    const struct blob *code = &capsules->list[i].code;
    size_t first = 0;
    for (; first < i; first++) {
        const struct blob *other = &capsules->list[first].code;
        if (other->size == code->size &&
            memcmp(other->pages, code->pages, pages_of(code->size) * sizeof *code->pages) == 0)
            break; /* no two pages are the same */
    }
    return first;
}

const struct capsule *capsules_find(const struct capsules *capsules, const char *id)
{
    return FIND(one, capsules->list, capsules->count, strcmp(one->id, id) == 0);
}
