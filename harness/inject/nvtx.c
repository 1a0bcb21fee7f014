/* Follows NVTX ranges. With --nvtx only launches within ranges that match are measured. */
#include "inject.h"

#include <cupti_nvtx_cbid.h>
#include <generated_nvtx_meta.h>

#include <fnmatch.h>

/* The ranges that are open in this thread; which of them matched, from 1; 0: none. */
static _Thread_local int depth, match;
/* Matching ranges of all threads: a framework may launch in one thread what another one asked for. */
static atomic_int matches;

bool nvtx_is_in_range(void)
{
    return !process.request.nvtx || atomic_load(&matches) > 0;
}

static void push(const char *name)
{
    depth++;
    if (match == 0 && name && fnmatch(process.request.nvtx, name, 0) == 0) {
        match = depth;
        atomic_fetch_add(&matches, 1);
    }
}

static void pop(void)
{
    if (match > 0 && match == depth) {
        match = 0;
        atomic_fetch_sub(&matches, 1);
    }
    depth -= depth > 0;
}

static const char *name_of(const nvtxEventAttributes_t *event)
{
    return event && event->messageType == NVTX_MESSAGE_TYPE_ASCII ? event->message.ascii : NULL;
}

void nvtx_take(CUpti_CallbackId id, const void *params)
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
