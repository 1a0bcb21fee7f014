/* Writes files of capsules. It goes into programs of others (the room inject), so nothing that it calls may need a
 * library. */
#include "capsule_write.h"

#include "capsule_text.h"

/* A place of the table of pages, which is that of the hash or the next free one behind it. */
struct known_page {
    unsigned char hash[HASH_SIZE];
    uint32_t page;
    bool taken;
};

static int failed(const struct capsule_writer *writer)
{
    return writer->problem.text[0] ? -1 : 0;
}

/* Writes to the descriptor, past the stream's buffer: a stream gives up at a signal. */
static void put(struct capsule_writer *writer, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    while (size > 0 && failed(writer) == 0) {
        const ssize_t written = write(fileno(writer->file.stream), from, size);
        if (written > 0) {
            from += written;
            size -= (size_t)written;
            writer->bytes += (uint64_t)written;
        } else if (written == 0 || errno != EINTR) {
            problem_set(&writer->problem, "cannot write %s: %s", writer->file.path, strerror(written ? errno : ENOSPC));
        }
    }
}

static void put_record(struct capsule_writer *writer, const struct record *record, const void *content)
{
    unsigned char head[RECORD_HEAD];
    record_put(head, record);
    put(writer, head, sizeof head);
    put(writer, content, record->size);
}

/* Writes a record other than a page. */
static int put_text(struct capsule_writer *writer, enum record_kind kind, const void *text, size_t length)
{
    if (length > TEXT_LIMIT)
        return problem_set(&writer->problem,
                           "cannot write %s: the description of a launch takes %zu bytes, more than the limit of %d; "
                           "capture a launch that reaches less memory",
                           writer->file.path, length, TEXT_LIMIT);
    struct record record = {.kind = kind, .size = (uint32_t)length};
    content_hash(kind, text, length, record.hash);
    put_record(writer, &record, text);
    return failed(writer);
}

int capsule_writer_open(struct capsule_writer *writer, const char *path, page_compress *compress)
{
    unsigned char head[FILE_HEAD];
    *writer = (struct capsule_writer){.compress = compress};
    struct problem *before = error_into(&writer->problem);
    const int result = atomic_file_open_beside(&writer->file, path);
    error_into(before);
    TRY(result);
    writer->room = compress ? x_calloc(CAPSULE_PAGE, 1) : NULL;
    memcpy(head, capsules_mark, FILE_MARK);
    put_number(head + FILE_MARK, CAPSULE_VERSION);
    put(writer, head, sizeof head);
    return failed(writer);
}

/* Returns the place of the page with that hash, or the free one where it would be. */
static struct known_page *place_of(struct known_page *known, size_t room, const unsigned char *hash)
{
    uint64_t begin;
    memcpy(&begin, hash, sizeof begin);
    for (size_t i = (size_t)begin & (room - 1);; i = (i + 1) & (room - 1))
        if (!known[i].taken || memcmp(known[i].hash, hash, HASH_SIZE) == 0)
            return &known[i];
}

uint32_t capsule_writer_find(const struct capsule_writer *writer, const unsigned char *hash)
{
    if (writer->known_room == 0)
        return PAGE_ZERO;
    const struct known_page *place = place_of(writer->known, writer->known_room, hash);
    return place->taken ? place->page : PAGE_ZERO;
}

/* Half of the table or more is free, else looking for a page would take long. */
static void make_place(struct capsule_writer *writer)
{
    if (2 * ((size_t)writer->page_count + 1) <= writer->known_room)
        return;
    const size_t room = writer->known_room ? 2 * writer->known_room : 1024;
    struct known_page *known = x_calloc(room, sizeof *known);
    for (size_t i = 0; i < writer->known_room; i++)
        if (writer->known[i].taken)
            *place_of(known, room, writer->known[i].hash) = writer->known[i];
    free(writer->known);
    writer->known = known;
    writer->known_room = room;
}

uint32_t capsule_writer_put(struct capsule_writer *writer, const struct ready_page *page)
{
    struct record record = {.kind = page->compressed_size > 0 ? RECORD_PAGE_ZSTD : RECORD_PAGE,
                            .size = (uint32_t)(page->compressed_size > 0 ? page->compressed_size : page->size)};
    memcpy(record.hash, page->hash, HASH_SIZE);
    make_place(writer);
    struct known_page *place = place_of(writer->known, writer->known_room, page->hash);
    put_record(writer, &record, page->compressed_size > 0 ? page->compressed : page->bytes);
    if (failed(writer) < 0)
        return PAGE_ZERO;
    *place = (struct known_page){.page = writer->page_count++, .taken = true};
    memcpy(place->hash, page->hash, HASH_SIZE);
    return place->page;
}

/* Whole words come first, which is faster. */
size_t page_size_without_zeros(const unsigned char *bytes, size_t size)
{
    for (uint64_t word; size >= sizeof word; size -= sizeof word) {
        memcpy(&word, bytes + size - sizeof word, sizeof word);
        if (word != 0)
            break;
    }
    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size;
}

uint32_t capsule_writer_page(struct capsule_writer *writer, const void *bytes, size_t size)
{
    if (size > CAPSULE_PAGE)
        BUG("a page of %zu bytes", size);
    struct ready_page page = {.bytes = bytes, .size = page_size_without_zeros(bytes, size)};
    if (failed(writer) < 0 || page.size == 0)
        return PAGE_ZERO;
    content_hash(RECORD_PAGE, bytes, page.size, page.hash);
    const uint32_t known = capsule_writer_find(writer, page.hash);
    if (known != PAGE_ZERO)
        return known;
    page.compressed = writer->room;
    page.compressed_size = writer->compress ? writer->compress(writer->room, page.size - 1, bytes, page.size) : 0;
    return capsule_writer_put(writer, &page);
}

struct blob capsule_writer_blob(struct capsule_writer *writer, const void *bytes, uint64_t size)
{
    struct blob blob = {.size = size, .pages = x_calloc(pages_of(size), sizeof *blob.pages)};
    for (size_t i = 0; i < pages_of(size); i++) {
        const uint64_t at = (uint64_t)i * CAPSULE_PAGE;
        const uint64_t left = size - at;
        blob.pages[i] = capsule_writer_page(writer, (const unsigned char *)bytes + at,
                                            left < CAPSULE_PAGE ? (size_t)left : CAPSULE_PAGE);
    }
    return blob;
}

int capsule_writer_about(struct capsule_writer *writer, const struct run *about)
{
    OWNED_TEXT text = NULL;
    size_t length = 0;
    TRY(failed(writer));
    FILE *stream = open_memstream(&text, &length);
    const int result = stream ? run_write(about, stream) : -1;
    if (!stream || fclose(stream) != 0 || result < 0)
        die(EXIT_USAGE, "cannot allocate memory for the description of %s", writer->file.path);
    put_text(writer, RECORD_ABOUT, text, length);
    return failed(writer);
}

int capsule_writer_add(struct capsule_writer *writer, const struct capsule *capsule)
{
    size_t length;
    TRY(failed(writer));
    OWNED_TEXT text = capsule_text(capsule, &length);
    if (put_text(writer, RECORD_CAPSULE, text, length) == 0)
        writer->capsule_count++;
    return failed(writer);
}

int capsule_writer_end(struct capsule_writer *writer)
{
    unsigned char counts[END_SIZE];
    put_number(counts, writer->page_count);
    put_number(counts + 4, writer->capsule_count);
    if (failed(writer) == 0 && put_text(writer, RECORD_END, counts, sizeof counts) == 0) {
        struct problem *before = error_into(&writer->problem);
        (void)atomic_file_commit(&writer->file); /* a problem is kept */
        error_into(before);
    }
    capsule_writer_abandon(writer);
    return failed(writer);
}

int capsule_writer_finish(struct capsule_writer *writer, int failed)
{
    if (failed == 0)
        failed = capsule_writer_end(writer);
    if (*writer->problem.text)
        error("%s", writer->problem.text);
    capsule_writer_abandon(writer);
    return failed;
}

void capsule_writer_abandon(struct capsule_writer *writer)
{
    atomic_file_abandon(&writer->file);
    free(writer->known);
    free(writer->room);
    writer->known = NULL;
    writer->known_room = 0;
    writer->room = NULL;
}
