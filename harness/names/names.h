/* names.h - what kernels and their functions are called: names of C++ cut, and kernels found by name. */
#pragma once

#include "function_name.h"
#include "kernel_names.h"
#include "short_name.h"
