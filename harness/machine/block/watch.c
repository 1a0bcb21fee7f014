#include "watch.h"

#include "block.h"

/* Sets who watches a block, and what those hear of. */
static void set(struct watch *watch, unsigned on)
{
    if (on == watch->on)
        return;
    watch->on = on;
    watch->global = watch->shared = 0;
    for (unsigned i = 0; i < WATCHERS; i++) {
        watch->global |= on >> i & 1 && i != WATCH_MEETINGS ? watch->list[i]->global : 0;
        watch->shared |= on >> i & 1 ? watch->list[i]->shared : 0;
    }
    watch->meets = on >> WATCH_MEETINGS & 1;
}

void watch_begin(struct block *block)
{
    struct watch *watch = &block->watch;
    unsigned on = 0;
    for (unsigned i = 0; i < WATCHERS; i++) {
        if (!watch->list[i]->always && !block->counts)
            continue;
        if (watch->list[i]->size && !watch->states[i])
            watch->states[i] = x_calloc(1, watch->list[i]->size);
        on |= !watch->list[i]->begin || watch->list[i]->begin(block) ? 1u << i : 0;
    }
    set(watch, on);
}

void watch_stop(struct block *block, enum watcher_name name)
{
    set(&block->watch, block->watch.on & ~(1u << name));
}

void watch_release(struct watch *watch)
{
    for (unsigned i = 0; i < WATCHERS; i++) {
        if (watch->list[i]->release && watch->states[i])
            watch->list[i]->release(watch->states[i]);
        free(watch->states[i]);
    }
}

/* Whether a block may take what others do: an atomic answers it. */
static bool takes_work(const struct code *code)
{
    return ANY(i, code->count, code->list[i].traits & TRAIT_ATOMIC && code->list[i].output_count > 0);
}

bool watch_samples(const struct block *block)
{
    const uint64_t number = block->cluster->number;
    return block->grid->order == 0 && block->shared_size > block->reserved &&
           (number < 2 || (block->alone ? block->proof || takes_work(block->code) : (number & (number - 1)) == 0));
}

/* Calls those who hear of an access, before it is done or afterwards. */
static inline void tell(const struct access *access, bool done)
{
    const struct watch *watch = &(access->block ? access->block : access->warp->block)->watch;
    const bool all = (access->block ? watch->shared : watch->global) & access->kind;
    for (unsigned left = all ? watch->on : watch->on & 1u << WATCH_MEETINGS; left; left &= left - 1) {
        const struct watcher *watcher = watch->list[__builtin_ctz(left)];
        void (*const call)(const struct access *) = done ? watcher->done : watcher->hear;
        if (call && (access->block ? watcher->shared : watcher->global) & access->kind)
            call(access);
    }
}

void watch(const struct access *access)
{
    tell(access, false);
}

void watch_done(const struct access *access)
{
    tell(access, true);
}

void watch_bytes(struct warp *warp, const struct instruction *code, struct block *block, unsigned kind, uint64_t first,
                 uint64_t size, uint64_t more)
{
    watch(&(struct access){warp, code, block, kind, 1, first, size, .same = true, .more = more});
}

void watch_lanes(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *offsets,
                 unsigned size, unsigned kind)
{
    if (warp->block->watch.shared & kind)
        watch(&(struct access){warp, code, warp->block, kind, lanes, 0, size, .offsets = offsets});
}
