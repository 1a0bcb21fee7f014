/* cubin_support.h - machine code for tests: from the corpus, and from sources that nvcc compiles. */
#pragma once

#include "cubin/cubin.h"

#define CORPUS "tests/fuzz/corpus/cubin/"

const struct cubin_function *find_function(const struct cubin *cubin, const char *name, int capability);

/* Runs nvcc with up to 8 arguments, of which NULL is the last; what it says goes into a file. What it made is kept in
 * build/tests/compiled/unit, so that the same source is compiled once. Paths are absolute and a source's name ends with
 * .cu. `make test` says where nvcc is; without it the test is skipped. */
void compile_cuda(const char *const *arguments, const char *log);

/* Expects a fact in the metric's row: a number, or -1 for not supported and -2 for not applicable. */
void expect_fact(const struct run *run, const char *id, const char *metric, double expected);
