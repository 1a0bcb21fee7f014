/* Counts what each instruction of one launch of one function did. The parent finds the source lines, since it has the
 * machine code. */
#include "groups.h"
#include "ranges.h"

static struct sass_metrics sass;

int lines_begin(CUcontext context, struct problem *problem)
{
    return sass_metrics_begin(&sass, context, problem);
}

int lines_send(CUcontext context, const struct launch_group *group, struct problem *problem)
{
    OWNED(result) result = {.id = x_strdup(group->id)};
    TRY(cuda_check("waiting for the kernel", cuCtxSynchronize(), problem));
    TRY(sass_metrics_read(&sass, context, NULL, NULL, &result.profile, problem));
    OWNED_TEXT line = result_to_line(&result);
    link_say(MESSAGE_RESULT, line);
    return 0;
}
