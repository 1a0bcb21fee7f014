/* Programs that write messages of their own to `cugate run -- PROGRAM`, correct ones or not. Then they launch as other
 * programs do, and cugate's own library writes what it always does. To be heard at all, they have its file in their
 * memory and begin messages with its token. Without `cugate run -- PROGRAM` they only launch. */
#include "made_program.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MESSAGE(...)                                                                                                   \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define HELLO MESSAGE('H', "1")
#define DEVICE(name)                                                                                                   \
    HELLO,                                                                                                             \
        MESSAGE('D', "{\"device\": {\"compute_capability\": \"9.0\", \"ecc\": true, \"memory_bytes\": 1073741824, "    \
                     "\"mig\": false, \"name\": \"" name "\", \"sm_count\": 132}, \"kernels\": {}, \"metrics\": {}, "  \
                     "\"schema\": 1, \"sessions\": [{}]}")
#define GROUP(shape) MESSAGE('G', "launch\n" shape)
#define OWN_GROUP GROUP("64 1 1 256 1 1 0 - add_one\n")
#define RESULT(of)                                                                                                     \
    MESSAGE('R', "{\"program/" of "\": {\"bytes\": 0, \"flops\": 0, \"launches\": [], \"metrics\": {\"time\": "        \
                 "{\"sessions\": [[1]]}}, \"status\": \"ok\"}}")
#define OWN_RESULT RESULT("add_one@64,256")
#define END(of) MESSAGE('E', "0 0 0 0 0\n" of) /* nothing is lost, and all was watched */
#define END_OF(kernel) END("1 1 0 0 1/0/0 0/0 program/" kernel "@64,256\n")
#define FORGET MESSAGE('-', "") /* the token */

/* What is said instead of a greeting, or the messages, of which the last one is sent so often. */
static const struct {
    const char *name, *bytes;
    size_t size;
    struct {
        char kind;
        const char *text;
    } messages[7];
    int times;
} ways[] = {
    {"garbage", .bytes = "Good day to you, and how are you?\n", .size = 34},
    {"long", .bytes = "H\xff\xff\xff\xff", .size = 5},
    {"half", .bytes = "H\x10", .size = 2},
    {"hello-twice", .messages = {HELLO, HELLO}},
    {"result-first", .messages = {HELLO, OWN_RESULT}},
    {"result-of-another", .messages = {DEVICE("Stand-in GPU"), OWN_GROUP, RESULT("nobody@64,256")}},
    {"end-of-another", .messages = {DEVICE("Stand-in GPU"), END_OF("nobody")}},
    {"results-of-one", .messages = {DEVICE("Stand-in GPU"), OWN_GROUP, OWN_RESULT, OWN_RESULT, END_OF("add_one")}},
    {"result-after-end", .messages = {DEVICE("Stand-in GPU"), OWN_GROUP, END_OF("add_one"), OWN_RESULT}},
    {"no-token", .messages = {HELLO, FORGET, {'M', "0123456789abcdef"}}},
    {"path", .messages = {HELLO, {'M', "../../../../etc/p"}}},
    {"no-launch", .messages = {DEVICE("Stand-in GPU"), GROUP("64 1 1\n")}},
    /* Another GPU than that of the process which came first. */
    {"other-gpu", .messages = {DEVICE("Another GPU"), END("")}},
    /* Questions without end, of which no answer is read. */
    {"flood", .messages = {DEVICE("Stand-in GPU"), OWN_GROUP}, .times = 1000000},
};

/* Connects to `cugate run -- PROGRAM`. -1: nobody measures. */
static int dial(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("CUGATE_EXEC");
    const int socket_descriptor = path ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (socket_descriptor < 0)
        return -1;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (connect(socket_descriptor, (const struct sockaddr *)&address, sizeof address) < 0)
        abort();
    return socket_descriptor;
}

static int say_bytes(int to, const void *bytes, size_t length)
{
    return send(to, bytes, length, MSG_NOSIGNAL) == (ssize_t)length ? 0 : -1;
}

/* The token, which is the answer to the greeting; empty until then. */
static char token[17];

static int say(int to, char kind, const char *text)
{
    const uint32_t length = (uint32_t)(strlen(token) + strlen(text));
    return say_bytes(to, &kind, 1) < 0 || say_bytes(to, &length, sizeof length) < 0 ||
                   say_bytes(to, token, strlen(token)) < 0 || say_bytes(to, text, strlen(text)) < 0
               ? -1
               : 0;
}

/* Reads the beginning of an answer. */
static void hear(int from, char *text, size_t size)
{
    char kind, letter;
    uint32_t length = 0;
    memset(text, 0, size);
    if (recv(from, &kind, 1, MSG_WAITALL) != 1 || recv(from, &length, sizeof length, MSG_WAITALL) != sizeof length)
        return;
    for (size_t i = 0; i < length && recv(from, &letter, 1, MSG_WAITALL) == 1; i++)
        if (i < size - 1)
            text[i] = letter;
}

static void greet(int to)
{
    char answer[64];
    say(to, 'H', "1");
    hear(to, answer, sizeof answer);
    sscanf(answer, "token %16s", token);
}

static void say_way(int to, size_t way)
{
    if (ways[way].bytes)
        say_bytes(to, ways[way].bytes, ways[way].size);
    for (size_t i = 0; ways[way].messages[i].kind; i++) {
        const char kind = ways[way].messages[i].kind;
        const int times = ways[way].messages[i + 1].kind || !ways[way].times ? 1 : ways[way].times;
        if (kind == 'H')
            greet(to);
        else if (kind == '-')
            token[0] = '\0';
        for (int k = 0; k < times && kind != 'H' && kind != '-'; k++)
            if (say(to, kind, ways[way].messages[i].text) < 0)
                break;
    }
}

/* Maps a file as a library that is loaded is mapped. */
static void map(const char *path)
{
    const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    if (mmap(NULL, 1, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED)
        abort();
    close(file);
}

static int stranger(int argc, char **argv)
{
    struct gpu gpu;
    map(getenv("CUDA_INJECTION64_PATH"));
    const int to = dial();
    for (size_t i = 0; argc > 0 && to >= 0 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, argv[0]) == 0)
            say_way(to, i);
    gpu_open(&gpu, 0);
    launch_some(&gpu, 8);
    printf("stranger: 8 launches, sum %d\n", gpu_sum(&gpu));
    gpu_close(&gpu);
    if (to >= 0)
        close(to);
    return 0;
}

/* ---- Forgery: says what a good run said, and launches something else unseen ---- */

/* Returns the descriptor by which cugate's library speaks. */
static int find_descriptor(void)
{
    struct sockaddr_un peer;
    for (int i = 3; i < 1024; i++) {
        socklen_t size = sizeof peer;
        if (getpeername(i, (struct sockaddr *)&peer, &size) == 0 && peer.sun_family == AF_UNIX)
            return i;
    }
    return -1;
}

static int dial_alone(void)
{
    return dial();
}

static int dial_with_library(void)
{
    if (!dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW))
        abort();
    return dial();
}

static int speak_for_library(void)
{
    MUST(cuInit(0));
    return find_descriptor();
}

static const struct {
    const char *name;
    int (*open)(void);
} mouths[] = {
    {"alone", dial_alone},
    {"with-library", dial_with_library},
    {"for-library", speak_for_library},
};

/* Sends the messages in a file, which has kind, text and NUL of each. */
static void say_file(int to, const char *path)
{
    char *message = NULL, answer[64];
    size_t capacity = 0;
    FILE *file = fopen(path, "r");
    while (file && getdelim(&message, &capacity, '\0', file) > 0) {
        say(to, *message, message + 1);
        if (*message == 'H' || *message == 'G')
            hear(to, answer, sizeof answer);
    }
    free(message);
    if (!file || fclose(file) != 0)
        abort();
}

static int forge(int argc, char **argv)
{
    int to = -1;
    for (size_t i = 0; argc > 2 && i < sizeof mouths / sizeof *mouths; i++)
        if (strcmp(mouths[i].name, argv[0]) == 0)
            to = mouths[i].open();
    if (to < 0)
        abort();
    say_file(to, argv[1]);
    unsetenv("CUDA_INJECTION64_PATH");
    execl("/proc/self/exe", "program", argv[2], NULL);
    abort();
}

const struct program programs_of_strangers[] = {
    {"stranger", "WAY: says something else to cugate, then launches (WAY: made_strangers.c)", .run = stranger},
    {"forge", "alone|with-library|for-library FILE NAME: says what is in the file to cugate, then runs NAME unseen",
     .run = forge},
    {0},
};
