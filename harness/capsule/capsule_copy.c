/* Copies capsules from file to file. Apart from capsule_write.c, which may not need what reading needs. */
#include "capsule_record.h"
#include "capsule_write.h"

#include <stdlib.h>

/* The pages of a capsule, sorted, and which pages of the new file they are. */
struct copied {
    uint32_t *from, *to;
    size_t count;
};

static int by_number(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static void collect(struct copied *copied, const uint32_t *pages, size_t count)
{
    for (size_t i = 0; pages && i < count; i++)
        if (pages[i] != PAGE_ZERO && pages[i] != PAGE_SAME)
            *ARRAY_GROW(copied->from, copied->count) = pages[i];
}

/* Collects the pages in the order in which the file has them, so that a copy has them in that order too. */
static struct copied pages_of_capsule(const struct capsule *capsule, bool with_code)
{
    struct copied copied = {0};
    if (with_code)
        collect(&copied, capsule->code.pages, pages_of(capsule->code.size));
    for (size_t i = 0; i < capsule->range_count; i++) {
        const struct memory_range *range = &capsule->ranges[i];
        collect(&copied, range->before, pages_of(range->size));
        collect(&copied, range->after, pages_of(range->size));
        collect(&copied, range->varies, pages_of(range->size));
    }
    if (copied.count > 0)
        qsort(copied.from, copied.count, sizeof *copied.from, by_number);
    size_t count = 0;
    for (size_t i = 0; i < copied.count; i++)
        if (i == 0 || copied.from[i] != copied.from[i - 1])
            copied.from[count++] = copied.from[i];
    copied.count = count;
    copied.to = x_calloc(count, sizeof *copied.to);
    return copied;
}

/* Copies the pages. One that the new file has already is not read: capsules of one program share most of theirs. */
static int copy_pages(struct capsule_writer *writer, const struct capsules *from, struct copied *copied)
{
    unsigned char *bytes = x_calloc(CAPSULE_PAGE, 1);
    for (size_t i = 0; i < copied->count && !writer->problem.text[0]; i++) {
        const uint32_t page = copied->from[i];
        copied->to[i] = capsule_writer_find(writer, from->pages[page].hash);
        if (copied->to[i] == PAGE_ZERO && capsules_page(from, page, bytes, &writer->problem) == 0)
            copied->to[i] = capsule_writer_page(writer, bytes, CAPSULE_PAGE);
    }
    free(bytes);
    return writer->problem.text[0] ? -1 : 0;
}

static uint32_t new_number(const struct copied *copied, uint32_t page)
{
    const uint32_t *found =
        copied->count > 0 ? bsearch(&page, copied->from, copied->count, sizeof page, by_number) : NULL;
    if (!found)
        BUG("page %u was not copied", page);
    return copied->to[found - copied->from];
}

/* Returns the pages by their new numbers. Caller frees. */
static uint32_t *translated(const struct copied *copied, const uint32_t *pages, uint64_t size)
{
    if (!pages)
        return NULL;
    uint32_t *list = x_calloc(pages_of(size), sizeof *list);
    for (size_t i = 0; i < pages_of(size); i++)
        list[i] = pages[i] == PAGE_ZERO || pages[i] == PAGE_SAME ? pages[i] : new_number(copied, pages[i]);
    return list;
}

/* Writes the capsule with the new numbers of its pages, and with other code if there is any. */
static int add_translated(struct capsule_writer *writer, const struct copied *copied, const struct capsule *capsule,
                          const struct blob *code)
{
    struct capsule copy = *capsule;
    uint32_t *own = code ? NULL : translated(copied, capsule->code.pages, capsule->code.size);
    copy.code = code ? *code : (struct blob){capsule->code.size, own};
    copy.ranges = x_calloc(capsule->range_count, sizeof *copy.ranges);
    for (size_t i = 0; i < capsule->range_count; i++) {
        const struct memory_range *range = &capsule->ranges[i];
        copy.ranges[i] = *range;
        copy.ranges[i].before = translated(copied, range->before, range->size);
        copy.ranges[i].after = translated(copied, range->after, range->size);
        copy.ranges[i].varies = translated(copied, range->varies, range->size);
    }
    const int result = capsule_writer_add(writer, &copy);
    for (size_t i = 0; i < capsule->range_count; i++) {
        free(copy.ranges[i].before);
        free(copy.ranges[i].after);
        free(copy.ranges[i].varies);
    }
    free(copy.ranges);
    free(own);
    return result;
}

int capsule_writer_copy(struct capsule_writer *writer, const struct capsules *from, const struct capsule *capsule,
                        const struct blob *code)
{
    if (writer->problem.text[0])
        return -1;
    struct copied copied = pages_of_capsule(capsule, !code);
    const int result = copy_pages(writer, from, &copied) < 0 ? -1 : add_translated(writer, &copied, capsule, code);
    free(copied.from);
    free(copied.to);
    return result;
}
