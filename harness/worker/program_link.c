#include "program_link.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define XXH_INLINE_ALL /* compiled in, since the program might have another version of the library */
#include <xxhash.h>

enum { HIGH_DESCRIPTOR = 900 };

int descriptor_put_away(int low)
{
    const int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high < 0)
        return low; /* no higher number is allowed */
    close(low);
    return high;
}

static int link_descriptor = -1;
/* Begins all that we say, so that the parent knows it is ours; NULL before the parent greeted us. */
static char *link_token;
/* The file behind the descriptor; a program that closes all descriptors may get the same number for a file of its own.
 */
static struct stat link_file;

static bool is_ours(void)
{
    struct stat file;
    return link_descriptor >= 0 && fstat(link_descriptor, &file) == 0 && file.st_dev == link_file.st_dev &&
           file.st_ino == link_file.st_ino;
}

void link_close(void)
{
    if (is_ours())
        close(link_descriptor);
    link_descriptor = -1;
}

static bool connect_parent(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return false;
    strcpy(address.sun_path, path); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy): it fits */
    link_descriptor = descriptor_put_away(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return link_descriptor >= 0 && connect(link_descriptor, (const struct sockaddr *)&address, sizeof address) == 0 &&
           fstat(link_descriptor, &link_file) == 0;
}

bool link_say(enum message_kind kind, const char *text)
{
    OWNED_TEXT whole = x_sprintf("%s%s", link_token ? link_token : "", text);
    const bool said = is_ours() && message_write(link_descriptor, kind, whole);
    if (!said)
        link_close();
    return said;
}

bool link_ask(enum message_kind kind, const char *text, char **answer)
{
    struct message message = {0};
    *answer = NULL;
    if (link_say(kind, text) && message_read(link_descriptor, &message) && message.kind == MESSAGE_ANSWER) {
        *answer = message.text;
        return true;
    }
    free(message.text);
    link_close();
    return false;
}

/* Takes the weight of a metric that was told before: "NAME WEIGHT". */
static void take_weight(struct metrics *metrics, char *text)
{
    char *weight = strchr(text, ' ');
    if (!weight)
        return;
    *weight++ = '\0';
    for (size_t m = 0; m < metrics->count; m++)
        if (strcmp(metrics->list[m].name, text) == 0)
            metrics->list[m].weight = x_strdup(weight);
}

/* Takes a line of the request: its key, and the text behind a blank. */
static void take_line(struct request *request, const char *key, char *text)
{
    if (strcmp(key, "token") == 0) {
        link_token = x_strdup(text);
    } else if (strcmp(key, "set") == 0) {
        request->set = strtoul(text, NULL, 10);
    } else if (strcmp(key, "seconds") == 0) {
        request->seconds = (int)strtol(text, NULL, 10);
    } else if (strcmp(key, "changes") == 0) {
        request->changes = true;
    } else if (strcmp(key, "locks") == 0) {
        request->locks = x_strdup(text);
    } else if (strcmp(key, "folder") == 0) {
        request->folder = x_strdup(text);
    } else if (strcmp(key, "gpu") == 0) {
        request->gpu = x_strdup(text);
    } else if (strcmp(key, "lines") == 0) {
        request->lines = true;
    } else if (strcmp(key, "keeps") == 0) {
        request->keeps = true;
    } else if (strcmp(key, "metric") == 0 || strcmp(key, "exact") == 0) {
        char *counter = strchr(text, ' ');
        if (!counter)
            return;
        *counter++ = '\0';
        struct metric *metric = ARRAY_GROW(request->metrics.list, request->metrics.count);
        metric->name = x_strdup(text);
        metric->counter = x_strdup(counter);
        metric->class = *key == 'e' ? METRIC_EXACT : METRIC_INFO;
    } else if (strcmp(key, "suppress") == 0) {
        *ARRAY_GROW(request->suppressed.list, request->suppressed.count) = (struct suppression){
            .kind = (enum suppressed_kind)strtoul(text, &text, 10), .function = x_strdup(text + strspn(text, " "))};
    } else if (strcmp(key, "weight") == 0) {
        take_weight(&request->metrics, text);
    } else {
        program_part_take(&request->part, key, text);
    }
}

static void take_request(struct request *request, char *text)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, ' ');
        if (value)
            *value++ = '\0';
        take_line(request, line, value ? value : line + strlen(line));
    }
}

/* Returns the number by which the program's own starter tells this process from others; NULL: there is none. */
static const char *rank_of_process(void)
{
    static const char *const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (getenv(names[i]))
            return getenv(names[i]);
    return NULL;
}

bool link_open(struct request *request)
{
    const char *path = getenv(WIRE_ADDRESS);
    OWNED_TEXT text = NULL;
    free(link_token); /* of the process from which this one was forked */
    link_token = NULL;
    char hello[64];
    snprintf(hello, sizeof hello, "%d%s%.20s", (int)getpid(), rank_of_process() ? " " : "",
             rank_of_process() ? rank_of_process() : "");
    if (!path || !connect_parent(path)) {
        link_close();
        return false;
    }
    if (!link_ask(MESSAGE_HELLO, hello, &text))
        return false;
    take_request(request, text);
    return request->folder && request->locks && request->metrics.count > 0;
}

/* ---- What is told of machine code and launches ---- */

static void keep_file(const char *folder, const char *name, const void *image, size_t size)
{
    OWNED_TEXT path = x_sprintf("%s/%s.cubin", folder, name);
    OWNED_TEXT part = x_sprintf("%s/%s.%d", folder, name, (int)getpid());
    const int file = access(path, F_OK) == 0 ? -1 : open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) {
        const char *bytes = image;
        size_t left = size;
        for (ssize_t written; left > 0 && (written = write(file, bytes, left)) > 0; left -= (size_t)written)
            bytes += written;
        /* The file is whole or does not exist. Without it nothing is known of the code, and the report says that. */
        if (close(file) == 0 && left == 0)
            (void)rename(part, path);
        else
            unlink(part);
    }
}

/* The image is read once, so that the file has what the name says, whoever changes the memory meanwhile. */
void link_say_module(const char *folder, const void *image, size_t size, char name[MODULE_NAME])
{
    OWNED_MEMORY char *copy = memcpy(x_calloc(size + 1, 1), image, size);
    snprintf(name, MODULE_NAME, "%016llx", (unsigned long long)XXH3_64bits(copy, size));
    keep_file(folder, name, copy, size);
    link_say(MESSAGE_MODULE, name);
}

void link_put_launch(FILE *stream, const unsigned grid[3], const unsigned block[3], unsigned shared, unsigned carve_out,
                     const char *module, const char *function)
{
    fprintf(stream, "%u %u %u %u %u %u %u %u %s %s\n", grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
            carve_out, *module ? module : "-", function);
}
