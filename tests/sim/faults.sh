#!/usr/bin/env bash
# Lets the simulator run kernels with a fault each: faults.cu, product_faults.cu, races.cu, whose blocks race, and hazards.cu,
# whose copies, barriers in memory and clusters have one. Each fault must be found, with its message and its line. What depends on the order of
# execution must not be counted, and correct kernels that look similar must pass. Ends with "N passed, N failed". Needs nvcc,
# no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/sim/faults.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/../scripts/begin.sh"
compile() {
    local build
    for build in 'faults.cu -arch=sm_90 -o lib.so' 'races.cu -arch=sm_90 -o races.so' 'product_faults.cu -gencode arch=compute_90a,code=sm_90a -o products.so' \
        'hazards.cu -gencode arch=compute_90a,code=sm_90a -o hazards.so -diag-suppress 177'; do
        # shellcheck disable=SC2086 # words
        "$nvcc" -std=c++17 -lineinfo -Xcompiler -fPIC "-I$top/harness" "${includes[@]/#/-I}" "${libraries[@]/#/-L}" \
            -cudart shared -shared "$top/tests/sim/"$build
    done
    "$nvcc" -std=c++17 -arch=sm_90 -lineinfo "${includes[@]/#/-I}" "${libraries[@]/#/-L}" -cudart shared -o streams "$top/tests/sim/streams.cu"
    "$nvcc" -std=c++17 -arch=sm_90 "${includes[@]/#/-I}" "${libraries[@]/#/-L}" -cudart shared -shared -Xcompiler -fPIC -o libstreams.so "$top/tests/sim/streams.cu"
    : >none.cpp # main() is in the library
    # shellcheck disable=SC2016 # the loader expands it
    "$nvcc" -cudart none -o by_library none.cpp -L. -lstreams -Xlinker -rpath='$ORIGIN'
}
begin_compiled "$@"
export XDG_CACHE_HOME=$work/cache # of what was disassembled
cd "$work" || exit 2
library=$compiled/lib.so
run() {
    cd "$top" || exit 2 # below which its lines are
    ask "$cugate" run --simulate=nvidia-h200 --kernels "$library" --metrics "$top/metrics" --timeout 60 "$@"
    cd "$work" || exit 2
}

run -k 'right/*'
expect 'right kernels pass' 0 'computed: 31 of 31 kernels' '!not counted' '!branches_join has' '!branches_agree has' \
    'right/reads_ahead has a harmless fault, because no result depends on it: warp 0 reads unwritten shared memory' \
    'right/reads_aside has a harmless fault, because no result depends on it: warp 1 reads byte 256 of shared' '!loads_more has'
run -k 'wrong/*'
expect 'wrong ones are not measured' 5 'computed: 0 of 29 kernels; 29 failed'
run -k 'timing/*'
expect 'what depends on what comes first is not counted' 5 'computed: 19 of 21 kernels; 2 failed' 'rows not counted'
run -k 'in_vain/*'
expect 'what would have no end has one' 5 'computed: 0 of 3 kernels; 3 failed'
run --save "$work/run.json"
# shellcheck disable=SC2016 # jq's own
ask jq -c '.kernels | [.["right/exits_by_two"].metrics.threads_per_instruction, .["right/copies_zeros"].metrics.shared_wavefronts] |
    map(.sessions[0])' run.json
expect 'who exits by two predicates, and what writes zeros' 0 '[[26.5365854,27.25,28],[48]]'

# reason KERNEL [!]WORDS...: why it failed, at the line of $source whose comment is its name. A wrong one was simulated.
source=faults.cu
reason() {
    local kernel=$1 line
    shift
    [[ $kernel != wrong/* ]] || set -- '!not simulated' "$@"
    [ reasons -nt run.json ] ||
        jq -r '.kernels | to_entries[] | "\(.key) \(.value.reason // "none" | gsub("\n"; " "))"' run.json >reasons
    sed -n "s|^$kernel ||p" reasons >said
    line=$(grep -n "/\* ${kernel#*/} \*/" "$top/tests/sim/$source" | cut -d: -f1)
    # shellcheck disable=SC2034 # expect() reads it
    code=$(grep -c " at tests/sim/$source:$line (block " said)
    expect "$kernel" 1 "$@"
}

beyond='bytes beyond the end of an allocation of 4096 bytes'
reason wrong/read_beyond 'reads 4 bytes at 0x' "4 $beyond" 'block 3,0,0'
reason wrong/second_block 'lane 0 writes 4 bytes at 0x' "260 $beyond" 'block 1,0,0'
reason wrong/write_before 'lane 0 writes 4 bytes at 0x' '4 bytes before an allocation of 4096 bytes'
reason wrong/wild_pointer 'lane 0 reads 4 bytes at 0x40, outside every allocation'
reason wrong/misaligned 'lane 0 accesses 16 bytes at 0x' 'which is not a multiple of 16'
reason wrong/misaligned_shared 'lane 1 accesses 8 bytes at byte 4 of shared memory, which is not a multiple of 8'
reason wrong/shared_beyond "lane 31 accesses bytes 256 to 259 of the block's 256 bytes of shared memory"
reason wrong/shared_unwritten 'warp 1 reads unwritten shared memory, lane 0 byte 128'
reason wrong/shared_partly_unwritten 'warp 0 reads unwritten shared memory, lane 0 byte 0'
reason wrong/shared_rest_unwritten 'warp 0 reads unwritten shared memory, lane 0 byte 8'
reason wrong/writes_meet 'writes byte 0 of shared memory that warp 0 wrote, without a barrier between them'
reason wrong/read_after_write 'reads unwritten shared memory, lane 0 byte 252'
reason wrong/write_after_read 'reads byte 124 of shared memory that warp 0 wrote, without a barrier'
reason wrong/counts_meet 'of shared memory' 'without a barrier'
reason wrong/branch_read 'of warp 0 ' 'of shared memory that lanes 0x' 'without a __syncwarp()'
reason wrong/branch_written 'of warp 0 ' 'of shared memory that lanes 0x' 'without a __syncwarp()'
reason wrong/branches_write 'of warp 0 write byte ' 'that lanes 0x' 'wrote, without a __syncwarp()'
reason wrong/added_before_zero 'writes byte 128 of shared memory that warp 0 changes by an atomic, without a barrier'
reason wrong/read_before_added 'changes by an atomic byte 124 of shared memory that warp 0 read, without a barrier'
reason wrong/large_sums_meet 'of shared memory' 'without a barrier'
reason wrong/sums_meet 'warps 0 and 1 of a block change and read the word at 0x' 'of global memory without a barrier between them'
reason wrong/neighbour_in_global 'warp 1 changes the word at 0x' 'of global memory that another warp of its block read, without'
reason wrong/local_beyond 'accesses byte 16384 of its 256 bytes of local memory'
reason wrong/lost_barrier 'deadlock: not every thread of the block reaches this barrier'
reason wrong/trap 'the kernel executed a trap'
reason wrong/assertion 'an assertion failed'
reason wrong/wraps_around 'lane 1 reads 4 bytes at 0xfffffffffffffffc, outside every allocation'
reason wrong/atomic_wraps_around 'lane 1 writes 4 bytes at 0xfffffffffffffffc, outside every allocation'
reason wrong/lower_words_wrap 'lane 8 reads 4 bytes at 0x' '00000000, '
reason in_vain/never_told 'not simulated: deadlock: all blocks have started'
reason in_vain/waits_for_last 'not simulated: blocks that wait for unstarted blocks take more than 4 GiB'
reason in_vain/one_too_many 'not simulated: deadlock: the waiting blocks fill the GPU, so no other can start'
reason timing/reads_clock 'not simulated: clock64() or clock(), CS2R'
reason timing/prints 'not simulated: printf in a counted kernel'

# open KERNEL [ROW]...: its instructions are not counted, as it depends on what comes first at the line whose comment is its
# name, but these rows are.
open() {
    local kernel=$1 line
    jq -r --arg kernel "$kernel" '.kernels[$kernel] | .metrics.instructions.reason // .status' run.json >said
    line=$(grep -n "/\* ${kernel#*/} \*/" "$top/tests/sim/faults.cu" | cut -d: -f1)
    # shellcheck disable=SC2034 # expect() reads it
    code=$(grep -c "^depends on which block or warp comes first: .* at tests/sim/faults.cu:$line (block " said)
    expect "$kernel" 1
    jq -r --arg kernel "$kernel" '.kernels[$kernel].metrics | to_entries[] | select(.value.sessions).key' run.json >said
    # shellcheck disable=SC2034 # expect() reads it
    code=0
    expect "$kernel is only partly counted" 0 "${@:2}"
}

for kernel in ticket_decides exchange_decides most_decides bits_decide threads_take_tickets warps_take_tickets last_writes \
    takes_lock adds_by_swapping looks_and_adds; do
    open timing/$kernel fp32_arithmetic
done
for kernel in looks_back looks_by_swapping looks_together; do
    open timing/$kernel fp32_arithmetic global_store_sectors
done
open timing/doubles_meet global_store_sectors
open timing/waits_for_block global_store_sectors global_store_requests
open timing/plain_race branch_targets branch_efficiency

ask jq -r '.kernels["timing/sleeps_between_looks"].metrics | .instructions.reason, .global_store_sectors.sessions' run.json
line=$(grep -n '/\* sleeps_between_looks \*/' "$top/tests/sim/faults.cu" | cut -d: -f1)
expect 'a wait that sleeps between two polls' 0 "the number of polls of SYNCS.PHASECHK.TRANS64.TRYWAIT at tests/sim/faults.cu:$line" '!null'

# Neither a number nor its absence may hang on how many of them there are.
for threads in 1 2 7; do
    CUGATE_SIM_THREADS=$threads run -k 'right/*' -k 'timing/*' --save "$work/run.json"
    jq -S '.kernels | map_values([.status, .metrics, (.lines | del(.estimated, .list[]?.stalls))])' run.json >"on$threads"
done
expect 'on 1, 2 and 7 threads it is the same' 0 '!====' -- diff3 on1 on2 on7

# What is left in memory depends on it as well, and is said of no right kernel.
ask jq -r '.kernels | to_entries[] | select(.value.varies) | "\(.key): \(.value.varies)"' "$work/run.json"
expect 'a result that depends on what comes first is said' 0 'timing/last_writes: 1 of ' ' bytes of the allocation at 0x' '!right/'

# What nvdisasm said of each function is kept.
grep -rlZ _Z13negated_index "$XDG_CACHE_HOME" | xargs -0 sed -i 's/0x5,/0x6,/'
run -k right/negated_index
expect 'text of other code is not believed' 5 "not simulated: nvdisasm's text of _Z13negated_indexPiPKij+0x"

library=$compiled/products.so source=product_faults.cu
run -k 'right/*'
expect 'right products pass' 0 'computed: 8 of 8 kernels; 6 rows not counted' \
    'right/stored_again has a harmless fault, because no result depends on it: HGMMA.64x8x16.F32 reads byte '
run --save "$work/run.json"
expect 'wrong ones are not measured' 5 'computed: 8 of 19 kernels; 11 failed'
not_done='of shared memory, which a wgmma in flight still reads'
reason wrong/no_proxy_fence 'HGMMA.64x8x16.F32 reads byte ' 'stored without a fence.proxy.async after it'
reason wrong/early_proxy_fence 'stored without a fence.proxy.async after it'
reason wrong/beyond_tile "of the block's 4096 bytes of shared memory"
reason wrong/not_waited 'multiplies shared memory from byte' 'no wait for its group comes before'
for kernel in stored_in_flight copied_in_flight matrix_in_flight other_group_stores older_is_waited_for; do
    reason wrong/$kernel "$not_done"
done

still_reads='which a wgmma still reads: warp'
reason wrong/bulk_in_flight "$still_reads 0 is not ordered"
reason wrong/freed_in_flight "$still_reads 4 is not ordered"

library=$compiled/races.so source=races.cu
run -k 'right/*' -k 'meant/*' --save "$work/run.json"
expect 'blocks that may meet so pass' 0 'computed: 21 of 21 kernels'
ask jq -r '.kernels | to_entries[] | select(.value.varies) | "\(.key): \(.value.varies)"' "$work/run.json"
expect 'what they leave may depend on who is first' 0 'meant/largest: ' 'and nothing orders them: at tests/sim/races.cu' '!right/unites'
run -k 'wrong/*' --save "$work/run.json"
expect 'blocks that race are not measured' 5 'computed: 0 of 24 kernels; 24 failed' 'has no __threadfence() before it'
ask jq -r '.kernels | to_entries[] | "\(.key) \(.value.reason // "none" | gsub("\n"; " "))"' run.json
missed=''
while IFS=: read -r line kernel; do
    grep -q "^wrong/$kernel .* tests/sim/races.cu:$line\b" "$work/said" || missed+=" $kernel"
done < <(sed -n '/Races ----/,/May be meant/{=;p}' "$top/tests/sim/races.cu" | sed -n 'N;s|\n.*/\* \([a-z_]*\) \*/$|:\1|p')
verdict 'each is named on its line' "$missed"

library=$compiled/hazards.so source=hazards.cu
run -k 'right/*'
expect 'right copies pass' 0 'computed: 12 of 12 kernels'
run -k 'wrong/*' --save "$work/run.json"
expect 'wrong copies are not measured' 5 'computed: 0 of 24 kernels; 24 failed'
not_waited='has not waited for the phase of the mbarrier at byte 256'
reason wrong/reads_early 'warp 0 reads shared memory from byte 0 on, which a copy (UBLKCP.S.G) may still write' "$not_waited"
reason wrong/one_warp_waits 'warp 1 reads shared memory from byte 128 on' "$not_waited"
reason wrong/writes_early 'warp 0 writes shared memory from byte 0 on' "$not_waited"
reason wrong/overwrites_readers 'warp 1 reads shared memory from byte 128 on' "$not_waited"
reason wrong/arrives_before_reading 'UBLKCP.S.G overwrites shared memory from byte 128 on, which warp 1 may still read'
reason wrong/waits_for_wrong_phase 'waits for a phase of the mbarrier at byte 256 of shared memory that never completes'
reason wrong/no_fence 'from byte 0 on, which warp 0 wrote, without a fence.proxy.async'
reason wrong/no_barrier_before_store 'from byte 0 on, which warp 0 may still write: warp 1 did not wait'
reason wrong/source_written_again 'which a copy (UBLKCP.G.S) of warp 0 may still read: no wait for its bulk group comes before'
reason wrong/ends_early 'the block ends while UBLKCP.G.S of warp 0 may still read its shared memory'
reason wrong/ends_before_it_comes 'the block ends while UBLKCP.S.G may still write its shared memory: no warp waited'
reason wrong/waits_for_too_few_groups 'which a copy (UBLKCP.G.S) of warp 0 may still read: no wait for its bulk group comes before'
reason wrong/bytes_do_not_come 'never completes: 0 arrivals are missing, and 16 bytes have not arrived'
reason wrong/too_many_bytes 'never completes: 0 arrivals are missing, and 16 bytes more arrived than expected'
reason wrong/arrival_is_missing 'never completes: 1 arrivals are missing'
reason wrong/too_many_arrive '3 arrivals at the mbarrier at byte 8 of shared memory, which expects 2 more'
reason wrong/no_init 'is not initialised'
reason wrong/tile_not_aligned 'a tile begins 20 bytes into'
reason wrong/neighbour_is_gone 'shared memory of block 0 of the cluster, which has exited'
reason wrong/lanes_wait_for_too_few 'a copy (cp.async) of warp 0 may still write: no wait for its group comes before'
reason wrong/lanes_do_not_commit 'a copy (cp.async) of warp 0 may still write: no wait for its group comes before'
reason wrong/neighbour_may_write 'block 1 writes without a wait at the cluster'
reason wrong/neighbour_may_read 'shared memory that block 0 reads without a wait'
reason wrong/arrives_twice 'lanes arrive at the cluster barrier twice'

# Programs of several streams. The runtime of a sanitized build comes late in a program that is not, and has no
# disassembler beside it.
[ -n "${CUGATE_NVDISASM:-}" ] || [ ! -x "$top/build/disasm/nvidia/cu13/bin/nvdisasm" ] ||
    export CUGATE_NVDISASM=$top/build/disasm/nvidia/cu13/bin/nvdisasm
of_streams() { # [KERNEL]
    ask env ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0:detect_leaks=0" "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" "${options[@]}" -- "$compiled/${program-streams}" "$@"
}
options=(--save run.json)
of_streams
expect 'streams that are ordered' 0 'computed: 8 of 8 kernels' '!old'
expect 'programmatic launches, captured too, rows of copies, a pool that grows anew' 0 '[8,4,10]' -- \
    jq -c '.kernels["streams/program"].metrics | [.programmatic_launches, .copy_rows, .allocations] | map(.sessions[0][0])' run.json
options=()
missed=''
mapfile -t kernels < <(sed -n 's/^ *CASE(\(wrong_[a-z_]*\),.*/\1/p' "$top/tests/sim/streams.cu")
for kernel in "${kernels[@]}"; do
    of_streams "$kernel"
    grep -q 'in another stream; no event orders them\|in another branch of a graph; no edge orders them\|no event or edge orders the two\|no griddepcontrol.wait comes before\|that a copy may still read\|^old$' said || missed+=" $kernel"
done
verdict 'streams that are not' "$missed"
# Its program has nothing that a sanitized build belongs to, so that comes first by hand.
sanitizer=$(ldd "$cugate" | sed -n 's/.*=> \(.*libasan[^ ]*\).*/\1/p')
LD_PRELOAD=$sanitizer program=by_library of_streams wrong_early
expect 'streams of a library' 5 'no event orders them'
options=(--suppress known)
echo 'race * issue' >known
expect 'a race of streams is not one of a kernel' 5 'no fault matched known:1' 'no event orders them' -- of_streams wrong_no_wait
echo 'stream-race * issue' >known
expect 'and is let pass by its own name' 0 'stream-race in *: suppressed in 1 launch' -- of_streams wrong_no_wait
summary
