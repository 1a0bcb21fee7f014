/* Copies capsules from file to file. Apart from capsule_write.c, which may not need what reading needs. */
#include "capsule_write.h"

/* The pages of a capsule, sorted, and which pages of the new file they are. */
struct copied {
    uint32_t *from, *to;
    size_t count;
};

ORDER_OF(by_number, uint32_t)

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
    EACH(const struct memory_range, range, capsule->ranges, capsule->range_count) {
        collect(&copied, range->before, pages_of(range->size));
        collect(&copied, range->after, pages_of(range->size));
        collect(&copied, range->varies, pages_of(range->size));
    }
    SORT(copied.from, copied.count, by_number);
    size_t count = 0;
    for (size_t i = 0; i < copied.count; i++)
        if (i == 0 || copied.from[i] != copied.from[i - 1])
            copied.from[count++] = copied.from[i];
    copied.count = count;
    copied.to = x_calloc(count, sizeof *copied.to);
    return copied;
}

/* Pages that are read, and compressed, at once: compressing is what takes the time. */
struct batch {
    const struct capsules *from;
    page_compress *compress;
    const size_t *list; /* their places among those that are copied */
    const struct copied *copied;
    struct ready_page *pages;
    unsigned char *bytes, *rooms; /* CAPSULE_PAGE of each */
    struct problem *problems;
};

enum { AT_ONCE = 64 };

static void prepare(void *data, size_t i)
{
    const struct batch *batch = data;
    const uint32_t number = batch->copied->from[batch->list[i]];
    unsigned char *bytes = batch->bytes + i * CAPSULE_PAGE, *room = batch->rooms + i * CAPSULE_PAGE;
    struct ready_page *page = &batch->pages[i];
    *batch->problems[i].text = '\0';
    *page = (struct ready_page){.bytes = bytes, .compressed = room};
    if (capsules_page(batch->from, number, bytes, &batch->problems[i]) < 0)
        return;
    page->size = page_size_without_zeros(bytes, CAPSULE_PAGE);
    memcpy(page->hash, batch->from->pages[number].hash, HASH_SIZE);
    page->compressed_size =
        batch->compress && page->size > 0 ? batch->compress(room, page->size - 1, bytes, page->size) : 0;
}

/* Writes the pages of a batch. One of a file may be there twice. */
static int write_batch(struct capsule_writer *writer, const struct batch *batch, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t *to = &batch->copied->to[batch->list[i]];
        if (*batch->problems[i].text)
            return problem_set(&writer->problem, "%s", batch->problems[i].text);
        *to = capsule_writer_find(writer, batch->pages[i].hash);
        if (*to == PAGE_ZERO && batch->pages[i].size > 0)
            *to = capsule_writer_put(writer, &batch->pages[i]);
        if (*writer->problem.text)
            return -1;
    }
    return 0;
}

/* Copies the pages. One that the new file has already is not read: capsules of one program share most of theirs. */
static int copy_pages(struct capsule_writer *writer, const struct capsules *from, struct copied *copied)
{
    size_t *list = x_calloc(copied->count + 1, sizeof *list), count = 0;
    struct batch batch = {
        .from = from,
        .compress = writer->compress,
        .copied = copied,
        .pages = x_calloc(AT_ONCE, sizeof *batch.pages),
        .bytes = x_calloc(AT_ONCE, CAPSULE_PAGE),
        .rooms = x_calloc(AT_ONCE, CAPSULE_PAGE),
        .problems = x_calloc(AT_ONCE, sizeof *batch.problems),
    };
    for (size_t i = 0; i < copied->count; i++) {
        copied->to[i] = capsule_writer_find(writer, from->pages[copied->from[i]].hash);
        if (copied->to[i] == PAGE_ZERO)
            list[count++] = i;
    }
    int failed = 0;
    for (size_t i = 0; i < count && failed == 0; i += AT_ONCE) {
        const size_t some = count - i < AT_ONCE ? count - i : AT_ONCE;
        batch.list = list + i;
        in_parallel(some, prepare, &batch);
        failed = write_batch(writer, &batch, some);
    }
    free(batch.pages);
    free(batch.bytes);
    free(batch.rooms);
    free(batch.problems);
    free(list);
    return failed;
}

static uint32_t new_number(const struct copied *copied, uint32_t page)
{
    const uint32_t *found =
        copied->count > 0 ? bsearch(&page, copied->from, copied->count, sizeof page, by_number) : NULL;
    if (!found)
        BUG("page %u was not recorded", page);
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
    OWNED_MEMORY uint32_t *own = code ? NULL : translated(copied, capsule->code.pages, capsule->code.size);
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
