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

#define DEVICE                                                                                                         \
    "{\"device\": {\"compute_capability\": \"9.0\", \"ecc\": true, \"memory_bytes\": 1073741824, \"mig\": false, "     \
    "\"name\": \"%s\", \"sm_count\": 132}, \"kernels\": {}, \"metrics\": {}, \"schema\": 1, \"sessions\": [{}]}"

#define END "0 0 0 0 0\n" /* nothing is lost, and all was watched */
#define GROUP "launch\n64 1 1 256 1 1 0 - add_one\n"
#define RESULT                                                                                                         \
    "{\"program/%s\": {\"bytes\": 0, \"flops\": 0, \"launches\": [], \"metrics\": {\"time\": {\"sessions\": [[1]]}}, " \
    "\"status\": \"ok\"}}"

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

static void say_device(int to, const char *name)
{
    char text[512];
    snprintf(text, sizeof text, DEVICE, name);
    greet(to);
    say(to, 'D', text);
}

static void garbage(int to)
{
    say_bytes(to, "Good day to you, and how are you?\n", 34);
}

static void long_message(int to)
{
    const uint32_t length = UINT32_MAX;
    say_bytes(to, "H", 1);
    say_bytes(to, &length, sizeof length);
}

static void half(int to)
{
    say_bytes(to, "H\x10", 2);
}

static void hello_twice(int to)
{
    greet(to);
    greet(to);
}

static void say_result(int to, const char *of)
{
    char text[256];
    snprintf(text, sizeof text, RESULT, of);
    say(to, 'R', text);
}

static void result_first(int to)
{
    greet(to);
    say_result(to, "add_one@64,256");
}

static void result_of_another(int to)
{
    say_device(to, "Stand-in GPU");
    say(to, 'G', GROUP);
    say_result(to, "nobody@64,256");
}

/* Sends two results of one launch. */
static void results_of_one(int to)
{
    say_device(to, "Stand-in GPU");
    say(to, 'G', GROUP);
    say_result(to, "add_one@64,256");
    say_result(to, "add_one@64,256");
    say(to, 'E', END "1 1 0 0 1/0/0 program/add_one@64,256\n");
}

static void result_after_end(int to)
{
    say_device(to, "Stand-in GPU");
    say(to, 'G', GROUP);
    say(to, 'E', END "1 1 0 0 1/0/0 program/add_one@64,256\n");
    say_result(to, "add_one@64,256");
}

static void no_token(int to)
{
    greet(to);
    token[0] = '\0';
    say(to, 'M', "0123456789abcdef");
}

static void end_of_another(int to)
{
    say_device(to, "Stand-in GPU");
    say(to, 'E', END "1 1 0 0 1/0/0 program/nobody@64,256\n");
}

static void path(int to)
{
    greet(to);
    say(to, 'M', "../../../../etc/p");
}

static void no_launch(int to)
{
    say_device(to, "Stand-in GPU");
    say(to, 'G', "launch\n64 1 1\n");
}

/* Describes another GPU than that of the process which came first. */
static void other_gpu(int to)
{
    say_device(to, "Another GPU");
    say(to, 'E', END);
}

/* Sends questions without end, and never reads an answer. */
static void flood(int to)
{
    say_device(to, "Stand-in GPU");
    for (int i = 0; i < 1000000; i++)
        if (say(to, 'G', GROUP) < 0)
            return;
}

static const struct {
    const char *name;
    void (*say)(int to);
} ways[] = {
    {"garbage", garbage},
    {"long", long_message},
    {"half", half},
    {"hello-twice", hello_twice},
    {"result-first", result_first},
    {"result-of-another", result_of_another},
    {"end-of-another", end_of_another},
    {"results-of-one", results_of_one},
    {"result-after-end", result_after_end},
    {"no-token", no_token},
    {"path", path},
    {"no-launch", no_launch},
    {"other-gpu", other_gpu},
    {"flood", flood},
};

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
            ways[i].say(to);
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
