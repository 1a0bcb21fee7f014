#!/usr/bin/env bash
# Prints what a GPU of sm_90 gives for all 2^32 operands of each special function: "FUNCTION BINADE HASH", 512 binades
# each, of which tests/unit/machine/lanes/test_lanes_mufu.c has some. OUT gets all results of the binades that are asked for, and
# those of halves and bf16. From such results the tables harness/machine/lanes/mufu_*.txt were found. Needs a GPU, nvcc and cc.
#
#   OUT=DIR tests/gpu/mufu.sh [FUNCTION:BINADE...]       such as RCP:127 RSQ:127 RSQ:128
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:?OUT names a folder}
cuda=${CUDA_HOME:-/usr/local/cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${NVCC:-nvcc}" -arch=sm_90 -cubin -o "$work/mufu.cubin" "$here/mufu.cu"
"${CC:-cc}" -O2 -I"$cuda/include" -o "$work/mufu" "$here/mufu.c" -L"$cuda/lib64/stubs" -lcuda
"$work/mufu" "$work/mufu.cubin" "$out" "$@"
