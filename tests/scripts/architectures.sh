#!/usr/bin/env bash
# Lets `cugate check --simulate` judge kernels of other compute capabilities than 9.0 (tests/data/timeless.cu), whose counts were
# never compared with a GPU's: by a base build and by a baseline that was computed, never by one that was measured. Ends with
# "N passed, N failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...'] tests/scripts/architectures.sh [--compile]
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cugate=$(realpath "${CUGATE:-$top/build/cugate}")
nvcc=${NVCC:-nvcc}
read -ra includes <<<"${CUDA_INCLUDES:-/usr/local/cuda/include}"
includes=("-I$top/harness" "${includes[@]/#/-I}")
flags=(-std=c++20 -O3 -lineinfo -Xcompiler -fPIC --threads 2)
for capability in 80 86 100 120; do
    flags+=(-gencode "arch=compute_$capability,code=sm_$capability")
done

# made NAME [DEFINITION]...: NAME/lib.so.
made() (
    mkdir -p "$1/kernels" && cp "$top/tests/data/timeless.cu" "$1/kernels/mine.cu" && cd "$1" &&
        "$nvcc" "${flags[@]}" "${includes[@]}" "${@:2}" -cudart shared -shared -o lib.so kernels/mine.cu
)

compile() {
    made right
    made planted -DPLANTED
}
compiled=$top/build/tests/compiled/architectures
# shellcheck source=/dev/null
. "$top/tests/scripts/compiled.sh"
begin_compiled "$@"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$top" || exit 2
# shellcheck source=/dev/null
. tests/scripts/expect.sh

judge() { # NAME GPU [OPTION]...
    in_compiled "$1" "$cugate" check "--simulate=$2" --baselines "$work/none" --kernels lib.so "${@:3}"
}
against=(--against "$compiled/right/lib.so")

# There is no description of a GPU of 10.0 here, so one is made of the H200's.
sed -e 's/^name = .*/name = Made-up 10.0/' -e 's/^\(attribute 75\) = .*/\1 = 10/' metrics/gpus/nvidia-h200.ini >"$work/made_up.ini"

# Of the images for 8.0 and 8.6 an RTX 4090, which has 8.9, takes the latter. In code of 10.0 and 12.0 one kernel has an
# instruction that is not known, and is refused by its name.
for gpu in nvidia-a100-sxm4-80gb nvidia-geforce-rtx-3090 nvidia-geforce-rtx-4090 "$work/made_up.ini" nvidia-geforce-rtx-5090; do
    chosen=(-k 'grid/*' -k '[hpt]*' -k 'l[io]*')
    judge right "$gpu" "${against[@]}" "${chosen[@]}" --all
    expect "$gpu: the same code is the same" 0 'not verified on silicon' 'nothing is worse' '!unsure' '!missing'
    judge planted "$gpu" "${against[@]}" "${chosen[@]}"
    expect "$gpu: faults are red" 1 'not verified on silicon' 'regressed  grid_balance' 'regressed  load_waits' \
        'regressed  atomic_meetings' '// follows the list'
done
judge right "$work/made_up.ini" -k largest/reduced
expect "an instruction that is not known is said" 5 'not simulated: CREDUX'

# A baseline: computed it judges, measured it does not.
a100=nvidia-a100-sxm4-80gb
judge right $a100 -k 'l[io]*' --save "$work/run.json"
expect "a first run" 4
ask "$cugate" accept "$work/run.json" --baselines "$work/computed" --reason first
expect "is a baseline" 0
judge planted $a100 -k 'l[io]*' --baselines "$work/computed"
expect "that judges" 1 'regressed  load_waits' 'not verified on silicon'
sed -i 's/"collector": "sim"/"collector": "cupti"/' "$work"/computed/*/*/*.json
judge right $a100 -k 'l[io]*' --baselines "$work/computed"
expect "a measured one does not" 4 'never compared with those of a GPU' '--against'
judge right $a100 -k 'l[io]*' --baselines "$work/computed" "${against[@]}"
expect "where a base build does" 0 'nothing is worse'
summary
