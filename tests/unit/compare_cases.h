/* compare_cases.h - tests comparisons by the cases of a file: judge/compare.txt says what their words mean. */
#pragma once

#include "cases.h"

void compare_cases(const char *path);

/* The same with a few commands more, for which these are the two runs of the case. */
void compare_cases_with(const char *path, const struct case_command *more, size_t count);
struct fixture *compare_sides(void);
