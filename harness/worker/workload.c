#include "workload.h"

/* Says in front of a problem what was being done. Returns the result. */
static int named(const char *what, int result, struct problem *problem)
{
    const struct problem said = *problem;
    return result < 0 ? problem_set(problem, "%s: %s", what, said.text) : result;
}

int workload_restore(const struct workload *workload, struct problem *problem)
{
    return named("restore", workload->before(workload->self, problem), problem);
}

int workload_wait(const struct workload *workload, struct problem *problem)
{
    return named("restore", workload->wait(workload->self, problem), problem);
}

int workload_run(const struct workload *workload, struct problem *problem)
{
    struct problem after;
    const int launched = named("launch", workload->launch(workload->self, problem), problem);
    const int finished = named("kernel", workload->wait(workload->self, &after), &after);
    if (launched == 0 && finished < 0)
        *problem = after;
    return launched < 0 ? launched : finished;
}
