/* Coefficients of the special functions: a line of a file is a part. The header says where they come from. */
#include "mufu_tables.h"

/* clang-format off */
/* 1 / m */
const struct quadratic mufu_rcp[128] = {
#include "mufu_rcp.txt"
};
/* 1 / sqrt(m), then 1 / sqrt(2 m) */
const struct quadratic mufu_rsq[128] = {
#include "mufu_rsq.txt"
};
/* sqrt(m), then sqrt(2 m) */
const struct quadratic mufu_sqrt[128] = {
#include "mufu_sqrt.txt"
};
/* 2 to the power of a fraction */
const struct quadratic mufu_ex2[64] = {
#include "mufu_ex2.txt"
};
/* log2(m) */
const struct quadratic mufu_lg2[64] = {
#include "mufu_lg2.txt"
};
/* the sine of a quarter turn */
const struct quadratic mufu_sin[64] = {
#include "mufu_sin.txt"
};
/* tanh from 2^-8 to 8: 1, 1, 1, 2, 2, 4, 4, 4, 8, 16 and 8 parts of a binade */
const struct quadratic mufu_tanh[51] = {
#include "mufu_tanh.txt"
};
/* clang-format on */
