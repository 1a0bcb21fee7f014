/* test.h - the head of unit tests: Criterion, base, support.h, and of the C library what most of them use. */
#ifndef TEST_H
#define TEST_H

#include "base/base.h"
#include "support.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#endif
