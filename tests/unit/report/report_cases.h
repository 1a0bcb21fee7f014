/* report_cases.h - tests reports by the cases of a file: report.txt says what their words mean. */
#pragma once

void report_cases(const char *path);
