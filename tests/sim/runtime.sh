#!/usr/bin/env bash
# Runs programs as they are on the simulated GPU (tests/sim/runtime.cu, apart.cu): textures and surfaces of every shape, what
# kernels print and allocate, large arguments, graphs with memory, linked device code. Ends with "N passed, N failed". Needs
# nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/sim/runtime.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/../scripts/begin.sh"
compile() {
    local images=()
    for capability in 80 90 100 120; do
        images+=(-gencode "arch=compute_$capability,code=sm_$capability")
    done
    "$nvcc" -std=c++17 -O2 "${images[@]}" -lineinfo "${includes[@]/#/-I}" "${libraries[@]/#/-L}" -cudart shared \
        -o program "$top/tests/sim/runtime.cu"
    "$nvcc" -arch=sm_90 -rdc=true "${includes[@]/#/-I}" "${libraries[@]/#/-L}" -cudart shared -o apart \
        "$top/tests/sim/apart.cu"
}
begin_compiled "$@"

build=$(dirname "$cugate")
[ -n "${CUGATE_NVDISASM:-}" ] || [ ! -x "$build/disasm/nvidia/cu13/bin/nvdisasm" ] ||
    export CUGATE_NVDISASM=$build/disasm/nvidia/cu13/bin/nvdisasm # for the example of harness/machine
simulated() { # PROGRAM
    ask "$cugate" run -q --simulate="${gpu:-nvidia-h200}" --metrics "$top/metrics" -- "$1"
}

for gpu in nvidia-a100-sxm4-80gb nvidia-b200 nvidia-geforce-rtx-5090 nvidia-h200; do
    simulated "$compiled/program"
    expect "all is right on $gpu" 0 'right: textures' 'right: borders' 'right: surfaces' 'right: malloc' 'right: arguments of 8 KB' \
        'right: a graph with memory, launched twice' '!wrong'
done
printed=$(grep -A 20 '^block 0.0' "$work/said" | grep -B 20 -m1 '^block 2.1')
line=':  1.50|-3  |c own 1099511627776 ff %'
[ "$printed" = "$(printf '%s\n' "block 0.0$line" "block 0.1$line" "block 1.0$line" "block 1.1$line" 'the end' \
    "block 2.0$line" "block 2.1$line")" ]
# shellcheck disable=SC2034 # expect() reads it
code=$?
expect 'kernels print in the order of their blocks' 0
simulated "$compiled/apart"
expect 'linked device code' 0 cudaSuccess

summary
