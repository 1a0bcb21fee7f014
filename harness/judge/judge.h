/* judge.h - baseline x run = comparison, by the rule and the known regressions. Pure. */
#pragma once

#include "certificate.h"
#include "compare.h"
#include "comparison.h"
#include "known_counts.h"
#include "known_regression.h"
#include "rule.h"
