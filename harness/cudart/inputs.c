#include "inputs.h"

#include "runtime.h"

enum { LARGE = 1 << 16 };

void inputs_alone(void)
{
    runtime_now()->inputs_alone = true;
}

bool inputs_suffice(size_t bytes)
{
    return runtime_now()->inputs_alone && bytes >= LARGE;
}

static void begin(struct runtime *runtime)
{
    if (runtime->inputs)
        return;
    runtime->inputs = XXH3_createState();
    if (!runtime->inputs)
        die(EXIT_USAGE, "out of memory");
    XXH3_128bits_reset(runtime->inputs);
}

void inputs_add(enum input input, const uint64_t *numbers, size_t count, const void *bytes, size_t size)
{
    struct runtime *runtime = runtime_now();
    const uint64_t head[] = {input, count, size}; /* sizes first, so that nothing can run into what follows */
    pthread_mutex_lock(&runtime->lock);
    begin(runtime);
    XXH3_128bits_update(runtime->inputs, head, sizeof head);
    if (count > 0)
        XXH3_128bits_update(runtime->inputs, numbers, count * sizeof *numbers);
    if (size > 0)
        XXH3_128bits_update(runtime->inputs, bytes, size);
    pthread_mutex_unlock(&runtime->lock);
}

void inputs_hide(void)
{
    struct runtime *runtime = runtime_now();
    pthread_mutex_lock(&runtime->lock);
    runtime->inputs_hidden = true;
    pthread_mutex_unlock(&runtime->lock);
}

char *inputs_hash(void)
{
    struct runtime *runtime = runtime_now();
    pthread_mutex_lock(&runtime->lock);
    begin(runtime);
    const XXH128_hash_t hash = XXH3_128bits_digest(runtime->inputs);
    char *text = runtime->inputs_hidden
                     ? NULL
                     : x_sprintf("%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    pthread_mutex_unlock(&runtime->lock);
    return text;
}
