#!/usr/bin/env bash
# Tests CUPTI's collector with several GPUs (tests/standin/library.c, whose counters exclude each other as real ones do).
# The GPUs must share the kernels; a kernel that one cannot measure must be tried on another; pairs must stay on one GPU;
# and a process that is started ahead must wait for the counters. What is said where there is no GPU, driver or CUPTI is
# tested, too. Needs no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/slots.sh     tests/standin is beside it
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
standin=$(dirname "$cugate")/tests/standin
cd "$work" || exit 2

# Sanitizers do not like to be loaded second.
export ASAN_OPTIONS=handle_segv=0:verify_asan_link_order=0 STANDIN_DIR=$work STANDIN_DEVICES=3
unset CUDA_INJECTION64_PATH CUDA_VISIBLE_DEVICES

standing_in() {
    ask env "LD_LIBRARY_PATH=$standin" "LD_PRELOAD=$standin/libcupti.so.13" "$cugate" "$@"
}
library=(--kernels "$standin/library.so" --metrics "$top/metrics")
gpu=GPU-7374616e-642d-696e-2047-5055000000 # and two digits

# Which GPUs a run is of, and on how many of them each kernel was measured.
tell() {
    jq -r '(.sessions | map(.gpu_uuid)) as $gpus | "\($gpus | length) of \($gpus | map(.[-2:]) | join(" "))",
        (.kernels | to_entries[] | "\(.key): \(.value.status) on \(
            [.value.metrics[] | select(.sessions) | (.from // [0])[]] | unique | length)")' "$1" >>said
}

expect 'each GPU is listed' 0 "0  Stand-in GPU" "2  Stand-in GPU" "${gpu}02" -- standing_in list gpus
CUDA_VISIBLE_DEVICES=2,0 expect 'of those that are visible' 0 "${gpu}02" "${gpu}00" "!${gpu}01" -- standing_in list gpus

standing_in run -k 'well/*' -k 'many/*' "${library[@]}" --save one.json
tell one.json
expect 'one GPU' 0 '1 of 00' 'well/first: ok on 1'
for devices in 0,1,2 all; do
    standing_in run -k 'well/*' -k 'many/*' -k 'restless/*' "${library[@]}" --device $devices --save many.json
    tell many.json
    expect "three GPUs share three families: $devices" 0 '3 of 00 01 02' 'well/first: ok on 1' 'many/h: ok on 1' \
        'restless/third: ok on 1'
done
jq -S '.kernels | map_values(.metrics | with_entries(select(.key | test("time|instructions|sectors"))) | map_values(del(.from)))
    | with_entries(select(.key | test("well|many")))' one.json >one
jq -S '.kernels | map_values(.metrics | with_entries(select(.key | test("time|instructions|sectors"))) | map_values(del(.from)))
    | with_entries(select(.key | test("well|many")))' many.json >many
expect 'what three say is what one says' 0 '!<' -- diff one many

standing_in run -k well/first "${library[@]}" --device all --save few.json
tell few.json
expect 'one kernel takes one GPU' 0 '1 of 0' 'well/first: ok on 1'
standing_in run -k 'crash/*' -k 'well/*' "${library[@]}" --device 1,2 --save crash.json
tell crash.json
expect 'what crashes is tried on the other, and both are said' 5 'crash/first: ok on 1' 'crash/second: crashed on 0' \
    'crash/third: ok on 1' "(${gpu}01)" "(${gpu}02)"
standing_in run -k 'wrong/*' "${library[@]}" --device 0,1 --save wrong.json
expect 'what is wrong is wrong' 5 'wrong/second' 'the sum is' '!before, it'
STANDIN_DEVICES=2 standing_in run -k 'well/*' -k 'many/*' -k 'restless/*' "${library[@]}" --device 0,1,2 --save lost.json
tell lost.json
expect 'a GPU that is not there is missed, and what the others measure is kept' 5 \
    'cannot measure on device 2: the NVIDIA driver finds no GPU' 'well/first: ok on 1' 'many/h: ok on 1' \
    'restless/first: ok on 1'

expect 'doctor looks at each' 0 'Stand-in GPU' 'also GPU 2' 'on each of 2 GPUs' -- standing_in doctor "${library[@]}" --device 0,2
expect 'and says that there are more' 0 'one of 3 GPUs: --device all' -- standing_in doctor "${library[@]}"

# Each session a whole one; then the gate, by a baseline of three GPUs.
standing_in aa -k 'well/*' -k 'many/*' "${library[@]}" --sessions 3 --save sessions --device all
for file in sessions/*.json; do tell "$file"; done
expect 'A/A: a session on each GPU' 0 '1 of 00' '1 of 01' '1 of 02'
standing_in accept sessions/*.json --baselines baselines --metrics "$top/metrics" --reason 'made up'
expect 'they become a baseline' 0 'accepted'
standing_in check -k 'well/*' -k 'many/*' "${library[@]}" --baselines baselines --device 0,1 --explain 0
expect 'a run on two GPUs is judged' 0 'nothing is worse' '!another GPU'
STANDIN_JITTER=1 standing_in check -k 'well/*' -k 'many/*' "${library[@]}" --baselines none --device 0,1 --explain 0 --paired \
    --against "$standin/library.so" --save paired.json
jq -r '"pairs: \([.kernels[].metrics.time.pairs | length] | min > 3)"' paired.json >>said
tell paired.json
expect 'pairs, each kernel on its GPU, and the next process waits for the counters' 0 'pairs: true' 'many/h: ok on 1' \
    '!HARDWARE_BUSY' '!cannot measure'

# One measures each build, two a pair, and the last one that is ready is not needed where fewer pairs than the most decide.
STANDIN_LOG=$work/log standing_in check -k well/first "${library[@]}" --baselines none --explain 0 --paired \
    --against "$standin/library.so" --save single.json
pairs=$(jq '.kernels[].metrics.time.pairs | length' single.json)
processes=$(grep -c '^process' log)
[ "$processes" -le $((2 * pairs + 3)) ] && echo "each process measures" >>said
expect "and is not started twice: $processes for $pairs pairs" 0 'each process measures'

# Without CUPTI: with a driver that is in the way, and without one there is no GPU, which is what matters.
cp "$cugate" no_cupti
no_cupti() { # LD_LIBRARY_PATH ARGUMENT...
    ask env "LD_LIBRARY_PATH=$1" ./no_cupti "${@:2}"
}
expect 'a driver, and no CUPTI' 5 'cannot load CUPTI' '!no GPU' -- no_cupti "$standin" list --devices
expect 'nor do scripts take that for no GPU' 5 'cannot load CUPTI' '!no_gpu' -- no_cupti "$standin" check --dry-run
if ! ldconfig -p | grep 'libcuda\.so\.1' >drivers; then # another driver cannot be hidden
    expect 'no driver, and no CUPTI' 5 'no GPU: no NVIDIA driver' -- no_cupti '' list --devices
    expect 'which scripts are told' 0 '"no_gpu": "no NVIDIA driver' -- no_cupti '' check --dry-run
fi
expect 'a driver that finds one' 0 '"no_gpu": null' -- standing_in check --dry-run
STANDIN_DEVICES=0 standing_in check --dry-run
expect 'a driver that finds no GPU' 0 '"no_gpu": "the NVIDIA driver finds no GPU"'

summary
