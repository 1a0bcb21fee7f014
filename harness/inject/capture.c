/* Keeps track of streams that are being captured into a graph. Meanwhile nothing can be measured. */
#include "launch.h"
#include "process.h"

static int captures; /* number of streams that are being captured */

bool capture_is_on(void)
{
    return captures > 0;
}

bool capture_is_of(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return capture_is_on() &&
           (cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE);
}

/* Ends the session before a capture begins. If one ran meanwhile, CUPTI would end it with an error, and the capture
 * would fail. */
void capture_begin(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    (void)id;
    if (call->callbackSite == CUPTI_API_ENTER) {
        captures++;
        process_stop_session();
    } else if (*(const CUresult *)call->functionReturnValue != CUDA_SUCCESS) {
        captures -= captures > 0; /* the capture did not begin */
    }
}

/* Notes that a capture is over. One that failed to end is over, too. */
void capture_end(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    (void)id;
    captures -= call->callbackSite == CUPTI_API_EXIT && captures > 0;
}
