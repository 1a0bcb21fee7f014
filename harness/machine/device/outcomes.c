#include "outcomes.h"

#include "device.h"

/* What a page held when the first order that is kept was done: it is copied before another order writes there for the
 * first time, and anew when that order ends. So what it takes grows with what is written, not with what is allocated.
 */
enum { PAGE = 4096 };

struct outcome_page {
    uint64_t address; /* 0: the place in the table is free */
    unsigned char *bytes;
    unsigned char *before; /* what was there before all orders; NULL: `bytes` still are that, or nobody asks */
};

/* The page that this thread told of last, and since when: a count that no other begin of any machine has. */
static _Thread_local struct {
    uint64_t begun, address;
} last;

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

void outcomes_forget(struct machine *machine)
{
    struct outcomes *outcomes = &machine->outcomes;
    static atomic_uint_fast64_t begins;
    for (size_t i = 0; i < outcomes->places; i++) {
        free(outcomes->table[i].bytes);
        free(outcomes->table[i].before);
    }
    free(outcomes->table);
    free(outcomes->kept);
    *outcomes = (struct outcomes){.watching = outcomes->watching,
                                  .restores = outcomes->restores,
                                  .near = outcomes->near,
                                  .begun = atomic_fetch_add(&begins, 1) + 1};
}

void outcomes_watch(struct machine *machine, bool on)
{
    machine->outcomes.watching = on;
}

void outcomes_restore_orders(struct machine *machine, bool on)
{
    machine->outcomes.restores = on;
}

/* Returns the place of a page in the table, which is free if the page is not there. */
static struct outcome_page *find_page(const struct outcomes *outcomes, uint64_t address)
{
    size_t at = (size_t)(address / PAGE * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (outcomes->places - 1);
    while (outcomes->table[at].address && outcomes->table[at].address != address)
        at = (at + 1) & (outcomes->places - 1);
    return &outcomes->table[at];
}

static void grow(struct outcomes *outcomes)
{
    enum { FIRST_PLACES = 64 };
    struct outcome_page *old = outcomes->table;
    const size_t count = outcomes->places;
    outcomes->places = count ? count * 2 : FIRST_PLACES;
    outcomes->table = x_calloc(outcomes->places, sizeof *outcomes->table);
    for (size_t i = 0; i < count; i++)
        if (old[i].address)
            *find_page(outcomes, old[i].address) = old[i];
    free(old);
}

void outcomes_will_change(struct machine *machine, uint64_t address, uint64_t bytes)
{
    struct outcomes *outcomes = &machine->outcomes;
    struct allocation allocation;
    if (!outcomes->watching ||
        (last.begun == outcomes->begun && last.address == address / PAGE * PAGE &&
         bytes <= last.address + PAGE - address) ||
        !device_find(machine, address, &allocation))
        return;
    pthread_mutex_lock(&machine->changing); /* no other thread writes to a page before it is copied */
    for (uint64_t at = address / PAGE * PAGE; at < address + bytes; at += PAGE) {
        if (outcomes->page_count * 2 >= outcomes->places)
            grow(outcomes);
        struct outcome_page *page = find_page(outcomes, at);
        last.address = at;
        if (page->address)
            continue;
        *page = (struct outcome_page){.address = at, .bytes = x_calloc(PAGE, 1)};
        memcpy(page->bytes, device_bytes(machine, at), PAGE);
        outcomes->page_count++;
    }
    pthread_mutex_unlock(&machine->changing);
    last.begun = outcomes->begun;
}

/* Returns whether some of a page is in an allocation: then it can be read. */
static bool is_allocated(const struct machine *machine, uint64_t page)
{
    struct allocation place;
    return device_find(machine, page, &place) ||
           (device_find_near(machine, page, PAGE - 1, &place) && place.begin > page && place.begin < page + PAGE);
}

void outcomes_keep(struct machine *machine)
{
    struct outcomes *outcomes = &machine->outcomes;
    struct allocation place;
    free(outcomes->kept);
    outcomes->kept = NULL;
    outcomes->kept_count = 0;
    for (size_t i = 0; device_allocation(machine, i, &place); i++)
        *ARRAY_GROW(outcomes->kept, outcomes->kept_count) = place;
    EACH(struct outcome_page, page, outcomes->table, outcomes->places) {
        if (!page->address || !is_allocated(machine, page->address))
            continue;
        if (outcomes->restores && !page->before) {
            page->before = page->bytes;
            page->bytes = x_calloc(PAGE, 1);
        }
        memcpy(page->bytes, device_bytes(machine, page->address), PAGE);
    }
}

ORDER_BY(by_address, struct outcome_page, address)

/* Returns the pages in order, those without an address first. */
static struct outcome_page *sorted_pages(const struct outcomes *outcomes)
{
    struct outcome_page *pages = x_calloc(outcomes->places + 1, sizeof *pages);
    if (outcomes->places > 0)
        memcpy(pages, outcomes->table, outcomes->places * sizeof *pages);
    SORT(pages, outcomes->places, by_address);
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
static struct difference compare_allocation(const struct machine *machine, const struct allocation *place,
                                            const struct outcome_page *pages, size_t *at)
{
    const size_t places = machine->outcomes.places;
    struct difference sum = {0};
    while (*at < places && pages[*at].address + PAGE <= place->begin)
        ++*at;
    for (size_t i = *at; i < places && pages[i].address < place->end; i++) {
        const uint64_t page = pages[i].address, begin = page < place->begin ? place->begin : page,
                       end = page + PAGE < place->end ? page + PAGE : place->end;
        const struct difference found =
            outcome_difference(pages[i].bytes + (begin - page), device_bytes(machine, begin), (size_t)(end - begin));
        add_difference(&sum, &found, begin + found.first - place->begin);
    }
    return sum;
}

char *outcomes_compare(struct machine *machine)
{
    struct outcomes *outcomes = &machine->outcomes;
    struct difference most = {0};
    struct allocation where = {0}, place;
    OWNED_MEMORY struct outcome_page *pages = sorted_pages(outcomes);
    size_t at = 0;
    outcomes->near = true;
    for (size_t i = 0, k = 0; device_allocation(machine, i, &place) && k < outcomes->kept_count; i++) {
        const struct allocation *kept = outcomes->kept;
        while (k < outcomes->kept_count && kept[k].begin < place.begin)
            k++;
        if (k == outcomes->kept_count || kept[k].begin != place.begin || kept[k].end != place.end)
            continue;
        const struct difference found = compare_allocation(machine, &place, pages, &at);
        outcomes->near &= found.rounding || found.bytes == 0;
        if (found.bytes > most.bytes) {
            most = found;
            where = place;
        }
    }
    if (most.bytes == 0)
        return NULL;
    return x_sprintf("%llu of %llu bytes of the allocation at 0x%llx differ, from byte %llu on%s",
                     (unsigned long long)most.bytes, (unsigned long long)(where.end - where.begin),
                     (unsigned long long)where.begin, (unsigned long long)most.first,
                     outcomes->near ? ", but only in the last bits of floats" : "");
}

void outcomes_restore(struct machine *machine)
{
    const struct outcomes *outcomes = &machine->outcomes;
    struct allocation place;
    OWNED_MEMORY struct outcome_page *pages = sorted_pages(outcomes);
    size_t at = 0;
    for (size_t i = 0; device_allocation(machine, i, &place); i++) {
        while (at < outcomes->places && pages[at].address + PAGE <= place.begin)
            at++;
        for (size_t k = at; k < outcomes->places && pages[k].address < place.end; k++) {
            const uint64_t page = pages[k].address, begin = page < place.begin ? place.begin : page,
                           end = page + PAGE < place.end ? page + PAGE : place.end;
            const unsigned char *before = pages[k].before ? pages[k].before : pages[k].bytes;
            memcpy(device_bytes(machine, begin), before + (begin - page), (size_t)(end - begin));
        }
    }
}

bool outcomes_are_near(const struct machine *machine)
{
    return machine->outcomes.near;
}
