#!/usr/bin/env bash
# Compares cugate's counters with Nsight Compute's, kernel by kernel, on one GPU, one after the other, and prints the table
# and what each took.
#
#     ci/compare_with_ncu.sh [RUN.json [NCU.csv]]     keeps the two raw results in these files
#
# cugate runs again under ncu with its host collector, which reads no counters itself and marks the measured launches for
# ncu (cuProfilerStart), so that both see the same launches with the same inputs. Needs ncu and jq. Exit code: 0 when every
# figure is within its bar, 1 when not, 5 when something could not be measured.
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
"$cugate" run --quiet "${filter[@]}" -o "$run" >"$scratch/run.txt" || { cat "$scratch/run.txt"; exit 5; }
cugate_seconds=$(echo "$(seconds) $start" | awk '{ print $1 - $2 }')

counters=$(jq -r '[.metrics[].counter | split(" ")[0] | select(startswith("cugate.") | not)] | join(",")' "$run")
# For the figures each pass of ncu runs the whole program again, and the caches are left to cugate's own flush: ncu's usual
# way empties them before every launch, also before the second one of a variant that launches two.
# For the cost ncu works as people use it, saving and restoring memory between its passes over a launch.
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

# Every row of ncu's CSV is a JSON array without its brackets.
grep '^"' "$csv" | sed 's/.*/[&]/' | jq -s . >"$scratch/rows.json"
"$cugate" list "${filter[@]}" | awk '{ print $1 }' | jq -R . | jq -s . >"$scratch/order.json"
jq -r -n --slurpfile run "$run" --slurpfile rows "$scratch/rows.json" --slurpfile order "$scratch/order.json" \
    --argjson ncu_samples $samples --arg cugate_seconds "$cugate_seconds" --arg ncu_seconds "$ncu_seconds" \
    -f "$here/compare_with_ncu.jq" | tee "$scratch/table.txt"
! grep -q ' OUT$' "$scratch/table.txt"
