/* accept_cases.h - tests accepting by the cases of a file: accept.txt says what their words mean. */
#pragma once

void accept_cases(const char *path);
