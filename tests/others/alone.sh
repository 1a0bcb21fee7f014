# shellcheck shell=bash
# Sourced by scripts that run programs on the simulated GPU as they are, without a kernel library. `make_alone FOLDER` puts
# there what stands in for the CUDA runtime of the build of $cugate. Then `alone COMMAND...` runs one; alone.c says how it
# ends. $top is this tree.

make_alone() {
    local includes build
    build=$(dirname "${cugate:?}")
    alone=$1
    read -ra includes <<<"${CUDA_INCLUDES:-/usr/local/cuda/include}"
    ln -sfn "$build/libcugate_sim.so" "$alone/libcudart.so.13"
    [ -n "${CUGATE_NVDISASM:-}" ] || [ ! -x "$build/disasm/nvidia/cu13/bin/nvdisasm" ] ||
        export CUGATE_NVDISASM=$build/disasm/nvidia/cu13/bin/nvdisasm
    "${CC:-cc}" -std=c11 -D_GNU_SOURCE -shared -fPIC -I"${top:?}/harness" "${includes[@]/#/-I}" -o "$alone/alone.so" \
        "$top/tests/others/alone.c" -L"$alone" -l:libcudart.so.13
}

alone() {
    CUGATE_GPU=$top/metrics/gpus/nvidia-h200.ini LD_PRELOAD=$alone/alone.so \
        LD_LIBRARY_PATH=$alone:${LD_LIBRARY_PATH:-} "$@"
}
