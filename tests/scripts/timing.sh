#!/usr/bin/env bash
# Holds times that are estimated without a GPU (harness/replay) to those that an H200 measured: of a few kernels of the
# catalogue, with different bounds, the median error and how many are within their bands. That an estimate is never a
# measured time, and does not depend on how many threads compute it. Ends with "N passed, N failed". Needs no GPU.
#
#   CUGATE=build/cugate tests/scripts/timing.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
cd "$top" || exit 2

# Bounded by issue, latency, constant reads, shared memory, DRAM.
kernels=(divergence/per_thread divergence/per_warp reduce/sequential elementwise/{vector2,lookup_table,row_blocks}
    cached_reads/constant_{same_address,scattered} hierarchy/thread_index shared_bank/{padded,stride32} transpose/{tiled,padded})

# compute RUN THREADS KERNEL...
compute() {
    ask env "CUGATE_SIM_THREADS=$2" "$cugate" run --simulate=nvidia-h200 --kernels build/libkernels.so --save "$work/$1" \
        "${@:3}"
    expect "computed by $2 threads: $1" 0 "computed: $(($# - 2)) of $(($# - 2)) kernels"
}

# holds LABEL JQ_CONDITION FILE: which prints why not.
holds() {
    local why
    why=$(jq -r "$2" "$3") || why="jq cannot read $3"
    verdict "$1" "$why"
}

compute run.json 2 "${kernels[@]/#/-k}"

# Of each kernel: what was estimated, and the median of what was measured.
files=("${kernels[@]/#/baselines/nvidia-h200/}")
# shellcheck disable=SC2016 # variables of jq; likewise below
jq -n --slurpfile run "$work/run.json" 'def middle: sort | .[length / 2 | floor];
    reduce (inputs.kernels | to_entries[]) as {$key, $value} ({}; .[$key] = $run[0].kernels[$key].estimated_time +
        {measured: ($value.metrics.time.sessions | flatten | middle)})' "${files[@]/%/.json}" >"$work/times.json"
holds "all have an estimate" \
    "if length == ${#kernels[@]} and all(.[]; .measured > 0 and .ns > 0 and .low < .ns and .ns < .high) then empty else tojson end" "$work/times.json"
holds "half are off by less than 12 %" '
    ([.[] | (.ns / .measured) | log | fabs] | sort | .[length / 2 | floor]) | if . < 0.12 then empty else "the median is \(.)" end' "$work/times.json"
# shellcheck disable=SC2016
holds "9 of 10 are in their bands" '
    [to_entries[] | select(.value | .measured < .low or .measured > .high) | "\(.key): \(.value.measured) ns, estimated \(.value.ns)"] as $out
    | if 10 * ($out | length) <= length then empty else $out | join("; ") end' "$work/times.json"
holds "what bounds them differs" 'if [.[].bound_by] | unique | length >= 5 then empty else [.[].bound_by] | unique | tojson end' "$work/times.json"
holds "no estimate is a measured time" \
    '[.kernels[].metrics | keys[] | select(test("^(gpu_)?time$"))] | if . == [] then empty else tojson end' "$work/run.json"

# Where it goes: the parts add up to the time without the launch (2 us), and are shown as estimated.
# shellcheck disable=SC2016 # variables of jq
holds "stalls of all lines are the time" '[.kernels | to_entries[] | .value.estimated_time.ns as $ns | (.value.launches | map(.times) | add) as $n
    | ([.value.lines.list[].stalls[]] | add) as $all | select(.value.lines.estimated != true or .value.lines.period != 0
        or ($all + 2000 * $n) / $ns - 1 > 1e-6 or ($all + 2000 * $n) / $ns - 1 < -1e-6) | .key] | if . == [] then empty else tojson end' "$work/run.json"
ask "$cugate" explain --replay "$work/run.json" shared_bank/stride32
expect "explained with estimated stalls" 0 "Roofline by the model  the share of the estimated time" "the L1 and shared memory" "Where the time goes: estimated ns" \
    "estimated by replaying the warps of one SM" "mio_throttle" "!one warp of each SM"
"$cugate" explain --replay "$work/run.json" shared_bank/stride32 --format json >"$work/explained.json"
# shellcheck disable=SC2016
holds "explained as JSON" 'if .stalls == null and .estimated.stalls[0].reason == "mio_throttle" and .estimated.busy["the L1 and shared memory"] > 0.6
    and ([.estimated.stalls[].share] | add | . > 0.999 and . < 1.001) then empty else tojson end' "$work/explained.json"
for kernel in padded tiled; do
    jq "{\"transpose/x\": .kernels[\"transpose/$kernel\"]} as \$kernels | .kernels = \$kernels" "$work/run.json" >"$work/$kernel.json"
done
ask "$cugate" compare "$work/padded.json" "$work/tiled.json" --format markdown
expect "a red estimated time names its lines" 1 "transpose.cu:51</code>: estimated ns" " stalls: " "see excess_wavefronts"
ask "$cugate" compare "$work/tiled.json" "$work/padded.json"
expect "to follow its advice pays" 0 "nothing is worse" "3 improved" "!trade-off"

for threads in 1 4; do
    compute "by_$threads.json" "$threads" -kelementwise/vector2 -kelementwise/lookup_table
done
# shellcheck disable=SC2016
jq -n --slurpfile one "$work/by_1.json" --slurpfile four "$work/by_4.json" '[$one, $four] | map(.[].kernels | map(.estimated_time))' \
    >"$work/both.json"
holds "estimates are the same to the last digit" 'if .[0] == .[1] and all(.[0][]; .ns > 0) then empty else tojson end' "$work/both.json"
summary
