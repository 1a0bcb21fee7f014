/* names.h - what kernels and their functions are called: names of C++ cut, and kernels found by name. */
#ifndef NAMES_NAMES_H
#define NAMES_NAMES_H

#include "function_name.h"
#include "kernel_names.h"
#include "short_name.h"

#endif
