/* Follows what bounds the part of the program that counts: NVTX ranges (--nvtx), and calls of cudaProfilerStart and
 * cudaProfilerStop (--from-start off). Both are the process's, whatever thread launches: a framework may launch in one
 * thread what another one asked for. */
#include "driver_calls.h"

#include "launch.h"

#include <cupti_nvtx_cbid.h>
#include <generated_nvtx_meta.h>

#include <fnmatch.h>
#include <stdatomic.h>

/* How many ranges are open in this thread, and for each glob of the part at which depth one began that matches it,
 * from 1; 0: none. */
static _Thread_local int depth, matched[NVTX_MAX];
static atomic_int open_ranges[NVTX_MAX]; /* of all threads, for each glob */
static atomic_bool is_stopped;           /* by the program's calls */
static const struct program_part *asked;

unsigned bounds_now(void)
{
    unsigned ranges = 0;
    if (atomic_load(&is_stopped))
        return 0;
    for (size_t i = 0; i < asked->nvtx_count; i++)
        if (atomic_load(&open_ranges[i]) > 0)
            ranges |= 2u << i;
    return asked->nvtx_count == 0 || ranges ? ranges | 1 : 0;
}

size_t bounds_shares(void)
{
    return 1 + asked->nvtx_count;
}

void bounds_begin(const struct program_part *part)
{
    asked = part;
    atomic_store(&is_stopped, part->waits);
}

void bounds_take_profiler(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    if (asked->waits && call->callbackSite == CUPTI_API_EXIT)
        atomic_store(&is_stopped, id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
}

/* ---- NVTX ---- */

static void push(const char *name)
{
    depth++;
    for (size_t i = 0; i < asked->nvtx_count && name; i++)
        if (matched[i] == 0 && fnmatch(asked->nvtx[i], name, 0) == 0) {
            matched[i] = depth;
            atomic_fetch_add(&open_ranges[i], 1);
        }
}

static void pop(void)
{
    for (size_t i = 0; i < asked->nvtx_count; i++)
        if (matched[i] > 0 && matched[i] == depth) {
            matched[i] = 0;
            atomic_fetch_sub(&open_ranges[i], 1);
        }
    depth -= depth > 0;
}

static const char *name_of(const nvtxEventAttributes_t *event)
{
    return event && event->messageType == NVTX_MESSAGE_TYPE_ASCII ? event->message.ascii : NULL;
}

void bounds_take_nvtx(CUpti_CallbackId id, const void *params)
{
    switch (id) {
    case CUPTI_CBID_NVTX_nvtxRangePushA:
        push(((const nvtxRangePushA_params *)params)->message);
        break;
    case CUPTI_CBID_NVTX_nvtxRangePushW: /* its text has wide characters, which no glob matches */
        push(NULL);
        break;
    case CUPTI_CBID_NVTX_nvtxRangePushEx:
        push(name_of(((const nvtxRangePushEx_params *)params)->eventAttrib));
        break;
    case CUPTI_CBID_NVTX_nvtxDomainRangePushEx:
        push(name_of(((const nvtxDomainRangePushEx_params *)params)->core.eventAttrib));
        break;
    case CUPTI_CBID_NVTX_nvtxRangePop:
    case CUPTI_CBID_NVTX_nvtxDomainRangePop:
        pop();
        break;
    default:
        break;
    }
}
