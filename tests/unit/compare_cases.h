/* compare_cases.h - tests comparisons by the cases of a file: judge/compare.txt says what their words mean. */
#pragma once

void compare_cases(const char *path);
