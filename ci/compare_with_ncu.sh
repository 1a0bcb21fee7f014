#!/usr/bin/env bash
# Compares cugate's counters with those of Nsight Compute, kernel by kernel. Both measure on the same GPU, one after the
# other. Prints the table, and how long each took.
#
#     ci/compare_with_ncu.sh [RUN.json [NCU.csv]]     keeps the two raw results in these files
#
# Under ncu, cugate runs with its host collector. That reads no counters itself, and marks the measured launches for ncu
# (cuProfilerStart). So both see the same launches with the same inputs. ncu and jq are needed. The exit code is 0 when every
# figure is within its limit, 1 when one is not, and 5 when something could not be measured.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cugate=${CUGATE:-$here/../build/cugate}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
run=${1:-$scratch/run.json}
csv=${2:-$scratch/ncu.csv}
filter=()
set -f
for glob in ${KERNELS-}; do
    filter+=(-k "$glob")
done
set +f

for tool in ncu jq "$cugate"; do
    command -v "$tool" >/dev/null || { echo "compare_with_ncu: $tool is needed and was not found" >&2; exit 5; }
done

seconds() { date +%s.%N; }

start=$(seconds)
"$cugate" run --quiet "${filter[@]}" --save "$run" >"$scratch/run.txt" || { cat "$scratch/run.txt"; exit 5; }
cugate_seconds=$(echo "$(seconds) $start" | awk '{ print $1 - $2 }')

counters=$(jq -r '[.metrics[].counter | split(" ")[0] | select(startswith("cugate.") | not)] | join(",")' "$run")
# For the figures, each pass of ncu runs the whole program again, and cugate alone flushes the caches. By default ncu would
# empty them before every launch, also before the second one of a variant that launches two. For the cost, ncu is run with
# its defaults: it saves and restores memory between its passes over a launch.
samples=5
ncu_run() {
    local samples=$1
    shift
    ncu --clock-control none --target-processes all --profile-from-start off --csv --page raw --print-units base \
        --metrics "$counters" "$@" \
        "$cugate" run --quiet "${filter[@]}" --collector host --samples "$samples" --timeout 600 >"$scratch/host.txt"
}
ncu_run $samples --replay-mode application --cache-control none --log-file "$csv" || { tail -5 "$csv"; exit 5; }
start=$(seconds)
ncu_run 1 --log-file "$scratch/usual.csv" || { tail -5 "$scratch/usual.csv"; exit 5; }
ncu_seconds=$(echo "$(seconds) $start" | awk '{ print $1 - $2 }')

# Every row of ncu's CSV becomes a JSON array when brackets are put around it.
grep '^"' "$csv" | sed 's/.*/[&]/' | jq -s . >"$scratch/rows.json"
"$cugate" list "${filter[@]}" | awk '{ print $1 }' | jq -R . | jq -s . >"$scratch/order.json"
jq -r -n --slurpfile run "$run" --slurpfile rows "$scratch/rows.json" --slurpfile order "$scratch/order.json" \
    --argjson ncu_samples $samples --arg cugate_seconds "$cugate_seconds" --arg ncu_seconds "$ncu_seconds" \
    -f "$here/compare_with_ncu.jq" | tee "$scratch/table.txt"
! grep -q ' OUT$' "$scratch/table.txt"
