#include "handle.h"

#include "base/base.h"

#include <pthread.h>
#include <search.h>

struct known {
    const void *handle;
    enum handle kind;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *root; /* a tree of them */

ORDER_BY(by_handle, struct known, handle)

void *handle_new(enum handle kind, size_t size)
{
    struct known *known = x_calloc(1, sizeof *known);
    void *handle = x_calloc(1, size);
    *known = (struct known){handle, kind};
    pthread_mutex_lock(&lock);
    if (!tsearch(known, &root, by_handle))
        BUG("cannot allocate a handle");
    pthread_mutex_unlock(&lock);
    return handle;
}

void handle_free(void *handle)
{
    const struct known key = {.handle = handle};
    pthread_mutex_lock(&lock);
    struct known **found = tfind(&key, &root, by_handle), *known = found ? *found : NULL;
    tdelete(&key, &root, by_handle);
    pthread_mutex_unlock(&lock);
    free(known);
    free(handle);
}

bool handle_is(enum handle kind, const void *handle)
{
    const struct known key = {.handle = handle};
    pthread_mutex_lock(&lock);
    struct known **found = tfind(&key, &root, by_handle);
    const bool is = found && (*found)->kind == kind;
    pthread_mutex_unlock(&lock);
    return is;
}
