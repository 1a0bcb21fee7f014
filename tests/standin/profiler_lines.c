/* Images of machine code, and the lines of instructions where the image itself does not say them: number 100 and on of
 * a file that there is not. */
#include "profiler.h"

#include <cupti_pcsampling.h>

/* Any number that differs from image to image; FNV-1a. */
uint64_t image_crc(const void *image, size_t size)
{
    const unsigned char *bytes = image;
    uint64_t crc = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        crc = (crc ^ bytes[i]) * UINT64_C(0x100000001b3);
    return crc;
}

CUptiResult CUPTIAPI cuptiGetCubinCrc(CUpti_GetCubinCrcParams *params)
{
    params->cubinCrc = image_crc(params->cubin, params->cubinSize);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetSassToSourceCorrelation(CUpti_GetSassToSourceCorrelationParams *params)
{
    params->fileName = strdup("unlined.cu");
    params->dirName = strdup("/no/such");
    params->lineNumber = 100 + (uint32_t)params->pcOffset / 16;
    return CUPTI_SUCCESS;
}
