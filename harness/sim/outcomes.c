#include "outcomes.h"

#include "base/base.h"

#include "device_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct kept {
    struct allocation place;
    unsigned char *bytes;
};

static struct kept *kept;
static size_t kept_count;

/* Sums in another order differ by little. Whole numbers are no floats of this size, unless they are large. */
static bool nearly_same(double a, double b, double part)
{
    enum { LEAST = -60, MOST = 60 };
    return isfinite(a) && isfinite(b) && fabs(a - b) <= part * fmax(fabs(a), fabs(b)) &&
           fmax(fabs(a), fabs(b)) >= ldexp(1, LEAST) && fmax(fabs(a), fabs(b)) <= ldexp(1, MOST);
}

static bool floats_are_near(const unsigned char *a, const unsigned char *b)
{
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return nearly_same((double)x, (double)y, 1e-4);
}

static bool doubles_are_near(const unsigned char *a, const unsigned char *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return nearly_same(x, y, 1e-10);
}

struct difference outcome_difference(const unsigned char *a, const unsigned char *b, size_t size)
{
    enum { PART = 4096 };
    struct difference found = {.first = size};
    bool floats = true, doubles = true;
    for (size_t part = 0; part < size; part += PART) {
        const size_t end = size - part < PART ? size : part + PART;
        if (memcmp(a + part, b + part, end - part) == 0)
            continue;
        for (size_t at = part; at < end; at++) {
            const size_t word = at / sizeof(float) * sizeof(float), pair = at / sizeof(double) * sizeof(double);
            if (a[at] == b[at])
                continue;
            found.first = found.bytes++ ? found.first : at;
            floats = floats && word + sizeof(float) <= size && floats_are_near(a + word, b + word);
            doubles = doubles && pair + sizeof(double) <= size && doubles_are_near(a + pair, b + pair);
        }
    }
    found.rounding = found.bytes > 0 && (floats || doubles);
    return found;
}

void outcomes_forget(void)
{
    for (size_t i = 0; i < kept_count; i++)
        free(kept[i].bytes);
    free(kept);
    kept = NULL;
    kept_count = 0;
}

void outcomes_keep(void)
{
    struct allocation place;
    outcomes_forget();
    for (size_t i = 0; device_allocation(i, &place); i++) {
        const size_t size = (size_t)(place.end - place.begin);
        unsigned char *bytes = x_calloc(size + 1, 1);
        memcpy(bytes, device_bytes(place.begin), size);
        *ARRAY_GROW(kept, kept_count) = (struct kept){place, bytes};
    }
}

char *outcomes_compare(void)
{
    struct difference most = {0};
    struct allocation where = {0}, place;
    bool rounding = true;
    for (size_t i = 0, k = 0; device_allocation(i, &place) && k < kept_count; i++) {
        while (k < kept_count && kept[k].place.begin < place.begin)
            k++;
        if (k == kept_count || kept[k].place.begin != place.begin || kept[k].place.end != place.end)
            continue;
        const struct difference found =
            outcome_difference(kept[k].bytes, device_bytes(place.begin), (size_t)(place.end - place.begin));
        rounding &= found.rounding || found.bytes == 0;
        if (found.bytes > most.bytes) {
            most = found;
            where = place;
        }
    }
    if (most.bytes == 0)
        return NULL;
    return x_sprintf("%llu of %llu bytes of the allocation at 0x%llx, from byte %llu on%s",
                     (unsigned long long)most.bytes, (unsigned long long)(where.end - where.begin),
                     (unsigned long long)where.begin, (unsigned long long)most.first,
                     rounding ? ", in the last bits of floats" : "");
}
