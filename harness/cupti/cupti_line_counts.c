/* Exact counts by source line. CUPTI counts one function in a process, so the worker ends after one kernel. Nothing may
 * be launched before counting begins (cupti_sass.c says why), so everything happens in measure(), after the warm-up. A
 * function that is launched behind others is counted from the end of the CUDA runtime's call that launched the one
 * before it. */
#include "cupti_plugin.h"

struct lines_collector {
    const struct job *job;
    CUcontext context;
    struct launch_log log;
    struct sass_metrics sass;
    bool enabled;
    struct problem problem; /* why counting could not begin */
};

static int lines_open(void **opened, const struct job *job, struct device *device, struct session *session,
                      struct problem *problem)
{
    TRY(gpu_describe(0, device, session, problem));
    struct lines_collector *self = x_calloc(1, sizeof *self);
    self->job = job;
    if (gpu_context(&self->context, problem) < 0) {
        free(self);
        return -1;
    }
    *opened = self;
    return 0;
}

static void begin(void *data)
{
    struct lines_collector *self = data;
    self->enabled = sass_metrics_begin(&self->sass, self->context, &self->problem) == 0;
}

/* Launches the variant once. Counting begins with the function that comes after job->skip launches. */
static int launch(struct lines_collector *self, const struct workload *workload, struct problem *problem)
{
    if (workload_restore(workload, problem) < 0 || workload_wait(workload, problem) < 0 ||
        launch_log_open(&self->log, problem) < 0)
        return -1;
    self->log.count = 0;
    self->log.recording = true;
    problem_set(&self->problem, "the function was not launched again");
    if (self->job->skip == 0)
        begin(self);
    else if (launch_log_after(&self->log, self->job->skip, begin, self, problem) < 0)
        return -1;
    const int run = workload_run(workload, problem);
    self->log.recording = false;
    TRY(run);
    return self->enabled ? 0 : problem_set(problem, "%s", self->problem.text);
}

static char *find_line(void *data, const CUpti_SassMetrics_Data *record, unsigned *number)
{
    return image_line(data, record->cubinCrc, record->functionName, record->pcOffset, number);
}

static int flush(const struct lines_collector *self, struct profile *profile, struct problem *problem)
{
    struct images images;
    TRY(images_open(&images, self->job->library, problem));
    const int failed = sass_metrics_read(&self->sass, self->context, find_line, &images, profile, problem);
    images_close(&images);
    return failed;
}

static int lines_measure(void *opened, const struct workload *workload, struct result *result, struct problem *problem)
{
    struct lines_collector *self = opened;
    if (workload->transfer)
        return problem_set(problem, "it launches no kernel");
    if (launch(self, workload, problem) < 0 || flush(self, &result->profile, problem) < 0)
        return -1;
    launch_log_hand_over(&self->log, result);
    return 0;
}

static void lines_close(void *opened)
{
    struct lines_collector *self = opened;
    launch_log_close(&self->log);
    free(self);
}

const struct collector cupti_line_counts_collector = {
    .open = lines_open, .measure = lines_measure, .close = lines_close};
