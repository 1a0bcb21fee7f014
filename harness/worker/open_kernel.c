#include "open_kernel.h"

/* Returns 0 for result 0; else -1 with the words of the library. */
static int check(const struct cugate_library *table, int result, struct problem *problem)
{
    return result == 0 ? 0 : problem_set(problem, "%s", result > 0 ? table->error_text(result) : "failed");
}

static int check_named(const struct cugate_library *table, const char *what, int result, struct problem *problem)
{
    return result == 0 ? 0 : problem_set(problem, "%s: %s", what, result > 0 ? table->error_text(result) : "failed");
}

int group_open(const struct kernel *kernel, const struct cugate_library *table, void **state, struct problem *problem)
{
    const struct cugate_family *family = kernel->family;
    *state = NULL;
    return family ? check_named(table, "open", THEIRS(family->open(family, state)), problem) : 0;
}

void group_close(const struct kernel *kernel, void *state)
{
    theirs_begin();
    if (kernel->family)
        kernel->family->close(state);
    theirs_end(0);
}

int kernel_open(struct open_kernel *open, void *state, struct problem *problem)
{
    struct problem why;
    open->state = state;
    if (!open->kernel->capsule || replay_open(&open->replay, &open->library->player, open->kernel->capsule, &why) == 0)
        return 0;
    open->replay = NULL;
    return problem_set(problem, "open: %s", why.text);
}

void kernel_close(struct open_kernel *open)
{
    if (open->replay)
        replay_close(open->replay);
    open->replay = NULL;
}

/* Returns what the contract of kernel libraries has for an output; text is set for one that is wrong. */
static int verify(const struct open_kernel *open, struct problem *problem)
{
    const struct kernel *kernel = open->kernel;
    if (kernel->family)
        return THEIRS(kernel->family->verify(open->state, kernel->variant, problem->text, sizeof problem->text));
    struct problem failure;
    const int compared = replay_compare(open->replay, problem->text, sizeof problem->text, &failure);
    if (compared < 0)
        *problem = failure;
    return compared;
}

enum result_status kernel_verify(const struct open_kernel *open, struct problem *problem)
{
    problem_set(problem, "the output differs from the reference");
    const int verified = verify(open, problem);
    if (open->replay)
        return verified == 0 ? RESULT_OK : verified > 0 ? RESULT_WRONG : RESULT_FAILED;
    if (verified == CUGATE_WRONG)
        return RESULT_WRONG;
    return check_named(open->library->table, "verify", verified, problem) < 0 ? RESULT_FAILED : RESULT_OK;
}

/* ---- The workload ---- */

static int restore(void *self, struct problem *problem)
{
    const struct open_kernel *open = self;
    if (open->replay)
        return replay_restore(open->replay, problem);
    return check(open->library->table, THEIRS(open->kernel->family->restore(open->state)), problem);
}

static int launch(void *self, struct problem *problem)
{
    const struct open_kernel *open = self;
    if (open->replay)
        return replay_launch(open->replay, problem);
    return check(open->library->table, THEIRS(open->kernel->variant->launch(open->state)), problem);
}

static int wait_for_all(void *self, struct problem *problem)
{
    const struct open_kernel *open = self;
    if (open->replay)
        return replay_wait(open->replay, problem);
    return check(open->library->table, THEIRS(open->library->table->synchronize()), problem);
}

struct workload workload_of_kernel(struct open_kernel *open)
{
    return (struct workload){
        .id = open->kernel->id,
        .transfer = open->kernel->transfer,
        .self = open,
        .before = restore,
        .launch = launch,
        .wait = wait_for_all,
    };
}
