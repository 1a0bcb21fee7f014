#!/usr/bin/env bash
# Writes the C++ source of the table of build/libkernels.so to standard output. nvcc compiles it and puts its own version
# into it.
#
#   ci/registry.sh FLAGS kernels/FAMILY.cu...    FLAGS: what the families are compiled with, told beside results
#
# The files are the table: kernels/x.cu must define cugate_family_x, otherwise the library does not link.
set -euo pipefail

flags=${1//\\/\\\\}
shift

families=()
for file; do
    families+=("cugate_family_$(basename "$file" .cu)")
done
printf -v list '%s, ' "${families[@]}"

cat <<END
/* Made by ci/registry.sh from the files in kernels/. */
#define CUGATE_FLAGS "${flags//\"/\\\"}"
#include <cugate/kernel.hpp>

$(printf 'extern "C" const struct cugate_family %s;\n' "${families[@]}")

CUGATE_LIBRARY(${list%, })
END
