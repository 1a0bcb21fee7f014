#include "workload.h"

int workload_check(const struct workload *workload, const char *what, int result, struct problem *problem)
{
    if (result == 0)
        return 0;
    return problem_set(problem, "%s: %s", what, result > 0 ? workload->error_text(result) : "failed");
}

int workload_restore(const struct workload *workload, struct problem *problem)
{
    return workload_check(workload, "restore", workload->before(workload->self), problem);
}

int workload_wait(const struct workload *workload, struct problem *problem)
{
    return workload_check(workload, "restore", workload->wait(workload->self), problem);
}

int workload_run(const struct workload *workload, struct problem *problem)
{
    const int launched = workload->launch(workload->self);
    const int finished = workload->wait(workload->self);
    if (workload_check(workload, "launch", launched, problem) < 0)
        return -1;
    return workload_check(workload, "kernel", finished, problem);
}

/* ---- A kernel of a library ---- */

static int restore(void *self)
{
    const struct open_kernel *open = self;
    return open->kernel->family->restore(open->state);
}

static int launch(void *self)
{
    const struct open_kernel *open = self;
    return open->kernel->variant->launch(open->state);
}

static int synchronize(void *self)
{
    const struct open_kernel *open = self;
    return open->library->synchronize();
}

struct workload workload_of_kernel(struct open_kernel *kernel)
{
    return (struct workload){
        .id = kernel->kernel->id,
        .transfer = kernel->kernel->family->kind == CUGATE_TRANSFER,
        .self = kernel,
        .before = restore,
        .launch = launch,
        .wait = synchronize,
        .error_text = kernel->library->error_text,
    };
}
