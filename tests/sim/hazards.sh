#!/usr/bin/env bash
# Lets the simulator run kernels whose copies, barriers in memory and clusters have a fault each (tests/sim/hazards.cu). Each
# fault must be found, with its message and its line, and correct kernels that look similar must pass. Ends with "N passed, N
# failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/sim/hazards.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/../scripts/begin.sh"
compile() {
    # shellcheck disable=SC2086 # words
    "$nvcc" -std=c++20 -gencode arch=compute_90a,code=sm_90a -lineinfo -Xcompiler -fPIC "-I$top/harness" \
        "${includes[@]/#/-I}" "${libraries[@]/#/-L}" -diag-suppress 177 -cudart shared -shared "$top/tests/sim/hazards.cu" -o lib.so
}
begin_compiled "$@"
export XDG_CACHE_HOME=$work/cache # of what was disassembled
cd "$work" || exit 2
run() {
    cd "$top" || exit 2 # below which its lines are
    ask "$cugate" run --simulate=nvidia-h200 --kernels "$compiled/lib.so" --metrics "$top/metrics" --timeout 60 "$@"
    cd "$work" || exit 2
}

run -k 'right/*'
expect 'right kernels pass' 0 'computed: 11 of 11 kernels'
run -k 'wrong/*' --save "$work/run.json"
expect 'wrong ones are not measured' 5 'computed: 0 of 18 kernels; 18 failed'

# reason KERNEL WORDS...: why it failed, at the line whose comment is its name.
reason() {
    local kernel=$1 line
    shift
    jq -r --arg kernel "wrong/$kernel" '.kernels[$kernel].reason // "none"' run.json >said
    line=$(grep -n "/\* $kernel \*/" "$top/tests/sim/hazards.cu" | cut -d: -f1)
    # shellcheck disable=SC2034 # expect() reads it
    code=$(grep -c " at tests/sim/hazards.cu:$line (block " said)
    expect "$kernel" 1 '!not simulated' "$@"
}

not_waited='has not waited for the phase of the mbarrier at byte 256'
reason reads_early 'warp 0 reads bytes of shared memory from 0 on that a copy (UBLKCP.S.G) may still write' "$not_waited"
reason one_warp_waits 'warp 1 reads bytes of shared memory from 128 on' "$not_waited"
reason writes_early 'warp 0 writes bytes of shared memory from 0 on' "$not_waited"
reason overwrites_readers 'warp 1 reads bytes of shared memory from 128 on' "$not_waited"
reason arrives_before_reading 'UBLKCP.S.G overwrites bytes of shared memory from 128 on that warp 1 may still read'
reason waits_for_wrong_phase 'waits for a phase of the mbarrier at byte 256 of shared memory that never ends'
reason no_fence 'from 0 on that warp 0 wrote, without fence.proxy.async between them'
reason no_barrier_before_store 'from 0 on that warp 0 may still write: warp 1 has not waited for it'
reason source_written_again 'that a copy (UBLKCP.G.S) of warp 0 may still read: its group was not waited for'
reason waits_for_too_few_groups 'that a copy (UBLKCP.G.S) of warp 0 may still read: its group was not waited for'
reason bytes_do_not_come 'never ends: 0 arrivals are missing, and 16 bytes have not come'
reason too_many_bytes 'never ends: 0 arrivals are missing, and 16 bytes too many have come'
reason arrival_is_missing 'never ends: 1 arrivals are missing'
reason too_many_arrive '3 arrivals at the mbarrier at byte 8 of shared memory, which expects 2 more'
reason no_init 'which nobody initialised'
reason tile_not_aligned 'a tile begins 20 bytes from'
reason neighbour_is_gone 'shared memory of block 0 of the cluster, which has exited'
reason arrives_twice 'lanes arrive at the barrier of the cluster again'
summary
