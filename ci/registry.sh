#!/usr/bin/env bash
# Writes the C source of the registry of build/libkernels.so to standard output.
#
#   ci/registry.sh NVCC FLAGS kernels/FAMILY.cu...
#
# The files are the registry: kernels/x.cu must define cugate_family_x, else the library does not link.
set -euo pipefail

nvcc=$1
flags=$2
shift 2

families=()
for file; do
    families+=("$(basename "$file" .cu)")
done

cat <<END
/* Made by ci/registry.sh from the files in kernels/. */
#include "kernel.h"

#include <cuda_runtime_api.h>

$(printf 'extern const struct cugate_family cugate_family_%s;\n' "${families[@]}")

static const struct cugate_family *const families[] = {
$(printf '    &cugate_family_%s,\n' "${families[@]}")
};

static int synchronize(void)
{
    /* The launch's own error comes first; asking for it also clears it. */
    const cudaError_t executed = cudaDeviceSynchronize();
    const cudaError_t launched = cudaGetLastError();
    return (int)(launched != cudaSuccess ? launched : executed);
}

static const char *error_text(int code)
{
    return cudaGetErrorString((cudaError_t)code);
}

const struct cugate_library *cugate_library(void)
{
    static const struct cugate_library library = {
        .abi = CUGATE_KERNEL_ABI,
        .compiler = "nvcc $("$nvcc" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')",
        .flags = "${flags//\"/\\\"}",
        .families = families,
        .family_count = sizeof families / sizeof families[0],
        .synchronize = synchronize,
        .error_text = error_text,
    };
    return &library;
}
END
