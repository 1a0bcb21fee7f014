/* gate.h - where measuring and judging meet: a check, an A/A analysis, and what may be compared. */
#pragma once

#include "aa.h"
#include "check.h"
#include "comparable.h"
#include "referee.h"
#include "weakened.h"
