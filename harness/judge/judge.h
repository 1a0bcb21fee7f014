/* judge.h - baseline x run = comparison, by the rule and the known regressions. Pure. */
#ifndef JUDGE_H
#define JUDGE_H

#include "certificate.h"
#include "compare.h"
#include "comparison.h"
#include "known_counts.h"
#include "known_regression.h"
#include "rule.h"

#endif
