#include "outcomes.h"

#include "block.h"
#include "device_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a page held when the first order that is kept was done: it is copied before another order writes there for the
 * first time, and anew when that order ends. So what it takes grows with what is written, not with what is allocated.
 */
enum { PAGE = 4096 };

struct page {
    uint64_t address; /* 0: the place in the table is free */
    unsigned char *bytes;
};

static bool watching;
static struct page *table, *last;
static size_t page_count, places; /* of the table, a power of two */
static struct allocation *kept;   /* those there were */
static size_t kept_count;
static bool near; /* what outcomes_compare() found */

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
    for (size_t i = 0; i < places; i++)
        free(table[i].bytes);
    free(table);
    free(kept);
    table = last = NULL;
    kept = NULL;
    page_count = places = kept_count = 0;
}

void outcomes_watch(bool on)
{
    watching = on;
}

/* Returns the place of a page in the table, which is free if the page is not there. */
static struct page *find_page(uint64_t address)
{
    size_t at = (size_t)(address / PAGE * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (places - 1);
    while (table[at].address && table[at].address != address)
        at = (at + 1) & (places - 1);
    return &table[at];
}

static void grow(void)
{
    enum { FIRST_PLACES = 64 };
    struct page *old = table;
    const size_t count = places;
    places = places ? places * 2 : FIRST_PLACES;
    table = x_calloc(places, sizeof *table);
    for (size_t i = 0; i < count; i++)
        if (old[i].address)
            *find_page(old[i].address) = old[i];
    free(old);
}

void outcomes_will_change(uint64_t address, uint64_t bytes)
{
    struct allocation allocation;
    if (!watching || (last && last->address == address / PAGE * PAGE && bytes <= last->address + PAGE - address) ||
        !device_find(address, &allocation))
        return;
    for (uint64_t at = address / PAGE * PAGE; at < address + bytes; at += PAGE) {
        if (page_count * 2 >= places)
            grow();
        last = find_page(at);
        if (last->address)
            continue;
        *last = (struct page){at, x_calloc(PAGE, 1)};
        memcpy(last->bytes, device_bytes(at), PAGE);
        page_count++;
    }
}

static bool begin(struct block *block)
{
    (void)block;
    return watching;
}

static void hear(const struct access *access)
{
    uint64_t bytes;
    for (uint32_t left = access_parts(access, &bytes); left; left &= left - 1)
        outcomes_will_change(access_address(access, (unsigned)__builtin_ctz(left)), bytes);
}

enum { HEARD = ACCESS_STORES | ACCESS_CHANGES | ACCESS_GOES | ACCESS_TEXELS };
const struct watcher outcomes_watcher = {HEARD, 0, 0, false, begin, hear, NULL, NULL};

/* Returns whether some of a page is in an allocation: then it can be read. */
static bool is_allocated(uint64_t page)
{
    struct allocation place;
    return device_find(page, &place) ||
           (device_find_near(page, PAGE - 1, &place) && place.begin > page && place.begin < page + PAGE);
}

void outcomes_keep(void)
{
    struct allocation place;
    free(kept);
    kept = NULL;
    kept_count = 0;
    for (size_t i = 0; device_allocation(i, &place); i++)
        *ARRAY_GROW(kept, kept_count) = place;
    for (size_t i = 0; i < places; i++)
        if (table[i].address && is_allocated(table[i].address))
            memcpy(table[i].bytes, device_bytes(table[i].address), PAGE);
}

static int by_address(const void *a, const void *b)
{
    const uint64_t one = ((const struct page *)a)->address, other = ((const struct page *)b)->address;
    return (one > other) - (one < other);
}

/* Returns the pages in order, those without an address first. */
static struct page *sorted_pages(void)
{
    struct page *pages = x_calloc(places + 1, sizeof *pages);
    if (places > 0)
        memcpy(pages, table, places * sizeof *pages);
    qsort(pages, places, sizeof *pages, by_address);
    return pages;
}

static void add_difference(struct difference *sum, const struct difference *more, uint64_t first)
{
    if (more->bytes == 0)
        return;
    sum->rounding = more->rounding && (sum->rounding || sum->bytes == 0);
    sum->first = sum->bytes ? sum->first : first;
    sum->bytes += more->bytes;
}

/* Compares what was written of an allocation. *at is the first page behind the allocations before. */
static struct difference compare_allocation(const struct allocation *place, const struct page *pages, size_t *at)
{
    struct difference sum = {0};
    while (*at < places && pages[*at].address + PAGE <= place->begin)
        ++*at;
    for (size_t i = *at; i < places && pages[i].address < place->end; i++) {
        const uint64_t page = pages[i].address, begin = page < place->begin ? place->begin : page,
                       end = page + PAGE < place->end ? page + PAGE : place->end;
        const struct difference found =
            outcome_difference(pages[i].bytes + (begin - page), device_bytes(begin), (size_t)(end - begin));
        add_difference(&sum, &found, begin + found.first - place->begin);
    }
    return sum;
}

char *outcomes_compare(void)
{
    struct difference most = {0};
    struct allocation where = {0}, place;
    struct page *pages = sorted_pages();
    size_t at = 0;
    near = true;
    for (size_t i = 0, k = 0; device_allocation(i, &place) && k < kept_count; i++) {
        while (k < kept_count && kept[k].begin < place.begin)
            k++;
        if (k == kept_count || kept[k].begin != place.begin || kept[k].end != place.end)
            continue;
        const struct difference found = compare_allocation(&place, pages, &at);
        near &= found.rounding || found.bytes == 0;
        if (found.bytes > most.bytes) {
            most = found;
            where = place;
        }
    }
    free(pages);
    if (most.bytes == 0)
        return NULL;
    return x_sprintf("%llu of %llu bytes of the allocation at 0x%llx, from byte %llu on%s",
                     (unsigned long long)most.bytes, (unsigned long long)(where.end - where.begin),
                     (unsigned long long)where.begin, (unsigned long long)most.first,
                     near ? ", in the last bits of floats" : "");
}

bool outcomes_are_near(void)
{
    return near;
}
