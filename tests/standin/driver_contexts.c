#include "driver.h"

#include <unistd.h>

static struct CUctx_st *contexts; /* all contexts; they are never freed, so that a stale handle is recognised */
static struct CUctx_st *primary[MOST_DEVICES];
static unsigned last_id;
static unsigned live;
static _Thread_local CUcontext current;

static struct CUctx_st *create(int device, bool is_primary)
{
    struct CUctx_st *context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    context->carve_out = USUAL_CARVE_OUT;
    pthread_mutex_lock(&driver_lock);
    context->id = ++last_id;
    context->device = device;
    context->is_primary = is_primary;
    context->next = contexts;
    contexts = context;
    live++;
    pthread_mutex_unlock(&driver_lock);
    TELL(context, context, true);
    return context;
}

static void end(struct CUctx_st *context)
{
    TELL(context, context, false);
    pthread_mutex_lock(&driver_lock);
    live--;
    pthread_mutex_unlock(&driver_lock);
    if (current == context)
        current = NULL;
}

CUcontext context_current(void)
{
    return current;
}

bool context_any(void)
{
    return live > 0;
}

unsigned context_id(CUcontext context)
{
    return context ? context->id : 0;
}

int context_device(CUcontext context)
{
    return context->device;
}

bool context_has_failed(CUcontext context)
{
    return context->has_failed;
}

void context_wait(CUcontext context)
{
    while (context->hangs)
        pause();
}

CUresult context_synchronize(CUcontext context)
{
    REFUSE(!context, CUDA_ERROR_INVALID_CONTEXT);
    if (capture_any()) {
        capture_spoil_all();
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    context_wait(context);
    return context->has_failed ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned flags, CUdevice dev)
{
    (void)flags;
    READY();
    REFUSE(dev < 0 || dev >= driver_devices(), CUDA_ERROR_INVALID_DEVICE);
    if (ctxCreateParams && (ctxCreateParams->numExecAffinityParams > 0 || ctxCreateParams->cigParams))
        return CUDA_ERROR_NOT_SUPPORTED;
    *pctx = create(dev, false);
    REFUSE(!*pctx, CUDA_ERROR_OUT_OF_MEMORY);
    return cuCtxSetCurrent(*pctx);
}

CUresult CUDAAPI cuCtxDestroy_v2(CUcontext ctx)
{
    READY();
    REFUSE(!ctx || ctx->is_primary, CUDA_ERROR_INVALID_CONTEXT);
    end(ctx);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    READY();
    REFUSE(dev < 0 || dev >= driver_devices(), CUDA_ERROR_INVALID_DEVICE);
    REFUSE(!primary[dev] && !(primary[dev] = create(dev, true)), CUDA_ERROR_OUT_OF_MEMORY);
    primary[dev]->uses++;
    return SET(pctx, primary[dev]);
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
    REFUSE(dev < 0 || dev >= driver_devices(), CUDA_ERROR_INVALID_DEVICE);
    REFUSE(!primary[dev] || primary[dev]->uses == 0, CUDA_ERROR_INVALID_CONTEXT);
    if (--primary[dev]->uses == 0) {
        end(primary[dev]);
        primary[dev] = NULL;
    }
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext ctx)
{
    current = ctx;
    return CUDA_SUCCESS;
}

ANSWER(cuCtxGetCurrent, (CUcontext * pctx), SET(pctx, context_current()))

CUresult CUDAAPI cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
    ctx = ctx ? ctx : context_current();
    return ctx ? SET(device, ctx->device) : CUDA_ERROR_INVALID_CONTEXT;
}

ANSWER(cuCtxGetDevice, (CUdevice * device), cuCtxGetDevice_v2(device, NULL))

/* As the real one: it launches a kernel of the driver's own, and no callback tells of that. */
CUresult CUDAAPI cuCtxResetPersistingL2Cache(void)
{
    READY();
    const struct standin_kernel kernel = {
        .context = context_current(), .name = "(the driver's)", .grid = {1, 1, 1}, .block = {1, 1, 1}, .time_ns = 3776};
    kernel.context->has_pinned = false;
    TELL(ran, &kernel);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSetLimit(CUlimit limit, size_t value)
{
    READY();
    REFUSE(limit != CU_LIMIT_PERSISTING_L2_CACHE_SIZE, CUDA_ERROR_NOT_SUPPORTED);
    context_current()->carve_out = value;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    READY();
    REFUSE(limit != CU_LIMIT_PERSISTING_L2_CACHE_SIZE, CUDA_ERROR_NOT_SUPPORTED);
    return SET(pvalue, context_current()->carve_out);
}

static CUresult synchronize(void)
{
    READY();
    return context_synchronize(context_current());
}

SEEN_BARE(cuCtxSynchronize, synchronize())
