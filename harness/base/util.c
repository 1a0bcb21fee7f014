#include "util.h"

#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One call of fprintf a message, so that the lines of two processes do not mix. Text out of files may be hostile, so no
 * control character reaches the terminal, and no newline: CI servers take commands from the beginning of a line. */
__attribute__((format(printf, 2, 0))) static void say(const char *kind, const char *format, va_list list)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, list);
    text_make_harmless(text, ' ');
    fprintf(stderr, "cugate: %s: %s\n", kind, text);
}

int error(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say("error", format, list);
    va_end(list);
    return -1;
}

void warning(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say("warning", format, list);
    va_end(list);
}

void die(enum exit_code code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say("error", format, list);
    va_end(list);
    exit((int)code);
}

void bug_at(const char *file, int line, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    text_make_harmless(text, ' ');
    fprintf(stderr, "cugate: bug at %s:%d: %s\ncugate: please report this with the command line that led to it\n", file,
            line, text);
    abort();
}

__attribute__((noreturn)) static void out_of_memory(size_t count, size_t size)
{
    die(EXIT_USAGE, "cannot allocate %zu x %zu bytes: free some memory, or measure fewer kernels at once with -k",
        count, size);
}

void *x_calloc(size_t count, size_t size)
{
    /* calloc(0, ...) may answer NULL, which would read as "out of memory". */
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        out_of_memory(count, size);
    return memory;
}

void *x_realloc(void *memory, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory(count, size);
    void *larger = realloc(memory, bytes ? bytes : 1);
    if (!larger)
        out_of_memory(count, size);
    return larger;
}

char *x_strdup(const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text) + 1;
    return memcpy(x_calloc(size, 1), text, size);
}

char *x_sprintf(const char *format, ...)
{
    char *text = NULL;
    va_list list;
    va_start(list, format);
    int length = vasprintf(&text, format, list);
    va_end(list);
    if (length < 0)
        out_of_memory(1, strlen(format));
    return text;
}

void *x_grow(void *memory, size_t count, size_t size)
{
    /* The capacity is the count rounded up to a power of two, so it needs no field of its own. */
    if ((count & (count - 1)) == 0)
        memory = x_realloc(memory, count ? 2 * count : 1, size);
    memset((char *)memory + count * size, 0, size);
    return memory;
}

double round_value(double value)
{
    if (!isfinite(value) || (fabs(value) < 0x1p53 && rint(value) == value))
        return value;
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    return strtod(text, NULL);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(const double *values, size_t count)
{
    if (count == 0)
        BUG("median of nothing");
    if (count == 1) /* each session of a baseline */
        return values[0];
    double few[16]; /* as many as a session has: no memory to ask for */
    double *sorted = count <= ROWS(few) ? few : x_calloc(count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    double high = sorted[count / 2];
    double low = sorted[(count - 1) / 2];
    if (sorted != few)
        free(sorted);
    /* Halved first: the sum of two large values may be infinite. */
    return low == high ? high : low / 2 + high / 2;
}

int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* A list that is sorted by the places of its elements. */
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

double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

const char *group_digits(double whole, char *text, size_t size)
{
    char digits[320]; /* the largest double has 309 */
    int count = snprintf(digits, sizeof digits, "%.0f", whole);
    size_t used = 0;
    for (int i = 0; i < count && used + 2 < size; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

bool glob_any(char *const *globs, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(globs[i], text, 0) == 0)
            return true;
    return count == 0;
}

char *slug(const char *text)
{
    char *out = x_calloc(strlen(text) + 1, 1);
    size_t length = 0;
    for (; *text; text++) {
        char c = *text;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out[length++] = c;
        else if (length > 0 && out[length - 1] != '-')
            out[length++] = '-';
    }
    if (length > 0 && out[length - 1] == '-')
        out[length - 1] = '\0';
    return out;
}

/* Insertions, deletions, replacements and swaps of neighbours (optimal string alignment) that turn a into b;
 * SIZE_MAX when a word is too long to be a slip of the other. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][64];
    size_t *older = rows[0];
    size_t *old = rows[1];
    size_t *new = rows[2];
    size_t length = strlen(b);
    if (length >= ROWS(rows[0]) || strlen(a) >= ROWS(rows[0]))
        return SIZE_MAX;
    for (size_t j = 0; j <= length; j++)
        old[j] = j;
    for (size_t i = 0; a[i]; i++) {
        new[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t best = old[j] + (a[i] != b[j]);
            if (old[j + 1] + 1 < best)
                best = old[j + 1] + 1;
            if (new[j] + 1 < best)
                best = new[j] + 1;
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] && older[j - 1] + 1 < best)
                best = older[j - 1] + 1;
            new[j + 1] = best;
        }
        size_t *spare = older;
        older = old;
        old = new;
        new = spare;
    }
    return old[length];
}

const char *nearest_name(const char *text, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t length = strlen(text);
    size_t least = length / 3 + 2; /* as many edits make it another word, and so does half of a short one */
    if (least > (length + 1) / 2)
        least = (length + 1) / 2;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(text, names[i]);
        if (distance < least) {
            least = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

/* Reads from the open descriptor until its end. */
static int read_all(int descriptor, const char *path, size_t limit, char **text, size_t *length)
{
    size_t room = 0;
    *text = NULL;
    *length = 0;
    for (;;) {
        if (*length + 1 >= room) {
            room = room ? 2 * room : 65536;
            *text = x_realloc(*text, room, 1);
        }
        ssize_t got = read(descriptor, *text + *length, room - *length - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error("cannot read %s: %s", path, strerror(errno));
        *length += (size_t)got;
        if (*length > limit)
            return error("cannot read %s: it is larger than %zu bytes, which is the limit", path, limit);
        if (got == 0)
            break;
    }
    (*text)[*length] = '\0';
    return 0;
}

int file_read(const char *path, size_t limit, char **text, size_t *length)
{
    int result = -1;
    struct stat facts;
    *text = NULL;
    *length = 0;
    /* O_NONBLOCK: a pipe that nobody writes would block the open itself. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return error("cannot read %s: %s", path, strerror(errno));
    if (fstat(descriptor, &facts) < 0)
        error("cannot read %s: %s", path, strerror(errno));
    else if (S_ISDIR(facts.st_mode))
        error("cannot read %s: it is a folder, not a file", path);
    else if (!S_ISREG(facts.st_mode))
        error("cannot read %s: it is not a regular file; write its data into one first", path);
    else if ((unsigned long long)facts.st_size > limit)
        error("cannot read %s: it has %lld bytes, more than the limit of %zu", path, (long long)facts.st_size, limit);
    else
        result = read_all(descriptor, path, limit, text, length);
    close(descriptor);
    if (result < 0) {
        free(*text);
        *text = NULL;
        *length = 0;
    }
    return result;
}

int make_folders(const char *path)
{
    char *part = x_strdup(path);
    int result = 0;
    for (char *end = part; result == 0 && *end;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        char kept = *end;
        *end = '\0';
        struct stat facts;
        if (mkdir(part, 0777) < 0 && (errno != EEXIST || stat(part, &facts) < 0 || !S_ISDIR(facts.st_mode)))
            result = error("cannot create the folder %s: %s", part, strerror(errno));
        *end = kept;
    }
    free(part);
    return result;
}

char *program_folder(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return x_strdup(".");
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return x_strdup(".");
    slash[slash == path] = '\0';
    return x_strdup(path);
}
