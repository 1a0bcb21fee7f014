/* referee.h - whether code that nobody trusts does the work of a task's reference, on inputs that nobody knew. */
#pragma once

#include "check.h"

/* What is asked. It borrows everything. */
struct referee_request {
    const char *task;         /* a file of capsules, whose code is the reference */
    struct swap_request swap; /* the candidate, how it is launched, and which kernels it is judged on */
    const struct metrics *metrics;
    struct measurement measurement;        /* how both are run */
    const struct measurement *cross_check; /* how a CPU executes the candidate as well; NULL: it does not */
    enum origin_name way;
    int seed; /* by which the inputs are drawn */
    unsigned draws, allowed;
    uint64_t keep; /* arguments whose inputs stay, a bit each */
    int explain;   /* as struct check_request has it */
};

/* The task on drawn inputs, with what the reference makes of them. Many candidates may be judged on them. */
struct referee_inputs {
    char *folder, *path;
    struct prove drawing; /* what came of each kernel */
};

/* Draws them. Returns 0, or an exit code after error(). Release *inputs in any case. */
int referee_draw(struct referee_inputs *inputs, const struct referee_request *request);
void referee_inputs_release(struct referee_inputs *inputs);

/* What came of a candidate. */
struct referee_result {
    enum exit_code exit_code;
    enum certificate_outcome outcome; /* the worst of all */
    struct certificate *certificates;
    size_t certificate_count;
    double score;     /* geometric mean of how many times as fast as the reference the kernels are; 0: it did not pass,
                         NAN: some time is not known */
    double tolerance; /* of results; 0: none */
    const char *type; /* of these; NULL without a tolerance */
    char *candidate, *absent_baselines; /* the task with the candidate's code, and a folder that is not there */
    struct check_request request;
    struct check check;
    struct run cross_checked; /* by a CPU, where it is measured on a GPU */
};

/* Runs the reference and the candidate on the same inputs, and judges one by the other. Returns 0, or an exit code
 * after error() where it could not be judged. Release *refereed in any case, before the inputs. */
int referee_judge(struct referee_result *refereed, const struct referee_request *request,
                  const struct referee_inputs *inputs);
void referee_result_release(struct referee_result *refereed);

/* Returns the first words of what is worse than allowed; NULL: nothing is. */
const char *referee_result_why(const struct referee_result *refereed);
