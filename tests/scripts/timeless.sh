#!/usr/bin/env bash
# Lets `cugate check --simulate` judge faults that only time shows on a GPU (tests/data/timeless.cu): nine planted ones, three
# of the grid, three of atomics and three of loads, each red by a count and on its line; edits that are none are not. Ends
# with "N passed, N failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...'] tests/scripts/timeless.sh [--compile]
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cugate=$(realpath "${CUGATE:-$top/build/cugate}")
nvcc=${NVCC:-nvcc}
read -ra includes <<<"${CUDA_INCLUDES:-/usr/local/cuda/include}"
includes=("-I$top/harness" "${includes[@]/#/-I}")
flags=(-std=c++20 -O3 -lineinfo -arch=sm_90 -Xcompiler -fPIC)

# made NAME [DEFINITION]...: NAME/lib.so.
made() (
    mkdir -p "$1/kernels" && cp "$top/tests/data/timeless.cu" "$1/kernels/mine.cu" && cd "$1" &&
        "$nvcc" "${flags[@]}" "${includes[@]}" "${@:2}" -cudart shared -shared -o lib.so kernels/mine.cu
)

compile() {
    made right
    made planted -DPLANTED
    made harmless -DHARMLESS
}
compiled=$top/build/tests/compiled/timeless
# shellcheck source=/dev/null
. "$top/tests/scripts/compiled.sh"
begin_compiled "$@"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$top" || exit 2
# shellcheck source=/dev/null
. tests/scripts/expect.sh

judge() { # NAME [OPTION]...
    in_compiled "$1" "$cugate" check --simulate=nvidia-h200 --baselines "$work/none" --kernels lib.so "${@:2}"
}
against=(--against "$compiled/right/lib.so")

# red KERNEL METRIC [WORDS]...: the planted kernel, judged by the right one.
red() {
    judge planted -k "$1" "${against[@]}"
    expect "planted: $1" 1 "regressed  $1" "regressed  $2" "${@:3}"
}
red grid/filled grid_balance
red grid/whole_rounds grid_balance
red grid/this_gpu grid_balance
red histogram/shared global_atomics 'hottest_address' '// every sample'
red total/shuffled atomic_meetings 'hottest_address' '// every thread'
red largest/reduced atomic_meetings 'hottest_address' '// every lane'
red loads/in_flight load_waits '// one at a time'
red list/indexed load_waits '// follows the list'
red pointer/hoisted load_waits '// asks where it is each time'

judge right "${against[@]}" --all
expect "the right ones are not" 0 'nothing is worse' '!unsure' '!missing'
judge harmless "${against[@]}"
expect "nor is an edit that does no harm" 0 'nothing is worse' '!unsure' '!missing'

# A baseline that was computed has these counts.
judge right --save "$work/run.json"
expect "a first run" 4
ask "$cugate" accept "$work/run.json" --baselines "$work/computed" --reason first
expect "is a baseline" 0
judge planted --baselines "$work/computed"
expect "which tells them as well" 1 'regressed  load_waits' 'regressed  global_atomics' 'regressed  grid_balance'

judge right --baselines "$work/computed" -k list/indexed --all
expect "and the right one by what it had" 0 'nothing is worse' '!no GPU counts'

# One that a GPU measured has not, and that is said: neither good nor red. Its launches tell of the grid.
ask "$cugate" check --simulate=nvidia-h200 -k hierarchy/thread_index --all -v
expect "a measured baseline has no judge for them" 0 '4 rows that no GPU counts' 'a base build has: --against' \
    'info       load_waits' 'same       grid_balance'
summary
