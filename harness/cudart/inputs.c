#include "inputs.h"

#include "base/base.h"

#include <pthread.h>
#include <stdbool.h>
#include <xxhash.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static XXH3_state_t *state;
static bool hidden;

static void begin(void)
{
    if (state)
        return;
    state = XXH3_createState();
    if (!state)
        die(EXIT_USAGE, "out of memory");
    XXH3_128bits_reset(state);
}

void inputs_add(enum input input, const uint64_t *numbers, size_t count, const void *bytes, size_t size)
{
    const uint64_t head[] = {input, count, size}; /* sizes first, so that nothing can run into what follows */
    pthread_mutex_lock(&lock);
    begin();
    XXH3_128bits_update(state, head, sizeof head);
    if (count > 0)
        XXH3_128bits_update(state, numbers, count * sizeof *numbers);
    if (size > 0)
        XXH3_128bits_update(state, bytes, size);
    pthread_mutex_unlock(&lock);
}

void inputs_hide(void)
{
    pthread_mutex_lock(&lock);
    hidden = true;
    pthread_mutex_unlock(&lock);
}

char *inputs_hash(void)
{
    pthread_mutex_lock(&lock);
    begin();
    const XXH128_hash_t hash = XXH3_128bits_digest(state);
    char *text =
        hidden ? NULL : x_sprintf("%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    pthread_mutex_unlock(&lock);
    return text;
}
