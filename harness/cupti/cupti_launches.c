/* Counts and describes kernel launches through CUPTI's callbacks on the driver's launch functions, which the runtime
 * and cuBLAS use too. */

/* cuda.h defines the old types that generated_cuda_meta.h names only under this; no driver function is called here. */
#define __CUDA_API_VERSION_INTERNAL
#include "cupti_plugin.h"

#include "base/base.h"

#include <cupti_driver_cbid.h>
#include <generated_cuda_meta.h>

#include <stdlib.h>
#include <string.h>

/* Takes function. */
static void record(struct launch_log *log, char *function, const unsigned grid[3], const unsigned block[3],
                   unsigned shared)
{
    if (log->list_count > 0) {
        struct launch *last = &log->list[log->list_count - 1];
        if (strcmp(last->function, function) == 0 && memcmp(last->grid, grid, sizeof last->grid) == 0 &&
            memcmp(last->block, block, sizeof last->block) == 0 && last->shared == shared) {
            last->times++;
            free(function);
            return;
        }
    }
    struct launch *launch = ARRAY_GROW(log->list, log->list_count);
    launch->function = function;
    memcpy(launch->grid, grid, sizeof launch->grid);
    memcpy(launch->block, block, sizeof launch->block);
    launch->shared = shared;
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
    char *function = x_strdup(call->symbolName ? call->symbolName : "(unknown)");
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
        const CUlaunchConfig *config = ((const cuLaunchKernelEx_params *)call->functionParams)->config;
        record(log, function, (unsigned[3]){config->gridDimX, config->gridDimY, config->gridDimZ},
               (unsigned[3]){config->blockDimX, config->blockDimY, config->blockDimZ}, config->sharedMemBytes);
    } else {
        /* cuLaunchCooperativeKernel's parameters begin with the same fields. */
        const cuLaunchKernel_params *p = call->functionParams;
        record(log, function, (unsigned[3]){p->gridDimX, p->gridDimY, p->gridDimZ},
               (unsigned[3]){p->blockDimX, p->blockDimY, p->blockDimZ}, p->sharedMemBytes);
    }
}

int launch_log_open(struct launch_log *log, struct problem *problem)
{
    static const CUpti_CallbackId launches[] = {
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    };
    if (cupti_check("watching kernel launches", cuptiSubscribe(&log->subscriber, (CUpti_CallbackFunc)on_launch, log),
                    problem) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(launches); i++) {
        if (cupti_check("watching kernel launches",
                        cuptiEnableCallback(1, log->subscriber, CUPTI_CB_DOMAIN_DRIVER_API, launches[i]), problem) < 0)
            return -1;
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
