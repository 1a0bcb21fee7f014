/* Reads files of capsules. Not by a mapping of the file: a process that reads behind the end of one that became shorter
 * is killed. */
#include "capsule_record.h"
#include "capsule_text.h"
#include "capsule_zstd.h"

#include <fcntl.h>
#include <sys/stat.h>

#define AGAIN "copy it again, or capture again"

/* Opens a regular file. A pipe would block, or be read empty. */
static int open_file(const char *path, uint64_t *size, struct problem *problem)
{
    struct stat facts;
    *size = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)) {
        *size = (uint64_t)facts.st_size;
        return file;
    }
    if (file < 0)
        return problem_set(problem, "cannot read %s: %s", path, strerror(errno));
    close(file);
    return problem_set(problem, "cannot read %s: not a regular file; copy its contents into one first", path);
}

static int read_at(const struct capsules *capsules, uint64_t at, void *bytes, size_t size, struct problem *problem)
{
    unsigned char *to = bytes;
    while (size > 0) {
        const ssize_t got = pread(capsules->file, to, size, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return problem_set(problem, "cannot read %s: %s", capsules->path, strerror(errno));
        if (got == 0)
            return problem_set(problem, "%s was truncated while it was read: " AGAIN, capsules->path);
        to += got;
        at += (uint64_t)got;
        size -= (size_t)got;
    }
    return 0;
}

bool capsules_is_file(const char *path)
{
    struct problem problem;
    uint64_t size;
    char mark[FILE_MARK];
    struct capsules capsules = {.path = (char *)path, .file = open_file(path, &size, &problem)};
    if (capsules.file < 0)
        return false;
    const bool is = size >= FILE_HEAD && read_at(&capsules, 0, mark, sizeof mark, &problem) == 0 &&
                    memcmp(mark, capsules_mark, sizeof mark) == 0;
    close(capsules.file);
    return is;
}

static int read_head(const struct capsules *capsules, uint64_t size, struct problem *problem)
{
    unsigned char head[FILE_HEAD];
    const char *path = capsules->path;
    if (size < sizeof head)
        return problem_set(problem, "%s is not a capsule file: it has only %d bytes", path, (int)size);
    TRY(read_at(capsules, 0, head, sizeof head, problem));
    if (memcmp(head, capsules_mark, FILE_MARK) != 0)
        return problem_set(
            problem, "%s is not a capsule file: it does not begin with \"%.15s\"; `cugate task` makes one of a kernel",
            path, capsules_mark);
    const unsigned version = get_number(head + FILE_MARK);
    if (version > CAPSULE_VERSION)
        return problem_set(problem, "%s has format version %u, and this cugate reads version %d: update cugate", path,
                           version, CAPSULE_VERSION);
    if (version < CAPSULE_VERSION)
        return problem_set(problem, "%s has format version %u, which cugate never wrote: " AGAIN, path, version);
    return 0;
}

static int take_page(struct capsules *capsules, uint64_t at, const struct record *record, struct problem *problem)
{
    /* A page that compression does not make smaller is not compressed. */
    const uint32_t most = record->kind == RECORD_PAGE ? CAPSULE_PAGE : CAPSULE_PAGE - 1;
    if (record->size == 0 || record->size > most)
        return problem_set(problem, "%s: page %zu has %u bytes, but a page has 1 to %u: " AGAIN, capsules->path,
                           capsules->page_count, record->size, most);
    if (capsules->page_count == PAGE_SAME)
        return problem_set(problem, "%s has more than %u pages; cugate did not write it", capsules->path, PAGE_SAME);
    struct page *page = ARRAY_GROW(capsules->pages, capsules->page_count);
    *page = (struct page){.at = at, .kind = record->kind, .size = record->size};
    memcpy(page->hash, record->hash, HASH_SIZE);
    return 0;
}

/* Reads the about. It says when and where the capsules were made, but nothing that was measured. */
static int take_about(struct capsules *capsules, const char *text, size_t length)
{
    if (capsules->has_about)
        return error("%s names the GPU of its capsules twice; cugate did not write it", capsules->path);
    capsules->has_about = true;
    OWNED_TEXT name = x_sprintf("%s: about", capsules->path);
    int result = run_parse(&capsules->about, name, text, length);
    if (result == 0 && (capsules->about.result_count > 0 || capsules->about.note_count > 0))
        result = error("%s: the description of its capsules also has results; cugate did not write it", capsules->path);
    return result;
}

static int take_capsule(struct capsules *capsules, const char *text, size_t length)
{
    OWNED_TEXT name = x_sprintf("%s: capsule %zu", capsules->path, capsules->count + 1);
    struct capsule *capsule = ARRAY_GROW(capsules->list, capsules->count);
    return capsule_parse(capsule, name, text, length, capsules->page_count);
}

static int take_end(const struct capsules *capsules, const unsigned char *counts, size_t size)
{
    if (size != END_SIZE || get_number(counts) != capsules->page_count || get_number(counts + 4) != capsules->count)
        return error("%s: its trailer does not match the number of its pages and capsules: " AGAIN, capsules->path);
    return 0;
}

/* Reads the content of a record other than a page. */
static int take_text(struct capsules *capsules, uint64_t at, const struct record *record, struct problem *problem)
{
    unsigned char hash[HASH_SIZE];
    if (record->size > TEXT_LIMIT)
        return problem_set(problem, "%s: the record at byte %llu has %u bytes, more than the limit of %d: " AGAIN,
                           capsules->path, (unsigned long long)at, record->size, TEXT_LIMIT);
    OWNED_TEXT text = x_calloc((size_t)record->size + 1, 1);
    int result = read_at(capsules, at, text, record->size, problem);
    if (result == 0) {
        content_hash(record->kind, text, record->size, hash);
        if (memcmp(hash, record->hash, HASH_SIZE) != 0)
            result = problem_set(problem, "%s is damaged: the record at byte %llu does not match its hash: " AGAIN,
                                 capsules->path, (unsigned long long)at);
    }
    if (result == 0) {
        struct problem *before = error_into(problem);
        result = record->kind == RECORD_ABOUT     ? take_about(capsules, text, record->size)
                 : record->kind == RECORD_CAPSULE ? take_capsule(capsules, text, record->size)
                                                  : take_end(capsules, (unsigned char *)text, record->size);
        error_into(before);
    }
    return result;
}

static int take_record(struct capsules *capsules, uint64_t at, const struct record *record, struct problem *problem)
{
    if (record->kind == RECORD_PAGE || record->kind == RECORD_PAGE_ZSTD)
        return take_page(capsules, at, record, problem);
    if (record->kind >= RECORD_ABOUT && record->kind <= RECORD_END)
        return take_text(capsules, at, record, problem);
    return problem_set(problem, "%s is damaged: the record at byte %llu is of the unknown kind %u: " AGAIN,
                       capsules->path, (unsigned long long)at, record->kind);
}

/* Without an end nothing says whether each page is counted, as they are not if a record of another kind became one by a
 * damage. So all are read. */
static int check_pages(const struct capsules *capsules, struct problem *problem)
{
    OWNED_MEMORY unsigned char *bytes = x_calloc(CAPSULE_PAGE, 1);
    int result = 0;
    for (uint32_t page = 0; result == 0 && page < capsules->page_count; page++)
        result = capsules_page(capsules, page, bytes, problem);
    return result;
}

/* Reads records until the end, or until the first that is not whole. */
static int read_records(struct capsules *capsules, uint64_t size, bool cut, struct problem *problem)
{
    uint64_t at = FILE_HEAD;
    bool ended = false;
    while (!ended && size - at >= RECORD_HEAD) {
        unsigned char head[RECORD_HEAD];
        TRY(read_at(capsules, at, head, sizeof head, problem));
        const struct record record = record_get(head);
        if (record.size > size - at - RECORD_HEAD)
            break;
        TRY(take_record(capsules, at + RECORD_HEAD, &record, problem));
        at += RECORD_HEAD + record.size;
        ended = record.kind == RECORD_END;
    }
    if (ended && at < size)
        return problem_set(problem, "%s is damaged: it has data behind its trailer: " AGAIN, capsules->path);
    if (!ended && !cut)
        return problem_set(
            problem,
            "%s is incomplete: its writer was killed or is still running, or a copy was truncated; wait, or " AGAIN,
            capsules->path);
    return ended ? 0 : check_pages(capsules, problem);
}

int capsules_open(struct capsules *capsules, const char *path, bool cut, struct problem *problem)
{
    uint64_t size;
    *capsules = (struct capsules){0};
    const int file = open_file(path, &size, problem);
    TRY(file);
    capsules->path = x_strdup(path);
    capsules->file = file;
    if (read_head(capsules, size, problem) == 0 && read_records(capsules, size, cut, problem) == 0)
        return 0;
    capsules_release(capsules);
    return -1;
}

void capsules_release(struct capsules *capsules)
{
    if (!capsules->path)
        return;
    for (size_t i = 0; i < capsules->count; i++)
        capsule_release(&capsules->list[i]);
    free(capsules->list);
    free(capsules->pages);
    free(capsules->path);
    run_release(&capsules->about);
    close(capsules->file);
    *capsules = (struct capsules){0};
}

int capsules_page(const struct capsules *capsules, uint32_t page, unsigned char *bytes, struct problem *problem)
{
    unsigned char compressed[CAPSULE_PAGE], hash[HASH_SIZE];
    size_t size = 0;
    if (page == PAGE_ZERO) {
        memset(bytes, 0, CAPSULE_PAGE);
        return 0;
    }
    if (page >= capsules->page_count)
        BUG("page %u of %zu", page, capsules->page_count);
    const struct page *from = &capsules->pages[page];
    unsigned char *to = from->kind == RECORD_PAGE ? bytes : compressed;
    TRY(read_at(capsules, from->at, to, from->size, problem));
    size = from->kind == RECORD_PAGE ? from->size : page_expand_zstd(bytes, CAPSULE_PAGE, compressed, from->size);
    content_hash(RECORD_PAGE, bytes, size, hash);
    if (size == 0 || memcmp(hash, from->hash, HASH_SIZE) != 0)
        return problem_set(problem, "%s is damaged: page %u at byte %llu does not match its hash: " AGAIN,
                           capsules->path, page, (unsigned long long)from->at);
    memset(bytes + size, 0, CAPSULE_PAGE - size);
    return 0;
}

unsigned char *capsules_blob(const struct capsules *capsules, const struct blob *blob, struct problem *problem)
{
    unsigned char page[CAPSULE_PAGE];
    unsigned char *bytes = blob->size <= BLOB_LIMIT ? calloc((size_t)blob->size + 1, 1) : NULL;
    if (!bytes) {
        problem_set(problem, "%s: cannot allocate %llu bytes for a capsule: free some memory (the limit is %d)",
                    capsules->path, (unsigned long long)blob->size, BLOB_LIMIT);
        return NULL;
    }
    for (size_t i = 0; i < pages_of(blob->size); i++) {
        const uint64_t at = (uint64_t)i * CAPSULE_PAGE;
        const uint64_t left = blob->size - at;
        if (blob->pages[i] == PAGE_ZERO)
            continue; /* so is the memory, which is not even touched */
        if (capsules_page(capsules, blob->pages[i], page, problem) < 0) {
            free(bytes);
            return NULL;
        }
        memcpy(bytes + at, page, left < CAPSULE_PAGE ? (size_t)left : CAPSULE_PAGE);
    }
    return bytes;
}
