#!/usr/bin/env bash
# Measures what measuring costs with two builds of cugate, and whether both measure the same. Both measure the same kernels
# on one GPU in turn, old new new old ..., in ROUNDS sessions each. Builds nothing. Not part of `make test-gpu`.
#
#   OLD=/path/to/other/build/cugate tests/gpu/bench_measuring.sh
#
# Variables: CUGATE (build/cugate): the new build; LIBRARY (libkernels.so beside it) and METRICS (metrics/) for both;
# KERNELS='reduce/* dot/*': only these; SAMPLES (5); ROUNDS (5); NCU=no: leave Nsight Compute out where it is there;
# KEEP=DIR: where run files are left. Exit code: 0 when the median over kernels of the shift of time is at most 0.3 % and
# every exact count that repeated in all old sessions is the same, to the digit, in all new ones; 1 when not; 5 when a
# build could not measure.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
new=$(realpath "${CUGATE:-build/cugate}")
old=$(realpath "${OLD:?the other build: OLD=/path/to/other/build/cugate}")
library=$(realpath "${LIBRARY:-$(dirname "$new")/libkernels.so}")
metrics=$(realpath "${METRICS:-$here/../../metrics}")
samples=${SAMPLES:-5}
rounds=${ROUNDS:-5}
# shellcheck source=tests/gpu/keep.sh
. "$here/keep.sh"
options=(--kernels "$library" --metrics "$metrics")
set -f
for glob in ${KERNELS-}; do
    options+=(-k "$glob")
done
set +f
for tool in jq "$old" "$new"; do
    command -v "$tool" >/dev/null || { echo "bench_measuring: $tool is needed and was not found" >&2; exit 5; }
done

# measure NAME ROUND: a session of that build, and how long it took
declare -A build=([old]=$old [new]=$new)
measure() {
    local begin=$EPOCHREALTIME status=0 said=$work/$1_$2.txt
    "${build[$1]}" run --quiet "${options[@]}" --samples "$samples" --save "$work/$1_$2.json" >"$said" 2>&1 || status=$?
    [ $status -eq 0 ] || { cat "$said"; echo "bench_measuring: ${build[$1]} exited $status" >&2; exit 5; }
    echo "$EPOCHREALTIME $begin" | awk '{ printf "%.3f\n", $1 - $2 }' >>"$work/$1.seconds"
    # A batch that was given up is measured again, and costs time.
    sed -n "s/^.*warning: /$1, session $2: /p" "$said"
}

rm -f "$work"/{old,new}.seconds
"$new" run --quiet "${options[@]}" --samples 1 --save "$work/first.json" >"$work/first.txt" 2>&1 ||
    { cat "$work/first.txt"; exit 5; } # caches of files, and the GPU's clocks
for ((round = 1; round <= rounds; round++)); do
    turn=(old new)
    [ $((round % 2)) -eq 1 ] || turn=(new old)
    measure "${turn[0]}" $round
    measure "${turn[1]}" $round
done

ncu_seconds=0
if [ "${NCU-}" != no ] && command -v ncu >/dev/null; then
    counters=$(jq -r '[.metrics[].counter | split(" ")[0] | select(startswith("cugate.") | not)] | join(",")' "$work/new_1.json")
    begin=$EPOCHREALTIME
    ncu --clock-control none --target-processes all --profile-from-start off --csv --page raw --print-units base \
        --metrics "$counters" --log-file "$work/ncu.csv" \
        "$new" run --quiet "${options[@]}" --collector host --samples 1 --timeout 600 >"$work/ncu.txt" 2>&1 ||
        { tail -5 "$work/ncu.txt" "$work/ncu.csv"; exit 5; }
    ncu_seconds=$(echo "$EPOCHREALTIME $begin" | awk '{ print $1 - $2 }')
fi

exact=$(awk '/^\[/ { name = substr($0, 2, length($0) - 2) } /^class *= *exact *$/ { print name }' "$metrics"/*.ini)
jq -n -r --argjson samples "$samples" --argjson ncu "$ncu_seconds" --arg exact "$exact" --slurpfile old <(cat "$work"/old_*.json) \
    --slurpfile new <(cat "$work"/new_*.json) --slurpfile old_seconds "$work/old.seconds" \
    --slurpfile new_seconds "$work/new.seconds" -f "$here/bench_measuring.jq" | tee "$work/table.txt"
! grep -q ' OUT$' "$work/table.txt"
