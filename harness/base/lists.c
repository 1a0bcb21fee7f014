#include "lists.h"

#include "error.h"

int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void sort_by_name(void *list, size_t count, size_t size)
{
    size_t sorted = count > 0 ? 1 : 0;
    while (sorted < count && by_text((char *)list + (sorted - 1) * size, (char *)list + sorted * size) <= 0)
        sorted++;
    if (sorted < count)
        qsort(list, count, size, by_text);
}

size_t place_of_name(const void *list, size_t count, size_t size, const char *name)
{
    BISECT(low, count, i, strcmp(*(const char *const *)((const char *)list + i * size), name) < 0);
    return low;
}

void *find_by_name(const void *list, size_t count, size_t size, const char *name)
{
    const size_t place = place_of_name(list, count, size, name);
    char *const found = place < count ? (char *)list + place * size : NULL;
    return found && strcmp(*(char **)(void *)found, name) == 0 ? found : NULL;
}

int order_of_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* A list whose indices are sorted in the order of its elements. */
struct places {
    const char *list;
    size_t size;
    int (*order)(const void *, const void *);
};

static int by_element(const void *left, const void *right, void *data)
{
    const struct places *places = data;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const int order = places->order(places->list + a * places->size, places->list + b * places->size);
    return order ? order : (a > b) - (a < b);
}

size_t *first_of_equals(const void *list, size_t count, size_t size, int (*order)(const void *, const void *))
{
    struct places places = {list, size, order};
    size_t *sorted = x_calloc(count, sizeof *sorted), *first = x_calloc(count, sizeof *first);
    for (size_t i = 0; i < count; i++)
        sorted[i] = i;
    if (count > 0)
        qsort_r(sorted, count, sizeof *sorted, by_element, &places);
    for (size_t i = 0; i < count; i++) {
        const bool is_new = i == 0 || order(places.list + sorted[i - 1] * size, places.list + sorted[i] * size) != 0;
        first[sorted[i]] = is_new ? sorted[i] : first[sorted[i - 1]];
    }
    free(sorted);
    return first;
}
