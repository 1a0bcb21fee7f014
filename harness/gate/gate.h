/* gate.h - where measuring and judging meet: a check, an A/A analysis, and what may be compared. */
#ifndef GATE_H
#define GATE_H

#include "aa.h"
#include "check.h"
#include "comparable.h"
#include "weakened.h"

#endif
