#include "gpu_count.h"

#include "child.h"

/* ---- The child ---- */

static void tell(int pipe, const void *none)
{
    (void)none;
    struct problem problem;
    const struct gpu_plugin *gpu = gpu_driver_is_absent() ? NULL : gpu_plugin_load(&problem);
    const int count = gpu_driver_is_absent() ? 0 : gpu ? gpu->count(&problem) : -1;
    OWNED_TEXT text = count < 0 ? x_strdup(problem.text) : x_sprintf("%d", count);
    message_send(pipe, count < 0 ? MESSAGE_FAILURE : MESSAGE_FACTS, text);
}

/* ---- The parent ---- */

static int take_count(const struct message *message, struct problem *problem)
{
    char *end;
    const long count = strtol(message->text, &end, 10);
    if (message->kind == MESSAGE_FACTS && *message->text && !*end && count >= 0 && count <= 1 << 20)
        return (int)count;
    return problem_set(problem, "%s", message->kind == MESSAGE_FAILURE ? message->text : "the driver gives no reason");
}

int gpu_count_read(double seconds, struct problem *problem)
{
    struct message message;
    OWNED_TEXT how = NULL;
    int count = -1;
    const enum child_event event = child_ask(tell, NULL, seconds, &message, &how);
    if (event == CHILD_SAID)
        count = take_count(&message, problem);
    else if (event == CHILD_QUIET)
        problem_set(problem, "the driver did not answer within %g s", seconds);
    else if (event == CHILD_INTERRUPTED)
        problem_set(problem, "interrupted");
    else
        problem_set(problem, "the process that counts GPUs exited: %s", how ? how : "the process was not started");
    free(message.text);
    return count;
}
