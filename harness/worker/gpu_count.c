#include "gpu_count.h"

#include "base/base.h"

#include "child.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

/* ---- The child ---- */

static void tell(int pipe, const void *none)
{
    (void)none;
    struct problem problem;
    const struct gpu_plugin *gpu = gpu_driver_is_absent() ? NULL : gpu_plugin_load(&problem);
    const int count = gpu_driver_is_absent() ? 0 : gpu ? gpu->count(&problem) : -1;
    char *text = count < 0 ? x_strdup(problem.text) : x_sprintf("%d", count);
    message_send(pipe, count < 0 ? MESSAGE_FAILURE : MESSAGE_FACTS, text);
    free(text);
}

/* ---- The parent ---- */

static int take_count(const struct message *message, struct problem *problem)
{
    char *end;
    const long count = strtol(message->text, &end, 10);
    if (message->kind == MESSAGE_FACTS && *message->text && !*end && count >= 0 && count <= 1 << 20)
        return (int)count;
    return problem_set(problem, "%s", message->kind == MESSAGE_FAILURE ? message->text : "the driver says nothing");
}

int gpu_count_read(double seconds, struct problem *problem)
{
    struct interrupts interrupts;
    struct child child;
    struct message message = {0};
    problem_set(problem, "no process to count GPUs");
    if (interrupts_open(&interrupts) < 0)
        return -1;
    int count = -1;
    if (child_start(&child, tell, NULL) == 0) {
        const enum child_event event = child_next(&child, now_seconds() + seconds, interrupts.descriptor, &message);
        char *how = child_end(&child, event == CHILD_ENDED);
        if (event == CHILD_SAID)
            count = take_count(&message, problem);
        else if (event == CHILD_QUIET)
            problem_set(problem, "the driver did not answer within %g s", seconds);
        else
            problem_set(problem, "the process that counted GPUs ended: %s", how);
        free(how);
        free(message.text);
    }
    if (interrupts_close(&interrupts))
        count = problem_set(problem, "interrupted");
    return count;
}
