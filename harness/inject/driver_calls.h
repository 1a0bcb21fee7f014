/* driver_calls.h - declares the parameters of the driver's calls, as CUPTI's generated headers have them. A file that
 * needs them includes this one first, because cuda.h defines the old types in them only under the macro below. */
#pragma once

#define __CUDA_API_VERSION_INTERNAL
#include "cupti/cupti.h"

#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <generated_cuda_meta.h>
