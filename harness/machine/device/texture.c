#include "texture.h"

#include "device.h"

uint64_t texture_add(struct machine *machine, const struct texture *texture)
{
    pthread_mutex_lock(&machine->lock);
    *ARRAY_GROW(machine->textures, machine->texture_count) = texture;
    const uint64_t handle = machine->texture_count;
    pthread_mutex_unlock(&machine->lock);
    return handle;
}

void texture_remove(struct machine *machine, uint64_t handle)
{
    machine->textures[handle - 1] = NULL;
}

const struct texture *texture_find(const struct machine *machine, uint64_t handle)
{
    return handle > 0 && handle <= machine->texture_count ? machine->textures[handle - 1] : NULL;
}
