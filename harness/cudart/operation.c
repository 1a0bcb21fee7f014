/* What threads put into streams, and what the host knows to be done of it. */
#include "runtime.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct passed waited;
static uint32_t numbers[RACING_STREAMS]; /* of operations so far */
static _Thread_local struct operation now;

/* A copy to or from pinned memory that the host may not know to be done. One to there arrives only then: who looks
 * earlier finds what was there before. What one reads must be the same then. */
struct coming {
    unsigned char *at, *bytes; /* bytes: what arrives; NULL: it is a source, */
    XXH64_hash_t hash;         /* and of that */
    size_t size;
    uint32_t stream, number; /* of the operation */
};
static struct coming *coming;
static size_t coming_count;
static pthread_mutex_t coming_lock = PTHREAD_MUTEX_INITIALIZER;

static void end_copy(const struct coming *one)
{
    struct problem problem;
    if (one->bytes)
        memcpy(one->at, one->bytes, one->size);
    else if (XXH3_64bits(one->at, one->size) != one->hash)
        runtime_fault(
            FAULT_OTHER,
            (problem_set(&problem, "the host changes some of %zu bytes at %p that a copy may still read: wait for it",
                         one->size, (void *)one->at),
             problem.text));
    free(one->bytes);
}

/* Ends copies that are done, of which sources stay if they are `kept`; or those at some bytes. */
static void arrive(const struct passed *passed, bool kept, const unsigned char *bytes, size_t size)
{
    pthread_mutex_lock(&coming_lock);
    const size_t count = coming_count;
    coming_count = 0;
    EACH(struct coming, one, coming, count) {
        if (passed ? one->number > passed->of[one->stream] || (kept && !one->bytes)
                   : one->at + one->size <= bytes || bytes + size <= one->at)
            coming[coming_count++] = *one;
        else
            end_copy(one);
    }
    pthread_mutex_unlock(&coming_lock);
}

void copies_arrive(const struct passed *passed, bool kept)
{
    arrive(passed, kept, NULL, 0);
}

void copies_arrive_at(const unsigned char *bytes, size_t size)
{
    arrive(NULL, false, bytes, size);
}

void copies_forget_sources(void)
{
    pthread_mutex_lock(&coming_lock);
    EACH(struct coming, one, coming, coming_count)
        if (!one->bytes)
            one->hash = XXH3_64bits(one->at, one->size);
    pthread_mutex_unlock(&coming_lock);
}

static bool is_pinned(const void *memory)
{
    struct allocation place;
    return runtime_find((uintptr_t)memory, &place) &&
           device_home(runtime_machine(), (uintptr_t)memory, &place) == HOME_HOST;
}

void operation_copies(void *to, const void *from, size_t width)
{
    const bool later = is_pinned(to);
    unsigned char *target = runtime_bytes(to), *source = runtime_bytes(from);
    arrive(NULL, false, target, width);
    arrive(NULL, false, source, width);
    if (!later)
        memmove(target, source, width);
    if (!later && !is_pinned(from))
        return;
    pthread_mutex_lock(&coming_lock);
    *ARRAY_GROW(coming, coming_count) = (struct coming){.at = later ? target : source,
                                                        .bytes = later ? x_calloc(width, 1) : NULL,
                                                        .hash = later ? 0 : XXH3_64bits(source, width),
                                                        .size = width,
                                                        .stream = now.stream,
                                                        .number = now.number};
    if (later)
        memcpy(coming[coming_count - 1].bytes, source, width);
    pthread_mutex_unlock(&coming_lock);
}

/* ---- Operations ---- */

void operation_waited(struct passed *passed)
{
    pthread_mutex_lock(&lock);
    passed_join(passed, &waited);
    pthread_mutex_unlock(&lock);
}

void operation_begin(uint32_t stream, struct passed *passed)
{
    pthread_mutex_lock(&lock);
    now = (struct operation){.stream = stream, .number = ++numbers[stream], .behind = *passed};
    passed->of[stream] = now.number;
    runtime_machine()->stream_races->on |= stream > 0;
    pthread_mutex_unlock(&lock);
}

void operation_overlaps(void)
{
    now.overlaps = true;
    now.behind.of[now.stream] = 0;
    operation_waited(&now.behind);
}

const struct operation *stream_operation(void)
{
    return &now;
}

void stream_seen(const struct passed *passed)
{
    pthread_mutex_lock(&lock);
    passed_join(&waited, passed ? passed : &(const struct passed){.of = {0}});
    for (unsigned i = 0; i < RACING_STREAMS && !passed; i++)
        waited.of[i] = numbers[i];
    copies_arrive(&waited, false);
    pthread_mutex_unlock(&lock);
}

struct passed operation_passed(void)
{
    struct passed passed = now.behind;
    passed.of[now.stream] = now.number;
    return passed;
}

void operation_seen(void)
{
    const struct passed passed = operation_passed();
    stream_seen(&passed);
}
