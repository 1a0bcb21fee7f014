/* cudart.h - what others see of the CUDA runtime that this room stands in for. */
#pragma once

#include "function_launch.h"
#include "gpu/gpu.h"
#include "handle.h"
#include "inputs.h"
#include "ptx.h"
#include "runtime.h"
