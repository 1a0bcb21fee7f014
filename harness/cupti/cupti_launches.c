/* Counts and describes kernel launches through CUPTI's callbacks on the driver's launch functions. */
#include "cupti_plugin.h"

/* Takes function. */
static void record(struct launch_log *log, char *function, const struct launch_call *call)
{
    const unsigned carve_out =
        call->carve_out > 0
            ? call->carve_out
            : (unsigned)(function_attribute(call->function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1) +
                         1);
    struct launch *last = log->list_count > 0 ? &log->list[log->list_count - 1] : NULL;
    if (last && strcmp(last->function, function) == 0 && memcmp(last->grid, call->grid, sizeof last->grid) == 0 &&
        memcmp(last->block, call->block, sizeof last->block) == 0 && last->shared == call->shared &&
        last->carve_out == carve_out) {
        last->times++;
        free(function);
        return;
    }
    struct launch *launch = ARRAY_GROW(log->list, log->list_count);
    launch->function = function;
    memcpy(launch->grid, call->grid, sizeof launch->grid);
    memcpy(launch->block, call->block, sizeof launch->block);
    launch->shared = call->shared;
    launch->carve_out = carve_out;
    launch->times = 1;
}

static void CUPTIAPI on_launch(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info)
{
    const CUpti_CallbackData *call = info;
    struct launch_log *log = data;
    if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
        if (call->callbackSite == CUPTI_API_EXIT && log->after && log->count == log->after_count) {
            void (*const after)(void *) = log->after;
            log->after = NULL;
            after(log->after_data);
        }
        return;
    }
    if (call->callbackSite != CUPTI_API_ENTER)
        return;
    log->count++;
    if (!log->recording)
        return;
    struct launch_call launch;
    launch_call_read(&launch, id, call->functionParams);
    record(log, x_strdup(call->symbolName ? call->symbolName : "(unknown)"), &launch);
}

int launch_log_open(struct launch_log *log, struct problem *problem)
{
    TRY(cupti_check("watching kernel launches", cuptiSubscribe(&log->subscriber, (CUpti_CallbackFunc)on_launch, log),
                    problem));
    for (size_t i = 0; i < LAUNCH_CALLS; i++) {
        TRY(cupti_check("watching kernel launches",
                        cuptiEnableCallback(1, log->subscriber, CUPTI_CB_DOMAIN_DRIVER_API, launch_calls[i]), problem));
    }
    return 0;
}

int launch_log_after(struct launch_log *log, size_t count, void (*after)(void *), void *data, struct problem *problem)
{
    log->after = after;
    log->after_count = count;
    log->after_data = data;
    return cupti_check("watching the runtime", cuptiEnableDomain(1, log->subscriber, CUPTI_CB_DOMAIN_RUNTIME_API),
                       problem);
}

void launch_log_hand_over(struct launch_log *log, struct result *result)
{
    result->launches = log->list;
    result->launch_count = log->list_count;
    log->list = NULL;
    log->list_count = 0;
}

void launch_log_close(struct launch_log *log)
{
    if (log->subscriber)
        cuptiUnsubscribe(log->subscriber);
    for (size_t i = 0; i < log->list_count; i++)
        free(log->list[i].function);
    free(log->list);
    *log = (struct launch_log){0};
}
