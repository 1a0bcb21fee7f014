/* Programs that write to `cugate exec` themselves, with or without sense, before they launch as others do: what a
 * process says that has nothing to do with what cugate's own library says there. Alone they only launch. */
#include "made_program.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define DEVICE                                                                                                         \
    "{\"device\": {\"compute_capability\": \"9.0\", \"ecc\": true, \"memory_bytes\": 1073741824, \"mig\": false, "     \
    "\"name\": \"%s\", \"sm_count\": 132}, \"kernels\": {}, \"metrics\": {}, \"schema\": 1, \"sessions\": [{}]}"

#define GROUP "launch\n64 1 1 256 1 1 0 - add_one\n"
#define RESULT "{\"program/%s\": {\"bytes\": 0, \"flops\": 0, \"launches\": [], \"metrics\": {}, \"status\": \"ok\"}}"

/* -1: nobody measures. */
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

static int say(int to, char kind, const char *text)
{
    const uint32_t length = (uint32_t)strlen(text);
    return say_bytes(to, &kind, 1) < 0 || say_bytes(to, &length, sizeof length) < 0 || say_bytes(to, text, length) < 0
               ? -1
               : 0;
}

static void say_device(int to, const char *name)
{
    char text[512];
    snprintf(text, sizeof text, DEVICE, name);
    say(to, 'H', "1");
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
    say(to, 'H', "1");
    say(to, 'H', "1");
}

static void result_first(int to)
{
    char text[256];
    snprintf(text, sizeof text, RESULT, "add_one@64,256");
    say(to, 'R', text);
}

static void result_of_another(int to)
{
    char text[256];
    say_device(to, "Stand-in GPU");
    say(to, 'G', GROUP);
    snprintf(text, sizeof text, RESULT, "nobody@64,256");
    say(to, 'R', text);
}

static void end_of_another(int to)
{
    say_device(to, "Stand-in GPU");
    say(to, 'E', "0 0\n1 1 program/nobody@64,256\n");
}

static void path(int to)
{
    say(to, 'H', "1");
    say(to, 'M', "../../../../etc/p");
}

static void no_launch(int to)
{
    say_device(to, "Stand-in GPU");
    say(to, 'G', "launch\n64 1 1\n");
}

/* Another GPU than the one that is measured then: whoever comes first. */
static void other_gpu(int to)
{
    say_device(to, "Another GPU");
    say(to, 'E', "0 0\n");
}

/* Asks and asks, and never reads what it is answered. */
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
    {"path", path},
    {"no-launch", no_launch},
    {"other-gpu", other_gpu},
    {"flood", flood},
};

static int stranger(int argc, char **argv)
{
    struct gpu gpu;
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

const struct program programs_of_strangers[] = {
    {"stranger", "WAY: says something else to cugate, then launches (WAY: made_strangers.c)", stranger},
    {0},
};
